package circuitwars

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/circuitwars/live"
)

// lookAhead is what the live search found.
type lookAhead = live.Result

// searchSource is the live search; it always has an answer.
type searchSource struct {
	tableBytes int64
	mu         sync.Mutex
	board      *grid.Board
	searcher   *live.CircuitWars
}

func (*searchSource) Name() string { return "search" }

func (s *searchSource) Answer(ctx context.Context, q *book.Question) (engine.Decision, bool, error) {
	p, err := positionOf(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	var res live.Result
	if wait, ok := q.Begun.(func() (lookAhead, error)); ok {
		res, err = wait()
	} else {
		var deadline time.Time
		if left, ok := q.Clock.Remaining(); ok {
			deadline = time.Now().Add(left)
		}
		res, err = s.run(ctx, p, deadline, q.AllMoves)
	}
	if err != nil {
		return engine.Decision{}, false, err
	}
	d := engine.Decision{Proof: engine.Estimate, Source: s.Name(), Depth: res.Depth, Nodes: q.Nodes + res.Nodes}
	ceiling := p.Left() + 1 // no estimate reaches it
	if fixed, name, ok := mirrorCeiling(p); ok {
		ceiling = -fixed
		d.Note = fmt.Sprintf("mirror theorem (%s): the opponent can answer every move with its image, so the side to move gets at most %d", name, ceiling)
	}
	for _, m := range res.Moves {
		v := engine.MoveValue{Move: p.MoveString(engine.Move(m.Segment)), Score: m.Score, Proof: engine.Estimate, Source: s.Name()}
		if m.Score >= ceiling {
			v.Score, v.Proof, v.Source = ceiling, engine.Upper, "mirror"
		}
		after, err := p.Occupy(m.Segment)
		for _, l := range m.Line {
			if err == nil {
				v.Line = append(v.Line, after.MoveString(engine.Move(l)))
				after, err = after.Occupy(l)
			}
		}
		d.Moves = append(d.Moves, v)
	}
	mergeKnown(d.Moves, q.Known)
	slices.SortStableFunc(d.Moves, func(a, b engine.MoveValue) int { return b.Score - a.Score })
	best := 0
	for i, m := range d.Moves {
		// A move that is proved to win the game comes before any estimate.
		if (m.Proof == engine.Exact || m.Proof == engine.Lower) && m.Score >= winningValue(p) {
			best = i
			break
		}
	}
	m := d.Moves[best]
	copy(d.Moves[1:best+1], d.Moves[:best])
	d.Moves[0] = m
	d.Move, d.Score, d.Source = m.Move, m.Score, m.Source
	switch {
	case m.Proof == engine.Exact && ceilingOf(d.Moves[1:]) <= m.Score:
		d.Proof = engine.Exact
	case m.Proof == engine.Exact || m.Proof == engine.Lower:
		d.Proof = engine.Lower // another move may be better still
	case m.Proof == engine.Upper && ceilingOf(d.Moves[1:]) <= m.Score:
		d.Proof = engine.Upper
	}
	d.Line = append([]string{d.Move}, m.Line...)
	return d, true, nil
}

func (s *searchSource) run(ctx context.Context, p circuitwars.Position, deadline time.Time, all bool) (live.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.board != p.Board() {
		var err error
		if s.searcher, err = live.NewCircuitWars(p.Board(), s.tableBytes); err != nil {
			return live.Result{}, err
		}
		s.board = p.Board()
	}
	return s.searcher.Search(ctx, p, deadline, 0, all), nil
}

// begin searches for the best move of a position in the background. wait
// waits for the result, which comes as soon as the context or the time ends.
func (s *searchSource) begin(ctx context.Context, p circuitwars.Position, d time.Duration) (wait func() (live.Result, error)) {
	deadline := time.Now().Add(d)
	var res live.Result
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		res, err = s.run(ctx, p, deadline, false)
	}()
	return func() (live.Result, error) {
		<-done
		return res, err
	}
}

// ceilingOf is the best score that any of the moves may still have: infinite
// as soon as one of them is only estimated or bounded from below.
func ceilingOf(moves []engine.MoveValue) int {
	top := math.MinInt
	for _, m := range moves {
		if m.Proof != engine.Exact && m.Proof != engine.Upper {
			return math.MaxInt
		}
		top = max(top, m.Score)
	}
	return top
}

// mergeKnown lets what is proved about a move overrule its estimate. An upper
// bound only caps the estimate, so that an estimate below it still orders.
func mergeKnown(moves, known []engine.MoveValue) {
	for _, k := range known {
		for i := range moves {
			m := &moves[i]
			if m.Move != k.Move {
				continue
			}
			switch k.Proof {
			case engine.Exact, engine.Lower:
				*m = k
			case engine.Upper:
				if m.Score >= k.Score {
					*m = k
				}
			}
		}
	}
}

// instantSource answers by the mirror or else by looking one turn ahead, in
// well under a millisecond: what is played when everything else is late.
type instantSource struct{}

func (instantSource) Name() string { return "instant" }

func (s instantSource) Answer(ctx context.Context, q *book.Question) (engine.Decision, bool, error) {
	p, err := positionOf(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	if d, ok, err := (mirrorSource{}).Answer(ctx, &book.Question{Position: q.Position}); ok || err != nil {
		return d, ok, err
	}
	m := live.Glance(p)
	v := engine.MoveValue{Move: p.MoveString(engine.Move(m.Segment)), Score: m.Score, Proof: engine.Estimate, Source: s.Name()}
	return engine.Decision{
		Move: v.Move, Score: v.Score, Proof: v.Proof, Source: v.Source, Depth: 1,
		Line: []string{v.Move}, Moves: []engine.MoveValue{v},
	}, true, nil
}
