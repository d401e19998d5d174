package exact

import (
	"context"
	"fmt"

	"endwise/engine/grid"
)

// Question is a question about a position of a [Split]: is its value for the side to move
// at least T? Mask is an R-type position as a mask of the empty board's lines, and Boxes
// the number of boxes in it. T has the parity of Boxes, like all values.
type Question struct {
	Mask     uint64
	Boxes, T int
}

// Answer answers a question about a position of board b. The answer does not depend on the
// solver's threads and table; nodes, the number of positions expanded, does.
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
