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

// On the opponent's time the solver fills its table where few enough safe
// lines are left for it, and live search grows the tree of the position; the
// search that answers the opponent's move begins with the part of it that the
// move leads to (reuse.go in package mcts).

const (
	// ponderSafe is how many safe lines a position may have for the solver to
	// ponder it: two more than where it is asked for an answer, for a move and
	// its reply take two. Above live search ponders.
	ponderSafe = safePerhaps + 2
	// firstPonderSolve is the time of each question in the first round; every
	// further round has twice as much.
	firstPonderSolve = 15 * time.Millisecond
)

// Ponder asks who wins the position and by how much, and the same after each
// reply, for longer and longer, until all is known.
func (s *solveSource) Ponder(ctx context.Context, pos engine.Position) {
	p, ok := pos.(dotsandboxes.Position)
	if !ok || !solverPonders(p) {
		return
	}
	s.learn(p)
	open := []dotsandboxes.Position{p}
	for _, m := range p.Moves() {
		// What captures goes on with the same turn: no reply yet.
		if q, err := p.DrawLine(m); err == nil && q.Turn() != p.Turn() && !q.Over() {
			open = append(open, q)
		}
	}
	for each := firstPonderSolve; len(open) > 0 && ctx.Err() == nil; each *= 2 {
		open = slices.DeleteFunc(open, func(q dotsandboxes.Position) bool { return s.ponderOne(ctx, q, each) })
	}
}

// solverPonders says which of the two sources ponders a position.
func solverPonders(p dotsandboxes.Position) bool {
	return p.Free().Len() <= exact.MaxEdges && p.SafeMovesLeft() <= ponderSafe
}

// ponderOne asks who wins a position, and by how much if that came quickly. It
// says whether there is nothing left to ask.
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

// Ponder grows the tree below a position until it has no more room.
func (s searchSource) Ponder(ctx context.Context, pos engine.Position) {
	p, ok := pos.(dotsandboxes.Position)
	if !ok || solverPonders(p) {
		return
	}
	c, o := liveQuestion(p)
	if c.Rest != (grid.Set{}) {
		o.Keep, o.Full = true, true
		s.searcher.Search(ctx, p.Board(), c.Rest, o)
	}
}

// liveQuestion is what live search is asked about a position: the one behind
// all that can be captured, with the lead that the mover has then.
func liveQuestion(p dotsandboxes.Position) (exact.Closure, mcts.Options) {
	c := exact.Close(p.Board(), p.Free())
	return c, mcts.Options{Lead: engine.Lead(p, p.Turn()) + c.Taken, Seed: uint64(time.Now().UnixNano())}
}
