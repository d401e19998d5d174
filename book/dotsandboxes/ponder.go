package dotsandboxes

import (
	"context"
	"slices"
	"time"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/mcts"
)

// During the opponent's turn, the exact solver fills its table if few safe lines are left. Otherwise the
// heuristic search grows the tree of the position, part of which it can use after the opponent's move.

const (
	// ponderSafe is the maximum number of safe lines with which the exact solver ponders.
	ponderSafe = safePerhaps + 2
	// firstPonderSolve is the time per position in the first round. It doubles with each round.
	firstPonderSolve = 15 * time.Millisecond
)

// Ponder solves the opponent's position and the positions after the opponent's moves: first whether the
// side to move loses, then the value. It works in rounds until all are solved or ctx ends.
func (s *solveSource) Ponder(ctx context.Context, pos engine.Position) {
	p, ok := pos.(dotsandboxes.Position)
	if !ok || !solverPonders(p) {
		return
	}
	s.learn(p)
	open := []dotsandboxes.Position{p}
	for _, m := range p.Moves() {
		// After a capture the same side moves again, so the turn has not ended.
		if q, err := p.DrawLine(m); err == nil && q.Turn() != p.Turn() && !q.Over() {
			open = append(open, q)
		}
	}
	for each := firstPonderSolve; len(open) > 0 && ctx.Err() == nil; each *= 2 {
		open = slices.DeleteFunc(open, func(q dotsandboxes.Position) bool { return s.ponderOne(ctx, q, each) })
	}
}

// solverPonders reports whether the exact solver ponders a position instead of the heuristic search.
func solverPonders(p dotsandboxes.Position) bool {
	return p.Free().Len() <= exact.MaxEdges && p.SafeMovesLeft() <= ponderSafe
}

// ponderOne solves whether the side to move in a position loses, and then the value, within d. done
// reports whether both are solved or the solver failed.
func (s *solveSource) ponderOne(ctx context.Context, p dotsandboxes.Position, d time.Duration) (done bool) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	need := notLosing(p)
	_, r, err := s.solver.Secure(ctx, p.Board(), p.Free(), need)
	if err != nil {
		return true
	}
	if r.Lower < need && r.Upper >= need {
		return false
	}
	r, err = s.solver.Value(ctx, p.Board(), p.Free())
	return err != nil || r.Exact()
}

// Ponder grows the tree of a position until its memory is full or ctx ends.
func (s searchSource) Ponder(ctx context.Context, pos engine.Position) {
	p, ok := pos.(dotsandboxes.Position)
	if !ok || solverPonders(p) {
		return
	}
	c, o := searchRoot(p)
	if c.Rest != (grid.Set{}) {
		o.Keep, o.Full = true, true
		s.searcher.Search(ctx, p.Board(), c.Rest, o)
	}
}

// searchRoot returns the root of the heuristic search for p, the position after all captures that are
// possible, and options with the lead of the side to move there.
func searchRoot(p dotsandboxes.Position) (exact.Closure, mcts.Options) {
	c := exact.Close(p.Board(), p.Free())
	return c, mcts.Options{Lead: engine.Lead(p, p.Turn()) + c.Taken, Seed: uint64(time.Now().UnixNano())}
}
