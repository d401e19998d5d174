package exact

import (
	"cmp"
	"context"
	"slices"

	"endwise/engine/grid"
	"endwise/solver"
)

// Split works out the value of an empty board in parts: the lines of the first
// Plies turns, the root tree, by a plain recursion, and every position behind
// them, the frontier, by whoever is asked. All that is proved about positions of
// both is told to Record; given back in Known, it is not worked out again, so a
// run can be stopped at any time and loses only the questions that are out.
type Split struct {
	Board *grid.Board
	Plies int
	Known map[[2]uint64]Proved
	// Record is told what is proved; an error ends the run.
	Record func(Proved) error

	w   *work
	top *worker // scratch for the root tree
	err error   // Record's, or of the one who was asked
}

// narrow closes in on the value of the empty board; nodes are counted by whoever
// answers. Where it ends early the error is that of Record, of who was asked, or
// the context's.
func (x *Split) narrow(ctx context.Context, g *graph, atLeast func(t int) (int, bool)) (solver.Result, error) {
	r := solver.Result{Bounds: solver.Bounds{Lower: -g.boxes, Upper: g.boxes}.Narrow(g.boxes&1, atLeast, nil)}
	switch {
	case r.Exact():
		return r, nil
	case x.err != nil:
		return r, x.err
	}
	return r, ended(ctx)
}

// begin prepares for a search; its end is that of the work.
func (x *Split) begin(ctx context.Context, s *Solver) (*graph, error) {
	g, err := s.graph(x.Board, x.Board.All())
	if err != nil {
		return nil, err
	}
	if x.Known == nil {
		x.Known = map[[2]uint64]Proved{}
	}
	x.w, x.err = s.begin(ctx, g), nil
	x.top = newWorker(g, s.table, s.use)
	x.top.advice = s.advice
	return g, nil
}

// answer is what is known about a class of positions.
func (x *Split) answer(name [2]uint64, boxes int) Proved {
	if a, ok := x.Known[name]; ok {
		return a
	}
	return Proved{Key: name, Lower: int8(-boxes), Upper: int8(boxes)}
}

func (x *Split) keep(a Proved) error {
	x.Known[a.Key] = a
	if x.Record != nil {
		x.err = x.Record(a)
	}
	return x.err
}

// rootTree is a run through the root tree.
//
// A node is sure when its value follows from answers alone: it reaches the
// threshold by a move whose questions are all answered, or it fails and all
// questions below it are answered. Only sure nodes are kept, so that what is
// kept means the same however the frontier is worked out.
type rootTree struct {
	*Split
	// frontier answers for a position of the frontier. One that it is not sure
	// of counts as reaching the threshold if assume says so.
	frontier func(q questionAt, assume bool) (v int, sure bool)
	enough   bool // frontier has met all it wants to
}

// atLeast is worker.atLeast for the root tree.
func (u *rootTree) atLeast(depth int, mask uint64, boxes, t int, assume bool) (v int, sure bool) {
	if mask == 0 {
		return 0, true
	}
	p := &u.top.plies[depth]
	u.w.g.take(mask, &p.shape, u.top.use)
	k := u.top.labels.key(&p.shape)
	name := k.name()
	a := u.answer(name, boxes)
	switch {
	case int(a.Lower) >= t:
		return int(a.Lower), true
	case int(a.Upper) < t:
		return int(a.Upper), true
	case depth == u.Plies || p.shape.joints == 0:
		v, sure = u.frontier(questionAt{Question{mask, boxes, t}, asked{name, t}}, assume)
	default:
		v, sure = u.expand(depth, p, k, t)
	}
	if !sure || u.err != nil {
		return v, false
	}
	if v >= t {
		a.Lower = max(a.Lower, int8(v))
	} else {
		a.Upper = min(a.Upper, int8(v))
	}
	return v, u.keep(a) == nil
}

// halted says that nothing more is to be worked out.
func (u *rootTree) halted() bool { return u.enough || u.w.stop.Load() || u.err != nil }

// expand is worker.expand; see worker.try for the two questions about a move.
func (u *rootTree) expand(depth int, p *ply, k Key, t int) (best int, sure bool) {
	best, sure = u.top.options(p, t), true
	// What gives boxes away comes last: to refute it takes as long as a quiet line here.
	slices.SortStableFunc(p.moves[:p.n], func(a, b move) int { return cmp.Compare(min(a.taken, 1), min(b.taken, 1)) })
	if depth == 0 {
		u.centreFirst(p)
	}
	if u.top.advice != nil {
		u.top.advise(depth, p, k, t)
	}
	for i := range p.n {
		m := p.moves[i]
		taken, left := int(m.taken), p.shape.boxes-int(m.taken)
		most, certain := infinity, true
		if m.price != infinity {
			need := t + taken - int(m.price)
			var v int
			v, certain = u.atLeast(depth+1, m.child, left, need, false)
			if most = v + int(m.price) - taken; v < need {
				best, sure = max(best, most), sure && certain
				if u.halted() {
					return best, false
				}
				continue
			}
		}
		v, ok := u.atLeast(depth+1, m.child, left, -taken-t+2, true)
		certain = certain && ok
		worth := min(most, -taken-v)
		if worth >= t {
			return worth, certain
		}
		best, sure = max(best, worth), sure && certain
		if u.halted() {
			return best, false
		}
	}
	return best, sure
}

// centreFirst puts the centre line of an empty board before all others, where the
// board has one: what is left is as symmetric as the board, so that lines that mirror
// each other are one. The proof that 3x4 is worth at least 0 takes half the expansions.
func (u *rootTree) centreFirst(p *ply) {
	rows, cols := u.Board.Rows, u.Board.Cols
	for i, m := range p.moves[:p.n] {
		drawn := u.w.g.Set(p.shape.mask &^ m.child).Segments()
		if len(drawn) != 1 {
			continue
		}
		r, c, horizontal := u.Board.Line(drawn[0])
		if horizontal && 2*r == rows && 2*c+1 == cols || !horizontal && 2*r+1 == rows && 2*c == cols {
			copy(p.moves[1:i+1], p.moves[:i])
			p.moves[0] = m
			return
		}
	}
}
