package exact

import (
	"context"
	"os"
	"slices"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver"
	"endwise/solver/plain"
)

// plainValue returns the value of a position by plain minimax.
func plainValue(t *testing.T, b *grid.Board, free grid.Set) int {
	t.Helper()
	v, err := plain.CircuitWarsValue(b.String(), free.Segments())
	testenv.OK(t, err)
	return v
}

func solve(t testing.TB, s *Solver, b *grid.Board, free grid.Set) solver.Result {
	t.Helper()
	r, err := s.Value(context.Background(), b, free)
	testenv.OK(t, err)
	return r
}

// small limits the memory of test solvers.
func small(o Options) Options {
	o.TableBytes, o.TypeBytes = 8<<20, 16<<20
	return o
}

// first reports whether a position is the smallest of its images under symmetry.
func first(b *grid.Board, free grid.Set) bool {
	for _, y := range b.Symmetries() {
		if image := y.Apply(free); slices.Compare(image[:], free[:]) < 0 {
			return false
		}
	}
	return true
}

// On small boards the value of every reachable position, up to symmetry, equals that by
// plain minimax.
func TestEveryPositionOfSmallBoards(t *testing.T) {
	sizes := []string{"1x1", "1x2", "1x3", "1x4", "1x5", "2x2", "2x3"}
	if os.Getenv("ENDWISE_DEEP") != "" {
		sizes = append(sizes, "1x6")
	}
	for _, size := range sizes {
		t.Run(size, func(t *testing.T) {
			b := enginetest.Board(t, size)
			values, err := plain.CircuitWarsBoard(t.Context(), size, nil)
			testenv.OK(t, err)
			s := New(small(Options{}))
			bad := 0
			for m, want := range values {
				free := grid.Set{uint64(m)}
				if open, _ := b.Live(free); open != free || !first(b, free) {
					continue
				}
				if r := solve(t, s, b, free); !r.Exact() || r.Lower != int(want) {
					t.Errorf("%v: bounds %d..%d, value %d", free.Segments(), r.Lower, r.Upper, want)
					if bad++; bad > 10 {
						t.FailNow()
					}
				}
			}
		})
	}
}
