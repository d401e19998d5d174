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

// On the opponent's time the solver fills its table if few safe lines are left, and
// otherwise heuristic search grows the tree of the position. The search after the
// opponent's move begins with the part of the tree below that move (reuse.go in package
// mcts).

const (
	// ponderSafe is the maximum number of safe lines of a position that the solver ponders:
	// two more than for an answer, because a move and its reply use two. Heuristic search
	// ponders the other positions.
	ponderSafe = safePerhaps + 2
	// firstPonderSolve is the time per position in the first round; every further round has
	// twice as much.
	firstPonderSolve = 15 * time.Millisecond
)

// Ponder solves the winner and the value of the position and of the positions after each
// reply, with more and more time, until all are solved.
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

// solverPonders reports whether the solver ponders a position, and not heuristic search.
func solverPonders(p dotsandboxes.Position) bool {
	return p.Free().Len() <= exact.MaxEdges && p.SafeMovesLeft() <= ponderSafe
}

// ponderOne solves the winner of a position, and its value if time is left. It reports
// whether nothing is left to solve.
func (s *solveSource) ponderOne(ctx context.Context, p dotsandboxes.Position, d time.Duration) bool {
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

// Ponder grows the tree below a position until its memory is full.
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

// searchRoot returns the root of heuristic search for a position: the position after all
// available captures, with the lead of the side to move then.
func searchRoot(p dotsandboxes.Position) (exact.Closure, mcts.Options) {
	c := exact.Close(p.Board(), p.Free())
	return c, mcts.Options{Lead: engine.Lead(p, p.Turn()) + c.Taken, Seed: uint64(time.Now().UnixNano())}
}
