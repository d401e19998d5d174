package exact

import (
	"context"
	"fmt"

	"endwise/engine/grid"
	"endwise/solver"
)

// The questions about the frontier are asked several at once. The search runs
// through the root tree again and again; where it meets a position that nobody
// has answered for, it asks and, while more may be asked, goes on as if the answer
// were the one that makes the move fail for the side that considers it. With well ordered moves it so
// meets what has to be asked in any case: all moves where one side must be
// refuted, one where it refutes. Each answer that comes in settles more, until
// the root is settled.

// Question asks about a position of the frontier: is it worth at least T
// to the side to move? Mask is the position among the lines of the empty board,
// in which no box can be captured; Boxes the boxes that are open in it. T has
// the parity of Boxes, as all values have.
type Question struct {
	Mask     uint64
	Boxes, T int
}

// Answer answers a question about a position of board b. The answer does not
// depend on the solver's threads and table; how many positions it
// entered for it does.
func (s *Solver) Answer(ctx context.Context, b *grid.Board, q Question) (yes bool, nodes uint64, err error) {
	g, err := s.graph(b, b.All())
	if err != nil {
		return false, 0, err
	}
	if q.Mask == 0 || q.Mask&^g.all != 0 || q.Boxes != g.boxesIn(q.Mask) || q.T < -g.boxes || q.T > g.boxes || (q.T^q.Boxes)&1 != 0 {
		return false, 0, fmt.Errorf("question about position %x, %d boxes, %+d: there is none on %s", q.Mask, q.Boxes, q.T, b)
	}
	w := s.begin(ctx, g)
	defer w.end()
	v, ok := w.atLeast(q.Mask, q.Boxes, q.T)
	if !ok {
		return false, w.expansions(), ended(ctx)
	}
	return v >= q.T, w.expansions(), nil
}

// asked names a question by the class of its position.
type asked struct {
	name [2]uint64
	t    int
}

type questionAt struct {
	Question
	asked
}

// Value runs the search. Questions are answered by ask, for instance with
// Solver.Answer, which is called from up to limit goroutines at once; its first
// error ends the search. Where the search ends early, the result is bounds.
func (x *Split) Value(ctx context.Context, s *Solver, limit int, ask func(context.Context, Question) (bool, error)) (solver.Result, error) {
	g, err := x.begin(ctx, s)
	if err != nil {
		return solver.Result{}, err
	}
	defer x.w.end()
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
	// atLeast runs through the root tree until it is sure.
	atLeast := func(t int) (v int, ok bool) {
		for {
			var out []questionAt // to be asked
			look := rootTree{Split: x}
			look.frontier = func(q questionAt, assume bool) (v int, sure bool) {
				if len(flying) < max(limit, 1) && !flying[q.asked] {
					flying[q.asked] = true
					out = append(out, q)
				}
				look.enough = len(flying) >= limit
				if assume {
					return q.T, false
				}
				return q.T - 2, false
			}
			v, sure := look.atLeast(0, g.all, g.boxes, t, false)
			if sure || x.err != nil {
				for _, q := range out { // nobody needs to know
					delete(flying, q.asked)
				}
				return v, sure && x.err == nil
			}
			for _, q := range out {
				go func() {
					yes, err := ask(ctx, q.Question)
					answers <- answer{q.asked, q.Boxes, yes, err}
				}()
			}
			if len(flying) == 0 { // stopped before it met a question
				return 0, false
			}
			a := <-answers
			delete(flying, a.asked)
			if a.err != nil {
				x.err = a.err
				return 0, false
			}
			known := x.answer(a.name, a.boxes)
			if a.yes {
				known.Lower = max(known.Lower, int8(a.t))
			} else {
				known.Upper = min(known.Upper, int8(a.t-2))
			}
			if x.keep(known) != nil {
				return 0, false
			}
		}
	}
	return x.narrow(ctx, g, atLeast)
}
