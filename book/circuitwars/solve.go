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

// solveSegments is the largest number of free segments that a solve under a
// move's clock is tried on. The horizon of three seconds has its median near
// 50 and its best cases near 70.
const solveSegments = 75

// solveSource solves positions exactly inside a share of the clock.
type solveSource struct {
	mu     sync.Mutex
	solver *exact.Solver
	// With threadsBeside and more, one of them searches while the others solve
	// where solving is a gamble.
	threads int
	live    *searchSource

	learned bool // what ships of a proof
}

func (*solveSource) Name() string { return "solved" }

// sureSegments is up to where the question who wins is answered in any time
// that is worth mentioning.
const sureSegments = 36

// threadsBeside is from how many threads on one of them searches beside the
// others. What the live search plays hardly depends on its time (package search
// has the figures), while each tenth of a second decides more positions: of 60
// with 50 to 60 free segments that are won, one thread says so of 43 in 0.375 s
// of processor time, of 45 in 0.46 s and of 47 in 0.5 s, and two threads of 49
// in 0.46 s each.
const threadsBeside = 3

func (s *solveSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[circuitwars.Position](q.Position)
	if err != nil || p.Free().Len() > solveSegments {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return false, nil // the one before was late
	}
	return false, (&solve{s, ctx, q, p}).improve()
}

// embeddedSource solves positions of the board whose proof is embedded. It comes before
// the opening book: the book may prove another move of the same value, but only after
// the moves of the embedded proof is every reply of the opponent solved in a moment.
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
		if err := s.solver.Learn(shippedAnswers()...); err != nil {
			return false, err
		}
	}
	x := &solve{s.solveSource, ctx, q, p}
	if owed, ok := q.Known.UnmatchedBound(); ok {
		if _, err := x.whoWins(owed, shareOfProof); err != nil || q.Known.Settled(q.AllMoves) {
			return false, err
		}
	}
	return false, x.best(shareOfProof)
}

// solve is one question to a solveSource.
type solve struct {
	*solveSource
	ctx      context.Context
	question *book.Question
	position circuitwars.Position
}

func (x *solve) improve() error {
	k := x.question.Known
	if owed, ok := k.UnmatchedBound(); ok {
		// Whatever is left of a clock goes into finding the move that keeps it.
		if _, err := x.whoWins(owed, book.ShareToKeep); err != nil || k.Settled(x.question.AllMoves) {
			return err
		}
	}
	_, limited := x.question.Clock.Remaining()
	floor, _ := k.Bounds()
	switch {
	case x.question.AllMoves:
		return x.allMoves()
	case x.question.Play && limited && floor > k.Ties():
		return x.won()
	case mirrored(k):
		// A guarantee is at hand that needs no time to keep. For more than that it
		// is left only if a quick look finds it: what takes long now may take too
		// long again at the next move.
		return x.best(shareBeyond)
	case floor > k.Ties():
		return x.best(shareOfMargin)
	case limited && x.question.Play:
		return x.toWin()
	}
	value, win := shares(x.position.Free().Len())
	if err := x.best(value); err != nil || k.Settled(false) {
		return err
	}
	_, err := x.whoWins(winningValue(x.position), win)
	return err
}

// toWin finds out first who wins, then, if the side to move does, by how much,
// and if not, which move makes winning hardest for the opponent.
func (x *solve) toWin() error {
	free, need := x.position.Free().Len(), winningValue(x.position)
	share := shareToWin(free)
	stop := func() {}
	if left, ok := x.question.Clock.Remaining(); ok && x.threads >= threadsBeside && free > sureSegments {
		stop = x.live.begin(x.ctx, x.question, x.position, left)
		share = shareBeside
		x.solver.Use(x.threads - 1)
	}
	r, err := x.whoWins(need, share)
	x.solver.Use(x.threads)
	if err == nil && r.Lower < need && r.Upper >= need {
		return nil // open: the live search goes on
	}
	stop()
	switch {
	case err != nil:
		return err
	case r.Lower >= need:
		return x.won()
	case r.Upper >= need-1:
		return x.best(shareOfMargin) // a tie may still be had
	}
	if err := x.best(shareOfLoss); err != nil {
		return err
	}
	x.hardest(shareOfHardest)
	return nil
}

// won looks for the best move of a game that is won: the value if it is soon found, else
// a move with a better estimate that is proved to keep what is proved already.
func (x *solve) won() error {
	k := x.question.Known
	if !mirrored(k) || x.position.Free().Len() <= sureSegments {
		if err := x.best(shareOfWon); err != nil || k.Settled(false) {
			return err
		}
	}
	if err := x.estimate(); err != nil {
		return err
	}
	need, hopes := k.Hopes()
	for _, m := range hopes {
		if found, err := x.keeps(m, need); found || err != nil || x.ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// estimate has the live search estimate all moves.
func (x *solve) estimate() error {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, shareOfEstimates)
	defer cancel()
	deadline, _ := ctx.Deadline()
	return x.live.run(ctx, x.question, x.position, deadline, true)
}

// keeps asks whether a move is worth at least need.
func (x *solve) keeps(m engine.Move, need int) (found bool, err error) {
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
	x.question.Known.Prove(x.Name(), book.Claim{Move: m, Lower: gain - r.Upper, Upper: gain - r.Lower})
	return gain-r.Upper >= need, nil
}

// best works out the value and a move.
func (x *solve) best(share float64) error {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, share)
	defer cancel()
	m, r, err := x.solver.Best(ctx, x.position.Board(), x.position.Free())
	if err != nil {
		return err
	}
	if floor, _ := x.question.Known.Bounds(); r.Exact() && r.Lower == floor && mirrored(x.question.Known) {
		m.Segment = -1 // what the theorem guarantees is as good, and needs no time to keep
	}
	x.tell(r, m)
	return nil
}

// whoWins asks whether the position is worth at least need, and by which move.
func (x *solve) whoWins(need int, share float64) (solver.Result, error) {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, share)
	defer cancel()
	m, r, err := x.solver.Secure(ctx, x.position.Board(), x.position.Free(), need)
	if err == nil {
		x.tell(r, m)
	}
	return r, err
}

// allMoves works out the value of every move.
func (x *solve) allMoves() error {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, shareOfMoves)
	defer cancel()
	list, r, err := x.solver.Moves(ctx, x.position.Board(), x.position.Free())
	if err == nil {
		x.tell(r, list...)
	}
	return err
}

// tell puts what the solver has proved into what is known.
func (x *solve) tell(r solver.Result, list ...solver.MoveBounds) {
	x.question.Known.Solved(x.Name(), x.position.Left(), r, list...)
}

// winningValue is the least value with which the side to move wins the game.
func winningValue(p circuitwars.Position) int {
	return 1 - engine.Lead(p, p.Turn())
}
