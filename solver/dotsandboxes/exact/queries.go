package exact

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"endwise/engine/grid"
	"endwise/solver"
)

// What callers ask about a position and its lines (the search's own moves are in
// moves.go). All of it is asked of what the closure leaves (T1), by null-window
// searches.

// value encloses the value of any position, beginning near guess, as far as the
// context lets it or until done says so.
func (w *work) value(mask uint64, guess int, done func(solver.Bounds) bool) solver.Bounds {
	c, rest := w.g.close(mask)
	closed := done
	if done != nil {
		closed = func(b solver.Bounds) bool { return done(c.bounds(b)) }
	}
	return c.bounds(w.narrow(rest, anything, guess-c.Taken, closed))
}

// known is what the table says about any position.
func (w *work) known(mask uint64) solver.Bounds {
	return w.value(mask, 0, func(solver.Bounds) bool { return true })
}

// drawn are bounds of what a line is worth that completes so many boxes, from
// those of the position behind it, in which the same side moves if there are any.
func drawn(b solver.Bounds, taken int) solver.Bounds {
	if taken > 0 {
		return solver.Bounds{Lower: taken + b.Lower, Upper: taken + b.Upper}
	}
	return solver.Bounds{Lower: -b.Upper, Upper: -b.Lower}
}

// behind is the value of the position behind a line that is worth value.
func behind(value, taken int) int {
	if taken > 0 {
		return value - taken
	}
	return -value
}

// Value works out the value of the position in which exactly the lines of
// free are free. When the context ends first, the result is bounds. It wraps
// ErrTooLarge.
func (s *Solver) Value(ctx context.Context, b *grid.Board, free grid.Set) (solver.Result, error) {
	w, mask, err := s.at(ctx, b, free)
	if err != nil {
		return solver.Result{}, err
	}
	defer w.end()
	return w.result(w.value(mask, 0, nil)), nil
}

// Best works out the value and a best line to draw, with best play after it.
// Where the context ends before the value is known, the move is the zero
// solver.MoveBounds with Segment -1.
func (s *Solver) Best(ctx context.Context, b *grid.Board, free grid.Set) (solver.MoveBounds, solver.Result, error) {
	none := solver.MoveBounds{Segment: -1}
	w, mask, err := s.at(ctx, b, free)
	if err != nil {
		return none, solver.Result{}, err
	}
	defer w.end()
	r := w.value(mask, 0, nil)
	if !r.Exact() {
		return none, w.result(r), nil
	}
	line := w.line(mask, r.Lower)
	if len(line) == 0 {
		return none, w.result(r), nil
	}
	_, taken := w.g.draw(mask, w.g.edge[line[0]])
	return solver.MoveBounds{Segment: line[0], Gain: taken, Bounds: r, Line: line[1:]}, w.result(r), nil
}

// AtLeast asks only whether the value is at least need, which is faster: the
// result has Lower >= need or Upper < need unless the context ended first. It
// wraps ErrTooLarge.
func (s *Solver) AtLeast(ctx context.Context, b *grid.Board, free grid.Set, need int) (solver.Result, error) {
	w, mask, err := s.at(ctx, b, free)
	if err != nil {
		return solver.Result{}, err
	}
	defer w.end()
	return w.result(w.value(mask, need, decided(need))), nil
}

// decided says whether bounds tell if a value is at least need.
func decided(need int) func(solver.Bounds) bool {
	return func(b solver.Bounds) bool { return b.Lower >= need || b.Upper < need }
}

// Secure looks for a line worth at least need, by one null-window search
// where the table does not know; the result is bounds of the position's value.
// Where there is no such line, or the context ends first, Segment is -1.
func (s *Solver) Secure(ctx context.Context, b *grid.Board, free grid.Set, need int) (solver.MoveBounds, solver.Result, error) {
	m := solver.MoveBounds{Segment: -1}
	w, mask, err := s.at(ctx, b, free)
	if err != nil {
		return m, solver.Result{}, err
	}
	defer w.end()
	r := w.value(mask, need, decided(need))
	if mask != 0 && r.Lower >= need {
		if e, _, taken := w.bestEdge(mask, need); e >= 0 {
			m = solver.MoveBounds{Segment: int(w.g.line[e]), Gain: taken, Bounds: solver.Bounds{Lower: need, Upper: r.Upper}}
		}
	}
	return m, w.result(r), nil
}

// Known gives what the table says about a position and each of its lines, the
// best first, without any search.
func (s *Solver) Known(b *grid.Board, free grid.Set) ([]solver.MoveBounds, solver.Result, error) {
	g, err := s.boardGraph(b, free)
	if err != nil {
		return nil, solver.Result{}, err
	}
	w := s.begin(context.Background(), g)
	defer w.end()
	mask := g.Mask(free)
	r := w.known(mask)
	moves := w.moves(mask, r.Upper, func(rest uint64, _ int) solver.Bounds { return w.known(rest) })
	for _, m := range moves {
		r.Lower = max(r.Lower, m.Lower)
	}
	return moves, w.result(r), nil
}

// Moves works out every free line, the best first; among equals captures come
// first. Where the context ends early the remaining ones are bounds.
func (s *Solver) Moves(ctx context.Context, b *grid.Board, free grid.Set) ([]solver.MoveBounds, solver.Result, error) {
	w, mask, err := s.at(ctx, b, free)
	if err != nil {
		return nil, solver.Result{}, err
	}
	defer w.end()
	r := w.value(mask, 0, nil)
	moves := w.moves(mask, r.Upper, func(rest uint64, taken int) solver.Bounds {
		return w.value(rest, behind(r.Lower, taken), nil)
	})
	for i := range moves {
		if m := &moves[i]; m.Exact() {
			rest, taken := w.g.draw(mask, w.g.edge[m.Segment])
			m.Line = w.line(rest, behind(m.Lower, taken))
		}
	}
	return moves, w.result(r), nil
}

// moves lists the lines of a position that is worth at most upper, the best
// first, by what is found out about the positions behind them.
func (w *work) moves(mask uint64, upper int, look func(rest uint64, taken int) solver.Bounds) []solver.MoveBounds {
	var moves []solver.MoveBounds
	for _, e := range w.candidates(mask) {
		rest, taken := w.g.draw(mask, e)
		m := solver.MoveBounds{Segment: int(w.g.line[e]), Gain: taken, Bounds: drawn(look(rest, taken), taken)}
		m.Upper = min(m.Upper, upper)
		moves = append(moves, m)
	}
	// By what is proved, then by what is possible; the order of candidates
	// decides between equals.
	slices.SortStableFunc(moves, func(a, b solver.MoveBounds) int {
		return cmp.Or(cmp.Compare(b.Lower, a.Lower), cmp.Compare(b.Upper, a.Upper))
	})
	return moves
}

// draw draws one line: the mask after it and the boxes completed.
func (g *graph) draw(mask uint64, edge int8) (rest uint64, taken int) {
	rest = mask &^ (1 << edge)
	for _, b := range g.side[edge] {
		if b != ground && rest&g.around[b] == 0 {
			taken++
		}
	}
	return rest, taken
}

// line finds best play from a position whose value is known, as segments. It
// ends early when the context does.
func (w *work) line(mask uint64, value int) []int {
	var line []int
	for mask != 0 {
		e, rest, taken := w.bestEdge(mask, value)
		if e < 0 {
			break
		}
		line = append(line, int(w.g.line[e]))
		mask, value = rest, behind(value, taken)
	}
	return line
}

// bestEdge finds a line worth at least value, where the position is; one that
// the table proves, if there is any, before others are searched. edge is -1
// when the context ends first.
func (w *work) bestEdge(mask uint64, value int) (edge int8, rest uint64, taken int) {
	candidates := w.candidates(mask)
	for _, search := range [2]bool{false, true} {
		for _, e := range candidates {
			rest, taken = w.g.draw(mask, e)
			r := drawn(w.value(rest, behind(value, taken), func(b solver.Bounds) bool {
				b = drawn(b, taken)
				return !search || b.Lower >= value || b.Upper < value
			}), taken)
			if r.Lower >= value {
				return e, rest, taken
			}
			if w.stop.Load() {
				return -1, 0, 0
			}
		}
	}
	return -1, 0, 0
}

// safe says whether drawing the edge that led to rest has left no box with
// exactly one free line.
func (g *graph) safe(rest uint64, edge int8) bool {
	for _, b := range g.side[edge] {
		if b != ground && bits.OnesCount64(rest&g.around[b]) == 1 {
			return false
		}
	}
	return true
}

// candidates lists the edges of a position, captures first, then in the
// search's order with lines that give boxes away last.
func (w *work) candidates(mask uint64) []int8 {
	var groups [3][]int8
	for e := range int8(w.g.edges) {
		if mask>>e&1 == 0 {
			continue
		}
		rest, taken := w.g.draw(mask, e)
		switch {
		case taken > 0:
			groups[0] = append(groups[0], e)
		case w.g.safe(rest, e):
			groups[1] = append(groups[1], e)
		default:
			groups[2] = append(groups[2], e)
		}
	}
	return append(append(groups[0], groups[1]...), groups[2]...)
}
