package circuitwars

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/circuitwars/search"
)

type searchSource struct {
	tableBytes int64
	mu         sync.Mutex
	board      *grid.Board
	searcher   *search.Searcher

	concurrent atomic.Pointer[concurrentSearch] // the latest, nil for none
}

// concurrentSearch is a heuristic search that runs concurrently with the exact solver.
type concurrentSearch struct {
	known *book.Known // Known of its question
	done  chan struct{}
	err   error
}

func (*searchSource) Name() string { return "search" }

func (s *searchSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[circuitwars.Position](q.Position)
	if err != nil {
		return false, err
	}
	floor, _ := q.Known.Bounds()
	won := q.Play && floor > q.Known.Ties() // solve.improveWin looks for a better move
	if !q.AllMoves && (won || q.Known.Decided() || mirrored(q.Known)) {
		return false, nil // an estimate would not change the choice
	}
	if b := s.concurrent.Load(); b != nil && b.known == q.Known {
		<-b.done
		return false, b.err
	}
	var deadline time.Time
	if left, ok := q.Clock.Remaining(); ok {
		deadline = time.Now().Add(left)
	}
	return false, s.run(ctx, q, p, deadline, q.AllMoves)
}

// run searches for the best move and records the estimates of each completed depth. With all, it
// searches all moves with a full window.
func (s *searchSource) run(ctx context.Context, q *book.Question, p circuitwars.Position, deadline time.Time, all bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.board != p.Board() {
		var err error
		if s.searcher, err = search.New(p.Board(), s.tableBytes); err != nil {
			return err
		}
		s.board = p.Board()
	}
	s.searcher.Report = func(r search.Result) { s.record(q, r) }
	r := s.searcher.Search(ctx, p, deadline, 0, all)
	s.record(q, r)
	q.Known.Count(r.Nodes)
	return nil
}

// record records the estimates of a search, unless its depth is 1: then the heuristic source is as good.
func (s *searchSource) record(q *book.Question, r search.Result) {
	if r.Depth < 2 {
		return
	}
	var estimates []book.Estimate
	for _, m := range r.Moves {
		estimates = append(estimates, book.Estimate{Move: engine.Move(m.Segment), Score: m.Score, Line: book.SegmentMoves(m.Line)})
	}
	q.Known.Estimate(s.Name(), r.Depth, estimates...)
}

// startConcurrent starts a search for the best move of p in another goroutine, which ends after d or
// when stop is called. Improve waits for it.
func (s *searchSource) startConcurrent(ctx context.Context, q *book.Question, p circuitwars.Position, d time.Duration) (stop func()) {
	ctx, stop = context.WithTimeout(ctx, d)
	b := &concurrentSearch{known: q.Known, done: make(chan struct{})}
	s.concurrent.Store(b)
	go func() {
		defer close(b.done)
		defer stop()
		defer func() {
			if v := recover(); v != nil {
				b.err = fmt.Errorf("panic: %v", v)
			}
		}()
		deadline, _ := ctx.Deadline()
		b.err = s.run(ctx, q, p, deadline, q.AllMoves)
	}()
	return stop
}
