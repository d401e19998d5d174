package circuitwars

import (
	"context"
	"errors"
	"os"
	"testing"

	"endwise/book/booktest"
	"endwise/book/store"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/tables"
	"endwise/solver/farm"
)

// TestBoardTable compares every position of a board, up to symmetry, with the alpha-beta
// solver, in both orientations: up to 3x2, and 2x4 with ENDWISE_DEEP=1.
func TestBoardTable(t *testing.T) {
	sizes := []string{"1x1", "1x3", "3x2"}
	if os.Getenv("ENDWISE_DEEP") != "" {
		sizes = append(sizes, "2x4")
	}
	dir := t.TempDir()
	for _, size := range sizes {
		b := enginetest.Board(t, size)
		var p farm.Progress
		h, err := SolveBoard(t.Context(), dir, b, farm.InProcess(2), &p)
		testenv.OK(t, err)
		for _, s := range p.Stages(0) {
			if s.Done != s.Total {
				t.Errorf("%s: progress ends at %+v", size, s)
			}
		}
		tab, err := openBoardTable(dir, b)
		testenv.OK(t, err)
		defer tab.Table.Close()
		s := exact.New(exact.Options{TableBytes: 1 << 22, TypeBytes: 1 << 22})
		compared := uint64(0)
		for m := range tab.board.Masks() {
			free := grid.Set{m}
			if live, _ := tab.size.Live(free); tab.board.Canonical(uint32(m)) != uint32(m) || live != free {
				continue
			}
			want, err := s.Value(t.Context(), tab.size, free)
			if err != nil || !want.Exact() {
				t.Fatal(want, err)
			}
			for _, as := range []*grid.Board{tab.size, b} {
				here := free
				if as != tab.size {
					here = transpose(tab.size, as, free)
				}
				if got, err := tab.value(as, here); err != nil || got != want.Lower {
					t.Fatalf("%s: position %x: %d, %v; want %d", as, here[0], got, err, want.Lower)
				}
			}
			compared++
		}
		if h.Verified == 0 || h.Positions == 0 || compared != h.Notes["canonical"] {
			t.Errorf("%s: %d positions compared: %+v", size, compared, h)
		}
	}
	if _, err := SolveBoard(t.Context(), dir, enginetest.Board(t, "2x3"), farm.InProcess(1), nil); !errors.As(err, new(*store.ExistsError)) {
		t.Errorf("2x3 is the table of 3x2: %v", err)
	}
}

// TestBoardTableResumes interrupts a build again and again; the digest is that of an
// uninterrupted build, with any number of threads.
func TestBoardTableResumes(t *testing.T) {
	b := enginetest.Board(t, "2x3")
	want, err := SolveBoard(t.Context(), t.TempDir(), b, farm.InProcess(1), nil)
	testenv.OK(t, err)
	dir := t.TempDir()
	var h *store.Header
	booktest.StopAgain(t, func(int) func([]farm.Snapshot) bool { // after three more chunks
		return func(all []farm.Snapshot) bool { return len(all) == 1 && all[0].Done >= all[0].Before+3*4096 }
	}, func(ctx context.Context, p *farm.Progress) (err error) {
		h, err = SolveBoard(ctx, dir, b, farm.InProcess(3), p)
		return err
	})
	if h.SHA256 != want.SHA256 || h.Positions != want.Positions || h.Notes["canonical"] != want.Notes["canonical"] {
		t.Errorf("%+v, want %+v", h, want)
	}
}

// Different boards may have the same number of segments: a table under the name of another
// board is refused.
func TestTableOfAnotherBoardIsRefused(t *testing.T) {
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
	w, err := builder.CreateShard(0)
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
