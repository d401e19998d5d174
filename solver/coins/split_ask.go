package coins

import (
	"context"
	"fmt"

	"endwise/engine/grid"
)

// A split search can have the positions of the lower storey worked out
// elsewhere, several at once. It runs through the upper storey again and
// again; where it meets a position that nobody has answered for, it asks and
// goes on as if the answer were the one that makes the move fail for the side
// that considers it. So it meets what has to be asked in any case if moves are
// well ordered: all moves where one side must be refuted, one where it refutes.
// Each answer that comes in settles more, until the root is settled.
//
// A node is sure when its value follows from answers alone: it reaches the
// threshold by a move whose questions are all answered, or it fails and all
// questions below it are answered. Only sure nodes are recorded, so what is
// recorded means the same as in Value.

// Question asks about a position of the lower storey: is it worth at least T
// to the side to move? Mask is the position among the lines of the empty board,
// Boxes the boxes that are open in it.
type Question struct {
	Mask     uint64
	Boxes, T int
}

// AtLeast answers a question about a position of board b. Its answer does not
// depend on the solver's threads and table.
func (s *Solver) AtLeast(ctx context.Context, b *grid.Board, q Question) (bool, error) {
	g, err := s.graph(b, b.All())
	if err != nil {
		return false, err
	}
	if q.Mask == 0 || q.Mask&^g.all != 0 || q.Boxes < 0 || q.Boxes > g.boxes || q.T < -g.boxes || q.T > g.boxes {
		return false, fmt.Errorf("question about position %x, %d boxes, %+d: there is none on %s", q.Mask, q.Boxes, q.T, b)
	}
	w := s.begin(ctx, g)
	defer w.end()
	v, ok := w.atLeast(q.Mask, q.Boxes, q.T)
	if !ok {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		return false, context.DeadlineExceeded
	}
	return v >= q.T, nil
}

// scout is one run through the upper storey.
type scout struct {
	*Split
	asked map[asked]bool // questions that are out
	room  int            // questions that may still be asked
	out   []questionAt
}

type asked struct {
	name [2]uint64
	t    int
}

type questionAt struct {
	Question
	asked
}

// ValueBy is Value with the lower storey worked out by ask, which is called
// from up to limit goroutines at once. Its first error ends the search.
func (x *Split) ValueBy(ctx context.Context, s *Solver, limit int, ask func(context.Context, Question) (bool, error)) (Result, error) {
	g, err := x.begin(ctx, s)
	if err != nil {
		return Result{}, err
	}
	defer x.w.end()
	boxes := g.boxes
	r := Result{Lower: -boxes, Upper: boxes}

	type answer struct {
		asked
		boxes int
		yes   bool
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	answers := make(chan answer)
	flying := map[asked]bool{}
	defer func() {
		cancel()
		for range flying {
			<-answers
		}
	}()
	for t := boxes & 1; r.Lower < r.Upper; {
		t = min(max(t, r.Lower+2), r.Upper)
		look := &scout{Split: x, asked: flying, room: max(limit, 1) - len(flying)}
		v, sure := look.atLeast(0, g.all, boxes, t, false)
		if sure || x.err != nil {
			for _, q := range look.out { // nobody needs to know
				delete(flying, q.asked)
			}
		}
		if x.err != nil {
			return r, x.err
		}
		if sure {
			if v >= t {
				r.Lower = max(r.Lower, v)
				t = r.Lower + 2
			} else {
				r.Upper = min(r.Upper, v)
				t = r.Upper
			}
			continue
		}
		for _, q := range look.out {
			go func() {
				yes, err := ask(ctx, q.Question)
				answers <- answer{q.asked, q.Boxes, yes, err}
			}()
		}
		a := <-answers
		delete(flying, a.asked)
		if a.err != nil {
			return r, a.err
		}
		known := x.answer(a.name, a.boxes)
		if a.yes {
			known.Lo = max(known.Lo, int8(a.t))
		} else {
			known.Hi = min(known.Hi, int8(a.t-2))
		}
		if err := x.keep(known); err != nil {
			return r, err
		}
	}
	return r, nil
}

// answer is what is known about a class of positions.
func (x *Split) answer(name [2]uint64, boxes int) Answer {
	if a, ok := x.Known[name]; ok {
		return a
	}
	return Answer{Key: name, Lo: int8(-boxes), Hi: int8(boxes)}
}

func (x *Split) keep(a Answer) error {
	x.Known[a.Key] = a
	if x.Record != nil {
		x.err = x.Record(a)
	}
	return x.err
}

// atLeast is Split.atLeast with questions in place of the lower storey. An
// unanswered position counts as one that reaches t if assume says so; sure is
// false then.
func (x *scout) atLeast(depth int, mask uint64, boxes, t int, assume bool) (v int, sure bool) {
	if mask == 0 {
		return 0, true
	}
	p := &x.top.plies[depth]
	x.w.g.take(mask, &p.shape, x.top.use)
	k := x.top.labels.key(&p.shape)
	name := [2]uint64{k.lo, k.hi}
	a := x.answer(name, boxes)
	switch {
	case int(a.Lo) >= t:
		return int(a.Lo), true
	case int(a.Hi) < t:
		return int(a.Hi), true
	case depth == x.Plies || p.shape.joints == 0:
		if q := (asked{name, t}); x.room > 0 && !x.asked[q] {
			x.room--
			x.asked[q] = true
			x.out = append(x.out, questionAt{Question{mask, boxes, t}, q})
		}
		if assume {
			return t, false
		}
		return t - 2, false
	}
	if v, sure = x.expand(depth, p, t); !sure || x.err != nil {
		return v, false
	}
	if v >= t {
		a.Lo = max(a.Lo, int8(v))
	} else {
		a.Hi = min(a.Hi, int8(v))
	}
	return v, x.keep(a) == nil
}

// expand is Split.expand; see there for the two questions about a move.
func (x *scout) expand(depth int, p *ply, t int) (best int, sure bool) {
	best, sure = x.top.options(p, t), true
	for i := range p.n {
		m := p.moves[i]
		k, left := int(m.taken), p.shape.boxes-int(m.taken)
		most, certain := never, true
		if m.price != never {
			need := t + k - int(m.price)
			v, ok := x.atLeast(depth+1, m.child, left, need, false)
			certain = ok
			if most = v + int(m.price) - k; v < need {
				best, sure = max(best, most), sure && ok
				continue
			}
		}
		v, ok := x.atLeast(depth+1, m.child, left, -k-t+2, true)
		certain = certain && ok
		worth := min(most, -k-v)
		if worth >= t {
			return worth, certain
		}
		best, sure = max(best, worth), sure && certain
	}
	return best, sure
}
