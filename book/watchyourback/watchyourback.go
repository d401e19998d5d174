// Package watchyourback is what is kept and answered of Watch Your Back: boards
// makes the 6x6 tables, tables opens them and looks up.
package watchyourback

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/solver/watchyourback/live"
)

// Open opens the sources of Watch Your Back: opening book, the 4x4
// table and the 6x6 tables of the store, the exact search to the next shrink,
// live search.
func Open(o book.Options) (*book.Lookup, error) {
	tables := newTables(o)
	s := &searcher{Searcher: live.New(max(o.HashBytes, 1<<20), o.Threads, oracle{tables})}
	return book.WithOpening(&book.Lookup{
		Sources: []book.Source{
			&tableSource{tables},
			&solveSource{s},
			&searchSource{s},
		},
		Instant: instantSource{},
		Closers: []io.Closer{tables},
	}, o, watchyourback.Game{}), nil
}

// searcher is the searcher that solving and searching share.
type searcher struct {
	mu sync.Mutex
	*live.Searcher
}

// positionOf is the question's position with its own type.
func positionOf(q *book.Question) (watchyourback.Position, error) {
	p, ok := q.Position.(watchyourback.Position)
	if !ok {
		return p, fmt.Errorf("a position of %s where one of Watch Your Back is expected", q.Position.Game())
	}
	return p, nil
}

// ratedMove is a legal move with what the tables say of it, for its mover.
type ratedMove struct {
	move     engine.Move
	value    int
	distance int // turns to the end, this move included; 0 off the 4x4 board
	wrong    int // answers that give away value, for moves that do not win
	balance  int // pieces ahead after the move
}

// tableSource answers what the tables hold.
type tableSource struct{ tables *openTables }

func (*tableSource) Name() string { return "table" }

// probe values a position for its side to move, a finished one by its result.
func (s *tableSource) probe(p watchyourback.Position) (value, distance int, ok bool) {
	if p.Over() {
		switch p.Winner() {
		case engine.None:
			return 0, 0, true
		case p.Turn():
			return 1, 0, true
		}
		return -1, 0, true
	}
	return s.tables.Probe(p)
}

// moves values all moves, best first: wins the shortest first, losses the
// longest first; among moves of equal value those come first that leave the
// opponent most ways to go wrong, then those with more pieces left. ok is
// false if some move leads out of the tables.
func (s *tableSource) moves(p watchyourback.Position) (list []ratedMove, ok bool) {
	final := p.Stage() == watchyourback.Final
	for _, m := range p.Moves() {
		after := p.Next(m)
		v, d, ok := s.probe(after)
		if !ok {
			return nil, false
		}
		// After the second shrink distances begin: count them from here only
		// on the 4x4 board itself.
		w := ratedMove{move: m, value: -v}
		if final && v != 0 {
			w.distance = d + 1
		}
		score := after.Score()
		w.balance = score[p.Turn()-1] - score[p.Turn().Other()-1]
		list = append(list, w)
	}
	best := -1
	for _, w := range list {
		best = max(best, w.value)
	}
	for i := range list {
		if w := &list[i]; w.value == best && best < 1 {
			if w.wrong, ok = s.wrongAnswers(p.Next(w.move), -best); !ok {
				return nil, false
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ratedMove) int {
		switch {
		case a.value != b.value:
			return b.value - a.value
		case a.value > 0 && a.distance != b.distance:
			return a.distance - b.distance
		case a.distance != b.distance:
			return b.distance - a.distance
		case a.wrong != b.wrong:
			return b.wrong - a.wrong
		}
		return b.balance - a.balance
	})
	return list, true
}

// wrongAnswers counts the moves of a position that are worse than value.
func (s *tableSource) wrongAnswers(p watchyourback.Position, value int) (n int, ok bool) {
	for _, m := range p.Moves() {
		v, _, ok := s.probe(p.Next(m))
		if !ok {
			return 0, false
		}
		if -v < value {
			n++
		}
	}
	return n, true
}

// quietProof says what a table value proves in a game that ends after
// QuietLimit quiet turns on the 4x4 board: a win or a loss that may take
// longer than is left of them can still become a tie.
func quietProof(p watchyourback.Position, value, distance int) (score int, proof engine.Proof) {
	if p.Strict() || p.Stage() != watchyourback.Final || p.Quiet()+distance <= watchyourback.QuietLimit {
		return value, engine.Exact
	}
	switch {
	case value > 0:
		return 0, engine.Lower
	case value < 0:
		return 0, engine.Upper
	}
	return 0, engine.Exact
}

func (s *tableSource) Answer(_ context.Context, q *book.Question) (engine.Decision, bool, error) {
	p, err := positionOf(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	value, distance, ok := s.tables.Probe(p)
	if !ok {
		return engine.Decision{}, false, nil
	}
	list, ok := s.moves(p)
	if !ok {
		return engine.Decision{}, false, nil
	}
	d := engine.Decision{Source: s.Name(), Distance: distance, Nodes: q.Nodes + uint64(len(list))}
	d.Score, d.Proof = quietProof(p, value, distance)
	for _, w := range list {
		v := engine.MoveValue{Move: p.MoveString(w.move), Source: s.Name(), Distance: w.distance}
		v.Score, v.Proof = quietProof(p, w.value, w.distance)
		d.Moves = append(d.Moves, v)
		if !q.AllMoves {
			break
		}
	}
	d.Move = d.Moves[0].Move
	d.Line = s.line(p, list[0].move)
	if best := list[0]; best.value == 0 && best.wrong > 0 {
		d.Note = fmt.Sprintf("a tie; %d answers would lose for the opponent", best.wrong)
	}
	return d, true, nil
}

// lineLength bounds the line that a table shows.
const lineLength = 30

// line follows the tables.
func (s *tableSource) line(p watchyourback.Position, m engine.Move) []string {
	out := []string{p.MoveString(m)}
	p = p.Next(m)
	for len(out) < lineLength && !p.Over() {
		v, _, ok := s.tables.Probe(p)
		if !ok || v == 0 { // a tie can go on for ever
			break
		}
		list, ok := s.moves(p)
		if !ok {
			break
		}
		out = append(out, p.MoveString(list[0].move))
		p = p.Next(list[0].move)
	}
	return out
}

// solveTurns is how many turns before a shrink a position is worth an attempt
// to solve it.
const solveTurns = 16

// solvePieces is the most pieces with which an attempt before the first shrink
// can meet the tables of the 6x6 stage often enough.
const solvePieces = 9

// solveSource searches to the next shrink, where the tables take over.
type solveSource struct{ *searcher }

func (*solveSource) Name() string { return "solved" }

func (s *solveSource) Answer(ctx context.Context, q *book.Question) (engine.Decision, bool, error) {
	p, err := positionOf(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	if p.Phase() != watchyourback.Moving || p.ToShrink() > solveTurns || p.ToShrink() < 1 {
		return engine.Decision{}, false, nil
	}
	if score := p.Score(); p.Stage() == watchyourback.Full && score[0]+score[1] > solvePieces {
		return engine.Decision{}, false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// A third of the time; what it does not settle the search gets.
	var limits live.Limits
	if left, ok := q.Clock.Remaining(); ok {
		limits.Deadline = time.Now().Add(left / 3)
	}
	value, move, nodes, ok := s.Solve(ctx, p, limits)
	q.Nodes += nodes
	if !ok {
		return engine.Decision{}, false, nil
	}
	best := engine.MoveValue{Move: p.MoveString(move), Score: value, Proof: engine.Exact, Source: s.Name()}
	d := engine.Decision{Score: value, Proof: engine.Exact, Source: s.Name(), Moves: []engine.MoveValue{best}}
	if value < 1 || q.AllMoves {
		// There may be a choice between moves of equal value, and it is open
		// which of them is hardest to meet.
		d.Moves = s.equals(ctx, p, value, d.Moves[0], q, limits)
	}
	d.Nodes = q.Nodes
	d.Move = d.Moves[0].Move
	d.Line = []string{d.Move}
	return d, true, nil
}

// equals solves the moves one by one as far as the time goes and orders those
// that keep the value by a short search: what it estimates highest is hardest
// to meet. The others follow if all moves were asked for.
func (s *solveSource) equals(ctx context.Context, p watchyourback.Position, value int, proved engine.MoveValue, q *book.Question, l live.Limits) []engine.MoveValue {
	estimate := s.Search(ctx, p, live.Limits{Depth: 4, AllMoves: true, Deadline: l.Deadline})
	q.Nodes += estimate.Nodes
	var keep, rest []engine.MoveValue
	for _, m := range estimate.Moves {
		after := p.Next(m.Move)
		mv := engine.MoveValue{Move: p.MoveString(m.Move), Proof: engine.Exact, Source: s.Name()}
		switch {
		case after.Over() && after.Winner() == p.Turn():
			mv.Score = 1
		case after.Over() && after.Winner() != engine.None:
			mv.Score = -1
		case after.Over():
		case mv.Move == proved.Move:
			mv.Score = value
		case m.Proved:
			mv.Score = m.Score
		default:
			v, ok := s.child(ctx, after, q, l)
			if !ok {
				continue
			}
			mv.Score = -v
		}
		if mv.Score == value {
			keep = append(keep, mv)
			if !q.AllMoves {
				return keep // the highest estimate among those that keep the value
			}
		} else {
			rest = append(rest, mv)
		}
	}
	if len(keep) == 0 {
		keep = append(keep, proved)
	}
	if !q.AllMoves {
		return keep
	}
	slices.SortStableFunc(rest, func(a, b engine.MoveValue) int { return b.Score - a.Score })
	return append(keep, rest...)
}

// child solves a position after a move, which may be past a shrink.
func (s *solveSource) child(ctx context.Context, p watchyourback.Position, q *book.Question, l live.Limits) (int, bool) {
	if v, ok := s.Known(p); ok {
		return v, true
	}
	v, _, nodes, ok := s.Solve(ctx, p, l)
	q.Nodes += nodes
	return v, ok
}

// searchSource is the live search; it always has an answer.
type searchSource struct{ *searcher }

func (*searchSource) Name() string { return "search" }

func (s *searchSource) Answer(ctx context.Context, q *book.Question) (engine.Decision, bool, error) {
	p, err := positionOf(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	limits := live.Limits{AllMoves: q.AllMoves}
	switch left, ok := q.Clock.Remaining(); {
	case !ok:
		limits.Depth = 6
	case q.Clock.MoveTime > 0 && time.Until(q.Clock.Deadline) > q.Clock.MoveTime*3/2:
		// The clock leaves it open on which move the time is spent.
		limits.Deadline, limits.Aim = q.Clock.Deadline, q.Clock.MoveTime
	default:
		limits.Deadline = time.Now().Add(left)
	}
	r := s.Search(ctx, p, limits)
	d := engine.Decision{Source: s.Name(), Depth: r.Depth, Nodes: q.Nodes + r.Nodes}
	for _, m := range r.Moves {
		v := engine.MoveValue{Move: p.MoveString(m.Move), Score: m.Score, Source: s.Name()}
		if m.Proved {
			v.Proof = engine.Exact
		}
		for _, l := range m.Line {
			v.Line = append(v.Line, p.MoveString(l))
		}
		d.Moves = append(d.Moves, v)
	}
	first := d.Moves[0]
	d.Move, d.Score, d.Proof = first.Move, first.Score, first.Proof
	if d.Proof == engine.Exact {
		d.Depth = 0
		d.Proof = provedBy(r)
	}
	d.Line = append([]string{d.Move}, first.Line...)
	return d, true, nil
}

// provedBy says what a search whose first move is proved says about its
// position: the value if the others are proved to be no better, else a lower
// bound.
func provedBy(r live.Result) engine.Proof {
	if r.Proved {
		return engine.Exact
	}
	return engine.Lower
}

// ponderTime is the most that a source may think about an opponent's move.
const ponderTime = time.Hour

// Ponder solves the opponent's position as far as the context goes: what counts
// is what the searcher's table keeps of it.
func (s *solveSource) Ponder(ctx context.Context, p engine.Position) {
	_, _, _ = s.Answer(ctx, &book.Question{Position: p, Clock: engine.Clock{MoveTime: ponderTime}})
}

// Ponder searches the opponent's position, as Ponder of solveSource.
func (s *searchSource) Ponder(ctx context.Context, p engine.Position) {
	_, _, _ = s.Answer(ctx, &book.Question{Position: p, Clock: engine.Clock{MoveTime: ponderTime}})
}

// instantSource looks one turn ahead, in well under a millisecond: what is
// played when everything else is late.
type instantSource struct{}

func (instantSource) Name() string { return "instant" }

func (s instantSource) Answer(_ context.Context, q *book.Question) (engine.Decision, bool, error) {
	p, err := positionOf(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	// The first ply is searched whatever the context says.
	r := live.New(1<<16, 1, nil).Search(context.Background(), p, live.Limits{Depth: 1})
	m := r.Moves[0]
	v := engine.MoveValue{Move: p.MoveString(m.Move), Score: m.Score, Source: s.Name()}
	if m.Proved {
		v.Proof = engine.Exact
	}
	proof := v.Proof
	if proof == engine.Exact {
		proof = provedBy(r)
	}
	return engine.Decision{
		Move: v.Move, Score: v.Score, Proof: proof, Source: v.Source, Depth: 1,
		Line: []string{v.Move}, Moves: []engine.MoveValue{v},
	}, true, nil
}
