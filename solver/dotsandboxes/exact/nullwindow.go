package exact

import (
	"context"
	"fmt"

	"endwise/engine/grid"
)

// NullWindow asks whether the value of a position of a [Split] for the side to move is at least T.
// Mask is an R-type position, as a mask of the empty board's lines, and Boxes the number of its
// boxes. T has the parity of Boxes, like all values.
type NullWindow struct {
	Mask     uint64
	Boxes, T int
}

// Search reports whether the value is at least n.T, and returns the number of positions expanded. It
// returns an error if n does not fit b, b is too large ([ErrTooLarge]), or the context ends first.
func (s *Solver) Search(ctx context.Context, b *grid.Board, n NullWindow) (reached bool, nodes uint64, err error) {
	g, err := s.graph(b, b.All())
	if err != nil {
		return false, 0, err
	}
	validMask := n.Mask != 0 && n.Mask&^g.all == 0 && n.Boxes == g.boxesIn(n.Mask)
	validT := n.T >= -g.boxes && n.T <= g.boxes && (n.T^n.Boxes)&1 == 0
	if !validMask || !validT {
		return false, 0, fmt.Errorf("null-window search of position %x, %d boxes, at least %+d: impossible on %s",
			n.Mask, n.Boxes, n.T, b)
	}
	w := s.begin(ctx, g)
	defer w.end()
	v, ok := w.atLeast(n.Mask, n.Boxes, n.T)
	if !ok {
		return false, w.expansions(), ended(ctx)
	}
	return v >= n.T, w.expansions(), nil
}
