package circuitwars

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/book/store"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/farm"
)

// smallValues configures the search for small boards.
func smallValues(t *testing.T) {
	nodes, bytes := recordNodes, valueTypeBytes
	recordNodes, valueTypeBytes = 200, 16<<20
	t.Cleanup(func() { recordNodes, valueTypeBytes = nodes, bytes })
}

// TestValueResumes solves a board's value again from all records of the first run, and
// elsewhere from the records of an interrupted run.
func TestValueResumes(t *testing.T) {
	smallValues(t)
	b := enginetest.Board(t, "2x4")
	dir, o := t.TempDir(), book.ValueOptions{Threads: 1, TableBytes: 16 << 20}
	solve := func(dir string) book.BoardValue {
		v, err := SolveValue(t.Context(), dir, b, o, nil)
		if err != nil || v.Lower != v.Upper {
			t.Fatalf("%+v, %v", v, err)
		}
		return v
	}
	whole := solve(dir)
	again := solve(dir)
	if whole.Subpositions == 0 || again.Expansions >= whole.Expansions/4 {
		t.Errorf("kept %d facts of %d expansions; the run from them took %d", whole.Subpositions, whole.Expansions, again.Expansions)
	}

	dir = t.TempDir()
	var stopped book.BoardValue
	err := booktest.StopWhere(t, func([]farm.Snapshot) bool { // a title is shorter than 100 bytes
		info, err := os.Stat(filepath.Join(dir, "circuitwars-value-2x4.journal"))
		return err == nil && info.Size() > 100
	}, func(ctx context.Context, p *farm.Progress) (err error) {
		stopped, err = SolveValue(ctx, dir, b, o, p)
		return err
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if stopped.Subpositions == 0 || stopped.Lower > whole.Lower || stopped.Upper < whole.Lower {
		t.Errorf("stopped: %+v, the value is %d", stopped, whole.Lower)
	}
	rest := solve(dir)
	if again.Lower != whole.Lower || rest.Lower != whole.Lower || rest.Subpositions < stopped.Subpositions {
		t.Errorf("in one run %+v, again %+v, the rest %+v", whole, again, rest)
	}
}

// An interruption saves the bounds of positions that are too small for the journal of a whole run.
func TestInterruptedValueKeepsRecentBounds(t *testing.T) {
	smallValues(t)
	recordNodes = 1 << 62
	b := enginetest.Board(t, "3x4")
	dir, o := t.TempDir(), book.ValueOptions{Threads: 1, TableBytes: 16 << 20}
	var v book.BoardValue
	err := booktest.StopWhere(t, func(all []farm.Snapshot) bool {
		return len(all) == 1 && all[0].Done >= 20_000
	}, func(ctx context.Context, p *farm.Progress) (err error) {
		v, err = SolveValue(ctx, dir, b, o, p)
		return err
	})
	if !errors.Is(err, context.Canceled) || v.Subpositions == 0 {
		t.Fatalf("%+v, %v", v, err)
	}
	j, facts, err := openFacts(dir, b)
	testenv.OK(t, err)
	testenv.OK(t, j.Close(nil))
	if len(facts) != v.Subpositions {
		t.Errorf("bounds of %d positions are in the journal, %d reported", len(facts), v.Subpositions)
	}
	s := exact.New(exact.Options{TableBytes: 16 << 20, TypeBytes: valueTypeBytes})
	testenv.OK(t, s.Learn(facts...))
}

// Two processes cannot solve the same value in the same store, where they would overwrite
// each other's records.
func TestValueIsLocked(t *testing.T) {
	smallValues(t)
	b := enginetest.Board(t, "2x2")
	dir, o := t.TempDir(), book.ValueOptions{Threads: 1, TableBytes: 1 << 20}
	if _, err := SolveValue(t.Context(), dir, b, o, nil); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "circuitwars-value-2x2.journal")
	data := testenv.ReadFile(t, file)
	const title = "endwise value 2x2 rules 1 solver 1"
	if !strings.HasPrefix(string(data), title+"\n") {
		t.Fatalf("the journal is %q", data)
	}
	if v, err := solvedValue(dir, b); err != nil || v.Lower != -2 || !v.Exact() {
		t.Errorf("solved here: %+v, %v", v, err)
	}
	j, err := store.OpenJournal(file, title, factRecord, func([]byte) error { return nil })
	testenv.OK(t, err)
	defer j.Close(nil)
	if _, err := SolveValue(t.Context(), dir, b, o, nil); !errors.Is(err, store.ErrLocked) {
		t.Errorf("while another has it open: %v", err)
	}
}

// TestFacts checks that records are read as written and that keys keep their meaning.
func TestFacts(t *testing.T) {
	for _, f := range []exact.Proved{
		{Key: graph.Key{Hi: 1, Lo: 2}, Bounds: solver.Bounds{Lower: -49, Upper: 49}, Nodes: 70},
		{Key: graph.Key{Hi: 1 << 63, Lo: 3}, Bounds: solver.Bounds{Lower: 1, Upper: 1}, Nodes: 1 << 40},
	} {
		r := appendFact(nil, f)
		if diff := cmp.Diff(f, factFrom(r)); diff != "" || len(r) != factRecord {
			t.Errorf("%d bytes\n%s", len(r), diff)
		}
	}
}
