package exact

import (
	"sync/atomic"
	"testing"
	"time"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver"
	"endwise/solver/tt"
)

// exact returns the value of any position, computed by the search with one thread.
func (w *worker) exact(mask uint64) int {
	c, rest := w.g.close(mask)
	return c.Value(w.exactRest(rest))
}

func (w *worker) exactRest(mask uint64) int {
	if mask == 0 {
		return 0
	}
	boxes := w.g.boxesIn(mask)
	return solver.Bounds{Lower: -boxes, Upper: boxes}.Narrow(boxes&1, func(t int) (int, bool) {
		v := w.atLeast(0, w.node(mask, boxes), t, false)
		return v, !w.stopped
	}, nil).Lower
}

func testWorker(t testing.TB, b *grid.Board, use features) *worker {
	g, err := newGraph(b, b.All())
	testenv.OK(t, err)
	return newTestWorker(g, use)
}

func newTestWorker(g *graph, use features) *worker {
	w := newWorker(g, tt.NewCompact(1<<20), Options{})
	w.use = use
	w.prepare(g, new(atomic.Bool), time.Time{}, nil)
	return w
}

var everySwitch = []struct {
	name string
	use  features
}{
	{"everything", 0},
	{"no dominance", noDominance},
	{"no pairs", noPairs},
	{"no formula", noFormula},
	{"no loony bound", noLoonyBound},
	{"no graph keys", noGraphKeys},
	{"no memory", noMemory},
	{"nothing", noDominance | noPairs | noFormula | noLoonyBound | noGraphKeys | noMemory},
}

// The search agrees with plain minimax in every position of small boards, with each feature
// enabled and disabled.
func TestSearchAgreesWithMinimax(t *testing.T) {
	for _, name := range []string{"1x1", "1x2", "1x3", "1x4", "1x5", "2x2", "2x3"} {
		b := enginetest.Board(t, name)
		want := plainValues(t, b)
		for _, sw := range everySwitch {
			w := testWorker(t, b, sw.use)
			wrong := 0
			for m := range want {
				mask := w.g.Mask(grid.Set{uint64(m)})
				if got := w.exact(mask); got != int(want[m]) {
					if wrong++; wrong <= 3 {
						t.Errorf("%s with %s: free %b: got %d, plain minimax says %d", name, sw.name, m, got, want[m])
					}
				}
			}
			if wrong > 0 {
				t.Errorf("%s with %s: %d of %d wrong", name, sw.name, wrong, len(want))
			}
		}
	}
}
