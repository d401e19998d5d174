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

// NeverBelow plays games from start against all [Opponents], on either side, and fails the
// test if a result is below the value of the position. value is the value for the first
// player. begin is called before every game with a side; it returns the function that chooses
// the moves of that side.
func NeverBelow(t *testing.T, games int, start engine.Position, value int, may func(engine.Position, engine.Move) bool, begin func(engine.Side) func(engine.Position) string) {
	t.Helper()
	for seed := range uint64(games) {
		for name, o := range Opponents(t, seed, may) {
			for side, value := range map[engine.Side]int{engine.First: value, engine.Second: -value} {
				if margin := PlayAgainst(t, o, start, side, begin(side)); margin < value {
					t.Errorf("as %s against %s: %+d, the value is %+d", side, name, margin, value)
				}
			}
		}
	}
}

// Opponents returns the built-in levels and the player [Random], whose games differ from usual
// ones.
func Opponents(t *testing.T, seed uint64, may func(engine.Position, engine.Move) bool) map[string]engine.Player {
	all := map[string]engine.Player{"random": Random(seed, may)}
	for n := 1; n <= levels.Count; n++ {
		l, err := levels.New(n, seed)
		testenv.OK(t, err)
		all[l.Name()] = l
	}
	return all
}

// Random returns a player that chooses at random among the moves for which may returns true; a
// nil may allows all moves.
func Random(seed uint64, may func(engine.Position, engine.Move) bool) engine.Player {
	return random{rand.New(rand.NewPCG(seed, 1)), may}
}

type random struct {
	r   *rand.Rand
	may func(engine.Position, engine.Move) bool
}

// Name implements [engine.Player].
func (random) Name() string { return "random" }

// Choose returns a random move among those that o.may allows, or among all if it allows
// none.
func (o random) Choose(_ context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
	moves := slices.DeleteFunc(slices.Clone(p.Moves()), func(m engine.Move) bool { return o.may != nil && !o.may(p, m) })
	if len(moves) == 0 {
		moves = p.Moves()
	}
	return engine.Decision{Move: p.MoveString(moves[o.r.IntN(len(moves))])}, nil
}

// HalfASecond chooses moves by a lookup with half a second per move.
func HalfASecond(t *testing.T, l *book.Lookup) func(engine.Position) string {
	return func(p engine.Position) string {
		t.Helper()
		d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(500 * time.Millisecond), Play: true})
		testenv.OK(t, err)
		return d.Move
	}
}

// PlayAgainst plays a game from p between the function move, which chooses the moves of side,
// and the player o. It returns the final score difference for side.
func PlayAgainst(t *testing.T, o engine.Player, p engine.Position, side engine.Side, move func(engine.Position) string) int {
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
