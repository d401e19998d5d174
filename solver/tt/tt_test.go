package tt

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/iotest"
	"unsafe"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// An entry is found by its whole key only, until the bucket is full.
func TestTable(t *testing.T) {
	tab := New(1) // one bucket
	for i := range uint64(bucketEntries) {
		tab.Put(i, 7, i+1, uint8(10+i))
	}
	for i := range uint64(bucketEntries) {
		if data, work := tab.Get(i, 7); data != i+1 || work != uint8(10+i) {
			t.Errorf("entry %d: data %d, work %d", i, data, work)
		}
	}
	if _, work := tab.Get(99, 7); work != 0 {
		t.Error("found a key that was not put in")
	}
	if tab.Use() != 1 {
		t.Errorf("a full table is used by %v", tab.Use())
	}
	tab.Put(2, 7, dataMask, 254)
	if data, work := tab.Get(2, 7); data != dataMask || work != 254 {
		t.Errorf("written over: data %x, work %d", data, work)
	}
	tab.Clear()
	if _, work := tab.Get(2, 7); work != 0 || tab.Use() != 0 {
		t.Error("a cleared table is not empty")
	}
}

// In a full bucket the entry with the least work is replaced; each search halves the work
// of older entries.
func TestReplacement(t *testing.T) {
	tab := New(1)
	for i, nodes := range []uint64{1000, 10, 100, 10_000} {
		tab.Put(uint64(i), 0, 0, Work(nodes))
	}
	known := func(key uint64) bool {
		_, work := tab.Get(key, 0)
		return work > 0
	}
	tab.Put(10, 0, 0, Work(1))
	if known(1) || !known(0) || !known(2) || !known(3) || !known(10) {
		t.Error("the entry of 10 nodes was not replaced")
	}
	tab.Put(10, 0, 0, Work(200))
	// 100 nodes are the least; after two searches 500 new nodes count more than 1000 old
	// ones.
	tab.Put(2, 0, 0, Work(500))
	for range 2 {
		tab.NextSearch()
	}
	tab.Put(2, 0, 0, Work(500))
	tab.Put(10, 0, 0, Work(500))
	tab.Put(11, 0, 0, Work(1))
	if known(0) || !known(2) || !known(10) || !known(3) {
		t.Error("the entry of 1000 nodes two searches ago was not replaced")
	}
}

// An empty entry is used before any other is replaced, whatever the numbers of the searches,
// which recur.
func TestEmptyEntriesComeFirst(t *testing.T) {
	for first := range 17 {
		for later := range 17 {
			tab := New(1)
			for range first {
				tab.NextSearch()
			}
			tab.Put(1, 0, 0, 1)
			for range later {
				tab.NextSearch()
			}
			tab.Put(2, 0, 0, 1)
			if _, work := tab.Get(1, 0); work == 0 {
				t.Errorf("an entry of search %d was replaced in search %d", first, first+later)
			}
		}
	}
}

// An entry written by several threads at the same time is complete or absent.
func TestTornEntries(t *testing.T) {
	tab := New(1)
	var group sync.WaitGroup
	for k := range uint64(4) {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(k, 1))
			for range 100_000 {
				key := rng.Uint64N(16)
				if data, work := tab.Get(key, 0); work > 0 && (data>>8 != key || uint8(data) != work) {
					t.Errorf("key %d has the data of %d, work %d and %d", key, data>>8, work, uint8(data))
					return
				}
				work := uint8(1 + rng.IntN(254))
				tab.Put(key, 0, key<<8|uint64(work), work)
			}
		})
	}
	group.Wait()
}

func TestWork(t *testing.T) {
	for _, nodes := range []uint64{1, 2, 3, 4, 7, 100, 12345, 1 << 40} {
		if got := Nodes(Work(nodes)); got > nodes || got < nodes*3/4 {
			t.Errorf("%d nodes are kept as %d", nodes, got)
		}
		if nodes >= 4 && Work(2*nodes) != Work(nodes)+workOfHalf {
			t.Errorf("twice %d nodes are %d more, want %d", nodes, Work(2*nodes)-Work(nodes), workOfHalf)
		}
	}
	if Work(0) == 0 || Work(^uint64(0)) > 254 {
		t.Errorf("work from %d to %d", Work(0), Work(^uint64(0)))
	}
}

// A compact table stores and merges bounds, and replaces entries with less work.
func TestCompact(t *testing.T) {
	tab := NewCompact(1 << 10)
	const lo = 1 << 40
	tab.Store(3, lo, -5, 7, 10)
	tab.Store(3, lo, -3, 9, 10)
	if lower, upper := tab.Probe(3, lo, -20, 20); lower != -3 || upper != 7 {
		t.Errorf("got %d to %d, want -3 to 7", lower, upper)
	}
	if lower, upper := tab.Probe(3, 2*lo, -20, 20); lower != -20 || upper != 20 {
		t.Errorf("an unknown key has bounds %d to %d", lower, upper)
	}
	for i := range uint64(100) {
		tab.Store(3, (i+2)*lo, -1, 1, 1) // in the same bucket, with little work
	}
	if lower, _ := tab.Probe(3, lo, -20, 20); lower != -3 {
		t.Error("an entry with more work was replaced")
	}
	for size, entries := range map[int64]int{-1: 128, 0: 128, 1 << 10: 128, 1<<11 - 1: 248, 1 << 11: 256} {
		if got := NewCompact(size).Len(); got != entries {
			t.Errorf("%d entries in %d bytes, want %d", got, size, entries)
		}
	}
}

// A loaded table equals the saved one; a file that does not fit leaves an empty table.
func TestSave(t *testing.T) {
	tab := NewCompact(1 << 20)
	for k := range uint64(5000) {
		tab.Store(k<<48, Mix(k), -5, int(k%60), k)
	}
	var file bytes.Buffer
	testenv.OK(t, tab.Save(&file))
	same := NewCompact(1 << 20)
	testenv.OK(t, same.Load(bytes.NewReader(file.Bytes())))
	if !slices.Equal(tab.entries, same.entries) {
		t.Error("the table that was read differs")
	}
	for _, size := range []int64{1 << 10, 1 << 19, 1 << 21} {
		other := NewCompact(size)
		if err := other.Load(bytes.NewReader(file.Bytes())); err == nil || slices.ContainsFunc(other.entries, func(e uint64) bool { return e != 0 }) {
			t.Errorf("a table of %d bytes reads one of 1 MB: %v", size, err)
		}
	}
	failed := errors.New("the disk fails")
	if err := same.Load(io.MultiReader(bytes.NewReader(file.Bytes()[:1000]), iotest.ErrReader(failed))); err != failed {
		t.Errorf("a reader that fails: %v", err)
	}
}

// Memory of any size is zeroed and aligned to cache lines.
func TestMake(t *testing.T) {
	type entry struct{ a, b, c uint64 }
	for _, n := range []int{1 << 19, 1 << 19, 10} {
		owner := new(int)
		all := Make[entry](owner, n)
		if len(all) != n || uintptr(unsafe.Pointer(&all[0]))%64 != 0 && n > 100 {
			t.Errorf("%d entries at %p, want %d", len(all), &all[0], n)
		}
		for i := range all {
			if all[i] != (entry{}) {
				t.Fatalf("entry %d: %v", i, all[i])
			}
			all[i].b = 1
		}
		runtime.KeepAlive(owner)
		runtime.GC()
	}
}
