package dotsandboxes

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/mcts"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func decide(t testing.TB, l *book.Lookup, p engine.Position, all bool) engine.Decision {
	t.Helper()
	d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(time.Minute), AllMoves: all})
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	if _, err := p.ParseMove(d.Move); err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	return d
}

// A board's table answers every position of the board in both orientations, with all moves
// and a line to the end, and positions of other boards whose rest it contains.
// TestTruthOfDotsAndBoxesLookups checks that the answers are true.
func TestBoardTable(t *testing.T) {
	dir := t.TempDir()
	b := enginetest.Board(t, "2x3")
	h, err := SolveBoard(t.Context(), dir, b, 2, nil)
	testenv.OK(t, err)
	if h.Positions != 1243 || h.Verified == 0 {
		t.Errorf("%d positions, %d verified", h.Positions, h.Verified)
	}
	// The state after a process was killed between its last two steps.
	work := store.Dir(dir, h.Name+store.BuildingSuffix)
	testenv.OK(t, os.Mkdir(work, 0o755))
	testenv.OK(t, os.WriteFile(filepath.Join(work, "journal"), []byte("x"), 0o644))
	if _, err := SolveBoard(t.Context(), dir, b, 2, nil); !errors.As(err, new(*store.ExistsError)) {
		t.Errorf("solved again: %v", err)
	}
	if _, err := os.Stat(work); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal is left: %v", err)
	}
	if n, err := (book.Games{Game()}).CheckTable(t.Context(), store.Dir(dir, h.Name), h, book.Share, nil); err != nil || n == 0 {
		t.Errorf("check: %d, %v", n, err)
	}
	l := booktest.Open(t, Open, book.Options{Store: dir, Threads: 1, HashBytes: 1 << 20})
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 120 {
		p := booktest.RandomDotsAndBoxes(t, r, enginetest.Board(t, []string{"2x3", "3x2"}[i%2]), 1+r.IntN(12))
		if d := decide(t, l, p, true); d.Source != "table" || !d.Exact || len(d.Moves) != p.Free().Len() || len(d.Line) != p.Free().Len() {
			t.Fatalf("%s: %s, exact %v, %d moves, line of %d", p, d.Source, d.Exact, len(d.Moves), len(d.Line))
		}
	}
	answered := 0
	for range 40 { // the end of a game on a larger board
		if decide(t, l, booktest.RandomDotsAndBoxes(t, r, enginetest.Board(t, "4x4"), 8), false).Source == "table" {
			answered++
		}
	}
	if answered == 0 {
		t.Error("the table of 2x3 answers nothing on 4x4")
	}
}

// A solve that is interrupted again and again makes the same table, with any number of
// threads.
func TestInterruptedSolveMakesSameTable(t *testing.T) {
	b := enginetest.Board(t, "2x4")
	whole, err := SolveBoard(t.Context(), t.TempDir(), b, 1, nil)
	testenv.OK(t, err)
	dir := t.TempDir()
	journal := func() int64 {
		st, err := os.Stat(store.Dir(dir, filepath.Join(whole.Name+store.BuildingSuffix, "journal")))
		if err != nil {
			return 0
		}
		return st.Size()
	}
	var h *store.Header
	booktest.StopAgain(t, func(stops int) func([]farm.Snapshot) bool { // one frame further than the previous run
		before := journal()
		return func([]farm.Snapshot) bool { return stops < 5 && journal() > before+32<<10 }
	}, func(ctx context.Context, p *farm.Progress) (err error) {
		h, err = SolveBoard(ctx, dir, b, 2, p)
		return err
	})
	if h.SHA256 != whole.SHA256 || h.Positions != whole.Positions {
		t.Errorf("%d positions, digest %s; want %d, %s", h.Positions, h.SHA256, whole.Positions, whole.SHA256)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestValueRun(t *testing.T) {
	dir := t.TempDir()
	b := enginetest.Board(t, "2x4")
	o := book.ValueOptions{Threads: 1, TableBytes: 1 << 20, Plies: 2}
	v, err := SolveValue(t.Context(), dir, b, o, farm.InProcess(o.Threads), nil)
	if err != nil || v.Lower != 2 || v.Upper != 2 || v.Expansions == 0 {
		t.Errorf("%+v, %v", v, err)
	}
	again, err := SolveValue(t.Context(), dir, b, o, farm.InProcess(o.Threads), nil)
	if err != nil || again.Lower != 2 || again.Expansions != 0 || again.Subpositions != v.Subpositions {
		t.Errorf("taken up again: %+v, %v", again, err)
	}
}

// A run that was killed anywhere, even within its only job, resumes from the bounds it
// has proved.
func TestKilledValueRunResumes(t *testing.T) {
	defer func(n uint64) { recordNodes = n }(recordNodes)
	recordNodes = 20
	b := enginetest.Board(t, "2x4")
	o := book.ValueOptions{Threads: 1, TableBytes: 1 << 20}
	run := func(dir string) book.BoardValue {
		v, err := SolveValue(t.Context(), dir, b, o, farm.InProcess(o.Threads), nil)
		if err != nil || v.Lower != 2 || v.Upper != 2 {
			t.Fatalf("%+v, %v", v, err)
		}
		return v
	}
	dir := t.TempDir()
	whole := run(dir)
	journal := filepath.Join(dir, "dotsandboxes-value-2x4.journal")
	data := testenv.ReadFile(t, journal)
	testenv.OK(t, os.WriteFile(journal, data[:len(data)/2], 0o644))
	v := run(dir)
	t.Logf("%d positions expanded again of %d", v.Expansions, whole.Expansions)
	if v.Expansions == 0 || v.Expansions >= whole.Expansions {
		t.Errorf("with half of the journal it expands %d positions, without %d", v.Expansions, whole.Expansions)
	}
	if v := run(dir); v.Expansions != 0 {
		t.Errorf("%d positions expanded for nothing", v.Expansions)
	}
}

// Contradictory bounds in a journal are an error that names the position.
func TestContradictoryJournalIsAnError(t *testing.T) {
	dir, b := t.TempDir(), enginetest.Board(t, "2x2")
	r, err := openValue(dir, b, book.ValueOptions{}, nil)
	testenv.OK(t, err)
	key := exact.Key{Lo: 0xabc, Hi: 0xdef}
	testenv.OK(t, r.add(exact.Proved{Key: key, Lower: 2, Upper: 4}))
	testenv.OK(t, r.add(exact.Proved{Key: key, Lower: -4, Upper: 0}))
	testenv.OK(t, r.close(nil))
	if _, err := openValue(dir, b, book.ValueOptions{}, nil); err == nil || !strings.Contains(err.Error(), "position [abc def]: ") {
		t.Errorf("opened: %v", err)
	}
}

// On small boards the player gets at least the game's value on either side, against every
// level, and reports the value of every position.
func TestNeverBelowTheValue(t *testing.T) {
	l := booktest.Open(t, Open, book.Options{Threads: 2, HashBytes: 64 << 20})
	for name, value := range map[string]int{"2x3": -2, "3x3": -3} {
		booktest.NeverBelow(t, 1, dotsandboxes.New(enginetest.Board(t, name)), value, safe, func(engine.Side) func(engine.Position) string {
			return func(p engine.Position) string {
				d := decide(t, l, p, false)
				if !d.Exact {
					t.Fatalf("%s: %s is not solved", name, p)
				}
				return d.Move
			}
		})
	}
}

// Heuristic search always returns a legal line, with or without boxes to take, on every
// board, and takes boxes that cost nothing.
func TestHeuristicSearchIsLegal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	s := searchSource{searcher: mcts.New(exact.New(exact.Options{TableBytes: 1 << 20}), 2)}
	for i := range 40 {
		b := enginetest.Board(t, []string{"1x1", "3x3", "5x5", "9x9", "2x7"}[i%5])
		p := booktest.RandomDotsAndBoxes(t, r, b, 1+r.IntN(b.Segments()))
		if p.Over() {
			continue
		}
		l := book.Lookup{Sources: []book.Source{s}, Heuristic: heuristicSource{}}
		d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(50 * time.Millisecond)})
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if _, err := p.ParseMove(d.Move); err != nil || d.Proof != engine.Estimate {
			t.Fatalf("%s: %v, %s", p, err, d.Proof)
		}
	}
	// Four boxes form a chain at the ground, and the rest of the board is a chain of five.
	// The player who opens the second chain loses it, so the last two boxes of the first
	// are declined.
	p, err := dotsandboxes.Parse("2x5 h11111/11110/11111 v000010/000001 0-0 1")
	testenv.OK(t, err)
	lookup := &book.Lookup{Sources: []book.Source{s}, Heuristic: heuristicSource{}}
	before := p
	for p.Turn() == before.Turn() && !p.Over() {
		d, err := lookup.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(100 * time.Millisecond)})
		testenv.OK(t, err)
		m, err := p.ParseMove(d.Move)
		testenv.OK(t, err)
		p, err = p.DrawLine(m)
		testenv.OK(t, err)
	}
	want := plainValue(t, before)
	s1, s0 := p.Score(), before.Score()
	got := s1[before.Turn()-1] - s0[before.Turn()-1]
	if !p.Over() {
		got -= plainValue(t, p)
	}
	if got != want {
		t.Errorf("from %s to %s: worth %+d, best is %+d", before, p, got, want)
	}
}

// A line with a known value is preferred and binds the game, but only proves a lower bound
// of the position, unless all other lines are proved to be no better.
func TestOneKnownLineIsLowerBound(t *testing.T) {
	s := searchSource{searcher: mcts.New(exact.New(exact.Options{TableBytes: 1 << 20}), 1)}
	r := rand.New(rand.NewPCG(3, 9))
	found := map[engine.Proof]int{}
	for range 200 {
		p := booktest.RandomDotsAndBoxes(t, r, enginetest.Board(t, "2x3"), 5+r.IntN(6))
		judge := plain.DotsAndBoxes{}
		truth, err := judge.Solve(p.String())
		testenv.OK(t, err)
		var all, worse booktest.Knows
		for _, m := range p.Moves() {
			v := truth.Moves[p.MoveString(m)]
			c := book.Claim{Move: m, Lower: v, Upper: v}
			all = append(all, c)
			if v < truth.Value && v >= notLosing(p) {
				worse = append(worse, c)
			}
		}
		for _, known := range []booktest.Knows{worse, all} {
			l := book.Lookup{Game: dotsandboxes.Game{}, Sources: []book.Source{known, s}, Heuristic: heuristicSource{}}
			d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(30 * time.Millisecond)})
			testenv.OK(t, err)
			if d.Proof == engine.Exact && d.Score != truth.Value || d.Proof == engine.Lower && d.Score > truth.Value {
				t.Fatalf("%s with %v known: %v %+d, minimax says %+d", p, known, d.Proof, d.Score, truth.Value)
			}
			found[d.Proof]++
		}
	}
	if found[engine.Exact] == 0 || found[engine.Lower] == 0 {
		t.Errorf("proofs %v", found)
	}
}

// meanwhile is a farm that calls a function in place of its jobs.
type meanwhile struct {
	farm.Farm
	do func() error
}

func (m meanwhile) Do(context.Context, farm.Stage) error { return m.do() }

// Two processes that solve the value of the same board would overwrite each other's
// results: the second returns an error.
func TestSecondValueRunIsRefused(t *testing.T) {
	dir := t.TempDir()
	b := enginetest.Board(t, "2x2")
	o := book.ValueOptions{Threads: 1, TableBytes: 1 << 20, Plies: 2}
	_, err := SolveValue(t.Context(), dir, b, o, meanwhile{do: func() error {
		_, err := SolveValue(t.Context(), dir, b, o, farm.InProcess(1), nil)
		return err
	}}, nil)
	if !errors.Is(err, store.ErrLocked) {
		t.Errorf("a second run at the same time: %v", err)
	}
	if v, err := SolveValue(t.Context(), dir, b, o, farm.InProcess(o.Threads), nil); err != nil || v.Lower != v.Upper {
		t.Errorf("afterwards: %+v, %v", v, err)
	}
}

// A table that turned out to be damaged is no longer read, and is closed with the others.
func TestDisabledTableIsClosed(t *testing.T) {
	dir := t.TempDir()
	b := enginetest.Board(t, "2x2")
	if _, err := SolveBoard(t.Context(), dir, b, 1, nil); err != nil {
		t.Fatal(err)
	}
	tables := newTables(dir, slog.New(slog.DiscardHandler))
	tab := tables.tables[0]
	tab.Disable(store.ErrDamaged)
	if _, name, ok := tables.value(dotsandboxes.New(b)); ok {
		t.Errorf("%s still answers", name)
	}
	read := func() error {
		return tab.Table.Each(t.Context(), func(store.Key, uint32) error { return nil })
	}
	if err := read(); err != nil {
		t.Errorf("closed too early: %v", err)
	}
	testenv.OK(t, tables.Close())
	if read() == nil {
		t.Error("the table is still open")
	}
}

// plainValue returns the value of a position by plain minimax.
func plainValue(t *testing.T, p dotsandboxes.Position) int {
	t.Helper()
	v, err := plain.DotsAndBoxesValue(p.Board().String(), p.Free().Segments())
	testenv.OK(t, err)
	return v
}

// cutShort is a farm that counts its jobs and is interrupted after limit.
type cutShort struct {
	farm.Farm
	done, limit int
}

func (c *cutShort) Do(ctx context.Context, s farm.Stage) error {
	if c.done == c.limit {
		return context.Canceled
	}
	c.done++
	return c.Farm.Do(ctx, s)
}

// A run that is interrupted again and again loses nothing: its parts together run as many
// jobs as one run, and expand hardly more positions. They reach the value without the
// table too.
func TestInterruptedValueRunLosesNothing(t *testing.T) {
	b := enginetest.Board(t, "2x5")
	o := book.ValueOptions{Threads: 1, TableBytes: 3 << 20, Plies: 4}
	inPieces := func(limit int, between func(table string)) (whole book.BoardValue, jobs, runs int) {
		dir := t.TempDir()
		table := filepath.Join(dir, "dotsandboxes-value-2x5.table")
		for {
			f := &cutShort{farm.InProcess(1), 0, limit}
			v, err := SolveValue(t.Context(), dir, b, o, f, nil)
			whole.Lower, whole.Upper, whole.Expansions = v.Lower, v.Upper, whole.Expansions+v.Expansions
			jobs += f.done
			runs++
			if err == nil {
				if _, err := os.Stat(table); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("done, and the table is there: %v", err)
				}
				return whole, jobs, runs
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			between(table)
		}
	}
	whole, want, _ := inPieces(1<<20, nil)
	v, got, runs := inPieces(4, func(string) {})
	if v.Lower != whole.Lower || v.Upper != whole.Lower || got != want || v.Expansions > whole.Expansions*11/10 || runs < 10 {
		t.Errorf("in %d runs %d jobs and %+v, in one run %d and %+v", runs, got, v, want, whole)
	}
	v, got, _ = inPieces(4, func(table string) { testenv.OK(t, os.Remove(table)) })
	if v.Lower != whole.Lower || v.Upper != whole.Lower || got != want || v.Expansions < whole.Expansions*3/2 {
		t.Errorf("without the table %d jobs and %+v, in one run %d and %+v", got, v, want, whole)
	}
}

// A saved table of another run, or a damaged one, is named in the error and left unchanged.
func TestBadSavedTableIsAnError(t *testing.T) {
	b := enginetest.Board(t, "2x4")
	o := book.ValueOptions{Threads: 1, TableBytes: 1 << 20, Plies: 2}
	for name, spoil := range map[string]func(table []byte) []byte{
		"a byte":    func(table []byte) []byte { table[len(table)/2] ^= 1; return table },
		"the end":   func(table []byte) []byte { return table[:len(table)/2] },
		"the title": func([]byte) []byte { return []byte("another file altogether, and a long one at that") },
		"the size":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			dir, o := t.TempDir(), o
			_, err := SolveValue(t.Context(), dir, b, o, &cutShort{farm.InProcess(1), 0, 2}, nil)
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			table := filepath.Join(dir, "dotsandboxes-value-2x4.table")
			kept := testenv.ReadFile(t, table)
			if spoil == nil {
				o.TableBytes *= 2
			} else {
				kept = spoil(kept)
				testenv.OK(t, os.WriteFile(table, kept, 0o644))
			}
			if _, err := SolveValue(t.Context(), dir, b, o, farm.InProcess(1), nil); err == nil || !strings.Contains(err.Error(), table) {
				t.Errorf("resumed: %v", err)
			}
			if !bytes.Equal(kept, testenv.ReadFile(t, table)) {
				t.Error("the table was changed")
			}
			testenv.OK(t, os.Remove(table))
			testenv.OK(t, os.Mkdir(table, 0o755))
			if _, err := SolveValue(t.Context(), dir, b, o, farm.InProcess(1), nil); err == nil || strings.Contains(err.Error(), "delete") {
				t.Errorf("unreadable: %v", err)
			}
			testenv.OK(t, os.Remove(table))
			if v, err := SolveValue(t.Context(), dir, b, o, farm.InProcess(1), nil); err != nil || v.Lower != 2 || v.Upper != 2 {
				t.Errorf("without it: %+v, %v", v, err)
			}
		})
	}
}

// safe reports whether a line lets the opponent take no box.
func safe(p engine.Position, m engine.Move) bool { return p.(dotsandboxes.Position).Safe(m) }

// The progress of a solve says so if its total is only estimated.
func TestEstimatedTotalIsNoted(t *testing.T) {
	for board, estimated := range map[string]bool{"1x2": false, "1x3": true} {
		var p farm.Progress
		if _, err := SolveBoard(t.Context(), t.TempDir(), enginetest.Board(t, board), 1, &p); err != nil {
			t.Fatal(err)
		}
		if note := p.Stages(0)[0].Note; (note != "") != estimated {
			t.Errorf("%s: the note is %q", board, note)
		}
	}
}
