package tables

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/graph"
)

// only7x7 returns the walls on a board of exactly Side x Side: opposite walls only if the
// animal extends from one to the other.
func only7x7(h, w int) [][4]bool {
	rows := [][2]bool{{true, false}, {false, true}}
	if h == Side {
		rows = [][2]bool{{true, true}}
	}
	cols := [][2]bool{{true, false}, {false, true}}
	if w == Side {
		cols = [][2]bool{{true, true}}
	}
	var out [][4]bool
	for _, r := range rows {
		for _, c := range cols {
			out = append(out, [4]bool{r[0], r[1], c[0], c[1]})
		}
	}
	return out
}

// The numbers of types on a 7x7 board by edges do not change.
func TestComponentTypesAreCounted(t *testing.T) {
	want := []int{0, 1, 2, 4, 9, 22, 57, 156, 441, 1283, 3833, 11635}
	n := 10
	if os.Getenv("ENDWISE_DEEP") != "" {
		n = 11 // takes seconds
	}
	begun := 0
	types, err := componentTypes(t.Context(), n, only7x7, func() { begun++ })
	testenv.OK(t, err)
	if begun != beginnings {
		t.Errorf("%d animals of %d segments, want %d", begun, beginning, beginnings)
	}
	got := make([]int, n+1)
	for _, c := range types {
		got[c.edges]++
	}
	if !slices.Equal(got, want[:n+1]) {
		t.Errorf("%v types by edges, want %v", got, want[:n+1])
	}
}

// The list of types contains the components of real boards.
func TestComponentTypesAreComplete(t *testing.T) {
	const n = 8
	types, err := componentTypes(t.Context(), n, anyBoard, func() {})
	testenv.OK(t, err)
	listed := map[graph.Key]bool{}
	for _, c := range types {
		listed[c.key] = true
	}
	var l graph.Labeler
	// All sets of free segments of the smallest boards, and random ones of the others.
	check := func(b *grid.Board, free grid.Set) {
		live, _ := b.Live(free)
		parts, err := graph.Components(b, live)
		testenv.OK(t, err)
		for _, p := range parts {
			if p.Code.Edges() <= n && !listed[graph.KeyOf(l.Label(p.Code))] {
				t.Fatalf("%s: the type %v is missing", b, p.Code)
			}
		}
	}
	for _, size := range []string{"1x1", "1x2", "1x3", "1x4", "2x2"} {
		b := board(t, size)
		for m := range uint32(b.Masks()) {
			check(b.board, set(m))
		}
	}
	r := rand.New(rand.NewPCG(4, 4))
	for range 3000 {
		b, err := grid.New(1+r.IntN(Side), 1+r.IntN(Side))
		testenv.OK(t, err)
		free := b.All()
		for keep := r.IntN(40); free.Len() > keep; {
			s := free.Segments()
			free.Remove(s[r.IntN(len(s))])
		}
		check(b, free)
	}
}
