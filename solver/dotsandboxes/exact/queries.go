package exact

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"endwise/engine/grid"
	"endwise/solver"
)

// value is narrow for a position that need not be R-type (T1).
func (w *work) value(mask uint64, estimate int, done func(solver.Bounds) bool) solver.Bounds {
	c, rest := w.g.close(mask)
	closed := done
	if done != nil {
		closed = func(b solver.Bounds) bool { return done(c.bounds(b)) }
	}
	return c.bounds(w.narrow(rest, estimate-c.Taken, closed))
}

func (w *work) known(mask uint64) solver.Bounds {
	return w.value(mask, 0, func(solver.Bounds) bool { return true })
}

// lineBounds returns the bounds of a line that completes taken boxes, with bounds b after it.
func lineBounds(b solver.Bounds, taken int) solver.Bounds {
	if taken > 0 {
		return solver.Bounds{Lower: taken + b.Lower, Upper: taken + b.Upper}
	}
	return solver.Bounds{Lower: -b.Upper, Upper: -b.Lower}
}

// valueAfter returns the value of the position after a line that completes taken boxes.
func valueAfter(value, taken int) int {
	if taken > 0 {
		return value - taken
	}
	return -value
}

// Value computes the value for the side to move. If the context ends first, the result contains the
// bounds proved so far; this is no error. Errors wrap [ErrTooLarge].
func (s *Solver) Value(ctx context.Context, b *grid.Board, free grid.Set) (solver.Result, error) {
	w, mask, err := s.open(ctx, b, free)
	if err != nil {
		return solver.Result{}, err
	}
	defer w.end()
	return w.result(w.value(mask, 0, nil)), nil
}

// Best computes the value and a line to draw that achieves it, with best play afterwards (Line) as
// far as the context allows. If the context ends first, or no line is free, Segment is -1 and the
// result has the bounds proved so far. Errors are as for Value.
func (s *Solver) Best(ctx context.Context, b *grid.Board, free grid.Set) (solver.MoveBounds, solver.Result, error) {
	none := solver.MoveBounds{Segment: -1}
	w, mask, err := s.open(ctx, b, free)
	if err != nil {
		return none, solver.Result{}, err
	}
	defer w.end()
	r := w.value(mask, 0, nil)
	var play []int
	if r.Exact() {
		play = w.bestPlay(mask, r.Lower)
	}
	if len(play) == 0 {
		return none, w.result(r), nil
	}
	_, taken := w.g.draw(mask, w.g.edge[play[0]])
	return solver.MoveBounds{Segment: play[0], Gain: taken, Bounds: r, Line: play[1:]}, w.result(r), nil
}

// AtLeast determines only whether the value is at least need. If the context does not end first,
// the result has Lower >= need or Upper < need. Errors are as for Value.
func (s *Solver) AtLeast(ctx context.Context, b *grid.Board, free grid.Set, need int) (solver.Result, error) {
	w, mask, err := s.open(ctx, b, free)
	if err != nil {
		return solver.Result{}, err
	}
	defer w.end()
	return w.result(w.value(mask, need, decided(need))), nil
}

// decided returns a function that reports whether bounds decide if a value is at least need.
func decided(need int) func(solver.Bounds) bool {
	return func(b solver.Bounds) bool { return b.Lower >= need || b.Upper < need }
}

// Secure returns a line worth at least need, without a continuation, and the bounds of the
// position's value. Segment is -1 if none is found. Errors are as for Value.
func (s *Solver) Secure(ctx context.Context, b *grid.Board, free grid.Set, need int) (solver.MoveBounds, solver.Result, error) {
	m := solver.MoveBounds{Segment: -1}
	w, mask, err := s.open(ctx, b, free)
	if err != nil {
		return m, solver.Result{}, err
	}
	defer w.end()
	r := w.value(mask, need, decided(need))
	if mask != 0 && r.Lower >= need {
		if e, _, taken := w.bestEdge(mask, need); e >= 0 {
			m = solver.MoveBounds{Segment: int(w.g.line[e]), Gain: taken}
			m.Lower, m.Upper = need, r.Upper
		}
	}
	return m, w.result(r), nil
}

// Known is Moves without a search and without lines of play. Errors are as for Value.
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

// Moves returns the bounds of every free line, best first, and the bounds of the position. Lines
// with an exact value have best play after them as far as the context allows. Among lines with
// equal bounds, captures come first. If the context ends, the bounds are those proved so far.
// Errors are as for Value.
func (s *Solver) Moves(ctx context.Context, b *grid.Board, free grid.Set) ([]solver.MoveBounds, solver.Result, error) {
	w, mask, err := s.open(ctx, b, free)
	if err != nil {
		return nil, solver.Result{}, err
	}
	defer w.end()
	r := w.value(mask, 0, nil)
	moves := w.moves(mask, r.Upper, func(rest uint64, taken int) solver.Bounds {
		return w.value(rest, valueAfter(r.Lower, taken), nil)
	})
	for i := range moves {
		if m := &moves[i]; m.Exact() {
			rest, taken := w.g.draw(mask, w.g.edge[m.Segment])
			m.Line = w.bestPlay(rest, valueAfter(m.Lower, taken))
		}
	}
	return moves, w.result(r), nil
}

// moves returns the bounds of the lines of a position with upper bound upper, best first and
// otherwise in the order of candidates. value returns bounds of the position rest after a line.
func (w *work) moves(mask uint64, upper int, value func(rest uint64, taken int) solver.Bounds) []solver.MoveBounds {
	var moves []solver.MoveBounds
	for _, e := range w.candidates(mask) {
		rest, taken := w.g.draw(mask, e)
		m := solver.MoveBounds{Segment: int(w.g.line[e]), Gain: taken}
		m.Bounds = lineBounds(value(rest, taken), taken)
		m.Upper = min(m.Upper, upper)
		moves = append(moves, m)
	}
	slices.SortStableFunc(moves, func(a, b solver.MoveBounds) int {
		return cmp.Or(cmp.Compare(b.Lower, a.Lower), cmp.Compare(b.Upper, a.Upper))
	})
	return moves
}

// draw draws a free line. It returns the position after it and the number of boxes it completes.
func (g *graph) draw(mask uint64, edge int8) (rest uint64, taken int) {
	rest = mask &^ (1 << edge)
	for _, b := range g.side[edge] {
		if b != ground && rest&g.around[b] == 0 {
			taken++
		}
	}
	return rest, taken
}

// bestPlay returns best play from a position with the given value, until the context ends.
func (w *work) bestPlay(mask uint64, value int) []int {
	var play []int
	for mask != 0 {
		e, rest, taken := w.bestEdge(mask, value)
		if e < 0 {
			break
		}
		play = append(play, int(w.g.line[e]))
		mask, value = rest, valueAfter(value, taken)
	}
	return play
}

// bestEdge returns a line worth at least value, the position after it and the number of boxes it
// completes. value must be at most the position's value. bestEdge searches only if no line's bounds
// suffice without a search. edge is -1 if the context ends first.
func (w *work) bestEdge(mask uint64, value int) (edge int8, rest uint64, taken int) {
	candidates, isDecided := w.candidates(mask), decided(value)
	for _, search := range [2]bool{false, true} {
		for _, e := range candidates {
			rest, taken = w.g.draw(mask, e)
			done := func(b solver.Bounds) bool { return !search || isDecided(lineBounds(b, taken)) }
			after := w.value(rest, valueAfter(value, taken), done)
			if lineBounds(after, taken).Lower >= value {
				return e, rest, taken
			}
			if w.stop.Load() {
				return -1, 0, 0
			}
		}
	}
	return -1, 0, 0
}

// safe reports whether rest, the position after drawing edge, has no box at edge to capture.
func (g *graph) safe(rest uint64, edge int8) bool {
	for _, b := range g.side[edge] {
		if b != ground && bits.OnesCount64(rest&g.around[b]) == 1 {
			return false
		}
	}
	return true
}

// candidates returns the free lines: captures, then safe ones, then those that give away boxes.
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
