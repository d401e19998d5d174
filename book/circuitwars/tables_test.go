package circuitwars

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/farm"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// tablesDir is a store with the tables of 2x3 and of endings of 8.
func tablesDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := SolveBoard(t.Context(), dir, enginetest.Board(t, "2x3"), farm.NewInProcess(nil, 2), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := SolveEndings(t.Context(), dir, 8, 2, farm.NewInProcess(nil, 2), nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTablesAgainstSolver asks for random positions of all sizes and compares
// what the tables say, move by move, with the alpha-beta solver.
func TestTablesAgainstSolver(t *testing.T) {
	tables := newTables(tablesDir(t), slog.New(slog.DiscardHandler))
	defer tables.Close()
	lookup := book.Lookup{Sources: []book.Source{book.TableSource{Know: tables.know}}}
	solver := exact.New(exact.Options{TableBytes: 1 << 20, TypeBytes: 1 << 20})
	exact := func(p circuitwars.Position) int {
		r, err := solver.Value(context.Background(), p.Board().Graph(p.Free()))
		if err != nil || !r.Exact() {
			t.Fatal(r, err)
		}
		return r.Lower
	}
	r := rand.New(rand.NewPCG(8, 8))
	answered := map[string]int{}
	for _, size := range []string{"2x3", "3x2", "2x2", "1x7", "4x4", "7x7", "7x8"} {
		b := enginetest.Board(t, size)
		for range 40 {
			p := booktest.CircuitWars(t, r, b, r.IntN(18))
			if p.Over() {
				continue
			}
			d, err := lookup.Decide(context.Background(), book.Question{Position: p, AllMoves: true})
			ok := err == nil
			want := size == "2x3" || size == "3x2" || size != "7x8" && p.Free().Len() <= 8
			if ok != want {
				t.Fatalf("%s: answered %v, want %v", p, ok, want)
			}
			if !ok {
				continue
			}
			answered[d.Note]++
			if d.Score != exact(p) || d.Proof != engine.Exact || len(d.Moves) != len(p.Moves()) {
				t.Fatalf("%s: %+v, want %d", p, d, exact(p))
			}
			for i, m := range d.Moves {
				if i > 0 && m.Score > d.Moves[i-1].Score {
					t.Fatalf("%s: moves are not in order: %+v", p, d.Moves)
				}
				after := enginetest.Play(t, p, m.Move)
				if got := p.Left() - after.Left() - exact(after); m.Score != got {
					t.Fatalf("%s: move %s: %d, want %d", p, m.Move, m.Score, got)
				}
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
	a, b := start.Score(), p.Score()
	if got := b[me-1] - a[me-1] - (b[me.Other()-1] - a[me.Other()-1]); !p.Over() || got != d.Score {
		t.Fatalf("%s: line %v ends at %s with %d, want %d", start, d.Line, p, got, d.Score)
	}
}

// TestUnusableTablesAreLeftOut damages the two tables: the lookup says so once
// of each and goes on without them.
func TestUnusableTablesAreLeftOut(t *testing.T) {
	master := tablesDir(t)
	r := rand.New(rand.NewPCG(9, 9))
	for _, tt := range []struct {
		name, warning string
		harm          func(dir string) error
	}{
		{"no store", "", os.RemoveAll},
		{"blocks", "table is damaged", func(dir string) error { return booktest.Flip(dir, ".sst", 0) }},
		{"manifest", "table is damaged", func(dir string) error { return booktest.Flip(dir, "MANIFEST", 10) }},
		{"not closed", "not closed cleanly", func(dir string) error {
			return booktest.Each(dir, func(table string) error { return os.WriteFile(filepath.Join(table, "00001.mem"), nil, 0o644) })
		}},
		{"not ours", "it was not made by this program", func(dir string) error {
			return booktest.Each(dir, func(table string) error { return os.Remove(filepath.Join(table, "table.json")) })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			testenv.OK(t, os.CopyFS(dir, os.DirFS(master)))
			testenv.OK(t, tt.harm(dir))
			var log bytes.Buffer
			l := booktest.Open(t, Open, book.Options{Store: dir, Threads: 1, HashBytes: 1 << 22, Log: slog.New(slog.NewTextHandler(&log, nil))})
			for range 3 {
				p := booktest.CircuitWars(t, r, enginetest.Board(t, "2x3"), 8)
				d, err := l.Decide(t.Context(), book.Question{Position: p})
				testenv.OK(t, err)
				want, err := exact.New(exact.Options{TableBytes: 1 << 20, TypeBytes: 1 << 20}).Value(t.Context(), p.Board().Graph(p.Free()))
				if err != nil || d.Source == "table" || d.Proof == engine.Exact && d.Score != want.Lower {
					t.Errorf("%s: %+v, %v; want %d", p, d, err, want.Lower)
				}
			}
			text := log.String()
			lines := strings.Count(text, "table left out")
			want := 2
			if tt.warning == "" {
				want = 0
			}
			if lines != want || strings.Count(text, tt.warning) < want {
				t.Errorf("%d tables are left out, with %q:\n%s", lines, tt.warning, text)
			}
		})
	}
}

// TestEndingsResume interrupts a build again and again; the digest is that of
// an undisturbed one.
func TestEndingsResume(t *testing.T) {
	const segments = 9
	var whole farm.Progress
	want, err := SolveEndings(t.Context(), t.TempDir(), segments, 1, farm.NewInProcess(nil, 1), &whole)
	testenv.OK(t, err)
	for _, s := range whole.Stages(0) {
		if s.Done != s.Total {
			t.Errorf("progress ends at %+v", s)
		}
	}
	dir := t.TempDir()
	var h *store.Header
	booktest.StopAgain(t, func(stops int) func([]farm.Snapshot) bool { // further than the last run got
		return func(all []farm.Snapshot) bool {
			return stops <= segments && (len(all) > 3 || len(all) > 2 && all[2].Done > all[2].Before)
		}
	}, func(ctx context.Context, p *farm.Progress) (err error) {
		h, err = SolveEndings(ctx, dir, segments, 2, farm.NewInProcess(nil, 2), p)
		return err
	})
	if h.SHA256 != want.SHA256 || h.Positions != want.Positions {
		t.Errorf("%+v; want %+v", h, want)
	}
}

// BenchmarkTableProbe is a look-up in a running process: the value of a
// position, its normal form and key included.
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
			var list []grid.Set
			for range 2000 {
				list = append(list, booktest.CircuitWars(b, r, board, 1+r.IntN(tt.keep)).Free())
			}
			b.ResetTimer()
			for i := range b.N {
				if _, _, ok := tables.value(board, list[i%len(list)]); !ok {
					b.Fatal("not in a table")
				}
			}
		})
	}
}
