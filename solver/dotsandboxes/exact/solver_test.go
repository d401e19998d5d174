package exact

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// randomFree returns n random lines of a board.
func randomFree(r *rand.Rand, b *grid.Board, n int) grid.Set {
	var free grid.Set
	for _, s := range r.Perm(b.Segments())[:n] {
		free.Add(s)
	}
	return free
}

// Values of empty boards from Wilson's analyses and earlier work; larger boards only with
// ENDWISE_DEEP=1.
func TestValuesOfEmptyBoards(t *testing.T) {
	values := []struct {
		board string
		value int
		deep  bool
	}{
		{"1x1", -1, false}, {"1x2", 0, false}, {"1x3", -1, false}, {"1x4", 0, false}, {"1x5", -1, false},
		{"1x6", 0, false}, {"1x7", -1, false}, {"2x2", 2, false}, {"2x3", -2, false}, {"2x4", 2, false},
		{"2x5", -2, false}, {"3x3", -3, false}, {"5x2", -2, false}, {"4x3", 0, false},
		{"2x6", 2, true}, {"3x5", -1, true}, {"4x4", 0, true},
	}
	for _, c := range values {
		if c.deep && os.Getenv("ENDWISE_DEEP") == "" {
			continue
		}
		size := int64(32 << 20)
		if c.deep {
			size = 1 << 30
		}
		s := New(Options{Threads: 2, TableBytes: size})
		b := enginetest.Board(t, c.board)
		r, err := s.Value(t.Context(), b, b.All())
		if err != nil || !r.Exact() || r.Lower != c.value {
			t.Errorf("%s: got %s, %v, want %+d", c.board, r, err, c.value)
		}
	}
}

// In positions too large for plain minimax, the search agrees with a search that has graph
// keys and all other features disabled.
func TestKeyModesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	positions := 15
	if os.Getenv("ENDWISE_DEEP") != "" {
		positions = 60
	}
	for i := range positions {
		b := enginetest.Board(t, []string{"3x4", "4x4", "4x5", "5x5", "6x6"}[i%5])
		free := enginetest.RandomQuiet(r, b, min(b.Segments()-4, 21+r.IntN(4)+b.Squares()/3))
		g, err := newGraph(b, free)
		if err != nil {
			continue // the large board has too few safe lines
		}
		var values []int
		for _, use := range []features{0, noMemory, noGraphKeys, noLoonyBound | noFormula, noPairs | noDominance} {
			w := newTestWorker(g, use)
			w.budget = 2_000_000
			v := w.exact(g.all)
			if !w.stopped {
				values = append(values, v)
			}
		}
		for _, v := range values {
			if v != values[0] {
				t.Errorf("%s free %v: values %v", b, free, values)
			}
		}
		if len(values) < 2 {
			t.Errorf("%s free %v: only %d modes finished", b, free, len(values))
		}
	}
}

// A theta graph and a dumbbell with chains of the same lengths: plain colour refinement
// cannot distinguish them, and their values differ.
func TestThetaAndDumbbellHaveDifferentKeys(t *testing.T) {
	b := enginetest.Board(t, "3x4")
	h := func(r, c int) int { return b.H(r, c) }
	v := func(r, c int) int { return b.V(r, c) }
	set := func(lines ...int) (s grid.Set) {
		for _, l := range lines {
			s.Add(l)
		}
		return s
	}
	// The outer ring of 3x3 with the column through its middle.
	theta := set(v(0, 1), v(0, 2), h(1, 0), h(2, 0), v(2, 1), v(2, 2), h(1, 2), h(2, 2), h(1, 1), h(2, 1))
	// Two rings of four boxes with one box between them.
	dumbbell := set(v(0, 1), h(1, 0), h(1, 1), v(1, 1), h(2, 1), v(2, 2), h(2, 2), h(2, 3), v(1, 3), v(2, 3))
	p, err := NewPositions(b, b.All())
	testenv.OK(t, err)
	var keys []Key
	var values []int
	s := New(Options{Threads: 1, TableBytes: 1 << 20})
	for _, free := range []grid.Set{theta, dumbbell} {
		if Close(b, free).Taken != 0 {
			t.Fatalf("%v is no R-type position", free)
		}
		k, _ := p.Decompose(0, p.Mask(free))
		keys = append(keys, k)
		r, err := s.Value(t.Context(), b, free) // with the same table for both
		testenv.OK(t, err)
		if want := plainValue(t, b, free); r.Lower != want || !r.Exact() {
			t.Errorf("got %s, want %+d", r, want)
		}
		values = append(values, r.Lower)
	}
	if keys[0] == keys[1] {
		t.Error("theta and dumbbell have the same key")
	}
	if values[0] == values[1] {
		t.Errorf("both are worth %+d: the test shows nothing", values[0])
	}
}

// Keys do not depend on the place of a position on the board.
func TestKeysAreSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 400 {
		b := enginetest.Board(t, []string{"3x4", "4x4", "5x5"}[i%3])
		free := Close(b, enginetest.RandomQuiet(r, b, r.IntN(b.Segments()))).Rest
		if i%2 == 0 {
			free = Close(b, randomFree(r, b, b.Segments()*3/4)).Rest
		}
		p, err := NewPositions(b, b.All())
		testenv.OK(t, err)
		want, _ := p.Decompose(0, p.Mask(free))
		for _, sy := range b.Symmetries() {
			if got, _ := p.Decompose(0, p.Mask(sy.Apply(free))); got != want {
				t.Errorf("%s free %v: another key after %s", b, free, sy.Name)
			}
		}
	}
}

// derive returns the same decomposition as decompose.
func TestDerivedShapesAreEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	derived := 0
	for i := range 600 {
		b := enginetest.Board(t, []string{"3x4", "4x4", "5x5"}[i%3])
		g, err := newGraph(b, b.All())
		testenv.OK(t, err)
		free := enginetest.RandomQuiet(r, b, r.IntN(b.Segments()))
		if i%2 == 0 {
			free = Close(b, randomFree(r, b, b.Segments()*3/4)).Rest
		}
		var p, want, got shape
		g.decompose(g.Mask(free), &p, 0)
		for c := range p.count {
			if !p.derive(c, &got) {
				continue
			}
			derived++
			g.decompose(p.mask&^p.chains[c].edges, &want, 0)
			if want.mask != got.mask || want.boxes != got.boxes || want.joints != got.joints || want.count != got.count ||
				want.lone != got.lone || want.long != got.long || want.loops != got.loops || want.loneHash != got.loneHash {
				t.Fatalf("%s free %v without chain %d: %+v, want %+v", b, free, c, got, want)
			}
			for k, x := range want.joint[:want.joints] {
				if got.joint[k] != x || got.degree[x] != want.degree[x] {
					t.Fatalf("%s free %v without chain %d: joint %d differs", b, free, c, x)
				}
			}
			for k, x := range want.chains[:want.count] {
				y := got.chains[k]
				if x.a != y.a {
					y.a, y.b = y.b, y.a
				}
				if x != y {
					t.Fatalf("%s free %v without chain %d: chain %d is %+v, want %+v", b, free, c, k, y, x)
				}
			}
		}
	}
	if derived < 1000 {
		t.Errorf("only %d shapes were derived", derived)
	}
}

// T6 agrees with the two-option recursion on all small multisets.
func TestLoonyFormulaAgreesWithRecursion(t *testing.T) {
	sizes := []struct {
		boxes int
		loop  bool
	}{{3, false}, {4, false}, {5, false}, {6, false}, {8, false}, {4, true}, {6, true}, {8, true}, {10, true}}
	memory := map[string]int{}
	var value func(n []int) int
	value = func(n []int) int {
		name := fmt.Sprint(n)
		if v, ok := memory[name]; ok {
			return v
		}
		best, any := -infinity, false
		for i, s := range sizes {
			if n[i] == 0 {
				continue
			}
			any = true
			n[i]--
			v, h := value(n), 4
			n[i]++
			if s.loop {
				h = 8
			}
			best = max(best, -(s.boxes + max(v, -h-v)))
		}
		if !any {
			best = 0
		}
		memory[name] = best
		return best
	}
	exact := 0
	var every func(n []int, from, boxes int)
	every = func(n []int, from, boxes int) {
		threes, chains, loops := n[0], 0, 0
		for i, s := range sizes {
			if s.loop {
				loops += n[i]
			} else {
				chains += n[i]
			}
		}
		want := value(n)
		cv := controlledValue(threes, chains, loops, boxes)
		if cv >= 2 {
			exact++
		}
		if cv >= 2 && -cv != want || -cv < want {
			t.Fatalf("%v: controlled value %+d, value %+d", n, cv, want)
		}
		for i := from; i < len(sizes); i++ {
			if boxes+sizes[i].boxes <= 34 {
				n[i]++
				every(n, i, boxes+sizes[i].boxes)
				n[i]--
			}
		}
	}
	every(make([]int, len(sizes)), 0, 0)
	if exact < 1000 {
		t.Errorf("only %d multisets were exact", exact)
	}
}

func TestStoppedSolveReturnsBounds(t *testing.T) {
	b := enginetest.Board(t, "5x5")
	s := New(Options{Threads: 2, TableBytes: 1 << 20})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := s.Value(ctx, b, b.All())
	if err != nil || r.Exact() || r.Lower > r.Upper {
		t.Errorf("%s, %v", r, err)
	}
	m, _, err := s.Best(ctx, b, b.All())
	if err != nil || m.Segment != -1 {
		t.Errorf("%+v, %v", m, err)
	}
	// A stopped search leaves no wrong entry in the table.
	small := enginetest.Board(t, "3x3")
	if r, err := s.Value(t.Context(), small, small.All()); err != nil || r.Lower != -3 || !r.Exact() {
		t.Errorf("%s, %v", r, err)
	}
}

func TestTooLargePositionIsAnError(t *testing.T) {
	b := enginetest.Board(t, "6x6")
	if _, err := New(Options{}).Value(t.Context(), b, b.All()); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

// A small board gets a table for its positions, a large board the maximum.
func TestBoardTableHasRoomForThePositions(t *testing.T) {
	for size, want := range map[string]int64{"1x1": 8 << 4, "2x4": 8 << 22, "3x4": 1 << 30, "5x5": 1 << 30, "9x9": 1 << 30} {
		if got := BoardTable(enginetest.Board(t, size), 1<<30); got != want {
			t.Errorf("%s: %d bytes, want %d", size, got, want)
		}
	}
}
