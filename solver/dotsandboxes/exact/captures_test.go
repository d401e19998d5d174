package exact

import (
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
)

// T1, V(G) = K + max(V(R), -h - V(R)), in full. Lines are edges, a captured box is a
// vertex of no edges; K, R and h are those of Closure.
//
// The captured boxes. A capture takes a box's only edge, so the n captured boxes of one
// piece go with n edges, or with n-1 where the last one takes two boxes. A piece is
// connected, so it is a tree; it hangs on R or the ground by one edge in the first case
// and by none in the second. What hangs on R hangs on a box that keeps two edges or more
// there, so drawing that edge captures nothing on its other side.
//
// At least. The mover takes all and goes on: K + V(R). If h is 4, some tree of two boxes
// or more hangs, by its box b: the mover takes all boxes but b and a neighbour, always a
// box of one edge, and draws b's hanging edge. If h is 8, some tree that does not hang has
// an edge between two boxes that are no leaves: he takes all but these and a neighbour of
// each, and draws that edge. What he leaves is R and one or two dominoes, two boxes with
// one edge; their trees are stars that do not hang, so by induction over the edges the
// position is worth h/2 + V(R) to the other side, and the mover has K - h/2 before:
// K - h - V(R).
//
// At most, by induction over the edges. A capture leads to the same R with K less by what
// it takes, and with an h that is no smaller: a tree less a leaf that hangs, or that is no
// star, hung or was none before. A line that captures nothing is in R, or it belongs to a
// tree.
//
//   - If it is m in R, the other side can take the K boxes and faces R-m. As V(R) >= -V(R-m),
//     the mover gets at most -K - V(R-m) <= -K + V(R).
//   - If it belongs to a tree, the other side can take all the K boxes, and with that the
//     mover gets at most -K - V(R). There is such a line only where h is finite, for a tree
//     of one box that hangs has one line, which captures it, and each line of a star
//     captures a leaf. And then K >= h/2, two boxes or four: -K - V(R) <= K - h - V(R).
//
// Where nothing can be captured there is nothing to show. QED

// TestT1 compares both sides of T1, by plain minimax, in every set of free lines of
// boards up to 2x4.
func TestT1(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"1x1", "1x2", "1x3", "1x4", "1x5", "1x6", "2x2", "2x3", "2x4"} {
		b := enginetest.Board(t, size)
		values := plainValues(t, b)
		wrong, refusals := 0, 0
		for m, want := range values {
			c := Close(b, grid.Set{uint64(m)})
			rest := int(values[c.Rest[0]])
			if got := c.Value(rest); got != int(want) {
				if wrong++; wrong < 4 {
					t.Errorf("%s, free %b: %d by T1 from %+v, %d by plain minimax", size, m, got, c, want)
				}
			}
			if c.Value(rest) > c.Taken+rest {
				refusals++
			}
		}
		if size == "2x4" && refusals < 1000 {
			t.Errorf("%s: refusing is better in %d positions: too few to tell", size, refusals)
		}
	}
}
