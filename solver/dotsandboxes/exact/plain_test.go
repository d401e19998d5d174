package exact

import (
	"testing"

	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/plain"
)

// plainValues computes the value of every position of a board by plain minimax: entry m is
// the value, for the side to move, of the position whose free lines are the segments of m.
func plainValues(t *testing.T, b *grid.Board) []int8 {
	t.Helper()
	values, err := plain.DotsAndBoxesBoard(t.Context(), b.String(), nil)
	testenv.OK(t, err)
	return values
}

// plainValue is plain minimax on any board.
func plainValue(t *testing.T, b *grid.Board, free grid.Set) int {
	t.Helper()
	v, err := plain.DotsAndBoxesValue(b.String(), free.Segments())
	testenv.OK(t, err)
	return v
}

// completed returns the number of boxes that the line drawn last completed.
func completed(b *grid.Board, free grid.Set, segment int) (n int) {
	for _, q := range b.Sides(segment) {
		if q == grid.Outside {
			continue
		}
		open := false
		for _, l := range b.Around(q) {
			open = open || free.Has(l)
		}
		if !open {
			n++
		}
	}
	return n
}
