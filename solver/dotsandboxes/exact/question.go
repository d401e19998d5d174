package exact

import (
	"context"
	"fmt"

	"endwise/engine/grid"
)

// Question asks about a position of an empty board's first lines (Split): is it
// worth at least T to the side to move? Mask is the position among the lines of the empty board,
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
