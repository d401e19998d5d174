package booktest

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

// Opponents are the built-in levels and a player of random moves of those that it
// may play, which leads far away from usual openings.
func Opponents(t *testing.T, seed uint64, may func(engine.Position, engine.Move) bool) map[string]engine.Player {
	all := map[string]engine.Player{"random": random{rand.New(rand.NewPCG(seed, 1)), may}}
	for n := 1; n <= levels.Count; n++ {
		l, err := levels.New(n, seed)
		testenv.OK(t, err)
		all[l.Name()] = l
	}
	return all
}

type random struct {
	r   *rand.Rand
	may func(engine.Position, engine.Move) bool
}

func (random) Name() string { return "random" }

func (o random) Choose(_ context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
	moves := slices.DeleteFunc(slices.Clone(p.Moves()), func(m engine.Move) bool { return !o.may(p, m) })
	if len(moves) == 0 {
		moves = p.Moves()
	}
	return engine.Decision{Move: p.MoveString(moves[o.r.IntN(len(moves))])}, nil
}

// PlayAgainst plays a game and returns the margin for side, whose moves move
// chooses.
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
		m, err := p.ParseMove(text)
		if err == nil {
			p, err = p.Play(m)
		}
		testenv.OK(t, err)
	}
	s := p.Score()
	return s[side-1] - s[side.Other()-1]
}
