package circuitwars

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"endwise/book/store"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/tables"
	"endwise/solver/farm"
)

// TestBoardTable compares a board's table, lying and standing, with the
// alpha-beta solver.
func TestBoardTable(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []string{"1x1", "1x3", "3x2"} {
		b := enginetest.Board(t, size)
		var p farm.Progress
		h, err := SolveBoard(t.Context(), dir, b, farm.NewInProcess(nil, 2), &p)
		testenv.OK(t, err)
		for _, s := range p.Stages(0) {
			if s.Done != s.Total {
				t.Errorf("%s: progress ends at %+v", size, s)
			}
		}
		if h.Verified == 0 || h.Positions == 0 || h.Notes["canonical"] == 0 {
			t.Errorf("%s: %+v", size, h)
		}
		tab, err := openBoardTable(dir, b)
		testenv.OK(t, err)
		defer tab.Table.Close()
		s := exact.New(exact.Options{TableBytes: 1 << 20, TypeBytes: 1 << 20})
		r := rand.New(rand.NewPCG(5, 5))
		for i := range 200 {
			free := b.All()
			for n := r.IntN(b.Segments()); n > 0 && i > 0; n-- {
				free.Remove(r.IntN(b.Segments()))
			}
			live, _ := b.Live(free)
			want, err := s.Value(context.Background(), b.Graph(live))
			if err != nil || !want.Exact() {
				t.Fatal(want, err)
			}
			got, err := tab.value(b, free)
			if err != nil || got != want.Lower {
				t.Fatalf("%s: position %x: %d, %v; want %d", size, free[0], got, err, want.Lower)
			}
		}
	}
	if _, err := SolveBoard(t.Context(), dir, enginetest.Board(t, "2x3"), farm.NewInProcess(nil, 1), nil); !errors.Is(err, store.ErrExists) {
		t.Errorf("2x3 is the table of 3x2: %v", err)
	}
}

// TestBoardTableResumes interrupts a build again and again; the digest is that
// of an undisturbed one, whatever the number of threads.
func TestBoardTableResumes(t *testing.T) {
	b := enginetest.Board(t, "2x3")
	want, err := SolveBoard(t.Context(), t.TempDir(), b, farm.NewInProcess(nil, 1), nil)
	testenv.OK(t, err)
	dir := t.TempDir()
	interrupted := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		var p farm.Progress
		stop := make(chan struct{})
		go func() { // stops the run once it has done three chunks more
			for {
				select {
				case <-stop:
					return
				default:
				}
				if s := p.Stages(0); len(s) == 1 && s[0].Done >= s[0].Before+3*4096 {
					cancel()
					return
				}
			}
		}()
		h, err := SolveBoard(ctx, dir, b, farm.NewInProcess(nil, 3), &p)
		close(stop)
		cancel()
		if err == nil {
			if h.SHA256 != want.SHA256 || h.Positions != want.Positions || h.Notes["canonical"] != want.Notes["canonical"] {
				t.Errorf("after %d interruptions: %+v, want %+v", interrupted, h, want)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if interrupted++; interrupted > 100 {
			t.Fatal("the build does not get ahead")
		}
	}
	if interrupted < 2 {
		t.Errorf("interrupted %d times only", interrupted)
	}
}

// TestWholeBoardAgainstSolver compares every position of a board, up to
// symmetry, with the alpha-beta solver: 2x3, and 2x4 with ENDWISE_DEEP=1.
func TestWholeBoardAgainstSolver(t *testing.T) {
	size := "2x3"
	if os.Getenv("ENDWISE_DEEP") != "" {
		size = "2x4"
	}
	b := enginetest.Board(t, size)
	dir := t.TempDir()
	if _, err := SolveBoard(t.Context(), dir, b, farm.NewInProcess(nil, 2), nil); err != nil {
		t.Fatal(err)
	}
	tab, err := openBoardTable(dir, b)
	testenv.OK(t, err)
	defer tab.Table.Close()
	s := exact.New(exact.Options{TableBytes: 1 << 22, TypeBytes: 1 << 22})
	compared := 0
	for m := range tab.board.Masks() {
		free := grid.Set{m}
		if live, _ := b.Live(free); tab.board.Canonical(uint32(m)) != uint32(m) || live != free {
			continue
		}
		want, err := s.Value(context.Background(), b.Graph(free))
		if err != nil || !want.Exact() {
			t.Fatal(want, err)
		}
		got, err := tab.value(b, free)
		if err != nil || got != want.Lower {
			t.Fatalf("position %x: %d, %v; want %d", m, got, err, want.Lower)
		}
		compared++
	}
	if h := tab.Table.Header(); uint64(compared) != h.Notes["canonical"] {
		t.Errorf("%d positions compared, want %d", compared, h.Notes["canonical"])
	}
}

// Two boards may have equally many segments: a table under the other's name is
// refused.
func TestTheTableOfAnotherBoardIsRefused(t *testing.T) {
	dir := t.TempDir()
	l, err := layoutOf(enginetest.Board(t, "2x4"))
	testenv.OK(t, err)
	b := l.size
	other := enginetest.Board(t, "1x7")
	if b.Segments() != other.Segments() {
		t.Fatalf("%d and %d segments", b.Segments(), other.Segments())
	}
	values := uint64(1) << b.Segments()
	builder, err := store.Create(dir, store.Spec{
		Name: l.name, Game: circuitwars.Name, Rules: circuitwars.RulesVersion, Solver: boardSolverVersion,
		Params: map[string]string{"board": other.String()},
		Kind:   store.Dense, Bits: 4, BlockValues: tables.BlockValues, Values: values, ShardBlocks: values / tables.BlockValues, Compress: true,
	})
	testenv.OK(t, err)
	defer builder.Close()
	w, err := builder.Shard(0)
	testenv.OK(t, err)
	for block := range values / tables.BlockValues {
		testenv.OK(t, w.PutBlock(block, make([]byte, tables.BlockValues/2)))
	}
	testenv.OK(t, w.Finish())
	if _, err := builder.Finish(t.Context(), store.FinishOptions{}); err != nil {
		t.Fatal(err)
	}
	if tab, err := openBoardTable(dir, b); !errors.Is(err, store.ErrForeign) {
		t.Errorf("opened as the table of %s: %v, %v", b, tab, err)
	}
}
