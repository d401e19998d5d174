package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/google/go-cmp/cmp"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestDenseRoundTrip(t *testing.T) {
	const values = 64*10 + 7 // the last block and the last shard are short
	digests := map[string]bool{}
	for _, compress := range []bool{false, true} {
		dir := t.TempDir()
		h := buildDense(t, dir, values, compress)
		digests[h.SHA256] = true
		if h.Positions != values || len(h.Counts) != 4 || h.Counts[3] != 64+7 {
			t.Errorf("positions %d, counts %v", h.Positions, h.Counts)
		}
		tab := openTest(t, filepath.Join(dir, "dense"))
		hist := map[int]uint64{}
		for range 2 { // cold, cached
			for i := range uint64(values) {
				v, err := tab.Value(i)
				if err != nil || v != valueAt(i) {
					t.Fatalf("value %d: %d, %v; want %d", i, v, err, valueAt(i))
				}
				hist[int(v)]++
			}
		}
		for v := range hist {
			hist[v] /= 2
		}
		if d := cmp.Diff(hist, tab.Header().Histogram); d != "" {
			t.Error(d)
		}
		if _, err := tab.Value(values); !errors.Is(err, ErrRange) {
			t.Errorf("value beyond the end: %v", err)
		}
		if _, _, err := tab.Lookup(Key{}); err == nil {
			t.Error("a dense table answered Lookup")
		}
		noProblems(t, tab)
		if _, err := os.Stat(filepath.Join(dir, "dense.building")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("building directory is still there: %v", err)
		}
	}
	if len(digests) != 1 {
		t.Errorf("compression changes the digest: %v", digests)
	}
}

func TestOpaqueBlocks(t *testing.T) {
	dir := t.TempDir()
	spec := Spec{Name: "opaque", Game: "test", Rules: 1, Kind: Dense, Blocks: 5, ShardBlocks: 2}
	b, err := Create(dir, spec)
	testenv.OK(t, err)
	content := func(n uint64) []byte { return []byte(strings.Repeat("block", int(n*n*5000))) }
	for _, shard := range []int{2, 0, 1} {
		w, err := b.CreateShard(shard)
		testenv.OK(t, err)
		first, end := b.Spec().ShardRange(shard)
		for n := first; n < end; n++ {
			testenv.OK(t, w.PutBlock(n, content(n)))
		}
		testenv.OK(t, w.Finish())
	}
	if _, err := b.Finish(context.Background(), FinishOptions{}); err != nil {
		t.Fatal(err)
	}
	tab := openTest(t, filepath.Join(dir, "opaque"))
	for n := range uint64(5) {
		got, err := tab.Block(n)
		if err != nil || string(got) != string(content(n)) {
			t.Errorf("block %d: %d bytes, %v", n, len(got), err)
		}
	}
	noProblems(t, tab)
}

func TestSparseRoundTrip(t *testing.T) {
	const n = 5000
	for _, keyBits := range []int{40, 64, 72, 128} {
		var digests []string
		for _, shards := range []int{1, 7} {
			dir := t.TempDir()
			h := buildSparse(t, dir, shards, keyBits, n)
			digests = append(digests, h.SHA256)
			if h.Entries != n || h.Positions != n || h.PrefixBits != 5 {
				t.Errorf("%d key bits: entries %d, positions %d, prefix %d", keyBits, h.Entries, h.Positions, h.PrefixBits)
			}
			tab := openTest(t, filepath.Join(dir, "sparse"))
			for i := range uint64(2 * n) {
				v, ok, err := tab.Lookup(keyAt(i))
				if err != nil || ok != (i < n) || ok && v != uint32(valueAt(i)) {
					t.Fatalf("%d key bits: entry %d: %d, %v, %v", keyBits, i, v, ok, err)
				}
			}
			seen := 0
			var last Key
			err := tab.Each(context.Background(), func(k Key, v uint32) error {
				if seen > 0 && last.compare(k) >= 0 {
					t.Fatalf("keys do not ascend: %x, %x", last, k)
				}
				last = k
				seen++
				if got, ok, err := tab.Lookup(k); !ok || err != nil || got != v {
					t.Fatalf("key %x: %d, %v, %v; want %d", k, got, ok, err, v)
				}
				return nil
			})
			if err != nil || seen != n {
				t.Errorf("%d entries, %v", seen, err)
			}
			noProblems(t, tab)
			width := float64(h.PayloadBytes) * 8 / n
			if want := float64(keyBits - 5 - 8 + 2 + 5 + 2); width > want+4 {
				t.Errorf("%d key bits: %.1f bits an entry, want at most %.1f", keyBits, width, want+4)
			}
		}
		if digests[0] != digests[1] {
			t.Errorf("%d key bits: the digest depends on the shards", keyBits)
		}
	}
}

func TestEmptySparseTable(t *testing.T) {
	dir := t.TempDir()
	h := buildSparse(t, dir, 2, 64, 0)
	if h.Entries != 0 || h.Blocks != 1 {
		t.Errorf("entries %d, blocks %d", h.Entries, h.Blocks)
	}
	tab := openTest(t, filepath.Join(dir, "sparse"))
	if _, ok, err := tab.Lookup(keyAt(1)); ok || err != nil {
		t.Errorf("found %v, %v", ok, err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "dense")
	expect := func(name string, err error, want error, text string) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), text) || strings.Contains(fmt.Sprint(err), "\n") {
			t.Errorf("%s: %v; want %v with %q on one line", name, err, want, text)
		}
	}
	_, err := Open(path, Options{})
	expect("missing", err, ErrMissing, "solve it first")

	b, err := Create(dir, denseSpec(64*10, false))
	testenv.OK(t, err)
	_, err = Create(dir, denseSpec(64*10, false))
	expect("locked build", err, ErrLocked, "wait for it to end")
	_, err = Open(path, Options{})
	expect("unfinished", err, ErrMissing, "run the same solve command to resume it")
	b.Close()
	other := denseSpec(64*10, false)
	other.Solver = 2
	_, err = Create(dir, other)
	expect("other specification", err, ErrSpec, "delete it")

	buildDense(t, dir, 64*10, false)
	_, err = Create(dir, denseSpec(64*10, false))
	if exists := new(ExistsError); !errors.As(err, &exists) || exists.Path != path || !strings.Contains(err.Error(), "delete the directory") {
		t.Errorf("exists: %v", err)
	}
	_, err = Open(path, Options{Game: "chess"})
	expect("other game", err, ErrForeign, "test, not chess")
	_, err = Open(path, Options{Game: "test", Rules: 2})
	expect("other rules", err, ErrForeign, "rules version 1")

	// A killed program leaves its log.
	dir2 := t.TempDir()
	buildDense(t, dir2, 64*10, false)
	path2 := filepath.Join(dir2, "dense")
	testenv.OK(t, os.WriteFile(filepath.Join(path2, "00001.mem"), make([]byte, 100), 0o644))
	_, err = Open(path2, Options{})
	expect("not closed", err, ErrDamaged, "delete the table")

	h, err := ReadHeader(path)
	testenv.OK(t, err)
	h.Format = Format + 1
	testenv.OK(t, writeHeader(path, h))
	_, err = Open(path, Options{})
	expect("future format", err, ErrForeign, "format 2")

	dir3 := t.TempDir()
	db, err := openForWriting(filepath.Join(dir3, "plain"))
	testenv.OK(t, err)
	db.Close()
	_, err = Open(filepath.Join(dir3, "plain"), Options{})
	expect("a Badger directory of somebody else", err, ErrForeign, "not made by this program")
}

// openForWriting opens a directory as a foreign program would.
func openForWriting(path string) (*badger.DB, error) {
	return badger.Open(badger.DefaultOptions(path).WithLogger(nil))
}

func TestManyReaders(t *testing.T) {
	dir := t.TempDir()
	const values = 64 * 200
	buildDense(t, dir, values, true)
	path := filepath.Join(dir, "dense")
	var wg sync.WaitGroup
	for range 3 {
		tab := openTest(t, path) // opened several times, as by several processes
		for g := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(g)))
				for range 3000 {
					i := r.Uint64N(values)
					if v, err := tab.Value(i); err != nil || v != valueAt(i) {
						t.Errorf("value %d: %d, %v", i, v, err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	tab := openTest(t, path)
	if _, err := tab.Value(0); err != nil {
		t.Error(err)
	}
	tab.Close()
	for _, i := range []uint64{0, values - 1} { // a cached block, and another one
		if v, err := tab.Value(i); err == nil || !strings.Contains(err.Error(), "table is closed") {
			t.Errorf("a closed table answers %d, %v", v, err)
		}
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	if l, err := List(filepath.Join(dir, "nothing")); err != nil || len(l) != 0 {
		t.Errorf("%v, %v", l, err)
	}
	buildDense(t, dir, 640, false)
	b, err := Create(dir, sparseSpec(3, 64))
	testenv.OK(t, err)
	defer b.Close()
	testenv.OK(t, writeSparseShard(b, 1, 50))
	testenv.OK(t, os.Mkdir(filepath.Join(dir, "other"), 0o755))
	testenv.OK(t, os.CopyFS(filepath.Join(dir, "dense-2"), os.DirFS(filepath.Join(dir, "dense"))))
	testenv.OK(t, os.WriteFile(filepath.Join(dir, "dense-2", "table.json"), []byte("{}"), 0o644))
	l, err := List(dir)
	if err != nil || len(l) != 3 {
		t.Fatalf("%v, %v", l, err)
	}
	if l[0].Name != "dense" || l[0].Header == nil || l[0].Err != nil || l[0].Building || l[0].Header.Bytes() == 0 {
		t.Errorf("%+v", l[0])
	}
	if l[1].Name != "dense-2" || l[1].Header != nil || !errors.Is(l[1].Err, ErrDamaged) {
		t.Errorf("%+v", l[1])
	}
	if l[2].Name != "sparse" || !l[2].Building || l[2].Err != nil || l[2].ShardsDone != 1 || l[2].ShardsTotal != 3 {
		t.Errorf("%+v", l[2])
	}
	for prefix, want := range map[string][]string{
		"dense": {filepath.Join(dir, "dense"), filepath.Join(dir, "dense-2")}, // Open reports what cannot be used
		"":      {filepath.Join(dir, "dense"), filepath.Join(dir, "dense-2")},
		"spa":   nil,
	} {
		if got, err := Named(dir, prefix); err != nil || !slices.Equal(got, want) {
			t.Errorf("named %s: %v, %v", prefix, got, err)
		}
	}
}

func TestWrongSpecs(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		says string
	}{
		{Spec{}, "table name"},
		{Spec{Name: "../x", Game: "g", Kind: Dense, Blocks: 1, ShardBlocks: 1}, "table name"},
		{Spec{Name: "x", Kind: Dense, Blocks: 1, ShardBlocks: 1}, "no game"},
		{Spec{Name: "x", Game: "g", Blocks: 1, ShardBlocks: 1}, "kind"},
		{Spec{Name: "x", Game: "g", Kind: Dense, ShardBlocks: 1}, "Blocks must be set"},
		{Spec{Name: "x", Game: "g", Kind: Dense, Blocks: 1}, "no blocks in a shard"},
		{Spec{Name: "x", Game: "g", Kind: Dense, Blocks: 2 << 20, ShardBlocks: 1}, "2097152 shards"},
		{Spec{Name: "x", Game: "g", Kind: Dense, Blocks: 1, ShardBlocks: 1, KeyBits: 64}, "belong to sparse"},
		{Spec{Name: "x", Game: "g", Kind: Dense, Bits: 3, BlockValues: 64, Values: 9, ShardBlocks: 1}, "3 bits"},
		{Spec{Name: "x", Game: "g", Kind: Dense, Bits: 4, BlockValues: 8192, Values: 9, ShardBlocks: 1}, "8192 values"},
		{Spec{Name: "x", Game: "g", Kind: Dense, Bits: 4, BlockValues: 60, Values: 9, ShardBlocks: 1}, "60 values"},
		{Spec{Name: "x", Game: "g", Kind: Dense, Bits: 4, BlockValues: 64, ShardBlocks: 1}, "no values"},
		{Spec{Name: "x", Game: "g", Kind: Sparse, KeyBits: 60, ValueBits: 4, Shards: 1}, "60 key bits"},
		{Spec{Name: "x", Game: "g", Kind: Sparse, KeyBits: 64, ValueBits: 40, Shards: 1}, "40 value bits"},
		{Spec{Name: "x", Game: "g", Kind: Sparse, KeyBits: 64, ValueBits: 4, Shards: 1000}, "1000 shards"},
		{Spec{Name: "x", Game: "g", Kind: Sparse, KeyBits: 64, ValueBits: 4, Shards: 1, Values: 9}, "belong to dense"},
	} {
		if err := c.spec.complete(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("spec %+v: %v, want %q", c.spec, err, c.says)
		}
	}
}
