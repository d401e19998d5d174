package booktest

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

// Chooser returns the move to play in a position, in the game's notation.
type Chooser = func(engine.Position) string

// Allowed reports whether the player [Random] may play a move in a position.
type Allowed = func(engine.Position, engine.Move) bool

// NeverBelow plays the given number of games from start against each built-in level and the player
// [Random], on either side. It fails the test if a result is below value, the value of start for the
// first player. begin is called before every game with the tested side. may is the parameter of Random.
func NeverBelow(
	t *testing.T, games int, start engine.Position, value int, may Allowed, begin func(engine.Side) Chooser,
) {
	t.Helper()
	for seed := range uint64(games) {
		for name, o := range opponents(t, seed, may) {
			for side, value := range map[engine.Side]int{engine.First: value, engine.Second: -value} {
				if result := playAgainst(t, o, start, side, begin(side)); result < value {
					t.Errorf("as %s against %s: %+d, the value is %+d", side, name, result, value)
				}
			}
		}
	}
}

func opponents(t *testing.T, seed uint64, may Allowed) map[string]engine.Player {
	all := map[string]engine.Player{"random": Random(seed, may)}
	for n := 1; n <= levels.Count; n++ {
		l, err := levels.New(n, seed)
		testenv.OK(t, err)
		all[l.Name()] = l
	}
	return all
}

// Random returns a player that chooses at random among the moves for which may returns true, or among
// all moves if it returns true for none; a nil may allows all moves. Equal seeds give equal games.
func Random(seed uint64, may Allowed) engine.Player {
	return random{rand.New(rand.NewPCG(seed, 1)), may}
}

type random struct {
	r   *rand.Rand
	may Allowed
}

func (random) Name() string { return "random" }

func (o random) Choose(_ context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
	moves := slices.DeleteFunc(slices.Clone(p.Moves()), func(m engine.Move) bool {
		return o.may != nil && !o.may(p, m)
	})
	if len(moves) == 0 {
		moves = p.Moves()
	}
	return engine.Decision{Move: p.MoveString(moves[o.r.IntN(len(moves))])}, nil
}

// HalfASecond returns a function that chooses moves by a lookup with half a second per move.
func HalfASecond(t *testing.T, l *book.Lookup) Chooser {
	return func(p engine.Position) string {
		t.Helper()
		clock := engine.ClockFor(500 * time.Millisecond)
		d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: clock, Play: true})
		testenv.OK(t, err)
		return d.Move
	}
}

// playAgainst plays a game from p, side's moves chosen by move, and returns side's final lead.
func playAgainst(t *testing.T, o engine.Player, p engine.Position, side engine.Side, move Chooser) int {
	t.Helper()
	for !p.Over() {
		text := ""
		if p.Turn() == side {
			text = move(p)
		} else {
			d, err := o.Choose(t.Context(), p, engine.ClockFor(time.Minute))
			testenv.OK(t, err)
			text = d.Move
		}
		var err error
		p, err = engine.PlayText(p, text)
		testenv.OK(t, err)
	}
	return engine.Lead(p, side)
}
