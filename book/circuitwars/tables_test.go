package circuitwars

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver/farm"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// tablesDir returns a store with the tables of 2x3 and of endings with 8 segments.
func tablesDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := SolveBoard(t.Context(), dir, enginetest.Board(t, "2x3"), farm.InProcess(2), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := SolveEndings(t.Context(), dir, 8, 2, farm.InProcess(2), nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTablesAnswer looks up random positions of all sizes. Positions that a table covers
// are answered with all moves in order and a line that reaches the score.
// TestTruthOfCircuitWarsLookups checks that the answers are true.
func TestTablesAnswer(t *testing.T) {
	tables := newTables(tablesDir(t), slog.New(slog.DiscardHandler))
	defer tables.Close()
	lookup := book.Lookup{Sources: []book.Source{book.TableSource{Value: tables.value}}}
	r := rand.New(rand.NewPCG(8, 8))
	answered := map[string]int{}
	for _, size := range []string{"2x3", "3x2", "2x2", "1x7", "4x4", "7x7", "7x8"} {
		b := enginetest.Board(t, size)
		for range 40 {
			p := booktest.RandomCircuitWars(t, r, b, r.IntN(18))
			if p.Over() {
				continue
			}
			d, err := lookup.Decide(t.Context(), book.Question{Position: p, AllMoves: true})
			want := size == "2x3" || size == "3x2" || size != "7x8" && p.Free().Len() <= 8
			if ok := err == nil; ok != want {
				t.Fatalf("%s: answered %v, want %v", p, ok, want)
			}
			if !want {
				continue
			}
			answered[d.Note]++
			inOrder := slices.IsSortedFunc(d.Moves, func(a, b engine.MoveValue) int { return b.Score - a.Score })
			if d.Proof != engine.Exact || len(d.Moves) != len(p.Moves()) || !inOrder {
				t.Fatalf("%s: %+v", p, d)
			}
			playOut(t, p, d)
		}
	}
	if len(answered) != 2 {
		t.Errorf("answers came from %v, want both tables", answered)
	}
}

// playOut plays a decision's line and expects its score.
func playOut(t *testing.T, p circuitwars.Position, d engine.Decision) {
	t.Helper()
	start := p
	me := p.Turn()
	for _, m := range d.Line {
		move, err := p.ParseMove(m)
		if err != nil {
			t.Fatalf("%s: line %v: %v", start, d.Line, err)
		}
		p, err = p.Occupy(int(move))
		testenv.OK(t, err)
	}
	if got := engine.Lead(p, me) - engine.Lead(start, me); !p.Over() || got != d.Score {
		t.Fatalf("%s: line %v ends at %s with %d, want %d", start, d.Line, p, got, d.Score)
	}
}

// TestEndingsResume interrupts a build again and again; the digest is that of an
// uninterrupted build.
func TestEndingsResume(t *testing.T) {
	const segments = 9
	var whole farm.Progress
	want, err := SolveEndings(t.Context(), t.TempDir(), segments, 1, farm.InProcess(1), &whole)
	testenv.OK(t, err)
	for _, s := range whole.Stages(0) {
		if s.Done != s.Total {
			t.Errorf("progress ends at %+v", s)
		}
	}
	dir := t.TempDir()
	var h *store.Header
	booktest.StopAgain(t, func(stops int) func([]farm.Snapshot) bool { // further than the previous run
		return func(all []farm.Snapshot) bool {
			return stops <= segments && (len(all) > 3 || len(all) > 2 && all[2].Done > all[2].Before)
		}
	}, func(ctx context.Context, p *farm.Progress) (err error) {
		h, err = SolveEndings(ctx, dir, segments, 2, farm.InProcess(2), p)
		return err
	})
	if h.SHA256 != want.SHA256 || h.Positions != want.Positions {
		t.Errorf("%+v; want %+v", h, want)
	}
}

// BenchmarkTableProbe measures one table lookup, including the position's normal form and
// key.
func BenchmarkTableProbe(b *testing.B) {
	dir := tablesDir(b)
	r := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name, board string
		keep        int
	}{{"board", "2x3", 17}, {"endings", "7x7", 8}} {
		b.Run(tt.name, func(b *testing.B) {
			tables := newTables(dir, slog.New(slog.DiscardHandler))
			defer tables.Close()
			board := enginetest.Board(b, tt.board)
			var list []engine.Position
			for range 2000 {
				list = append(list, booktest.RandomCircuitWars(b, r, board, 1+r.IntN(tt.keep)))
			}
			b.ResetTimer()
			for i := range b.N {
				if _, _, ok := tables.value(list[i%len(list)]); !ok {
					b.Fatal("not in a table")
				}
			}
		})
	}
}
