package coins

import (
	"context"

	"endwise/engine/grid"
)

// Answer is what is proved about one class of positions: bounds of its value
// for the side to move.
type Answer struct {
	Key    [2]uint64
	Lo, Hi int8
}

// Split works out the value of an empty board as a search in two storeys: the
// lines of the first Plies turns by a plain recursion, and every position
// below by the solver. All answers about positions of the upper storey and
// its rim are told to Record; given back in Known, they are not worked out
// again, so a run can be stopped at any time and loses only the position it
// was at.
type Split struct {
	Board *grid.Board
	Plies int
	Known map[[2]uint64]Answer
	// Record is told every answer; an error ends the run.
	Record func(Answer) error
	// At is told now and then, from the calling goroutine, how many
	// positions were expanded; nil for nothing.
	At func(expansions uint64)

	w   *work
	top *worker // scratch for the upper storey
	err error
}

// Value runs the search. When the context ends first, the result is bounds,
// and the error the context's.
func (x *Split) Value(ctx context.Context, s *Solver) (Result, error) {
	g, err := x.begin(ctx, s)
	if err != nil {
		return Result{}, err
	}
	defer x.w.end()
	boxes := g.boxes
	lo, hi := -boxes, boxes
	for t := boxes & 1; lo < hi; {
		t = min(max(t, lo+2), hi)
		v, ok := x.atLeast(0, g.all, boxes, t)
		if !ok {
			break
		}
		if v >= t {
			lo = max(lo, v)
			t = lo + 2
		} else {
			hi = min(hi, v)
			t = hi
		}
	}
	r := Result{Lower: lo, Upper: hi, Expansions: x.w.expansions()}
	if lo < hi {
		if x.err != nil {
			return r, x.err
		}
		return r, ctx.Err()
	}
	return r, nil
}

// begin prepares for a search; its end is that of the work.
func (x *Split) begin(ctx context.Context, s *Solver) (*Graph, error) {
	g, err := s.graph(x.Board, x.Board.All())
	if err != nil {
		return nil, err
	}
	if x.Known == nil {
		x.Known = map[[2]uint64]Answer{}
	}
	x.w = s.begin(ctx, g)
	x.top = newWorker(g, s.table, s.use)
	return g, nil
}

// atLeast is worker.atLeast for the upper storey; ok is false after a stop.
func (x *Split) atLeast(depth int, mask uint64, boxes, t int) (v int, ok bool) {
	if mask == 0 {
		return 0, true
	}
	p := &x.top.plies[depth]
	x.w.g.take(mask, &p.shape, x.top.use)
	k := x.top.labels.key(&p.shape)
	name := [2]uint64{k.lo, k.hi}
	a, known := x.Known[name]
	if !known {
		a = Answer{Key: name, Lo: int8(-boxes), Hi: int8(boxes)}
	}
	if int(a.Lo) >= t {
		return int(a.Lo), true
	}
	if int(a.Hi) < t {
		return int(a.Hi), true
	}
	if depth == x.Plies || p.shape.joints == 0 {
		v, ok = x.w.atLeast(mask, boxes, t)
		if x.At != nil {
			x.At(x.w.expansions())
		}
	} else {
		v, ok = x.expand(depth, p, t)
	}
	if !ok || x.err != nil {
		return t, false
	}
	if v >= t {
		a.Lo = max(a.Lo, int8(v))
	} else {
		a.Hi = min(a.Hi, int8(v))
	}
	x.Known[name] = a
	if x.Record != nil {
		x.err = x.Record(a)
	}
	return v, x.err == nil
}

func (x *Split) expand(depth int, p *ply, t int) (best int, ok bool) {
	best = x.top.options(p, t)
	for i := range p.n {
		m := p.moves[i]
		k, left := int(m.taken), p.shape.boxes-int(m.taken)
		most := never
		if m.price != never {
			need := t + k - int(m.price)
			v, ok := x.atLeast(depth+1, m.child, left, need)
			if !ok {
				return t, false
			}
			if most = v + int(m.price) - k; v < need {
				best = max(best, most)
				continue
			}
		}
		v, ok := x.atLeast(depth+1, m.child, left, -k-t+2)
		if !ok {
			return t, false
		}
		if best = max(best, min(most, -k-v)); best >= t {
			break
		}
	}
	return best, true
}
