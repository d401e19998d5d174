package exact

import (
	"os"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

func solveClasses(t *testing.T, name string, threads int, room uint64) (*ClassTable, *graph) {
	t.Helper()
	b := enginetest.Board(t, name)
	c := &ClassSolve{Board: b, Table: NewClassTable(room), Threads: threads}
	testenv.OK(t, c.Run(t.Context()))
	g, err := newGraph(b, b.All())
	testenv.OK(t, err)
	return c.Table, g
}

// The strong solution has a class for every set of free lines, with the value
// of plain minimax; the number of classes is known.
func TestStrongSolutions(t *testing.T) {
	for _, c := range []struct {
		board   string
		classes uint64
		every   int // which line sets are compared
	}{
		{"1x3", 39, 1}, {"2x2", 73, 1}, {"2x3", 1_243, 1}, {"2x4", 18_335, 37},
	} {
		table, g := solveClasses(t, c.board, 2, 1<<20)
		if table.Len() != c.classes {
			t.Errorf("%s: %d classes, want %d", c.board, table.Len(), c.classes)
		}
		w := &classWorker{g: g, w: newWorker(g, nil, 0)}
		plain := plainValues(t, g.board)
		for m := 0; m < len(plain); m += c.every {
			cl := Close(g.board, grid.Set{uint64(m)})
			rest := g.Mask(cl.Rest)
			v, ok := 0, true
			if rest != 0 {
				v, ok = table.Get(w.key(rest))
			}
			if !ok {
				t.Fatalf("%s: no class for %b", c.board, m)
			}
			if got := cl.Value(v); got != int(plain[m]) {
				t.Fatalf("%s: free %b: got %d, plain minimax says %d", c.board, m, got, plain[m])
			}
		}
	}
}

// Threads and interruptions make no difference to the table.
func TestStrongSolutionIsTheSameHoweverMade(t *testing.T) {
	one, _ := solveClasses(t, "2x4", 1, 1<<20)
	two, _ := solveClasses(t, "2x4", 3, 1<<21)
	if one.Len() != two.Len() {
		t.Fatalf("%d and %d classes", one.Len(), two.Len())
	}
	seen := uint64(0)
	for part := range 16 {
		one.Range(part, 16, func(k ClassKey, v int) {
			seen++
			if int(k.Hi>>60) != part {
				t.Fatalf("key %x in part %d of 16", k.Hi, part)
			}
			if got, ok := two.Get(k); !ok || got != v {
				t.Fatalf("class %x: %d and %d, %v", k, v, got, ok)
			}
		})
	}
	if seen != one.Len() {
		t.Errorf("Range gives %d of %d classes", seen, one.Len())
	}
}

// The journal hears of a class before others can be valued with it: whatever
// is left of it after a kill, all that lies below its classes is there too, and a
// solve that takes it up comes to the same table.
func TestJournalComesFirst(t *testing.T) {
	b := enginetest.Board(t, "2x3")
	type record struct {
		k ClassKey
		v int
	}
	var journal []record
	table := NewClassTable(1 << 12)
	c := &ClassSolve{Board: b, Table: table, Threads: 1, Journal: func(k ClassKey, v int) error {
		if _, ok := table.Get(k); ok {
			t.Errorf("class %x is in the table before the journal", k)
		}
		journal = append(journal, record{k, v})
		return nil
	}}
	testenv.OK(t, c.Run(t.Context()))
	for n := 0; n < len(journal); n += 97 {
		part := NewClassTable(1 << 12)
		for _, r := range journal[:n] {
			part.Put(r.k, r.v)
		}
		testenv.OK(t, (&ClassSolve{Board: b, Table: part, Threads: 1}).Run(t.Context()))
		if part.Len() != table.Len() {
			t.Errorf("from %d of %d records: %d classes, want %d", n, len(journal), part.Len(), table.Len())
		}
	}
}

// The larger figures take a minute.
func TestLargeStrongSolutions(t *testing.T) {
	if os.Getenv("ENDWISE_DEEP") == "" {
		t.Skip("ENDWISE_DEEP=1 counts the classes of larger boards")
	}
	for _, c := range []struct {
		board   string
		classes uint64
	}{{"3x3", 39_348}, {"2x5", 292_862}, {"3x4", 3_711_332}, {"2x6", 4_606_834}} {
		table, _ := solveClasses(t, c.board, 2, 1<<23)
		if table.Len() != c.classes {
			t.Errorf("%s: %d classes, want %d", c.board, table.Len(), c.classes)
		}
	}
}
