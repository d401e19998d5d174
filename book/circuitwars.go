package book

import (
	"context"
	"fmt"
	"sync"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/engine/search"
)

// CircuitWars opens the sources of Circuit Wars: solved tables, the mirror
// guarantee with the exact solver, live search.
func CircuitWars(o Options) (*Lookup, error) {
	return &Lookup{Sources: []Source{
		mirrorSource{},
		&searchSource{tableBytes: max(o.HashBytes/4, 1<<20)},
	}}, nil
}

// circuitWarsPosition is the question's position with its own type.
func circuitWarsPosition(q *Question) (circuitwars.Position, error) {
	p, ok := q.Position.(circuitwars.Position)
	if !ok {
		return p, fmt.Errorf("a position of %s where one of Circuit Wars is expected", q.Position.Game())
	}
	return p, nil
}

// mirrorSource answers with the half-turn (or another involution) wherever it
// proves a guarantee that nothing known beats.
type mirrorSource struct{}

func (mirrorSource) Name() string { return "mirror" }

func (mirrorSource) Answer(_ context.Context, q *Question) (engine.Decision, bool, error) {
	p, err := circuitWarsPosition(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	mirrors := mirrorMoves(p)
	if len(mirrors) == 0 {
		return engine.Decision{}, false, nil
	}
	m := mirrors[0]
	best := engine.MoveValue{Move: p.MoveString(engine.Move(m.segment)), Score: m.guarantee, Proof: engine.Lower, Source: "mirror"}
	for _, k := range q.Known {
		// A move that is proved to give more than the guarantee replaces it.
		if (k.Proof == engine.Exact || k.Proof == engine.Lower) && k.Score > best.Score {
			best = k
		}
	}
	return engine.Decision{
		Move: best.Move, Score: best.Score, Proof: best.Proof, Source: best.Source,
		Line: append([]string{best.Move}, best.Line...), Moves: []engine.MoveValue{best}, Nodes: q.Nodes,
		Note: mirrorNote(m),
	}, true, nil
}

func mirrorNote(m mirrorMove) string {
	return fmt.Sprintf("mirror theorem (%s): answering every move with its image wins at least %d more squares than the opponent from here", m.symmetry, m.guarantee)
}

// searchSource is the live search; it always has an answer.
type searchSource struct {
	tableBytes int64
	mu         sync.Mutex
	board      *grid.Board
	searcher   *search.CircuitWars
}

func (*searchSource) Name() string { return "search" }

func (s *searchSource) Answer(ctx context.Context, q *Question) (engine.Decision, bool, error) {
	p, err := circuitWarsPosition(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.board != p.Board() {
		if s.searcher, err = search.NewCircuitWars(p.Board(), s.tableBytes); err != nil {
			return engine.Decision{}, false, err
		}
		s.board = p.Board()
	}
	var deadline time.Time
	if left, ok := q.Clock.Remaining(); ok {
		deadline = time.Now().Add(left)
	}
	res := s.searcher.Search(ctx, p, deadline, 0, q.AllMoves)
	d := engine.Decision{Proof: engine.Estimate, Source: s.Name(), Depth: res.Depth, Nodes: q.Nodes + res.Nodes}
	for _, m := range res.Moves {
		v := engine.MoveValue{Move: p.MoveString(engine.Move(m.Segment)), Score: m.Score, Proof: engine.Estimate, Source: s.Name()}
		after, err := p.Occupy(m.Segment)
		for _, l := range m.Line {
			if err == nil {
				v.Line = append(v.Line, after.MoveString(engine.Move(l)))
				after, err = after.Occupy(l)
			}
		}
		d.Moves = append(d.Moves, v)
	}
	d.Move, d.Score = d.Moves[0].Move, d.Moves[0].Score
	d.Line = append([]string{d.Move}, d.Moves[0].Line...)
	return d, true, nil
}
