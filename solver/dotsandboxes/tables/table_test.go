package tables

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// solve computes the table of a board.
func solve(t *testing.T, name string, threads int, room uint64) *Table {
	t.Helper()
	c := &Solve{Board: enginetest.Board(t, name), Table: NewTable(room), Threads: threads}
	testenv.OK(t, c.Run(t.Context()))
	return c.Table
}

// value looks up the value of any position.
func (t *Table) value(f *Finder, b *grid.Board, free grid.Set) (v int, ok bool) {
	c := exact.Close(b, free)
	if k, open, _ := f.Key(c.Rest); open {
		if v, ok = t.Get(k); !ok {
			return 0, false
		}
	}
	return c.Value(v), true
}

// A strong solution contains every position with its value by plain minimax; the number of
// entries is known.
func TestStrongSolutionsAgreeWithMinimax(t *testing.T) {
	for _, c := range []struct {
		board     string
		positions uint64
		every     int // compare every n-th set of free lines
	}{
		{"1x3", 39, 1}, {"2x2", 73, 1}, {"2x3", 1_243, 1}, {"2x4", 18_335, 37},
	} {
		table, b := solve(t, c.board, 2, 1<<20), enginetest.Board(t, c.board)
		if table.Len() != c.positions {
			t.Errorf("%s: %d positions, want %d", c.board, table.Len(), c.positions)
		}
		f := NewFinder(b)
		plain, err := plain.DotsAndBoxesBoard(t.Context(), c.board, nil)
		testenv.OK(t, err)
		for m := 0; m < len(plain); m += c.every {
			if got, ok := table.value(f, b, grid.Set{uint64(m)}); !ok || got != int(plain[m]) {
				t.Fatalf("%s: free %b: got %d, %v, plain minimax says %d", c.board, m, got, ok, plain[m])
			}
		}
	}
}

// Every position of larger boards agrees with plain minimax; 3x4 needs 2 GB of memory.
func TestStrongSolutionsOfLargerBoards(t *testing.T) {
	if os.Getenv("ENDWISE_DEEP") == "" {
		t.Skip("ENDWISE_DEEP=1 compares every position of 2x4, 3x3, 2x5 and 3x4")
	}
	for _, name := range []string{"2x4", "3x3", "2x5", "3x4"} {
		t.Run(name, func(t *testing.T) {
			b := enginetest.Board(t, name)
			want, err := plain.DotsAndBoxesBoard(t.Context(), name, nil)
			testenv.OK(t, err)
			table := solve(t, name, 2, 1<<22)
			var all sync.WaitGroup
			const part = 1 << 16
			var next atomic.Int64
			for range runtime.GOMAXPROCS(0) {
				f := NewFinder(b)
				all.Go(func() {
					for !t.Failed() {
						first := int(next.Add(part)) - part
						if first >= len(want) {
							return
						}
						for m := first; m < min(first+part, len(want)); m++ {
							if got, ok := table.value(f, b, grid.Set{uint64(m)}); !ok || got != int(want[m]) {
								t.Errorf("free %b: got %d, %v, plain minimax says %d", m, got, ok, want[m])
								return
							}
						}
					}
				})
			}
			all.Wait()
			t.Logf("%d positions", len(want))
		})
	}
}

// The table does not depend on the number of threads.
func TestTableDoesNotDependOnThreads(t *testing.T) {
	one := solve(t, "2x4", 1, 1<<20)
	two := solve(t, "2x4", 3, 1<<21)
	if one.Len() != two.Len() {
		t.Fatalf("%d and %d positions", one.Len(), two.Len())
	}
	seen := uint64(0)
	for part := range 16 {
		one.Range(part, 16, func(k Key, v int) {
			seen++
			if int(k.Hi>>60) != part {
				t.Fatalf("key %x in part %d of 16", k.Hi, part)
			}
			if got, ok := two.Get(k); !ok || got != v {
				t.Fatalf("position %x: %d and %d, %v", k, v, got, ok)
			}
		})
	}
	if seen != one.Len() {
		t.Errorf("Range gives %d of %d positions", seen, one.Len())
	}
}

// A position is written to the journal before the table contains it, and a solve that
// resumes from any prefix of the journal produces the same table.
func TestJournalComesFirst(t *testing.T) {
	b := enginetest.Board(t, "2x3")
	type record struct {
		k Key
		v int
	}
	var journal []record
	table := NewTable(1 << 12)
	c := &Solve{Board: b, Table: table, Threads: 1, Journal: func(k Key, v int) error {
		if _, ok := table.Get(k); ok {
			t.Errorf("position %x is in the table before the journal", k)
		}
		journal = append(journal, record{k, v})
		return nil
	}}
	testenv.OK(t, c.Run(t.Context()))
	for n := 0; n < len(journal); n += 97 {
		part := NewTable(1 << 12)
		for _, r := range journal[:n] {
			part.Put(r.k, r.v)
		}
		testenv.OK(t, (&Solve{Board: b, Table: part, Threads: 1}).Run(t.Context()))
		if part.Len() != table.Len() {
			t.Errorf("from %d of %d records: %d positions, want %d", n, len(journal), part.Len(), table.Len())
		}
	}
}

// The larger boards take a minute.
func TestPositionsOfLargerBoards(t *testing.T) {
	if os.Getenv("ENDWISE_DEEP") == "" {
		t.Skip("ENDWISE_DEEP=1 counts the positions of larger boards")
	}
	for _, c := range []struct {
		board     string
		positions uint64
	}{{"3x3", 39_348}, {"2x5", 292_862}, {"3x4", 3_711_332}, {"2x6", 4_606_834}} {
		table := solve(t, c.board, 2, 1<<23)
		if table.Len() != c.positions {
			t.Errorf("%s: %d positions, want %d", c.board, table.Len(), c.positions)
		}
	}
}
