package circuitwars

import (
	"context"
	"sync"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
)

// solveSegments is the maximum number of free segments of a position that is solved during a game.
const solveSegments = 75

type solveSource struct {
	mu      sync.Mutex
	solver  *exact.Solver
	threads int
	search  *searchSource // runs concurrently with at least minConcurrent threads

	learned bool // the embedded proof is loaded
}

// Name returns the usual source of the results; see the method source.
func (*solveSource) Name() string { return "solved" }

// sureSegments is the maximum number of free segments with which the winner is found almost immediately.
const sureSegments = 36

// minConcurrent is the minimum number of threads with which one of them runs the heuristic search while
// the others solve the position (data/results/tried-circuitwars.md).
const minConcurrent = 3

// Improve records what the exact solver proves within its share of the time.
func (s *solveSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[circuitwars.Position](q.Position)
	if err != nil || p.Free().Len() > solveSegments {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return false, nil // a solve for an earlier question still ran
	}
	return false, (&solve{s, ctx, q, p}).improve()
}

// embeddedSource is the exact solver for positions of the board of the embedded proof. It comes
// before the opening books, because after a move of the embedded proof every reply is solved quickly.
// A book may prove another move with the same value, whose replies take longer.
type embeddedSource struct{ *solveSource }

func (s embeddedSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[circuitwars.Position](q.Position)
	if err != nil || p.Board().Segments() != provedSegments {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.learned {
		s.learned = true
		if err := s.solver.Learn(embeddedAnswers()...); err != nil {
			return false, err
		}
	}
	x := &solve{s.solveSource, ctx, q, p}
	if bound, ok := q.Known.UnmatchedBound(); ok {
		if _, err := x.atLeast(bound, shareOfProof); err != nil || q.Known.Settled(q.AllMoves) {
			return false, err
		}
	}
	return false, x.best(shareOfProof)
}

// solve answers one question with a solveSource.
type solve struct {
	*solveSource
	ctx      context.Context
	question *book.Question
	position circuitwars.Position
}

// improve computes proofs that may change the answer, each in a share of the remaining time.
func (x *solve) improve() error {
	k := x.question.Known
	if bound, ok := k.UnmatchedBound(); ok {
		if _, err := x.atLeast(bound, book.ShareToKeep); err != nil || k.Settled(x.question.AllMoves) {
			return err
		}
	}
	_, limited := x.question.Clock.Remaining()
	floor, _ := k.Bounds()
	switch {
	case x.question.AllMoves:
		return x.allMoves()
	case x.question.Play && limited && floor > k.Ties():
		return x.improveWin()
	case mirrored(k):
		// The theorem keeps its result without using time. A slow proof of another move may not be found
		// again at the next turn.
		return x.best(shareBeyond)
	case floor > k.Ties():
		return x.best(shareOfMargin)
	case limited && x.question.Play:
		return x.solveWinner()
	}
	value, win := shares(x.position.Free().Len())
	if err := x.best(value); err != nil || k.Settled(false) {
		return err
	}
	_, err := x.atLeast(winningValue(x.position), win)
	return err
}

// solveWinner proves whether the side to move wins. If so, it looks for the best winning move; if not,
// for a tie and, if there is none, for the move that is hardest to answer.
func (x *solve) solveWinner() error {
	need := winningValue(x.position)
	r, stop, err := x.atLeastAndSearch(need)
	if err == nil && r.Lower < need && r.Upper >= need {
		return nil // undecided: the heuristic search continues
	}
	stop()
	switch {
	case err != nil:
		return err
	case r.Lower >= need:
		return x.improveWin()
	case r.Upper >= need-1:
		return x.best(shareOfMargin) // a tie is possible
	}
	if err := x.best(shareOfLoss); err != nil {
		return err
	}
	x.preferHardest(shareOfHardest)
	return nil
}

// atLeastAndSearch calls atLeast. With enough threads, and if the position may take long, one thread
// concurrently runs the heuristic search until stop is called.
func (x *solve) atLeastAndSearch(need int) (r solver.Result, stop func(), err error) {
	free := x.position.Free().Len()
	left, limited := x.question.Clock.Remaining()
	if !limited || x.threads < minConcurrent || free <= sureSegments {
		r, err = x.atLeast(need, shareToWin(free))
		return r, func() {}, err
	}
	stop = x.search.startConcurrent(x.ctx, x.question, x.position, left)
	x.solver.Use(x.threads - 1)
	defer x.solver.Use(x.threads)
	r, err = x.atLeast(need, shareConcurrent)
	return r, stop, err
}

// improveWin looks for the best move of a won position. It tries to solve the value. If the time is too
// short, it estimates all moves, and then solves the moves with a better estimate than the proved
// move until one is proved to win too.
func (x *solve) improveWin() error {
	k := x.question.Known
	if !mirrored(k) || x.position.Free().Len() <= sureSegments {
		if err := x.best(shareOfWon); err != nil || k.Settled(false) {
			return err
		}
	}
	if err := x.estimateMoves(); err != nil {
		return err
	}
	need, candidates := k.Candidates()
	for _, m := range candidates {
		if proved, err := x.proveMove(m, need); proved || err != nil || x.ctx.Err() != nil {
			return err
		}
	}
	return nil
}

func (x *solve) estimateMoves() error {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, shareOfEstimates)
	defer cancel()
	deadline, _ := ctx.Deadline()
	return x.search.run(ctx, x.question, x.position, deadline, true)
}

// proveMove tries to prove that a move is worth at least need, and reports whether it has succeeded.
func (x *solve) proveMove(m engine.Move, need int) (proved bool, err error) {
	after, err := x.position.Occupy(int(m))
	if err != nil {
		return false, err
	}
	ctx, cancel := book.Within(x.ctx, x.question.Clock, shareOfAnother)
	defer cancel()
	gain := x.position.Left() - after.Left()
	r, err := x.solver.AtLeast(ctx, after.Board(), after.Free(), gain-need+1)
	if err != nil {
		return false, err
	}
	x.question.Known.Count(r.Nodes)
	x.question.Known.Prove(x.source(r), book.Claim{Move: m, Lower: gain - r.Upper, Upper: gain - r.Lower})
	return gain-r.Upper >= need, nil
}

// best solves the value and a best move in a share of the remaining time.
func (x *solve) best(share float64) error {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, share)
	defer cancel()
	m, r, err := x.solver.Best(ctx, x.position.Board(), x.position.Free())
	if err != nil {
		return err
	}
	if floor, _ := x.question.Known.Bounds(); r.Exact() && r.Lower == floor && mirrored(x.question.Known) {
		m.Segment = -1 // a move of the theorem has the same value
	}
	x.record(r, m)
	return nil
}

// atLeast solves, in a share of the time, whether a move is worth at least need, and which one.
func (x *solve) atLeast(need int, share float64) (solver.Result, error) {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, share)
	defer cancel()
	m, r, err := x.solver.Secure(ctx, x.position.Board(), x.position.Free(), need)
	if err == nil {
		x.record(r, m)
	}
	return r, err
}

// allMoves solves the values of all moves in a share of the remaining time.
func (x *solve) allMoves() error {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, shareOfMoves)
	defer cancel()
	list, r, err := x.solver.Moves(ctx, x.position.Board(), x.position.Free())
	if err == nil {
		x.record(r, list...)
	}
	return err
}

// source returns the name under which result r is recorded: that of [book.ProofSource] if the embedded proof
// is loaded and may contain the position. Positions with most segments drawn count as not in the proof.
func (x *solve) source(r solver.Result) string {
	if x.learned && x.position.Board().Segments() == provedSegments && 2*x.position.Free().Len() >= provedSegments {
		return book.ProofSource(r)
	}
	return x.Name()
}

func (x *solve) record(r solver.Result, list ...solver.MoveBounds) {
	x.question.Known.Solved(x.source(r), x.position.Left(), r, list...)
}

// winningValue returns the smallest value with which the side to move wins the game.
func winningValue(p circuitwars.Position) int {
	return 1 - engine.Lead(p, p.Turn())
}
