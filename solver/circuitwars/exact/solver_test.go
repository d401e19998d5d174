package exact

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/tt"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// knownValues are the values of empty boards, found by an independent solver and, on small
// boards, by plain minimax.
var knownValues = []struct {
	size  string
	value int
	deep  bool
}{
	{"1x1", -1, false}, {"1x2", 2, false}, {"1x3", -1, false}, {"1x4", 2, false}, {"1x5", -3, false},
	{"1x6", 2, false}, {"1x7", -3, false}, {"1x8", 4, false}, {"1x9", -3, false}, {"1x10", 4, false},
	{"2x2", -2, false}, {"2x3", 2, false}, {"2x4", -2, false}, {"3x3", -3, false}, {"2x5", 2, false},
	{"1x11", -5, true}, {"1x12", 4, true}, {"1x13", -5, true}, {"1x14", 6, true},
	{"2x6", -2, true}, {"3x4", 2, true},
}

func TestEmptyBoardsHaveKnownValues(t *testing.T) {
	deep := os.Getenv("ENDWISE_DEEP") != ""
	s := New(Options{TableBytes: 64 << 20})
	for _, tt := range knownValues {
		if tt.deep && !deep {
			continue // takes a minute
		}
		b := enginetest.Board(t, tt.size)
		if r := solve(t, s, b, b.All()); !r.Exact() || r.Lower != tt.value {
			t.Errorf("%s: bounds %d..%d, want %d", tt.size, r.Lower, r.Upper, tt.value)
		}
	}
}

// The largest boards solved. The mirror theorem proves the upper bounds: the half-turn
// fixes one square of 3x5, the reflection in the diagonal four squares of 4x4.
func TestLargestBoardsHaveKnownValues(t *testing.T) {
	if os.Getenv("ENDWISE_DEEP") == "" {
		t.Skip("takes more than a quarter of an hour and 7 GB: only with ENDWISE_DEEP=1")
	}
	s := New(Options{Threads: 2, TableBytes: 4 << 30, TypeBytes: 1536 << 20})
	for size, want := range map[string]int{"3x5": -1, "4x4": -4} {
		b := enginetest.Board(t, size)
		if r := solve(t, s, b, b.All()); !r.Exact() || r.Lower != want {
			t.Errorf("%s: bounds %d..%d, want %d", size, r.Lower, r.Upper, want)
		}
	}
}

// With one thread, node counts are reproducible. The limit requires the mirror theorem.
func TestNodeCountsAreReproducible(t *testing.T) {
	b := enginetest.Board(t, "3x3")
	first := solve(t, New(small(Options{})), b, b.All())
	if first.Nodes > 15000 {
		t.Errorf("3x3: %d nodes, want at most 15000", first.Nodes)
	}
	if again := solve(t, New(small(Options{})), b, b.All()); again.Nodes != first.Nodes {
		t.Errorf("3x3: %d nodes, then %d", first.Nodes, again.Nodes)
	}
}

// Two threads of null-window search enter hardly more positions than one.
func TestThreadsDivideTheWork(t *testing.T) {
	b := enginetest.Board(t, "3x3")
	one := solve(t, New(Options{NoProof: true}), b, b.All())
	two := solve(t, New(Options{NoProof: true, Threads: 2}), b, b.All())
	if two.Nodes > one.Nodes*5/4 || !two.Exact() || two.Lower != one.Lower {
		t.Errorf("value %d in %d nodes with one thread, %d in %d with two", one.Lower, one.Nodes, two.Lower, two.Nodes)
	}
}

// settings are combinations of options that must agree.
var settings = []struct {
	name string
	opt  Options
}{
	{"default", Options{}},
	{"two threads", Options{Threads: 2}},
	{"no table", Options{NoTable: true}},
	{"no bounds", Options{NoBounds: true}},
	{"no pairs", Options{NoPairs: true}},
	{"no simplification", Options{NoReduce: true}},
	{"no mirror", Options{NoMirror: true}},
	{"no proof numbers", Options{NoProof: true}},
	{"second order", Options{SecondOrder: true}},
	{"no pairs, no simplification", Options{NoPairs: true, NoReduce: true}},
	{"plain", Options{NoBounds: true, NoPairs: true, NoReduce: true, NoMirror: true}},
}

// The values of random positions equal those by plain minimax, with all settings.
func TestRandomPositionsEqualMinimax(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	solvers := make([]*Solver, len(settings))
	for i := range solvers {
		solvers[i] = New(small(settings[i].opt))
	}
	rounds := 15
	if os.Getenv("ENDWISE_DEEP") != "" {
		rounds = 500 // takes minutes
	}
	for range rounds {
		for _, size := range []string{"1x8", "2x4", "3x3", "2x6", "3x5", "4x4", "5x5", "6x6", "7x7"} {
			b := enginetest.Board(t, size)
			free := enginetest.Live(b, rng, 6+rng.IntN(9))
			want := plainValue(t, b, free)
			for i, s := range solvers {
				if r := solve(t, s, b, free); !r.Exact() || r.Lower != want {
					t.Errorf("%s %v, %s: bounds %d..%d, value %d", size, free.Segments(), settings[i].name, r.Lower, r.Upper, want)
				}
			}
		}
	}
}

// Searched gets all nodes of a question except fewer than stopCheck of each thread.
func TestSearchedCountsNodes(t *testing.T) {
	var n atomic.Uint64
	b := enginetest.Board(t, "3x3")
	r, err := New(Options{Threads: 2, Searched: func(k uint64) { n.Add(k) }}).AtLeast(t.Context(), b, b.All(), -3)
	testenv.OK(t, err)
	if got := n.Load(); got == 0 || got > r.Nodes || got+2*stopCheck <= r.Nodes {
		t.Errorf("%d of %d nodes", got, r.Nodes)
	}
}

// The settings agree on positions too large for plain minimax.
func TestSettingsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	solvers := make([]*Solver, len(settings))
	for i := range solvers {
		solvers[i] = New(small(settings[i].opt))
	}
	for range 20 {
		b := enginetest.Board(t, []string{"4x4", "5x5", "7x7"}[rng.IntN(3)])
		free := enginetest.Live(b, rng, 18)
		want := solve(t, solvers[0], b, free).Lower
		for i, s := range solvers {
			if settings[i].opt.NoTable || settings[i].opt.NoBounds && settings[i].opt.NoReduce {
				continue // takes hours
			}
			if r := solve(t, s, b, free); !r.Exact() || r.Lower != want {
				t.Errorf("%s %v, %s: bounds %d..%d, want %d", b, free.Segments(), settings[i].name, r.Lower, r.Upper, want)
			}
		}
	}
}

// A cancelled solve returns bounds that enclose the value, and the solver remains usable.
func TestCancelledSolveReturnsBounds(t *testing.T) {
	b := enginetest.Board(t, "7x7")
	for _, threads := range []int{1, 2} {
		s := New(small(Options{Threads: threads}))
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		r, err := s.Value(ctx, b, b.All())
		cancel()
		testenv.OK(t, err)
		if r.Exact() || r.Lower > -1 || r.Upper < -49 || r.Lower < -49 || r.Upper > 49 {
			t.Errorf("%d threads: bounds %d..%d of the empty board", threads, r.Lower, r.Upper)
		}
		// The solver remains usable.
		small := enginetest.Board(t, "2x3")
		if r := solve(t, s, small, small.All()); !r.Exact() || r.Lower != 2 {
			t.Errorf("after a cancelled solve 2x3 is %d..%d, want 2", r.Lower, r.Upper)
		}
	}
}

// With Use(1), a solver with two threads searches like a solver with one.
func TestUseLimitsTheThreads(t *testing.T) {
	b := enginetest.Board(t, "2x4")
	alone := solve(t, New(small(Options{})), b, b.All())
	s := New(small(Options{Threads: 2}))
	for _, threads := range []int{0, 1} {
		s.Clear()
		s.Use(threads)
		if r := solve(t, s, b, b.All()); r.Lower != alone.Lower || r.Nodes != alone.Nodes {
			t.Errorf("Use(%d): value %d in %d nodes, want %d in %d", threads, r.Lower, r.Nodes, alone.Lower, alone.Nodes)
		}
	}
	s.Clear()
	s.Use(3)
	if r := solve(t, s, b, b.All()); !r.Exact() || r.Lower != alone.Lower {
		t.Errorf("all threads: %d..%d, want %d", r.Lower, r.Upper, alone.Lower)
	}
}

// If the type store is full, the solve restarts and finds the value.
func TestFullTypeStoreRestartsTheSolve(t *testing.T) {
	b := enginetest.Board(t, "2x5")
	s := New(Options{TableBytes: 32 << 20, TypeBytes: 1})
	r := solve(t, s, b, b.All())
	if !r.Exact() || r.Lower != 2 {
		t.Errorf("bounds %d..%d, want 2", r.Lower, r.Upper)
	}
	if s.workers[0].restarts == 0 {
		t.Error("the store was never full")
	}
	for _, w := range s.workers {
		empty := newStore(int(s.typesEach), s.rules)
		for what, sizes := range map[string][2]int{
			"types": {cap(w.types.types), cap(empty.types)}, "codes": {cap(w.types.codes), cap(empty.codes)},
			"options": {cap(w.types.options), cap(empty.options)}, "kids": {cap(w.types.kids), cap(empty.kids)},
		} {
			if sizes[0] != sizes[1] {
				t.Errorf("%s: the store has grown from %d to %d", what, sizes[1], sizes[0])
			}
		}
	}
}

// The value of a finished game is 0, free segments in a closed area are an error, and a hot
// component too large for a mask is solved.
func TestFinishedClosedAndLargePositions(t *testing.T) {
	s := New(small(Options{}))
	b := enginetest.Board(t, "9x9")
	var within grid.Set
	within.Add(b.V(4, 4))
	if r, err := s.Value(t.Context(), b, within); err == nil {
		t.Errorf("closed area: value %v, want an error", r)
	}
	hot := b.All()
	for i := range b.Segments() {
		if b.Sides(i)[1] == grid.Outside && i > 0 {
			hot.Remove(i)
		}
	}
	for free, want := range map[grid.Set]int{{}: 0, hot: 81} {
		if r, err := s.Value(t.Context(), b, free); err != nil || r.Lower != want || !r.Exact() {
			t.Errorf("%d free segments: %v, %v, want %+d", free.Len(), r, err, want)
		}
	}
}

func BenchmarkSolve(bb *testing.B) {
	for _, size := range []string{"1x10", "2x4", "3x3", "2x5"} {
		b := enginetest.Board(bb, size)
		bb.Run(size, func(bb *testing.B) {
			s := New(small(Options{}))
			var nodes uint64
			for bb.Loop() {
				s.Clear()
				nodes += solve(bb, s, b, b.All()).Nodes
			}
			bb.ReportMetric(float64(nodes)/float64(bb.N), "nodes/op")
		})
	}
}

func ExampleSolver_Value() {
	b, _ := grid.Parse("2x3")
	r, _ := New(Options{TableBytes: 1 << 20, TypeBytes: 1 << 20}).Value(context.Background(), b, b.All())
	fmt.Println(r.Lower, r.Upper)
	// Output: 2 2
}

// A small board gets a small table, a larger board after it another one, and later boards
// that fit keep the table.
func TestTableGrowsOnlyForLargerBoards(t *testing.T) {
	s := New(Options{Threads: 2, TableBytes: 1 << 24, TypeBytes: 1 << 24})
	allocated := func(board string) (*tt.Table, int) {
		b := enginetest.Board(t, board)
		solve(t, s, b, b.All())
		return s.shared.table, len(s.workers)
	}
	small, _ := allocated("1x2")
	large, workers := allocated("3x3")
	again, _ := allocated("1x2")
	if s.tableBytes != 1<<24 || small == large || again != large || workers != 2 {
		t.Errorf("%d bytes, %d workers; another table for the larger board: %t, for the small one again: %t", s.tableBytes, workers, small != large, again != large)
	}
}
