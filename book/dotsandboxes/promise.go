package dotsandboxes

import (
	"context"
	"slices"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// What a player of Dots and Boxes does not give up: a line that is proved not to
// lose the game is looked for before anything is estimated, and played however
// good an estimate of another one is.

// smallBoard is the number of lines up to which a position may be worth a
// search for a line that holds the game, however many safe lines are left:
// from 4x4 down.
const smallBoard = 40

// holds is the least value with which the side to move does not lose the game.
func holds(p dotsandboxes.Position) int {
	score, me := p.Score(), p.Turn()
	need := score[me.Other()-1] - score[me-1]
	return need + (p.Board().Squares()-score[0]-score[1]+need)&1 // every value has this parity
}

// secure looks for a line that holds the game, which takes much less than the
// value does; it leaves in the solver's table what it finds. done is false
// when the time was too short.
func (s solveSource) secure(ctx context.Context, q *book.Question, p dotsandboxes.Position, need int, share float64) (done bool) {
	ctx, cancel := book.Within(ctx, q.Clock, share)
	defer cancel()
	_, r, err := s.solver.Secure(ctx, p.Board(), p.Free(), need)
	q.Nodes += r.Nodes
	return err == nil && (r.Lower >= need || r.Upper < need)
}

// holding picks, of the lines that are proved to be worth at least need, the
// one that the search likes best: what is proved is not given up for an
// estimate.
func holding(moves, known []engine.MoveValue, need int) (v engine.MoveValue, ok bool) {
	best := len(moves)
	for _, k := range known {
		if k.Proof != engine.Exact && k.Proof != engine.Lower || k.Score < need {
			continue
		}
		i := slices.IndexFunc(moves, func(m engine.MoveValue) bool { return m.Move == k.Move })
		if i < 0 {
			i = len(moves)
		}
		if !ok || i < best {
			v, best, ok = k, i, true
		}
	}
	return v, ok
}

// noneBetter says whether every other line is proved to be worth no more than
// one.
func noneBetter(p dotsandboxes.Position, one engine.MoveValue, known []engine.MoveValue) bool {
	most := map[string]int{one.Move: one.Score}
	for _, k := range known {
		if k.Proof == engine.Exact || k.Proof == engine.Upper {
			most[k.Move] = k.Score
		}
	}
	for _, m := range p.Moves() {
		if v, ok := most[p.MoveString(m)]; !ok || v > one.Score {
			return false
		}
	}
	return true
}
