package exact

import (
	"cmp"
	"context"
	"slices"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/graph"
)

// child is the position after a move.
type child struct {
	segment int
	gain    int
	free    grid.Set
	parts   []graph.Component
	key     graph.Key // without simplifications
}

// children returns the positions after all legal moves, in the order of segments.
func (s *Solver) children(b *grid.Board, free grid.Set) []child {
	_, before := b.Live(free)
	var out []child
	for _, segment := range free.Segments() {
		next := free
		next.Remove(segment)
		next, squares := b.Live(next)
		parts, err := graph.Components(b, next)
		if err != nil {
			panic("exact: " + err.Error()) // after Live, all squares are connected to the ground
		}
		out = append(out, child{segment: segment, gain: before - squares, free: next, parts: parts, key: s.keyOf(parts)})
	}
	return out
}

// Key returns the key of a position without simplifications. Positions with isomorphic
// graphs nearly always have the same key, others never (see [graph.Key]).
func (s *Solver) Key(b *grid.Board, free grid.Set) (graph.Key, error) {
	parts, err := graph.Components(b, free)
	return s.keyOf(parts), err
}

// keyOf returns the key of the sum of components.
func (s *Solver) keyOf(parts []graph.Component) (k graph.Key) {
	for _, c := range parts {
		k = k.Add(graph.KeyOf(s.labeler.Label(c.Code)))
	}
	return k
}

// Moves returns the bounds and lines of all legal moves, best first, and the bounds of the
// position. If the context ends, the bounds are those proved so far; a best move is proved
// before the others.
func (s *Solver) Moves(ctx context.Context, b *grid.Board, free grid.Set) ([]solver.MoveBounds, solver.Result, error) {
	total, err := s.Value(ctx, b, free)
	if err != nil {
		return nil, solver.Result{}, err
	}
	kids := s.children(b, free)
	best := s.bestOf(ctx, kids, total)
	if best >= 0 {
		first := kids[best]
		kids = slices.Insert(slices.Delete(kids, best, best+1), 0, first)
	}
	var out []solver.MoveBounds
	done := map[graph.Key]solver.Result{}
	for i, k := range kids {
		r, ok := done[k.key]
		if !ok {
			r = s.value(ctx, k.parts)
			done[k.key] = r
			total.Nodes += r.Nodes
		}
		m := solver.MoveBounds{Segment: k.segment, Gain: k.gain, Bounds: solver.Bounds{Lower: k.gain - r.Upper, Upper: min(k.gain-r.Lower, total.Upper)}}
		if i == 0 && best >= 0 {
			m.Lower = total.Lower
		}
		out = append(out, m)
	}
	for i := range out {
		if m := &out[i]; m.Exact() {
			m.Line = s.line(ctx, b, kids[i].free, m.Gain-m.Lower)
		}
		total.Lower = max(total.Lower, out[i].Lower)
	}
	slices.SortFunc(out, func(a, b solver.MoveBounds) int {
		return cmp.Or(cmp.Compare(b.Lower, a.Lower), cmp.Compare(b.Upper, a.Upper), cmp.Compare(a.Segment, b.Segment))
	})
	return out, total, nil
}

// Best returns a best move with its line, and the bounds of the position. Segment is -1 if
// the context ends first or there is no move.
func (s *Solver) Best(ctx context.Context, b *grid.Board, free grid.Set) (solver.MoveBounds, solver.Result, error) {
	total, err := s.Value(ctx, b, free)
	if err != nil {
		return solver.MoveBounds{}, solver.Result{}, err
	}
	kids := s.children(b, free)
	i := s.bestOf(ctx, kids, total)
	if i < 0 {
		return solver.MoveBounds{Segment: -1, Bounds: total.Bounds}, total, nil
	}
	m := solver.MoveBounds{Segment: kids[i].segment, Gain: kids[i].gain, Bounds: total.Bounds}
	m.Line = s.line(ctx, b, kids[i].free, m.Gain-total.Lower)
	return m, total, nil
}

// Secure finds a move that proves that the value is at least need; its Lower is then at
// least need. Segment is -1 if the value is below need (then the result's Upper is too) or
// if the context ends first.
func (s *Solver) Secure(ctx context.Context, b *grid.Board, free grid.Set, need int) (solver.MoveBounds, solver.Result, error) {
	if _, squares := b.Live(free); (need^squares)&1 != 0 {
		need++ // parity: the value cannot be need itself
	}
	total, err := s.AtLeast(ctx, b, free, need)
	if err != nil {
		return solver.MoveBounds{}, solver.Result{}, err
	}
	m := solver.MoveBounds{Segment: -1, Bounds: total.Bounds}
	if total.Lower >= need {
		kids := s.children(b, free)
		if i := s.best(ctx, kids, need); i >= 0 {
			m = solver.MoveBounds{Segment: kids[i].segment, Gain: kids[i].gain, Bounds: solver.Bounds{Lower: need, Upper: total.Upper}}
		}
	}
	return m, total, nil
}

// bestOf returns the index of a best child, -1 if the value is not exact.
func (s *Solver) bestOf(ctx context.Context, kids []child, r solver.Result) int {
	if !r.Exact() {
		return -1
	}
	return s.best(ctx, kids, r.Lower)
}

// best returns the index of a child that proves that the value is at least value, -1 if
// there is none or the context ends first.
func (s *Solver) best(ctx context.Context, kids []child, value int) int {
	// The table and the static bounds may decide immediately. Otherwise children are
	// tried in the order of their upper bounds.
	worth := make([]int, len(kids))
	order := make([]int, 0, len(kids))
	for i, k := range kids {
		if worth[i] = k.gain - s.known(k.parts).Upper; worth[i] >= value {
			return i
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	for _, i := range order {
		// The child's value must be at most gain - value, that is, below need.
		need := kids[i].gain - value + 2
		if s.atLeast(ctx, kids[i].parts, need).Upper < need {
			return i
		}
		if ctx.Err() != nil {
			break
		}
	}
	return -1
}

// known returns the bounds of a position without a search.
func (s *Solver) known(parts []graph.Component) solver.Bounds {
	w := s.workers[0]
	if !w.root(parts) {
		w.types.reset()
		return trivialBounds(parts)
	}
	p := &w.plies[0].pos
	b := trivialBounds(parts)
	if !s.opt.NoBounds || p.edges == 0 {
		f := size(p.mask)
		b = solver.Bounds{Lower: f - p.err, Upper: f + p.err}
	}
	if e, ok := s.shared.bounds(p.key); ok && !s.opt.NoTable {
		b.Lower, b.Upper = max(b.Lower, int(e.lower)), min(b.Upper, int(e.upper))
	}
	return b
}

// line returns best play from a position with the given value, as segments.
func (s *Solver) line(ctx context.Context, b *grid.Board, free grid.Set, value int) []int {
	var out []int
	for free != (grid.Set{}) {
		kids := s.children(b, free)
		i := s.best(ctx, kids, value)
		if i < 0 {
			break
		}
		out = append(out, kids[i].segment)
		free, value = kids[i].free, kids[i].gain-value
	}
	return out
}
