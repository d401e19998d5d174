package exact

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/canon"
)

// child is a position one move on.
type child struct {
	segment int
	gain    int
	graph   grid.Graph
	key     canon.Key // of the position as it stands on the board
}

// children lists the positions after every legal move, in the order of edges.
func (s *Solver) children(g grid.Graph) ([]child, error) {
	out := make([]child, 0, len(g.Edges))
	for i, e := range g.Edges {
		next, gain := without(g, i)
		k, err := s.Key(next)
		if err != nil {
			return nil, err
		}
		out = append(out, child{segment: e.Segment, gain: gain, graph: next, key: k})
	}
	return out, nil
}

// Key names a position as it stands on the board, nothing simplified:
// positions with isomorphic graphs nearly always have the same, others do not
// (see canon.Key).
func (s *Solver) Key(g grid.Graph) (canon.Key, error) {
	parts, err := canon.Components(g)
	if err != nil {
		return canon.Key{}, err
	}
	var k canon.Key
	for _, c := range parts {
		k = k.Add(canon.KeyOf(s.labeler.Label(c.Code)))
	}
	return k, nil
}

// without plays edge i of a graph: the graph after it and the squares that it
// scored.
func without(g grid.Graph, i int) (next grid.Graph, gain int) {
	n := len(g.Squares)
	near := make([][]int, n+1) // n is the ground
	at := func(v int) int {
		if v == grid.Outside {
			return n
		}
		return v
	}
	for j, e := range g.Edges {
		if j != i {
			a, b := at(e.A), at(e.B)
			near[a] = append(near[a], b)
			near[b] = append(near[b], a)
		}
	}
	number := make([]int, n+1)
	for v := range number {
		number[v] = -1
	}
	number[n] = 0
	for queue := []int{n}; len(queue) > 0; {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, o := range near[v] {
			if number[o] < 0 {
				number[o] = 0
				queue = append(queue, o)
			}
		}
	}
	for v, sq := range g.Squares {
		if number[v] < 0 {
			gain++
			continue
		}
		number[v] = len(next.Squares)
		next.Squares = append(next.Squares, sq)
	}
	for j, e := range g.Edges {
		a, b := e.A, e.B
		if a == grid.Outside {
			a, b = b, a
		}
		if j == i || number[a] < 0 {
			continue
		}
		f := grid.Edge{A: number[a], B: grid.Outside, Segment: e.Segment}
		if b != grid.Outside {
			f.B = number[b]
		}
		next.Edges = append(next.Edges, f)
	}
	return next, gain
}

// Moves works out the value and the line of every legal move, the best first.
// It also returns the bounds of the position itself. When the context ends,
// the moves hold the bounds proved so far; the best move is proved first.
func (s *Solver) Moves(ctx context.Context, g grid.Graph) ([]solver.MoveBounds, solver.Result, error) {
	total, err := s.Value(ctx, g)
	if err != nil {
		return nil, solver.Result{}, err
	}
	kids, err := s.children(g)
	if err != nil {
		return nil, solver.Result{}, fmt.Errorf("moves: %w", err)
	}
	out := make([]solver.MoveBounds, len(kids))
	done := map[canon.Key]solver.Result{}
	best := s.bestOf(ctx, kids, total)
	order := make([]int, 0, len(kids))
	if best >= 0 {
		order = append(order, best)
	}
	for i := range kids {
		if i != best {
			order = append(order, i)
		}
	}
	for _, i := range order {
		k := &kids[i]
		r, known := done[k.key]
		if !known {
			if r, err = s.value(ctx, k.graph); err != nil {
				return nil, solver.Result{}, fmt.Errorf("moves: %w", err)
			}
			done[k.key] = r
			total.Nodes += r.Nodes
		}
		out[i] = solver.MoveBounds{Segment: k.segment, Gain: k.gain, Bounds: solver.Bounds{Lower: k.gain - r.Upper, Upper: min(k.gain-r.Lower, total.Upper)}}
		if i == best && total.Exact() {
			out[i].Lower = total.Lower
		}
	}
	for _, i := range order {
		if out[i].Exact() {
			out[i].Line = s.line(ctx, kids[i].graph, kids[i].gain-out[i].Lower)
		}
		total.Lower = max(total.Lower, out[i].Lower)
	}
	slices.SortStableFunc(out, func(a, b solver.MoveBounds) int {
		return cmp.Or(cmp.Compare(b.Lower, a.Lower), cmp.Compare(b.Upper, a.Upper))
	})
	return out, total, nil
}

// Best solves a position and finds one best move with its line. Where the
// context ends first, or there is no move, Segment is -1 and the bounds are the
// position's.
func (s *Solver) Best(ctx context.Context, g grid.Graph) (solver.MoveBounds, solver.Result, error) {
	total, err := s.Value(ctx, g)
	if err != nil {
		return solver.MoveBounds{}, solver.Result{}, err
	}
	kids, err := s.children(g)
	if err != nil {
		return solver.MoveBounds{}, solver.Result{}, fmt.Errorf("best move: %w", err)
	}
	i := s.bestOf(ctx, kids, total)
	if i < 0 {
		return solver.MoveBounds{Segment: -1, Bounds: total.Bounds}, total, nil
	}
	m := solver.MoveBounds{Segment: kids[i].segment, Gain: kids[i].gain, Bounds: total.Bounds}
	m.Line = s.line(ctx, kids[i].graph, m.Gain-total.Lower)
	return m, total, nil
}

// Secure asks whether the value is at least need and finds a move that proves
// it, with Lower at least need. Its Segment is -1 when the value is below need
// or the context ended first; the result tells the two apart.
func (s *Solver) Secure(ctx context.Context, g grid.Graph, need int) (solver.MoveBounds, solver.Result, error) {
	if (need^len(g.Squares))&1 != 0 {
		need++ // parity: the value cannot be need itself
	}
	total, err := s.AtLeast(ctx, g, need)
	if err != nil {
		return solver.MoveBounds{}, solver.Result{}, err
	}
	none := solver.MoveBounds{Segment: -1, Bounds: total.Bounds}
	if total.Lower < need {
		return none, total, nil
	}
	kids, err := s.children(g)
	if err != nil {
		return solver.MoveBounds{}, solver.Result{}, fmt.Errorf("best move: %w", err)
	}
	i := s.best(ctx, kids, need)
	if i < 0 {
		return none, total, nil
	}
	return solver.MoveBounds{Segment: kids[i].segment, Gain: kids[i].gain, Bounds: solver.Bounds{Lower: need, Upper: total.Upper}}, total, nil
}

// bestOf is best for a value that is known, else -1.
func (s *Solver) bestOf(ctx context.Context, kids []child, r solver.Result) int {
	if !r.Exact() {
		return -1
	}
	return s.best(ctx, kids, r.Lower)
}

// best finds a child that proves that the position is worth at least value, -1
// if there is none or the context ends first.
func (s *Solver) best(ctx context.Context, kids []child, value int) int {
	// What the table and the static bounds know at once comes first; then the
	// moves in the order of what they can be worth at most.
	worth := make([]int, len(kids))
	order := make([]int, 0, len(kids))
	for i := range kids {
		_, upper, ok := s.known(kids[i].graph)
		if !ok {
			upper = len(kids[i].graph.Squares)
		}
		if worth[i] = kids[i].gain - upper; worth[i] >= value {
			return i
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	for _, i := range order {
		// Is the child worth at most gain - value, that is less than two more?
		need := kids[i].gain - value + 2
		if t, err := s.atLeast(ctx, kids[i].graph, need); err == nil && t.Upper < need {
			return i
		}
		if ctx.Err() != nil {
			break
		}
	}
	return -1
}

// known gives the bounds of a position that need no search.
func (s *Solver) known(g grid.Graph) (lower, upper int, ok bool) {
	parts, err := canon.Components(g)
	if err != nil {
		return 0, 0, false
	}
	w := s.workers[0]
	if !w.root(parts) {
		w.types.reset()
		return 0, 0, false
	}
	p := &w.plies[0].pos
	f := size(p.mask)
	lower, upper = f-p.err, f+p.err
	if s.opt.NoBounds && p.edges > 0 {
		lower, upper = -p.squares, p.squares
	}
	if e, ok := s.shared.bounds(p.key); ok && !s.opt.NoTable {
		lower, upper = max(lower, int(e.lower)), min(upper, int(e.upper))
	}
	return lower, upper, true
}

// line is best play from a position of known value, as segments.
func (s *Solver) line(ctx context.Context, g grid.Graph, value int) []int {
	var out []int
	for len(g.Edges) > 0 {
		kids, err := s.children(g)
		if err != nil {
			return out
		}
		i := s.best(ctx, kids, value)
		if i < 0 {
			return out
		}
		out = append(out, kids[i].segment)
		g, value = kids[i].graph, kids[i].gain-value
	}
	return out
}
