package store

import (
	stdcmp "cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

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

func sortEntries(list []entry) {
	slices.SortFunc(list, func(a, b entry) int {
		return stdcmp.Or(stdcmp.Compare(a.key.Hi, b.key.Hi), stdcmp.Compare(a.key.Lo, b.key.Lo))
	})
}

func buildDense(t testing.TB, dir string, values uint64, compress bool) *Header {
	t.Helper()
	b, err := Create(dir, denseSpec(values, compress))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range b.Pending() {
		if err := writeDenseShard(b, i); err != nil {
			t.Fatal(err)
		}
	}
	h, err := b.Finish(context.Background(), FinishOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func buildSparse(t testing.TB, dir string, shards, keyBits int, n uint64) *Header {
	t.Helper()
	b, err := Create(dir, sparseSpec(shards, keyBits))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range b.Pending() {
		if err := writeSparseShard(b, i, n); err != nil {
			t.Fatal(err)
		}
	}
	h, err := b.Finish(context.Background(), FinishOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func open(t testing.TB, path string) *Table {
	t.Helper()
	tab, err := Open(path, Options{Game: "test", Rules: 1})
	if err != nil {
		t.Fatal(err)
	}
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

func noProblems(t *testing.T, tab *Table) {
	t.Helper()
	if err := tab.Verify(context.Background(), func(err error) { t.Errorf("verify: %v", err) }, nil); err != nil {
		t.Fatal(err)
	}
}

func TestOpaqueBlocks(t *testing.T) {
	dir := t.TempDir()
	spec := Spec{Name: "opaque", Game: "test", Rules: 1, Kind: Dense, Blocks: 5, ShardBlocks: 2}
	b, err := Create(dir, spec)
	if err != nil {
		t.Fatal(err)
	}
	content := func(n uint64) []byte { return []byte(strings.Repeat("block", int(n*n*5000))) }
	for _, shard := range []int{2, 0, 1} {
		w, err := b.Shard(shard)
		if err != nil {
			t.Fatal(err)
		}
		first, end := b.Spec().ShardRange(shard)
		for n := first; n < end; n++ {
			if err := w.PutBlock(n, content(n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range b.Pending() {
		if err := writeDenseShard(b, i); err != nil {
			t.Fatal(err)
		}
	}
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
		if err != nil {
			t.Fatal(err)
		}
		v, err := viewSparse(code, prefix, keyBits, valueBits)
		if err != nil {
			t.Fatal(err)
		}
		var back []entry
		if err := v.each(block, func(k Key, x uint32) error { back = append(back, entry{k, x}); return nil }); err != nil {
			t.Fatal(err)
		}
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
			miss := e.key
			miss.Hi ^= 1 << (64 - min(keyBits, 64)) // the last bit that counts
			if _, there := want[miss]; !there && keyBits > prefix {
				if _, ok := v.find(miss); ok && keyBits <= 64 {
					t.Fatalf("find %x: there is no such key", miss)
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
	if err != nil {
		t.Fatal(err)
	}
	w, _ := b.Shard(0)
	if err := w.Put(Key{7 << 32, 0}, 1); err != nil {
		t.Fatal(err)
	}
	if err := w.Put(Key{7<<32 | 1, 0}, 1); !errors.Is(err, ErrCollision) {
		t.Errorf("same 32 bits in one shard: %v", err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	w, _ = b.Shard(1)
	if err := w.Put(Key{7<<32 | 2, 0}, 2); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Finish(context.Background(), FinishOptions{}); !errors.Is(err, ErrCollision) {
		t.Errorf("same 32 bits, other value in two shards: %v", err)
	}
}

func TestWriterRefusesNonsense(t *testing.T) {
	b, err := Create(t.TempDir(), denseSpec(64*10, false))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Shard(4); !errors.Is(err, ErrRange) {
		t.Errorf("shard 4 of 4: %v", err)
	}
	w, err := b.Shard(1)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 32)
	for name, err := range map[string]error{
		"wrong block":       w.PutBlock(4, block),
		"wrong size":        w.PutBlock(3, block[1:]),
		"key":               w.Put(Key{}, 0),
		"unfinished finish": w.Finish(),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := b.Finish(context.Background(), FinishOptions{}); err == nil {
		t.Error("a table without its shards was finished")
	}
	for _, spec := range []Spec{
		{},
		{Name: "../x", Game: "g", Kind: Dense, Blocks: 1, ShardBlocks: 1},
		{Name: "x", Kind: Dense, Blocks: 1, ShardBlocks: 1},
		{Name: "x", Game: "g", Blocks: 1, ShardBlocks: 1},
		{Name: "x", Game: "g", Kind: Dense, Bits: 3, BlockValues: 64, Values: 9, ShardBlocks: 1},
		{Name: "x", Game: "g", Kind: Dense, Bits: 4, BlockValues: 8192, Values: 9, ShardBlocks: 1},
		{Name: "x", Game: "g", Kind: Sparse, KeyBits: 60, ValueBits: 4, Shards: 1},
		{Name: "x", Game: "g", Kind: Sparse, KeyBits: 64, ValueBits: 40, Shards: 1},
		{Name: "x", Game: "g", Kind: Sparse, KeyBits: 64, ValueBits: 4, Shards: 1000},
	} {
		if _, err := Create(t.TempDir(), spec); err == nil {
			t.Errorf("spec %+v: no error", spec)
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
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(path, Options{})
	if !errors.Is(err, ErrLocked) && !errors.Is(err, ErrNotClosed) && !errors.Is(err, ErrDamaged) {
		t.Errorf("open for writing elsewhere: %v", err)
	}
	db.Close()

	// … one that was killed leaves its log behind.
	dir2 := t.TempDir()
	buildDense(t, dir2, 64*10, false)
	path2 := filepath.Join(dir2, "dense")
	if err := os.WriteFile(filepath.Join(path2, "00001.mem"), make([]byte, 100), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path2, Options{})
	expect("not closed", err, ErrNotClosed, "delete the table")

	h, err := ReadHeader(path)
	if err != nil {
		t.Fatal(err)
	}
	h.Format = Format + 1
	if err := writeHeader(path, h); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path, Options{})
	expect("future format", err, ErrForeign, "format 2")

	dir3 := t.TempDir()
	db, err = openForWriting(filepath.Join(dir3, "plain"))
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	_, err = Open(filepath.Join(dir3, "plain"), Options{})
	expect("a Badger directory of somebody else", err, ErrForeign, "not made by this program")
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
	tab.Close()
	if _, err := tab.Value(0); err == nil {
		t.Error("a closed table answered")
	}
}

func TestVerificationKeepsABadTableOut(t *testing.T) {
	dir := t.TempDir()
	b, err := Create(dir, denseSpec(64*10, false))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range b.Pending() {
		if err := writeDenseShard(b, i); err != nil {
			t.Fatal(err)
		}
	}
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
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadHeader(filepath.Join(dir, "dense"))
	if err != nil || got.Verified != 640 || got.Notes["classes"] != 3 {
		t.Errorf("header %+v, %v", got, err)
	}
	if d := cmp.Diff(h, got); d != "" {
		t.Error(d)
	}
}

// damageRounds is how often TestDamage damages each file; ENDWISE_DEEP=1 makes
// it a long test.
var damageRounds = func() int {
	if os.Getenv("ENDWISE_DEEP") != "" {
		return 3000
	}
	return 16
}()

// TestDamage flips bits all over finished tables. Whatever is hit, no value is
// wrong, nothing panics, and Verify notices.
func TestDamage(t *testing.T) {
	const values, entries = 64 * 300, 3000
	for _, kind := range []string{"dense", "sparse"} {
		master := t.TempDir()
		if kind == "dense" {
			buildDense(t, master, values, true)
		} else {
			buildSparse(t, master, 3, 64, entries)
		}
		names, err := os.ReadDir(filepath.Join(master, kind))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(7, 7))
		for _, e := range names {
			clean, err := os.ReadFile(filepath.Join(master, kind, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for round := range damageRounds {
				path := filepath.Join(t.TempDir(), kind)
				if err := os.CopyFS(path, os.DirFS(filepath.Join(master, kind))); err != nil {
					t.Fatal(err)
				}
				dirty := append([]byte(nil), clean...)
				switch {
				case len(dirty) == 0:
					dirty = []byte{1}
				case round == 0:
					dirty = dirty[:len(dirty)/2]
				case round == 1:
					dirty = append(dirty, 0)
				case round < 10: // near the end, where lengths are
					dirty[max(0, len(dirty)-1-r.IntN(64))] ^= 1 << r.IntN(8)
				default:
					dirty[r.IntN(len(dirty))] ^= 1 << r.IntN(8)
				}
				if err := os.WriteFile(filepath.Join(path, e.Name()), dirty, 0o644); err != nil {
					t.Fatal(err)
				}
				damagedTable(t, fmt.Sprintf("%s/%s round %d", kind, e.Name(), round), path, values, entries)
			}
		}
	}
}

func damagedTable(t *testing.T, name, path string, values, entries uint64) {
	tab, err := Open(path, Options{})
	if err != nil {
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) && !errors.Is(err, ErrNotClosed) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: open: %v", name, err)
		}
		return
	}
	defer tab.Close()
	if tab.Header().Kind == Dense {
		for i := range values {
			if v, err := tab.Value(i); err == nil && v != valueAt(i) || err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatalf("%s: value %d: %d, %v; want %d", name, i, v, err, valueAt(i))
			}
		}
	} else {
		for i := range entries {
			if v, ok, err := tab.Lookup(keyAt(i)); err == nil && (!ok || v != uint32(valueAt(i))) || err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatalf("%s: entry %d: %d, %v, %v; want %d", name, i, v, ok, err, valueAt(i))
			}
		}
	}
	found := 0
	if err := tab.Verify(context.Background(), func(error) { found++ }, nil); err != nil || found == 0 {
		t.Errorf("%s: verify found nothing (%v)", name, err)
	}
}

// TestDamagedShardIsRedone flips bits in shard files between two runs.
func TestDamagedShardIsRedone(t *testing.T) {
	ctx := context.Background()
	want := buildDense(t, t.TempDir(), 64*60, false).SHA256
	r := rand.New(rand.NewPCG(3, 3))
	for round := range 20 {
		dir := t.TempDir()
		b, err := Create(dir, denseSpec(64*60, false))
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range b.Pending() {
			if err := writeDenseShard(b, i); err != nil {
				t.Fatal(err)
			}
		}
		b.Close()
		path := b.shardPath(r.IntN(20))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if round < 5 {
			data = data[:r.IntN(len(data))]
		} else {
			data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		// The damage shows at once or in Finish, which removes the shard.
		var h *Header
		for range 3 {
			if b, err = Create(dir, denseSpec(64*60, false)); err != nil {
				t.Fatal(err)
			}
			for _, i := range b.Pending() {
				if err := writeDenseShard(b, i); err != nil {
					t.Fatal(err)
				}
			}
			h, err = b.Finish(ctx, FinishOptions{})
			b.Close()
			if err == nil {
				break
			}
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
		}
		if err != nil || h.SHA256 != want {
			t.Fatalf("round %d: %v, digest %v", round, err, h)
		}
		if h.Positions != 64*60 {
			t.Fatalf("round %d: %d positions", round, h.Positions)
		}
	}
}

// TestKilledBuild kills a real process that builds a table, again and again at
// random moments, and expects the digest of an undisturbed build.
func TestKilledBuild(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"dense", "sparse"} {
		t.Run(kind, func(t *testing.T) {
			var want string
			if kind == "dense" {
				want = buildDense(t, t.TempDir(), childValues, true).SHA256
			} else {
				want = buildSparse(t, t.TempDir(), childShards, 64, childEntries).SHA256
			}
			dir := t.TempDir()
			r := rand.New(rand.NewPCG(11, uint64(time.Now().UnixNano())))
			kills := 0
			for {
				cmd := exec.Command(self, "-test.run=^TestBuilderProcess$")
				cmd.Env = append(os.Environ(), "STORE_TEST_CHILD="+kind, "STORE_TEST_DIR="+dir)
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				// Let it get a random number of steps further, then a random
				// moment more; its output ends when it is finished.
				if kills < 20 {
					io.CopyN(io.Discard, out, 1+r.Int64N(8))
					time.Sleep(time.Duration(r.IntN(4000)) * time.Microsecond)
					cmd.Process.Kill()
					kills++
				}
				io.Copy(io.Discard, out)
				if cmd.Wait() == nil {
					break
				}
			}
			h, err := ReadHeader(filepath.Join(dir, kind))
			if err != nil {
				t.Fatal(err)
			}
			if h.SHA256 != want {
				t.Errorf("digest after %d kills %s, want %s", kills, h.SHA256, want)
			}
			noProblems(t, open(t, filepath.Join(dir, kind)))
			t.Logf("%d kills", kills)
		})
	}
}

const (
	childValues  = 64 * 3 * 30 // 30 shards
	childEntries = 3000
	childShards  = 30
)

// TestBuilderProcess is the process that TestKilledBuild kills; it writes a
// byte for each step.
func TestBuilderProcess(t *testing.T) {
	kind, dir := os.Getenv("STORE_TEST_CHILD"), os.Getenv("STORE_TEST_DIR")
	if kind == "" {
		return // nothing to do unless TestKilledBuild started us
	}
	step := func() { os.Stdout.Write([]byte{'.'}) }
	spec := denseSpec(childValues, true)
	if kind == "sparse" {
		spec = sparseSpec(childShards, 64)
	}
	b, err := Create(dir, spec)
	if errors.Is(err, ErrExists) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range b.Pending() {
		if kind == "dense" {
			err = writeDenseShard(b, i)
		} else {
			err = writeSparseShard(b, i, childEntries)
		}
		if err != nil {
			t.Fatal(err)
		}
		step()
	}
	_, err = b.Finish(context.Background(), FinishOptions{
		Progress: func(int, int) { step() },
		Verify:   func(context.Context, *Table) (uint64, error) { step(); return 0, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	if l, err := List(filepath.Join(dir, "nothing")); err != nil || len(l) != 0 {
		t.Errorf("%v, %v", l, err)
	}
	buildDense(t, dir, 640, false)
	b, err := Create(dir, sparseSpec(3, 64))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := writeSparseShard(b, 1, 50); err != nil {
		t.Fatal(err)
	}
	os.Mkdir(filepath.Join(dir, "other"), 0o755)
	l, err := List(dir)
	if err != nil || len(l) != 2 {
		t.Fatalf("%v, %v", l, err)
	}
	if l[0].Name != "dense" || l[0].Header == nil || l[0].Building || l[0].Header.Bytes() == 0 {
		t.Errorf("%+v", l[0])
	}
	if l[1].Name != "sparse" || !l[1].Building || l[1].ShardsDone != 1 || l[1].ShardsTotal != 3 {
		t.Errorf("%+v", l[1])
	}
}
