package grid

import (
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func boardsForTest(t *testing.T) []*Board {
	t.Helper()
	var out []*Board
	for _, size := range [][2]int{{1, 1}, {1, 6}, {2, 3}, {3, 3}, {7, 7}, {7, 8}, {8, 7}, {9, 9}} {
		b, err := New(size[0], size[1])
		testenv.OK(t, err)
		out = append(out, b)
	}
	return out
}

func TestNamesAndLinesRoundTrip(t *testing.T) {
	for _, b := range boardsForTest(t) {
		if want := b.Rows*(b.Cols+1) + (b.Rows+1)*b.Cols; b.Segments() != want {
			t.Errorf("%s: %d segments, want %d", b, b.Segments(), want)
		}
		named := 0
		for s := range b.Segments() {
			x, y, side := b.Name(s)
			if got, err := b.Segment(x, y, side); err != nil || got != s {
				t.Errorf("%s: segment %d is named %d,%d,%s, which is %d (%v)", b, s, x, y, side, got, err)
			}
			r, c, horizontal := b.Line(s)
			back := b.V(r, c)
			if horizontal {
				back = b.H(r, c)
			}
			if back != s {
				t.Errorf("%s: line %d,%d,%v of segment %d leads to %d", b, r, c, horizontal, s, back)
			}
			for _, sq := range b.Sides(s) {
				if sq != Outside {
					named++
				}
			}
		}
		if named != 4*b.Squares() {
			t.Errorf("%s: %d names, want %d", b, named, 4*b.Squares())
		}
	}
}

func TestSymmetriesPreserveTheGeometry(t *testing.T) {
	for _, b := range boardsForTest(t) {
		want := 4
		if b.Rows == b.Cols {
			want = 8
		}
		if len(b.Symmetries()) != want {
			t.Fatalf("%s: %d symmetries, want %d", b, len(b.Symmetries()), want)
		}
		for _, y := range b.Symmetries() {
			seen := make([]bool, b.Segments())
			for s, to := range y.Segment {
				if seen[to] {
					t.Fatalf("%s, %s: segment %d is hit twice", b, y.Name, to)
				}
				seen[to] = true
				for _, sq := range b.Sides(s) {
					image := Outside
					if sq != Outside {
						image = y.Square[sq]
					}
					if got := b.Sides(to); got[0] != image && got[1] != image {
						t.Fatalf("%s, %s: segment %d loses square %d", b, y.Name, s, sq)
					}
				}
			}
		}
		half := b.Symmetries()[HalfTurn]
		for s, to := range half.Segment {
			if half.Segment[to] != s {
				t.Fatalf("%s: the half turn is no involution", b)
			}
			if to == s && b.Rows%2 == 1 && b.Cols%2 == 1 {
				t.Fatalf("%s: the half turn fixes segment %d", b, s)
			}
		}
	}
}

func TestInvalidSizesAreRefused(t *testing.T) {
	for _, size := range []string{"0x3", "3x0", "10x10", "-1x2", "41x1", "x", "3x", "axb", ""} {
		if _, err := Parse(size); err == nil {
			t.Errorf("size %q was accepted", size)
		}
	}
}
