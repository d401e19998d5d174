package anygame

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/book/opening"
	"endwise/book/solving"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/kayles"
	"endwise/engine/testenv"
	"endwise/solver/farm"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// kaylesWins is what the theorem of Sprague and Grundy says of a position.
func kaylesWins(p engine.Position) bool {
	nimber := []int{0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6}
	sum := 0
	pins := strings.Split(p.String(), ":")[1]
	for _, run := range strings.FieldsFunc(pins, func(r rune) bool { return r != 'I' }) {
		sum ^= nimber[len(run)]
	}
	return sum != 0
}

// A solve that was killed, wherever its journal ends, goes on and ends with the
// digest of an undisturbed run.
func TestSolvePositionsGoesOn(t *testing.T) {
	game := FromRules(kayles.Game{})
	want, err := SolvePositions(t.Context(), t.TempDir(), kayles.Game{}, "7-5", nil)
	testenv.OK(t, err)
	if want.Verified == 0 || want.Histogram[1]+want.Histogram[-1] != want.Positions {
		t.Errorf("%d positions, values %v, %d verified", want.Positions, want.Histogram, want.Verified)
	}
	// All that a run writes down before it is stopped in its last moment.
	dir := t.TempDir()
	name := positionsName(kayles.Game{}, "7-5")
	start, err := firstPosition(kayles.Game{}, "7-5")
	testenv.OK(t, err)
	if _, err := fillPositions(t.Context(), solving.JournalPath(dir, name), kayles.Game{}, start, nil); err != nil {
		t.Fatal(err)
	}
	whole := testenv.ReadFile(t, solving.JournalPath(dir, name))
	title, _, _ := strings.Cut(string(whole), "\n")
	var records [][]byte
	j, err := solving.OpenJournal(solving.JournalPath(dir, name), title, positionRecord, func(r []byte) error {
		records = append(records, bytes.Clone(r))
		return nil
	})
	testenv.OK(t, err)
	if err := j.Close(); err != nil || uint64(len(records)) != want.Positions {
		t.Fatalf("%d of %d positions in the journal, %v", len(records), want.Positions, err)
	}
	for i := range 4 {
		dir := t.TempDir()
		kept := records[:len(records)*i/3]
		shortJournal(t, solving.JournalPath(dir, name), title, kept)
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		var p farm.Progress
		if _, err := SolvePositions(stopped, dir, kayles.Game{}, "7-5", &p); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped: %v", err)
		}
		if taken := p.Stages(0)[0].Before; taken != uint64(len(kept)) {
			t.Errorf("%d of %d positions in the journal are taken over", taken, len(kept))
		}
		var again farm.Progress
		h, err := SolvePositions(t.Context(), dir, kayles.Game{}, "7-5", &again)
		if err != nil || h.SHA256 != want.SHA256 {
			t.Fatalf("with %d positions in the journal: %v, want the digest %s", len(kept), err, want.SHA256)
		}
		// Few positions are all solved before the context is looked at.
		if taken := again.Stages(0)[0].Before; taken != want.Positions {
			t.Errorf("%d of %d positions are taken over behind a frame that was cut off", taken, want.Positions)
		}
		for _, killed := range []bool{false, true} { // between the two last steps
			if killed {
				shortJournal(t, solving.JournalPath(dir, name), title, kept)
				if _, err := SolvePositions(t.Context(), dir, kayles.Game{}, "7-5", nil); !errors.Is(err, store.ErrExists) {
					t.Errorf("solved again: %v", err)
				}
			}
			if _, err := os.Stat(solving.JournalPath(dir, name)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the journal is left (killed: %v): %v", killed, err)
			}
		}
		if i == 3 {
			for _, extent := range []book.Extent{book.Share, book.Whole} {
				n, err := book.Games{game}.CheckTable(t.Context(), store.Dir(dir, name), h, extent, nil)
				if err != nil || n == 0 || extent == book.Whole && n != h.Positions {
					t.Errorf("check: %d of %d positions, %v", n, h.Positions, err)
				}
			}
			if err := (book.Games{}).CheckVersion("x", h); !errors.Is(err, store.ErrForeign) {
				t.Errorf("a program without the game: %v", err)
			}
		}
	}
}

// shortJournal writes records in frames of a few, and a frame that was cut off.
func shortJournal(t *testing.T, path, title string, records [][]byte) {
	t.Helper()
	j, err := solving.OpenJournal(path, title, positionRecord, func([]byte) error { return nil })
	testenv.OK(t, err)
	for i, r := range records {
		if err = j.Add(r); err == nil && i%20 == 19 {
			err = j.Keep()
		}
		testenv.OK(t, err)
	}
	testenv.OK(t, j.Close())
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	testenv.OK(t, err)
	if _, err := f.Write([]byte{0, 0, 0, byte(positionRecord), 1, 2, 3, 4, 5}); err != nil {
		t.Fatal(err)
	}
	testenv.OK(t, f.Close())
}

// The lookup of any game answers from a table where there is one, solves where
// there is none, and plays on where it can't; all that is proved is true.
func TestLookup(t *testing.T) {
	dir := t.TempDir()
	if _, err := SolvePositions(t.Context(), dir, kayles.Game{}, "12", nil); err != nil {
		t.Fatal(err)
	}
	game := FromRules(kayles.Game{})
	l := booktest.Open(t, game.Open, book.Options{Store: dir, Threads: 1, HashBytes: 1 << 20})
	for text, source := range map[string]string{
		"12": "table", "12 5 7-8": "table", "12 1-2 4 9": "table",
		"5-7-3": "solved", "4-4": "solved", "15 3": "solved",
	} {
		p, err := game.Parse(text)
		testenv.OK(t, err)
		for _, all := range []bool{false, true} {
			d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(time.Minute), AllMoves: all})
			testenv.OK(t, err)
			if d.Source != source || !d.Exact || d.Score > 0 != kaylesWins(p) || all && len(d.Moves) != len(p.Moves()) {
				t.Errorf("%s: %+v", text, d)
			}
			for _, v := range d.Moves {
				q := enginetest.Play(t, p, v.Move)
				if v.Score > 0 == kaylesWins(q) {
					t.Errorf("%s: %s is worth %+d", text, v.Move, v.Score)
				}
			}
			// The line is legal and ends where the game does or the line is long.
			q := p
			for _, text := range d.Line {
				q = enginetest.Play(t, q, text)
			}
			if !q.Over() && len(d.Line) != book.LineMoves {
				t.Errorf("%s: the line %v ends early", text, d.Line)
			}
		}
	}
	// Too much for the time: a legal move, and no proof.
	p, err := game.Parse("30-30")
	testenv.OK(t, err)
	d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(100 * time.Millisecond)})
	testenv.OK(t, err)
	if _, err := p.ParseMove(d.Move); err != nil || d.Exact {
		t.Errorf("30-30: %+v, %v", d, err)
	}
}

// Tables are found in a store of any name, and answer even where the time is
// over before the line is told.
func TestTablesOfAStoreOfAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tables [of *] kayles")
	if _, err := SolvePositions(t.Context(), dir, kayles.Game{}, "7", nil); err != nil {
		t.Fatal(err)
	}
	game := FromRules(kayles.Game{})
	b, err := opening.New(kayles.Game{}, "6")
	testenv.OK(t, err)
	plainly := func(_ context.Context, p engine.Position) (d engine.Decision, err error) {
		for _, m := range p.Moves() {
			d.Moves = append(d.Moves, engine.MoveValue{Move: p.MoveString(m)})
		}
		return d, nil
	}
	if _, err := b.Grow(t.Context(), opening.GrowOptions{Evaluators: []opening.Evaluator{plainly}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Publish(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	l := booktest.Open(t, game.Open, book.Options{Store: dir, Threads: 1, HashBytes: 1 << 20})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for text, source := range map[string]string{"7": "table", "6": "book"} {
		p, err := game.Parse(text)
		testenv.OK(t, err)
		d, err := l.Decide(over, book.Question{Position: p})
		if err != nil || d.Source != source || !d.Exact || (d.Score > 0) != kaylesWins(p) {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
	}
}
