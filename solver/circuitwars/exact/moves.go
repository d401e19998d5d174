package exact

import (
	"cmp"
	"context"
	"slices"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/graph"
)

type child struct {
	segment int
	gain    int // squares captured
	free    grid.Set
	parts   []graph.Component
	key     graph.Key
}

// children returns the legal moves by ascending segment.
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

// Key returns the key of a position before replacements by rules and cancellation of pairs.
// Positions with isomorphic graphs nearly always have the same key, others never, except by a
// collision of the hash. Errors are as for Value.
func (s *Solver) Key(b *grid.Board, free grid.Set) (graph.Key, error) {
	parts, err := graph.Components(b, free)
	return s.keyOf(parts), err
}

func (s *Solver) keyOf(parts []graph.Component) (k graph.Key) {
	for _, c := range parts {
		k = k.Add(graph.KeyOf(s.labeler.Label(c.Code)))
	}
	return k
}

// Moves returns the bounds of all legal moves, best first, and the bounds of the position. Moves
// with an exact value have a line as far as the context allows. If the context ends, the bounds are
// those proved so far. Errors are as for Value.
func (s *Solver) Moves(ctx context.Context, b *grid.Board, free grid.Set) ([]solver.MoveBounds, solver.Result, error) {
	total, err := s.Value(ctx, b, free)
	if err != nil {
		return nil, solver.Result{}, err
	}
	kids := s.children(b, free)
	best := s.findBest(ctx, kids, total)
	if best >= 0 {
		first := kids[best]
		kids = slices.Insert(slices.Delete(kids, best, best+1), 0, first)
	}
	var out []solver.MoveBounds
	solved := map[graph.Key]solver.Result{}
	for i, k := range kids {
		r, ok := solved[k.key]
		if !ok {
			r = s.value(ctx, k.parts)
			solved[k.key] = r
			total.Nodes += r.Nodes
		}
		m := solver.MoveBounds{Segment: k.segment, Gain: k.gain}
		m.Lower, m.Upper = k.gain-r.Upper, min(k.gain-r.Lower, total.Upper)
		if i == 0 && best >= 0 {
			m.Lower = total.Lower
		}
		out = append(out, m)
	}
	for i := range out {
		if m := &out[i]; m.Exact() {
			m.Line = s.bestLine(ctx, b, kids[i].free, m.Gain-m.Lower)
		}
		total.Lower = max(total.Lower, out[i].Lower)
	}
	slices.SortFunc(out, func(a, b solver.MoveBounds) int {
		return cmp.Or(cmp.Compare(b.Lower, a.Lower), cmp.Compare(b.Upper, a.Upper), cmp.Compare(a.Segment, b.Segment))
	})
	return out, total, nil
}

// Best returns a best move with its line as far as the context allows, and the bounds of the
// position. Segment is -1 if the search ends early or there is no move. Errors are as for Value.
func (s *Solver) Best(ctx context.Context, b *grid.Board, free grid.Set) (solver.MoveBounds, solver.Result, error) {
	total, err := s.Value(ctx, b, free)
	if err != nil {
		return solver.MoveBounds{}, solver.Result{}, err
	}
	kids := s.children(b, free)
	i := s.findBest(ctx, kids, total)
	if i < 0 {
		return solver.MoveBounds{Segment: -1, Bounds: total.Bounds}, total, nil
	}
	m := solver.MoveBounds{Segment: kids[i].segment, Gain: kids[i].gain, Bounds: total.Bounds}
	m.Line = s.bestLine(ctx, b, kids[i].free, m.Gain-total.Lower)
	return m, total, nil
}

// Secure returns a move whose value is at least need, without a line, and the bounds of the
// position. The move's Lower is need, increased by one if the number of squares left has the other
// parity. Segment is -1 if there is no such move or the search ends early. Errors are as for Value.
func (s *Solver) Secure(ctx context.Context, b *grid.Board, free grid.Set, need int) (solver.MoveBounds, solver.Result, error) {
	_, squares := b.Live(free)
	need += (need ^ squares) & 1 // parity
	total, err := s.AtLeast(ctx, b, free, need)
	if err != nil {
		return solver.MoveBounds{}, solver.Result{}, err
	}
	m := solver.MoveBounds{Segment: -1, Bounds: total.Bounds}
	if total.Lower >= need {
		kids := s.children(b, free)
		if i := s.findMove(ctx, kids, need); i >= 0 {
			m = solver.MoveBounds{Segment: kids[i].segment, Gain: kids[i].gain}
			m.Lower, m.Upper = need, total.Upper
		}
	}
	return m, total, nil
}

// findBest is findMove for the value of the position, and returns -1 if r, its bounds, differ.
func (s *Solver) findBest(ctx context.Context, kids []child, r solver.Result) int {
	if !r.Exact() {
		return -1
	}
	return s.findMove(ctx, kids, r.Lower)
}

// findMove returns the index in kids, the children of a position, of a move whose value is at least
// value. It returns -1 if there is none or the search ends early. value must have the parity of the
// squares left in the position.
func (s *Solver) findMove(ctx context.Context, kids []child, value int) int {
	lower := make([]int, len(kids))
	order := make([]int, 0, len(kids))
	for i, k := range kids {
		if lower[i] = k.gain - s.known(k.parts).Upper; lower[i] >= value {
			return i
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lower[b], lower[a]) })
	for _, i := range order {
		// The child's value must be at most gain - value, so, by parity, below need.
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

// known returns bounds of a position without a search. It overwrites the root of the first worker.
func (s *Solver) known(parts []graph.Component) solver.Bounds {
	w := s.workers[0]
	if !w.setRoot(parts) {
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

// bestLine returns best play from a position with the given value, to the end unless ctx ends first.
func (s *Solver) bestLine(ctx context.Context, b *grid.Board, free grid.Set, value int) (line []int) {
	for free != (grid.Set{}) {
		kids := s.children(b, free)
		i := s.findMove(ctx, kids, value)
		if i < 0 {
			break
		}
		line = append(line, kids[i].segment)
		free, value = kids[i].free, kids[i].gain-value
	}
	return line
}
