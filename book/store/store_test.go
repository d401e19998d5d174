package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"endwise/engine/disk"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// The tables of these tests: value i of the dense one is valueAt(i), entry i of
// the sparse one has the key keyAt(i) and the value valueAt(i).

func valueAt(i uint64) uint8 { return uint8(i*2654435761>>7) & 15 }

func keyAt(i uint64) Key {
	h := fnv.New128a()
	h.Write(binary.LittleEndian.AppendUint64(nil, i))
	b := h.Sum(nil)
	// FNV of short inputs is not even in its top bits; mix once more.
	hi, lo := binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	hi = (hi ^ lo>>29) * 0xBF58476D1CE4E5B9
	return Key{hi ^ hi>>32, lo}
}

func denseSpec(values uint64, compress bool) Spec {
	return Spec{Name: "dense", Title: "test", Game: "test", Rules: 1, Solver: 1, Kind: Dense,
		Bits: 4, BlockValues: 64, Values: values, ShardBlocks: 3, Compress: compress}
}

func sparseSpec(shards, keyBits int) Spec {
	return Spec{Name: "sparse", Title: "test", Game: "test", Rules: 1, Solver: 1, Kind: Sparse,
		KeyBits: keyBits, ValueBits: 5, Shards: shards}
}

// pack is the block of some values.
func pack(values []uint8, bits int) []byte {
	block := make([]byte, (len(values)*bits+7)/8)
	for i, v := range values {
		block[i*bits/8] |= v << (i * bits % 8)
	}
	return block
}

// writeShards writes what a dense table still lacks.
func writeShards(t testing.TB, b *Builder) {
	t.Helper()
	for _, i := range b.Pending() {
		testenv.OK(t, writeDenseShard(b, i))
	}
}

func writeDenseShard(b *Builder, shard int) error {
	w, err := b.Shard(shard)
	if err != nil {
		return err
	}
	spec := b.Spec()
	first, end := spec.ShardRange(shard)
	for n := first; n < end; n++ {
		values := make([]uint8, spec.valuesIn(n))
		for i := range values {
			values[i] = valueAt(n*uint64(spec.BlockValues) + uint64(i))
			w.Count(int(values[i]), 1)
		}
		if err := w.PutBlock(n, pack(values, spec.Bits)); err != nil {
			return err
		}
	}
	return w.Finish()
}

// writeSparseShard writes entries shard, shard+Shards, shard+2*Shards, … below n.
func writeSparseShard(b *Builder, shard int, n uint64) error {
	w, err := b.Shard(shard)
	if err != nil {
		return err
	}
	var list []entry
	for i := uint64(shard); i < n; i += uint64(b.Spec().Shards) {
		list = append(list, entry{keyAt(i), uint32(valueAt(i))})
	}
	sortEntries(list)
	for _, e := range list {
		if err := w.Put(e.key, e.value); err != nil {
			return err
		}
		w.Count(int(e.value), 1)
	}
	return w.Finish()
}

func buildDense(t testing.TB, dir string, values uint64, compress bool) *Header {
	t.Helper()
	b, err := Create(dir, denseSpec(values, compress))
	testenv.OK(t, err)
	writeShards(t, b)
	h, err := b.Finish(context.Background(), FinishOptions{})
	testenv.OK(t, err)
	return h
}

func buildSparse(t testing.TB, dir string, shards, keyBits int, n uint64) *Header {
	t.Helper()
	b, err := Create(dir, sparseSpec(shards, keyBits))
	testenv.OK(t, err)
	for _, i := range b.Pending() {
		testenv.OK(t, writeSparseShard(b, i, n))
	}
	h, err := b.Finish(context.Background(), FinishOptions{})
	testenv.OK(t, err)
	return h
}

func open(t testing.TB, path string) *Table {
	t.Helper()
	tab, err := Open(path, Options{Game: "test", Rules: 1})
	testenv.OK(t, err)
	t.Cleanup(func() { tab.Close() })
	return tab
}

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
		tab := open(t, filepath.Join(dir, "dense"))
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

// The digest does not depend on the order in which the shards are made, nor on
// whether they are made at once.
func TestShardsInAnyOrder(t *testing.T) {
	want := buildDense(t, t.TempDir(), 64*30, true).SHA256
	for _, order := range []string{"backwards", "at once"} {
		dir := t.TempDir()
		b, err := Create(dir, denseSpec(64*30, true))
		testenv.OK(t, err)
		shards := b.Pending()
		slices.Reverse(shards)
		var all sync.WaitGroup
		for _, i := range shards {
			write := func() {
				if err := writeDenseShard(b, i); err != nil {
					t.Error(err)
				}
			}
			if order == "at once" {
				all.Go(write)
			} else {
				write()
			}
		}
		all.Wait()
		h, err := b.Finish(context.Background(), FinishOptions{})
		testenv.OK(t, err)
		if h.SHA256 != want || h.Positions != 64*30 {
			t.Errorf("%s: %d positions, digest %s, want %s", order, h.Positions, h.SHA256, want)
		}
	}
}

func noProblems(t *testing.T, tab *Table) {
	t.Helper()
	testenv.OK(t, tab.Verify(context.Background(), func(err error) { t.Errorf("verify: %v", err) }, nil))
}

func TestOpaqueBlocks(t *testing.T) {
	dir := t.TempDir()
	spec := Spec{Name: "opaque", Game: "test", Rules: 1, Kind: Dense, Blocks: 5, ShardBlocks: 2}
	b, err := Create(dir, spec)
	testenv.OK(t, err)
	content := func(n uint64) []byte { return []byte(strings.Repeat("block", int(n*n*5000))) }
	for _, shard := range []int{2, 0, 1} {
		w, err := b.Shard(shard)
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
	tab := open(t, filepath.Join(dir, "opaque"))
	for n := range uint64(5) {
		got, err := tab.Block(n)
		if err != nil || string(got) != string(content(n)) {
			t.Errorf("block %d: %d bytes, %v", n, len(got), err)
		}
	}
	noProblems(t, tab)
}

func TestTransform(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	b, err := Create(dir, denseSpec(64*300, true))
	testenv.OK(t, err)
	writeShards(t, b)
	invert := func(block uint64, payload []byte) ([]byte, error) {
		out := make([]byte, len(payload))
		for i := range out {
			out[i] = payload[i] ^ 0xFF
		}
		return out, nil
	}
	fail := errors.New("no")
	if _, err := b.Finish(ctx, FinishOptions{Transform: func(block uint64, p []byte) ([]byte, error) {
		if block == 150 {
			return nil, fail
		}
		return p, nil
	}}); !errors.Is(err, fail) {
		t.Errorf("failing transformation: %v", err)
	}
	if _, err := b.Finish(ctx, FinishOptions{Transform: func(block uint64, p []byte) ([]byte, error) {
		return p[:len(p)-int(block%2)], nil
	}}); err == nil || !strings.Contains(err.Error(), "block 1: 31 bytes") {
		t.Errorf("transformation to another size: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Finish(canceled, FinishOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := b.Finish(ctx, FinishOptions{Transform: invert}); err != nil {
		t.Fatal(err)
	}
	tab := open(t, filepath.Join(dir, "dense"))
	for i := range uint64(64 * 300) {
		if v, err := tab.Value(i); err != nil || v != valueAt(i)^15 {
			t.Fatalf("value %d: %d, %v; want %d", i, v, err, valueAt(i)^15)
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
			tab := open(t, filepath.Join(dir, "sparse"))
			for i := range uint64(2 * n) {
				v, ok, err := tab.Lookup(keyAt(i))
				if err != nil || ok != (i < n) || ok && v != uint32(valueAt(i)) {
					t.Fatalf("%d key bits: entry %d: %d, %v, %v", keyBits, i, v, ok, err)
				}
			}
			seen := 0
			var last Key
			err := tab.Each(context.Background(), func(k Key, v uint32) error {
				if seen > 0 && !last.Less(k) {
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
	tab := open(t, filepath.Join(dir, "sparse"))
	if _, ok, err := tab.Lookup(keyAt(1)); ok || err != nil {
		t.Errorf("found %v, %v", ok, err)
	}
}

func TestSparseBlockCoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keyBits := 8 * rapid.IntRange(2, 16).Draw(t, "key bytes")
		prefix := rapid.IntRange(0, min(keyBits-subBits, 40)).Draw(t, "prefix bits")
		valueBits := rapid.IntRange(1, 32).Draw(t, "value bits")
		block := rapid.Uint64Range(0, 1<<prefix-1).Draw(t, "block")
		want := map[Key]uint32{}
		var list []entry
		for range rapid.IntRange(0, 60).Draw(t, "entries") {
			k := Key{rapid.Uint64().Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")}
			if prefix > 0 {
				k.Hi = k.Hi<<prefix>>prefix | block<<(64-prefix)
			}
			k = k.truncate(keyBits)
			if _, ok := want[k]; ok {
				continue
			}
			want[k] = uint32(rapid.Uint64Range(0, 1<<valueBits-1).Draw(t, "value"))
			list = append(list, entry{k, want[k]})
		}
		sortEntries(list)
		code, err := encodeSparse(list, prefix, keyBits, valueBits)
		testenv.OK(t, err)
		v, err := viewSparse(code, prefix, keyBits, valueBits)
		testenv.OK(t, err)
		var back []entry
		testenv.OK(t, v.each(block, func(k Key, x uint32) error { back = append(back, entry{k, x}); return nil }))
		if len(back) != len(list) {
			t.Fatalf("%d entries, want %d", len(back), len(list))
		}
		for i, e := range list {
			if back[i] != e {
				t.Fatalf("entry %d: %v, want %v", i, back[i], e)
			}
			if x, ok := v.find(e.key); !ok || x != e.value {
				t.Fatalf("find %x: %d, %v; want %d", e.key, x, ok, e.value)
			}
			// Keys that differ in a single bit behind the prefix.
			for bit := prefix; bit < keyBits; bit++ {
				miss := e.key
				if bit < 64 {
					miss.Hi ^= 1 << (63 - bit)
				} else {
					miss.Lo ^= 1 << (127 - bit)
				}
				if _, there := want[miss]; there {
					continue
				}
				if x, ok := v.find(miss); ok {
					t.Fatalf("find %x: there is no such key, and it has the value %d", miss, x)
				}
			}
		}
	})
}

func TestUnpack(t *testing.T) {
	for _, bits := range []int{1, 2, 4, 8} {
		values := make([]uint8, 77)
		for i := range values {
			values[i] = uint8(i*37) & (1<<bits - 1)
		}
		block := pack(values, bits)
		for i, v := range values {
			if got := Unpack(block, i, bits); got != v {
				t.Errorf("%d bits, value %d: %d, want %d", bits, i, got, v)
			}
		}
	}
}

func TestCollisionsAreRefused(t *testing.T) {
	dir := t.TempDir()
	b, err := Create(dir, sparseSpec(2, 32))
	testenv.OK(t, err)
	w, _ := b.Shard(0)
	testenv.OK(t, w.Put(Key{7 << 32, 0}, 1))
	if err := w.Put(Key{7<<32 | 1, 0}, 1); !errors.Is(err, ErrCollision) {
		t.Errorf("same 32 bits in one shard: %v", err)
	}
	testenv.OK(t, w.Finish())
	w, _ = b.Shard(1)
	testenv.OK(t, w.Put(Key{7<<32 | 2, 0}, 2))
	testenv.OK(t, w.Finish())
	if _, err := b.Finish(context.Background(), FinishOptions{}); !errors.Is(err, ErrCollision) {
		t.Errorf("same 32 bits, other value in two shards: %v", err)
	}
}

func TestWriterRefusesNonsense(t *testing.T) {
	b, err := Create(t.TempDir(), denseSpec(64*10, false))
	testenv.OK(t, err)
	defer b.Close()
	if _, err := b.Shard(4); !errors.Is(err, ErrRange) {
		t.Errorf("shard 4 of 4: %v", err)
	}
	w, err := b.Shard(1)
	testenv.OK(t, err)
	block := make([]byte, 32)
	for says, err := range map[string]error{
		"got block 4, want 3 of 6": w.PutBlock(4, block),
		"31 bytes, want 32":        w.PutBlock(3, block[1:]),
		"it takes no keys":         w.Put(Key{}, 0),
		"ends before block 3 of 6": w.Finish(),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	testenv.OK(t, writeDenseShard(b, 1))
	if _, err := b.Shard(1); err == nil || !strings.Contains(err.Error(), "done already") {
		t.Errorf("a shard that is done: %v", err)
	}
	if _, err := b.Finish(context.Background(), FinishOptions{}); err == nil || !strings.Contains(err.Error(), "3 of 4 shards are not done") {
		t.Errorf("a table without its shards is finished: %v", err)
	}

	sparse, err := Create(t.TempDir(), sparseSpec(1, 64))
	testenv.OK(t, err)
	defer sparse.Close()
	w, err = sparse.Shard(0)
	testenv.OK(t, err)
	defer w.Abort()
	testenv.OK(t, w.Put(Key{2, 0}, 31))
	for says, err := range map[string]error{
		"it takes no blocks":            w.PutBlock(0, block),
		"keys do not ascend":            w.Put(Key{1, 0}, 0),
		"value 32 does not fit 5 bits":  w.Put(Key{3, 0}, 32),
		"share a key in their first 64": w.Put(Key{2, 1}, 0),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	for _, c := range []struct {
		spec Spec
		says string
	}{
		{Spec{}, "table name"},
		{Spec{Name: "../x", Game: "g", Kind: Dense, Blocks: 1, ShardBlocks: 1}, "table name"},
		{Spec{Name: "x", Kind: Dense, Blocks: 1, ShardBlocks: 1}, "no game"},
		{Spec{Name: "x", Game: "g", Blocks: 1, ShardBlocks: 1}, "kind"},
		{Spec{Name: "x", Game: "g", Kind: Dense, ShardBlocks: 1}, "need their number"},
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
		if _, err := Create(t.TempDir(), c.spec); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("spec %+v: %v, want %q", c.spec, err, c.says)
		}
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
	expect("unfinished", err, ErrMissing, "goes on where it stopped")
	b.Close()
	other := denseSpec(64*10, false)
	other.Solver = 2
	_, err = Create(dir, other)
	expect("other specification", err, ErrSpec, "delete it")

	buildDense(t, dir, 64*10, false)
	_, err = Create(dir, denseSpec(64*10, false))
	expect("exists", err, ErrExists, "delete the directory")
	_, err = Open(path, Options{Game: "chess"})
	expect("other game", err, ErrForeign, "test, not chess")
	_, err = Open(path, Options{Game: "test", Rules: 2})
	expect("other rules", err, ErrForeign, "rules version 1")

	// A program that writes to the directory locks it …
	db, err := openForWriting(path)
	testenv.OK(t, err)
	_, err = Open(path, Options{})
	if !errors.Is(err, ErrLocked) && !errors.Is(err, ErrNotClosed) && !errors.Is(err, ErrDamaged) {
		t.Errorf("open for writing elsewhere: %v", err)
	}
	db.Close()

	// … one that was killed leaves its log behind.
	dir2 := t.TempDir()
	buildDense(t, dir2, 64*10, false)
	path2 := filepath.Join(dir2, "dense")
	testenv.OK(t, os.WriteFile(filepath.Join(path2, "00001.mem"), make([]byte, 100), 0o644))
	_, err = Open(path2, Options{})
	expect("not closed", err, ErrNotClosed, "delete the table")

	h, err := ReadHeader(path)
	testenv.OK(t, err)
	h.Format = Format + 1
	testenv.OK(t, writeHeader(path, h))
	_, err = Open(path, Options{})
	expect("future format", err, ErrForeign, "format 2")

	dir3 := t.TempDir()
	db, err = openForWriting(filepath.Join(dir3, "plain"))
	testenv.OK(t, err)
	db.Close()
	_, err = Open(filepath.Join(dir3, "plain"), Options{})
	expect("a Badger directory of somebody else", err, ErrForeign, "not made by this program")
}

// A process that is killed after it has put the table into place, and before it
// has deleted the shards, leaves them; the next one that asks for the table
// removes them.
func TestShardsOfAFinishedTableAreRemoved(t *testing.T) {
	dir := t.TempDir()
	b, err := Create(dir, denseSpec(64*10, false))
	testenv.OK(t, err)
	writeShards(t, b)
	left, work := t.TempDir(), filepath.Join(dir, "dense"+BuildingSuffix)
	testenv.OK(t, os.CopyFS(left, os.DirFS(work)))
	if _, err := b.Finish(context.Background(), FinishOptions{}); err != nil {
		t.Fatal(err)
	}
	testenv.OK(t, os.CopyFS(work, os.DirFS(left)))
	unlock, err := disk.Lock(filepath.Join(work, lockName))
	testenv.OK(t, err)
	for _, held := range []bool{true, false} {
		if !held {
			unlock()
		}
		if _, err := Create(dir, denseSpec(64*10, false)); !errors.Is(err, ErrExists) {
			t.Fatal(err)
		}
		if _, err := os.Stat(work); (err == nil) != held {
			t.Errorf("its process still there %v: %v", held, err)
		}
	}
	noProblems(t, open(t, filepath.Join(dir, "dense")))
}

func TestManyReaders(t *testing.T) {
	dir := t.TempDir()
	const values = 64 * 200
	buildDense(t, dir, values, true)
	path := filepath.Join(dir, "dense")
	var wg sync.WaitGroup
	for range 3 {
		tab := open(t, path) // several times at once, as several processes would
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
	tab := open(t, path)
	if _, err := tab.Value(0); err != nil {
		t.Error(err)
	}
	tab.Close()
	for _, i := range []uint64{0, values - 1} { // a block in memory, and another one
		if v, err := tab.Value(i); !errors.Is(err, errClosed) {
			t.Errorf("a closed table answers %d, %v", v, err)
		}
	}
}

func TestVerificationKeepsABadTableOut(t *testing.T) {
	dir := t.TempDir()
	b, err := Create(dir, denseSpec(64*10, false))
	testenv.OK(t, err)
	writeShards(t, b)
	wrong := errors.New("value 5 is wrong")
	_, err = b.Finish(context.Background(), FinishOptions{Verify: func(context.Context, *Table) (uint64, error) { return 0, wrong }})
	if !errors.Is(err, wrong) {
		t.Fatalf("got %v", err)
	}
	if _, err := Open(filepath.Join(dir, "dense"), Options{}); !errors.Is(err, ErrMissing) {
		t.Errorf("the table was put in place: %v", err)
	}
	h, err := b.Finish(context.Background(), FinishOptions{
		Notes: map[string]uint64{"classes": 3},
		Verify: func(_ context.Context, tab *Table) (uint64, error) {
			for i := range uint64(640) {
				if v, err := tab.Value(i); err != nil || v != valueAt(i) {
					return i, fmt.Errorf("value %d: %d, %w", i, v, err)
				}
			}
			return 640, nil
		}})
	testenv.OK(t, err)
	got, err := ReadHeader(filepath.Join(dir, "dense"))
	if err != nil || got.Verified != 640 || got.Notes["classes"] != 3 {
		t.Errorf("header %+v, %v", got, err)
	}
	if d := cmp.Diff(h, got); d != "" {
		t.Error(d)
	}
}

// Finished shards are read back as they were written, with what was counted;
// dropped ones are pending again, and damaged ones are removed.
func TestShardsAreReadBack(t *testing.T) {
	const n = 5000 // more entries than a record holds
	b, err := Create(t.TempDir(), denseSpec(64*10, false))
	testenv.OK(t, err)
	defer b.Close()
	s, err := Create(t.TempDir(), sparseSpec(1, 72))
	testenv.OK(t, err)
	defer s.Close()
	for i := range 4 {
		testenv.OK(t, writeDenseShard(b, i))
	}
	testenv.OK(t, writeSparseShard(s, 0, n))
	want := uint64(3)
	if err := b.EachBlock(1, func(block uint64, payload []byte) error {
		if block != want || Unpack(payload, 5, 4) != valueAt(64*block+5) {
			t.Errorf("block %d: %x", block, payload)
		}
		want++
		return nil
	}); err != nil || want != 6 {
		t.Errorf("blocks up to %d, %v", want, err)
	}
	values := map[Key]uint32{}
	for i := range uint64(n) {
		values[keyAt(i).truncate(72)] = uint32(valueAt(i))
	}
	var last Key
	if err := s.EachEntry(0, func(k Key, v uint32) error {
		if w, ok := values[k]; !ok || v != w || !last.Less(k) {
			t.Errorf("%x: %d, want %d (there: %v)", k, v, w, ok)
		}
		delete(values, k)
		last = k
		return nil
	}); err != nil || len(values) > 0 {
		t.Errorf("%d entries are left, %v", len(values), err)
	}
	stop := errors.New("enough")
	if err := b.EachBlock(1, func(uint64, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("stopped: %v", err)
	}
	counted := map[int]uint64{}
	for i := uint64(3 * 64); i < 6*64; i++ {
		counted[int(valueAt(i))]++
	}
	if h, err := b.Histogram(1); err != nil || !maps.Equal(h, counted) {
		t.Errorf("counted %v, %v; want %v", h, err, counted)
	}

	if err := b.Drop(2); err != nil || b.Done(2) || !slices.Equal(b.Pending(), []int{2}) {
		t.Errorf("dropped: %v, pending %v", err, b.Pending())
	}
	if err := b.Drop(2); err != nil {
		t.Errorf("dropped again: %v", err)
	}
	for _, c := range []struct {
		path string
		read func() error
	}{
		{b.shardPath(1), func() error { return b.EachBlock(1, func(uint64, []byte) error { return nil }) }},
		{s.shardPath(0), func() error { return s.EachEntry(0, func(Key, uint32) error { return nil }) }},
	} {
		data := testenv.ReadFile(t, c.path)
		data[len(shardMagic)+recordHead+5] ^= 1 // of the first record
		testenv.OK(t, os.WriteFile(c.path, data, 0o644))
		if err := c.read(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "run the same command again") {
			t.Errorf("damaged: %v", err)
		}
		if _, err := os.Stat(c.path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the damaged shard is still there: %v", err)
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
	testenv.OK(t, os.WriteFile(filepath.Join(dir, "dense-2", tableName), []byte("{}"), 0o644))
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
		"dense": {filepath.Join(dir, "dense"), filepath.Join(dir, "dense-2")}, // what can't be used is for Open to say
		"":      {filepath.Join(dir, "dense"), filepath.Join(dir, "dense-2")},
		"spa":   nil,
	} {
		if got, err := Named(dir, prefix); err != nil || !slices.Equal(got, want) {
			t.Errorf("named %s: %v, %v", prefix, got, err)
		}
	}
}
