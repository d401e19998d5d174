package exact

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver"
)

// A dissection ranks every free line once: separators of the whole position first, border
// lines last. The values found with a dissection, without shifts, and with the board's
// order are equal; each takes fewer expansions than the next.
func TestDissectionReducesExpansions(t *testing.T) {
	b := enginetest.Board(t, "5x5")
	r := rand.New(rand.NewPCG(61, 62))
	var with, unshifted, without uint64
	for range 12 {
		free := enginetest.RandomQuiet(r, b, 36)
		rank := dissection(b, free)
		if again := dissection(b, free); !slices.Equal(rank, again) {
			t.Fatal("another order the second time")
		}
		seen := map[int]bool{}
		for _, s := range free.Segments() {
			border := b.Sides(s)[1] == grid.Outside
			if rank[s] < 0 || border != (rank[s] >= b.Segments()) {
				t.Fatalf("line %d has rank %d", s, rank[s])
			}
			if seen[rank[s]] && !border {
				t.Fatalf("two lines of rank %d", rank[s])
			}
			seen[rank[s]] = true
		}
		one := New(Options{Threads: 1, TableBytes: 8 << 20})
		got, err := one.Value(t.Context(), b, free)
		testenv.OK(t, err)
		with += got.Nodes
		plain, err := newRankedGraph(b, free, func(segment int) int { return rank[segment] })
		testenv.OK(t, err)
		whole, err := newGraph(b, b.All())
		testenv.OK(t, err)
		for g, nodes := range map[*graph]*uint64{plain: &unshifted, whole: &without} {
			w := New(Options{Threads: 1, TableBytes: 8 << 20}).begin(t.Context(), g)
			want := w.value(g.Mask(free), 0, nil)
			*nodes += w.expansions()
			w.end()
			if got.Lower != want.Lower || !got.Exact() || !want.Exact() {
				t.Errorf("%v: %s with a dissection and shifts, %s without", free, got, want)
			}
		}
	}
	t.Logf("%d expansions, %d without shifts, %d in the board's order", with, unshifted, without)
	if with > unshifted || unshifted > without {
		t.Errorf("%d expansions, %d without shifts, %d in the board's order", with, unshifted, without)
	}
}

// The second order finds the same values, with other trees.
func TestSecondOrderFindsSameValues(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 68))
	for _, size := range []string{"1x9", "2x4", "3x3", "4x5", "5x5"} {
		b := enginetest.Board(t, size)
		var nodes [2]uint64
		for range 4 {
			free := enginetest.RandomQuiet(r, b, min(b.Segments(), 32))
			a, err := New(Options{Threads: 1, TableBytes: 8 << 20}).Value(t.Context(), b, free)
			testenv.OK(t, err)
			c, err := New(Options{Threads: 1, TableBytes: 8 << 20, SecondOrder: true}).Value(t.Context(), b, free)
			testenv.OK(t, err)
			if !a.Exact() || a.Lower != c.Lower || !c.Exact() {
				t.Errorf("%s %v: %s, in the second order %s", size, free, a, c)
			}
			nodes[0] += a.Nodes
			nodes[1] += c.Nodes
		}
		if nodes[0] == nodes[1] {
			t.Errorf("%s: %d expansions in both orders", size, nodes[0])
		}
	}
}

// Searched gets all expansions.
func TestSearchedCountsPositions(t *testing.T) {
	var n atomic.Uint64
	b := enginetest.Board(t, "3x3")
	r, err := New(Options{Threads: 2, TableBytes: 8 << 20, Searched: func(k uint64) { n.Add(k) }}).Value(t.Context(), b, b.All())
	testenv.OK(t, err)
	if got := n.Load(); got != r.Nodes {
		t.Errorf("%d of %d expansions", got, r.Nodes)
	}
}

// On boards of more than 40 lines, the order for wide boards with shifts finds the same
// values as the order for small boards, in fewer expansions.
func TestWideBoardOrderReducesExpansions(t *testing.T) {
	b := enginetest.Board(t, "4x5")
	r := rand.New(rand.NewPCG(65, 66))
	var with, without uint64
	for range 12 {
		free := enginetest.RandomQuiet(r, b, 30)
		value := func(g *graph, nodes *uint64) solver.Bounds {
			w := New(Options{Threads: 1, TableBytes: 8 << 20}).begin(t.Context(), g)
			defer w.end()
			v := w.value(g.Mask(free), 0, nil)
			*nodes += w.expansions()
			return v
		}
		shifted, err := New(Options{TableBytes: 1 << 20}).graph(b, b.All())
		testenv.OK(t, err)
		bare, err := newGraph(b, b.All())
		testenv.OK(t, err)
		if !shifted.shifted || bare.shifted {
			t.Fatalf("shifts in their order %v, in that of small boards %v", shifted.shifted, bare.shifted)
		}
		if got, want := value(shifted, &with), value(bare, &without); got != want || !got.Exact() {
			t.Errorf("%v: %s in their order, %s in that of small boards", free, got, want)
		}
	}
	t.Logf("%d expansions, %d in the order of small boards", with, without)
	if with > without {
		t.Errorf("%d expansions, %d in the order of small boards", with, without)
	}
}

// Positions of one game share a frame until too many lines are drawn, even if positions of
// other games are searched in between. The number of frames is limited.
func TestPositionsOfAGameShareAFrame(t *testing.T) {
	s := New(Options{TableBytes: 1 << 20})
	r := rand.New(rand.NewPCG(63, 64))
	b := enginetest.Board(t, "6x6") // more lines than fit in one frame
	free := enginetest.RandomQuiet(r, b, 60)
	first, err := s.graph(b, free)
	testenv.OK(t, err)
	lines := free.Segments()
	for i := range frameLines + 1 {
		for range 3 {
			if _, err := s.graph(b, enginetest.RandomQuiet(r, b, 55)); err != nil { // another game
				t.Fatal(err)
			}
		}
		g, err := s.graph(b, free)
		testenv.OK(t, err)
		if got := g.Set(g.Mask(free)); got != free {
			t.Fatalf("the frame does not hold the position: %v", got)
		}
		if g != first && i == 0 {
			t.Error("a frame of its own for the same position")
		}
		free.Remove(lines[i])
		if len(s.frames) > maxFrames {
			t.Fatalf("%d frames", len(s.frames))
		}
	}
	if g, err := s.graph(b, free); err != nil || g == first {
		t.Errorf("%d lines fewer, and the same frame: %v", frameLines+1, err)
	}
	if g, err := s.graph(enginetest.Board(t, "5x5"), enginetest.Board(t, "5x5").All()); err != nil || g != s.graphs[enginetest.Board(t, "5x5")] {
		t.Errorf("the empty board has another frame than the board's: %v", err)
	}
}
