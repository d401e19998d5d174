package tables

import (
	"math/bits"
	"math/rand/v2"
	"sync"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func board(t testing.TB, size string) *Board {
	t.Helper()
	g := enginetest.Board(t, size)
	b, err := NewBoard(g)
	testenv.OK(t, err)
	return b
}

// solved caches the boards solved by solve, for tests that only read.
var solved = map[string]struct {
	s    *BoardSolver
	hist map[int]uint64
}{}

// solve solves a board, once for all tests, with one goroutine per chunk of a layer. It
// returns the numbers of positions by value.
func solve(t testing.TB, b *Board) (*BoardSolver, map[int]uint64) {
	t.Helper()
	size := b.board.String()
	if known, ok := solved[size]; ok {
		return known.s, known.hist
	}
	s := NewBoardSolver(b)
	hist := map[int]uint64{}
	var mu sync.Mutex
	var masks uint64
	for _, layer := range s.Layers() {
		var wg sync.WaitGroup
		for _, c := range layer {
			wg.Go(func() {
				h, err := s.Solve(t.Context(), c, func(n uint64) {
					mu.Lock()
					masks += n
					mu.Unlock()
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				for v, n := range h {
					hist[v] += n
				}
			})
		}
		wg.Wait()
	}
	if masks != b.Masks() {
		t.Errorf("%d masks reported, want %d", masks, b.Masks())
	}
	if !t.Failed() {
		known := solved[size]
		known.s, known.hist = s, hist
		solved[size] = known
	}
	return s, hist
}

func set(m uint32) grid.Set { return grid.Set{uint64(m)} }

// The values of empty boards are those of the exact solver.
func TestEmptyBoardsHaveKnownValues(t *testing.T) {
	for size, want := range map[string]int{
		"1x1": -1, "1x2": 2, "1x3": -1, "1x4": 2, "1x5": -3, "1x6": 2, "1x7": -3,
		"2x2": -2, "2x3": 2, "3x2": 2, "2x4": -2, "3x3": -3,
	} {
		b := board(t, size)
		s, _ := solve(t, b)
		if got := s.Value(uint32(b.Masks() - 1)); got != want {
			t.Errorf("%s: %d, want %d", size, got, want)
		}
	}
}

// The numbers of masks in normal form, and of those stored, do not change.
func TestPositionsAreCounted(t *testing.T) {
	for size, want := range map[string][2]uint64{
		"1x1": {16, 6}, "2x2": {3949, 545}, "2x4": {3790645, 950371}, "3x3": {14773436, 1851376},
	} {
		b := board(t, size)
		s, hist := solve(t, b)
		var positions, kept uint64
		for _, n := range hist {
			positions += n
		}
		low := min(blockBits, b.segments)
		for block := range b.Masks() >> low {
			size := uint64(1) << low / 2
			_, k := b.Encode(block, s.s[block*size:(block+1)*size])
			kept += k
		}
		if got := [2]uint64{positions, kept}; got != want {
			t.Errorf("%s: %d positions, %d kept; want %v", size, got[0], got[1], want)
		}
	}
}

// The values of all masks of the smallest boards equal those by plain minimax.
func TestEveryMaskEqualsMinimax(t *testing.T) {
	for _, size := range []string{"1x1", "1x2", "1x3", "2x2"} {
		b := board(t, size)
		s, _ := solve(t, b)
		for m := range uint32(b.Masks()) {
			compare(t, s, m)
		}
	}
}

// The values of random masks of larger boards equal those by plain minimax.
func TestRandomMasksEqualMinimax(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, size := range []string{"2x3", "1x6", "2x4", "3x3"} {
		b := board(t, size)
		s, _ := solve(t, b)
		for range 60 {
			m := uint32(b.Masks() - 1)
			for bits.OnesCount32(m) > 12 {
				m &^= 1 << r.IntN(b.segments)
			}
			compare(t, s, m)
		}
	}
}

func compare(t *testing.T, s *BoardSolver, m uint32) {
	t.Helper()
	g := s.board
	free, _ := g.Live(set(m))
	if n, _ := s.Normal(m); set(n) != free {
		t.Fatalf("%s: normal form of %x is %x, want %x", g, m, n, free)
	}
	want, err := plain.CircuitWarsValue(g.String(), free.Segments())
	testenv.OK(t, err)
	if got := s.Value(m); got != want {
		t.Fatalf("%s: mask %x: %d, want %d", g, m, got, want)
	}
}

// walk calls f with all masks and with the squares grounded according to Grounded and
// package grid.
func TestWalkComputesGroundedSquares(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, size := range []string{"1x1", "2x3", "1x7", "3x3", "2x5", "2x6", "1x10"} {
		b := board(t, size)
		low := min(10, b.segments)
		for range 20 {
			base := uint32(r.Uint64N(b.Masks())) >> low << low
			want := base
			b.walk(base, low, func(m, g uint32) {
				if m != want {
					t.Fatalf("%s: mask %x, want %x", size, m, want)
				}
				want++
				if g != b.Grounded(m) {
					t.Fatalf("%s: mask %x: grounded %x, want %x", size, m, g, b.Grounded(m))
				}
				for sq, in := range b.board.Grounded(set(m)) {
					if in != (g>>sq&1 != 0) {
						t.Fatalf("%s: mask %x: square %d", size, m, sq)
					}
				}
			})
		}
	}
}

// Encoding and decoding preserves the value of every mask.
func TestCodesRoundTrip(t *testing.T) {
	for _, size := range []string{"1x2", "2x2", "2x3", "1x5"} {
		b := board(t, size)
		s, _ := solve(t, b)
		low := min(blockBits, b.segments)
		var codes []byte
		for block := range b.Masks() >> low {
			half := uint64(1) << low / 2
			c, _ := b.Encode(block, s.s[block*half:(block+1)*half])
			codes = append(codes, c...)
		}
		for m := range uint32(b.Masks()) {
			rank, g := b.Place(m)
			code := codes[rank>>1] >> (rank & 1 << 2) & 15
			if got := Decode(code, g); got != s.Value(m) {
				t.Fatalf("%s: mask %x: %d, want %d", size, m, got, s.Value(m))
			}
		}
	}
}

// Canonical returns the smallest of the images according to package grid.
func TestCanonicalIsTheSmallestImage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, size := range []string{"1x1", "2x3", "3x3", "2x6"} {
		b := board(t, size)
		for range 500 {
			m := uint32(r.Uint64N(b.Masks()))
			least := m
			for _, y := range b.board.Symmetries() {
				x := y.Apply(set(m))
				least = min(least, uint32(x[0]))
			}
			if got := b.Canonical(m); got != least || b.isCanonical(m) != (m == least) {
				t.Fatalf("%s: canonical form of %x is %x, want %x", size, m, got, least)
			}
		}
	}
}

func TestTooLargeBoardIsRefused(t *testing.T) {
	g := enginetest.Board(t, "3x5")
	if _, err := NewBoard(g); err == nil {
		t.Error("3x5 was accepted")
	}
}

func BenchmarkSolve2x4(b *testing.B) {
	bd := board(b, "2x4")
	for range b.N {
		s := NewBoardSolver(bd)
		for _, layer := range s.Layers() {
			for _, c := range layer {
				if _, err := s.Solve(b.Context(), c, func(uint64) {}); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(bd.Masks()), "ns/mask")
}
