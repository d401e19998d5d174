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

// searchSource is the live search; it always has an estimate.
type searchSource struct {
	tableBytes int64
	mu         sync.Mutex
	board      *grid.Board
	searcher   *search.Searcher

	// beside is a search that was begun beside the exact solver, for the
	// question with that knowledge.
	beside atomic.Pointer[besideSearch]
}

type besideSearch struct {
	known *book.Known
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
	won := q.Play && floor > q.Known.Ties() // see solve.won
	if !q.AllMoves && (won || q.Known.Decided() || mirrored(q.Known)) {
		return false, nil // no estimate is played in place of what is proved
	}
	if b := s.beside.Load(); b != nil && b.known == q.Known {
		<-b.done
		return false, b.err
	}
	var deadline time.Time
	if left, ok := q.Clock.Remaining(); ok {
		deadline = time.Now().Add(left)
	}
	return false, s.run(ctx, q, p, deadline, q.AllMoves)
}

// run searches, all moves with a full window or the best move only, and records its estimates
// after every ply.
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
	s.searcher.Report = func(r search.Result) { s.tell(q, r) }
	r := s.searcher.Search(ctx, p, deadline, 0, all)
	s.tell(q, r)
	q.Known.Count(r.Nodes)
	return nil
}

// tell puts what the search thinks into what is known. At depth 1 it has seen no
// more than the first look at every move has.
func (s *searchSource) tell(q *book.Question, r search.Result) {
	if r.Depth < 2 {
		return
	}
	var guesses []book.Estimate
	for _, m := range r.Moves {
		guesses = append(guesses, book.Estimate{Move: engine.Move(m.Segment), Score: m.Score, Line: book.Line(m.Line)})
	}
	q.Known.Estimate(s.Name(), r.Depth, guesses...)
}

// begin searches for the best move of a position in the background, until the
// time ends or stop is called. Improve waits for it.
func (s *searchSource) begin(ctx context.Context, q *book.Question, p circuitwars.Position, d time.Duration) (stop func()) {
	ctx, stop = context.WithTimeout(ctx, d)
	b := &besideSearch{known: q.Known, done: make(chan struct{})}
	s.beside.Store(b)
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
