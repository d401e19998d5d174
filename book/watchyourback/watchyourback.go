// Package watchyourback provides tables and lookup for Watch Your Back.
//
// [Open] returns the [book.Lookup] of the game, and [Game] its [book.Game]. The sources of the lookup
// are in watchyourback.go; tables.go opens the tables that they read, and ponder.go searches during
// the opponent's turn. [Solve] computes the tables of the 6x6 board (boards.go), with jobs of a
// [farm.Farm] (boards_jobs.go), and verify.go checks them.
package watchyourback

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/solver/watchyourback/search"
)

// Open returns a lookup with all sources of Watch Your Back, in the order listed in package book.
func Open(o book.Options) (*book.Lookup, error) {
	tables := newTables(o)
	s := &searcher{Searcher: search.New(max(o.HashBytes, 1<<20), o.Threads, oracle{tables})}
	return book.WithOpening(&book.Lookup{
		Sources: []book.Source{
			&tableSource{tables},
			&solveSource{s},
			&searchSource{s},
		},
		Heuristic: heuristicSource{},
		Closers:   []io.Closer{tables},
	}, o, watchyourback.Game{}), nil
}

type searcher struct {
	mu sync.Mutex
	*search.Searcher
}

type ratedMove struct {
	move     engine.Move
	value    int
	distance int // turns to the end, including this move; 0 except on the 4x4 board
	// wrong is the number of replies worse than the best one, for a move that is best and does not win.
	wrong   int
	balance int // own pieces minus the opponent's after the move
}

type tableSource struct{ tables *openTables }

func (*tableSource) Name() string { return "table" }

func (*tableSource) Stored() {}

// probe returns the value of a position for the side to move, from the tables or, if the game is
// over, from its result. distance is the number of turns to the end, on the 4x4 board only.
func (s *tableSource) probe(p watchyourback.Position) (value, distance int, ok bool) {
	if p.Over() {
		return engine.Outcome(p, p.Turn()), 0, true
	}
	return s.tables.Probe(p)
}

// moves returns all moves, best first: by value; of wins the shortest and of losses the longest
// first; then by the number of wrong replies and the balance of pieces, the greatest first. ok is
// false if the tables lack a position.
func (s *tableSource) moves(p watchyourback.Position) (list []ratedMove, ok bool) {
	final := p.Stage() == watchyourback.Final
	for _, m := range p.Moves() {
		after := p.Next(m)
		v, d, found := s.probe(after)
		if !found {
			return nil, false
		}
		// Distances begin after the second shrink, so only moves on the 4x4 board have one.
		w := ratedMove{move: m, value: -v}
		if final && v != 0 {
			w.distance = d + 1
		}
		w.balance = engine.Lead(after, p.Turn())
		list = append(list, w)
	}
	best := -1
	for _, w := range list {
		best = max(best, w.value)
	}
	for i := range list {
		if w := &list[i]; w.value == best && best < 1 {
			if w.wrong, ok = s.wrongReplies(p.Next(w.move), -best); !ok {
				return nil, false
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ratedMove) int {
		byDistance := b.distance - a.distance // the longest loss first
		if a.value > 0 {
			byDistance = -byDistance // the shortest win first
		}
		return cmp.Or(b.value-a.value, byDistance, b.wrong-a.wrong, b.balance-a.balance)
	})
	return list, true
}

// wrongReplies returns the number of moves of p that are worth less than value.
func (s *tableSource) wrongReplies(p watchyourback.Position, value int) (n int, ok bool) {
	for _, m := range p.Moves() {
		v, _, found := s.probe(p.Next(m)) // for the opponent
		if !found {
			return 0, false
		}
		if -v < value {
			n++
		}
	}
	return n, true
}

// Improve records the tables' values of all moves. enough reports whether the tables contain them.
func (s *tableSource) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[watchyourback.Position](q.Position)
	if err != nil {
		return false, err
	}
	if _, _, ok := s.tables.Probe(p); !ok {
		return false, nil
	}
	list, ok := s.moves(p)
	if !ok {
		return false, nil
	}
	q.Known.Count(uint64(len(list)))
	moves := make([]engine.Move, len(list))
	for i, w := range list {
		claim := book.Claim{Move: w.move, Lower: w.value, Upper: w.value, Distance: w.distance}
		if i == 0 {
			claim.Line = s.line(p, w.move)
		}
		q.Known.Prove(s.Name(), claim)
		moves[i] = w.move
	}
	note := ""
	best := list[0]
	if best.value != 0 && best.distance == 0 && !p.Next(best.move).Over() {
		note = "the tables of the 6x6 board store no number of turns"
	}
	if best.value == 0 && best.wrong > 0 {
		replies := "replies"
		if best.wrong == 1 {
			replies = "reply"
		}
		note = fmt.Sprintf("a tie; the opponent would lose with %d %s", best.wrong, replies)
	}
	q.Known.Prefer(note, moves...)
	return true, nil
}

const lineLength = 30

// line returns best play after move m by the tables, up to a tie or to lineLength moves including m.
func (s *tableSource) line(p watchyourback.Position, m engine.Move) []engine.Move {
	var out []engine.Move
	p = p.Next(m)
	for len(out) < lineLength-1 && !p.Over() {
		v, _, ok := s.tables.Probe(p)
		if !ok || v == 0 { // a tie can continue indefinitely
			break
		}
		list, ok := s.moves(p)
		if !ok {
			break
		}
		out = append(out, list[0].move)
		p = p.Next(list[0].move)
	}
	return out
}

// solveTurns is the maximum number of turns before a shrink at which solveSource is used.
const solveTurns = 16

// solvePieces is the maximum number of pieces with which solveSource is used before the first shrink.
// With more pieces, too few lines lead to positions that the tables contain.
const solvePieces = 9

// solveSource is the source of the exact search to the next shrink. Tables contain the values after it.
type solveSource struct{ *searcher }

func (*solveSource) Name() string { return "solved" }

// Improve solves positions shortly before a shrink. enough reports whether it has solved the value.
func (s *solveSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[watchyourback.Position](q.Position)
	if err != nil {
		return false, err
	}
	if p.Phase() != watchyourback.Moving || p.ToShrink() > solveTurns || p.ToShrink() < 1 {
		return false, nil
	}
	if score := p.Score(); p.Stage() == watchyourback.Full && score[0]+score[1] > solvePieces {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	share := 1 / 3.0 // heuristic search gets the rest
	if _, unmatched := q.Known.UnmatchedBound(); unmatched {
		share = book.ShareToKeep
	}
	ctx, cancel := book.Within(ctx, q.Clock, share)
	defer cancel()
	var limits search.Limits
	limits.Deadline, _ = ctx.Deadline()
	value, move, nodes, ok := s.Solve(ctx, p, limits)
	q.Known.Count(nodes)
	if !ok {
		return false, nil
	}
	q.Known.Bound(s.Name(), value, value)
	q.Known.Prove(s.Name(), book.Claim{Move: move, Lower: value, Upper: value})
	if value < 1 || q.AllMoves {
		s.proveMoves(ctx, p, value, q, limits)
	}
	return true, nil
}

// proveMoves solves moves one by one, in the order of their estimates by a short search, until one is
// worth value, and records it as preferred. With q.AllMoves it solves all moves and prefers those
// worth value in the same order. It stops when the time ends.
func (s *solveSource) proveMoves(ctx context.Context, p watchyourback.Position, value int, q *book.Question, l search.Limits) {
	estimate := s.Search(ctx, p, search.Limits{Depth: 4, AllMoves: true, Deadline: l.Deadline})
	q.Known.Count(estimate.Nodes)
	var keep []engine.Move
	for _, m := range estimate.Moves {
		v, ok := m.Score, m.Proved
		if k := q.Known.Move(m.Move); k.Exact() {
			v, ok = k.Lower, true
		} else if !ok {
			v, ok = s.moveValue(ctx, p, m.Move, q, l)
		}
		if !ok {
			continue
		}
		q.Known.Prove(s.Name(), book.Claim{Move: m.Move, Lower: v, Upper: v})
		if v != value {
			continue
		}
		if keep = append(keep, m.Move); !q.AllMoves {
			break
		}
	}
	q.Known.Prefer("", keep...)
}

// moveValue returns the value of move m for the side to move in p: from the rules if the game is over
// after m, else from the tables, else from a solve within the limits l.
func (s *solveSource) moveValue(
	ctx context.Context, p watchyourback.Position, m engine.Move, q *book.Question, l search.Limits,
) (value int, ok bool) {
	after := p.Next(m)
	if after.Over() {
		return engine.Outcome(after, p.Turn()), true
	}
	if v, ok := s.Known(after); ok {
		return -v, true
	}
	v, _, nodes, ok := s.Solve(ctx, after, l)
	q.Known.Count(nodes)
	return -v, ok
}

type searchSource struct{ *searcher }

func (*searchSource) Name() string { return "search" }

// Improve records the results of the search.
func (s *searchSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[watchyourback.Position](q.Position)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	limits := search.Limits{AllMoves: q.AllMoves, Report: func(r search.Result) { record(q, s.Name(), r) }}
	if _, unmatched := q.Known.UnmatchedBound(); unmatched {
		s.findKept(ctx, q, p, limits)
	}
	switch left, ok := q.Clock.Remaining(); {
	case !ok:
		limits.Depth = 6
	case q.Clock.MoveTime > 0 && time.Until(q.Clock.Deadline) > q.Clock.MoveTime*3/2:
		// MoveTime is a target: a player may spend the time that other moves have saved.
		limits.Deadline, limits.Aim = q.Clock.Deadline, max(left, 1)
	default:
		limits.Deadline = time.Now().Add(left)
	}
	q.Known.Count(s.Search(ctx, p, limits).Nodes)
	return false, nil
}

// findKept searches until a move is proved to keep the lower bound of the position, or the time is up.
func (s *searchSource) findKept(ctx context.Context, q *book.Question, p watchyourback.Position, l search.Limits) {
	ctx, cancel := book.Within(ctx, q.Clock, book.ShareToKeep)
	defer cancel()
	l.Deadline, _ = ctx.Deadline()
	l.Report = func(r search.Result) {
		record(q, s.Name(), r)
		if _, unmatched := q.Known.UnmatchedBound(); !unmatched {
			cancel()
		}
	}
	q.Known.Count(s.Search(ctx, p, l).Nodes)
}

// record records the results of a search, except estimates of depth 1, which are not better than
// those of the heuristic source.
func record(q *book.Question, source string, r search.Result) {
	var estimates []book.Estimate
	for i, m := range r.Moves {
		if !m.Proved {
			estimates = append(estimates, book.Estimate{Move: m.Move, Score: m.Score, Line: m.Line})
			continue
		}
		q.Known.Prove(source, book.Claim{Move: m.Move, Lower: m.Score, Upper: m.Score, Line: m.Line})
		if i == 0 && r.Proved {
			q.Known.Bound(source, m.Score, m.Score)
		}
	}
	if r.Depth > 1 && len(estimates) > 0 {
		q.Known.Estimate(source, r.Depth, estimates...)
	}
}

type heuristicSource struct{}

func (heuristicSource) Name() string { return "heuristic" }

// Improve records estimates by a search of one ply, equal ones in random order.
func (s heuristicSource) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[watchyourback.Position](q.Position)
	if err != nil {
		return false, err
	}
	// The first ply is searched even if the context has ended.
	r := search.New(1<<16, 1, nil).Search(context.Background(), p, search.Limits{Depth: 1, AllMoves: true})
	rand.Shuffle(len(r.Moves), func(i, j int) { r.Moves[i], r.Moves[j] = r.Moves[j], r.Moves[i] })
	var estimates []book.Estimate
	for _, m := range r.Moves {
		if m.Proved {
			m.Score *= watchyourback.Game{}.ProofScale()
		}
		estimates = append(estimates, book.Estimate{Move: m.Move, Score: m.Score})
	}
	slices.SortStableFunc(estimates, func(a, b book.Estimate) int { return b.Score - a.Score })
	q.Known.Estimate(s.Name(), r.Depth, estimates...)
	return false, nil
}
