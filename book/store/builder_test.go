package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/engine/disk"
	"endwise/engine/testenv"
)

// The digest does not depend on the order of the shards, nor on whether they are written
// concurrently.
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

func TestTransform(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	b, err := Create(dir, denseSpec(64*300, true))
	testenv.OK(t, err)
	writeMissing(t, b)
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
	tab := openTest(t, filepath.Join(dir, "dense"))
	for i := range uint64(64 * 300) {
		if v, err := tab.Value(i); err != nil || v != valueAt(i)^15 {
			t.Fatalf("value %d: %d, %v; want %d", i, v, err, valueAt(i)^15)
		}
	}
	noProblems(t, tab)
}

func TestCollisionsAreRefused(t *testing.T) {
	dir := t.TempDir()
	b, err := Create(dir, sparseSpec(2, 32))
	testenv.OK(t, err)
	w, _ := b.CreateShard(0)
	testenv.OK(t, w.Put(Key{Hi: 7 << 32}, 1))
	if err := w.Put(Key{Hi: 7<<32 | 1}, 1); !errors.Is(err, ErrCollision) {
		t.Errorf("same 32 bits in one shard: %v", err)
	}
	testenv.OK(t, w.Finish())
	w, _ = b.CreateShard(1)
	testenv.OK(t, w.Put(Key{Hi: 7<<32 | 2}, 2))
	testenv.OK(t, w.Finish())
	if _, err := b.Finish(context.Background(), FinishOptions{}); !errors.Is(err, ErrCollision) {
		t.Errorf("same 32 bits, other value in two shards: %v", err)
	}
}

func TestWriterRefusesWrongData(t *testing.T) {
	b, err := Create(t.TempDir(), denseSpec(64*10, false))
	testenv.OK(t, err)
	defer b.Close()
	if _, err := b.CreateShard(4); !errors.Is(err, ErrRange) {
		t.Errorf("shard 4 of 4: %v", err)
	}
	w, err := b.CreateShard(1)
	testenv.OK(t, err)
	block := make([]byte, 32)
	for says, err := range map[string]error{
		"got block 4, want 3":                      w.PutBlock(4, block),
		"31 bytes, want 32":                        w.PutBlock(3, block[1:]),
		"it takes no keys":                         w.Put(Key{}, 0),
		"ends before block 3; its last block is 5": w.Finish(),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	testenv.OK(t, writeDenseShard(b, 1))
	if _, err := b.CreateShard(1); err == nil || !strings.Contains(err.Error(), "done already") {
		t.Errorf("a shard that is done: %v", err)
	}
	if _, err := b.Finish(context.Background(), FinishOptions{}); err == nil || !strings.Contains(err.Error(), "3 of 4 shards are not done") {
		t.Errorf("a table without its shards is finished: %v", err)
	}

	entries, err := Create(t.TempDir(), sparseSpec(1, 64))
	testenv.OK(t, err)
	defer entries.Close()
	w, err = entries.CreateShard(0)
	testenv.OK(t, err)
	defer w.Abort()
	testenv.OK(t, w.Put(Key{Hi: 2}, 31))
	for says, err := range map[string]error{
		"it takes no blocks":           w.PutBlock(0, block),
		"keys do not ascend":           w.Put(Key{Hi: 1}, 0),
		"value 32 does not fit 5 bits": w.Put(Key{Hi: 3}, 32),
		"first 64 bits are equal":      w.Put(Key{Hi: 2, Lo: 1}, 0),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// A damaged shard is deleted by the Finish that reads it, and is then pending again.
func TestFinishAfterDamagedShard(t *testing.T) {
	for _, kind := range []Kind{Dense, Sparse} {
		for _, part := range []string{"content", "trailer"} {
			spec, write := denseSpec(64*10, false), writeDenseShard
			if kind == Sparse {
				spec = sparseSpec(4, 64)
				write = func(b *Builder, shard int) error { return writeSparseShard(b, shard, 100) }
			}
			b, err := Create(t.TempDir(), spec)
			testenv.OK(t, err)
			defer b.Close()
			for i := range 4 {
				testenv.OK(t, write(b, i))
			}
			data := testenv.ReadFile(t, b.shardPath(2))
			at := len(shardMagic) + recordHead
			if part == "trailer" {
				at = len(data) - 10
			}
			data[at] ^= 1
			testenv.OK(t, os.WriteFile(b.shardPath(2), data, 0o644))
			if _, err := b.Finish(t.Context(), FinishOptions{}); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, %s: finish: %v, want ErrDamaged", kind, part, err)
			}
			if left := b.Pending(); !slices.Equal(left, []int{2}) {
				t.Fatalf("%s, %s: pending %v, want 2", kind, part, left)
			}
			testenv.OK(t, write(b, 2))
			if _, err := b.Finish(t.Context(), FinishOptions{}); err != nil {
				t.Errorf("%s, %s: finish again: %v", kind, part, err)
			}
		}
	}
}

// If a process is killed after it has renamed the table and before it has deleted the
// building directory, the next Create deletes the directory.
func TestShardsOfFinishedTableAreRemoved(t *testing.T) {
	dir := t.TempDir()
	b, err := Create(dir, denseSpec(64*10, false))
	testenv.OK(t, err)
	writeMissing(t, b)
	left, work := t.TempDir(), filepath.Join(dir, "dense"+BuildingSuffix)
	testenv.OK(t, os.CopyFS(left, os.DirFS(work)))
	if _, err := b.Finish(context.Background(), FinishOptions{}); err != nil {
		t.Fatal(err)
	}
	testenv.OK(t, os.CopyFS(work, os.DirFS(left)))
	unlock, err := disk.Lock(filepath.Join(work, "lock"))
	testenv.OK(t, err)
	for _, held := range []bool{true, false} {
		if !held {
			unlock()
		}
		if _, err := Create(dir, denseSpec(64*10, false)); !errors.As(err, new(*ExistsError)) {
			t.Fatal(err)
		}
		if _, err := os.Stat(work); (err == nil) != held {
			t.Errorf("its process still there %v: %v", held, err)
		}
	}
	noProblems(t, openTest(t, filepath.Join(dir, "dense")))
}

func TestBadTableIsNotPutIntoPlace(t *testing.T) {
	dir := t.TempDir()
	b, err := Create(dir, denseSpec(64*10, false))
	testenv.OK(t, err)
	writeMissing(t, b)
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

// Finished shards are read as they were written, with their counts; aborted ones are
// pending again, and damaged ones are removed.
func TestShardsAreReadBack(t *testing.T) {
	const n = 5000 // more entries than a record contains
	dense, sparseDir := t.TempDir(), t.TempDir()
	b, err := Create(dense, denseSpec(64*10, false))
	testenv.OK(t, err)
	defer b.Close()
	s, err := Create(sparseDir, sparseSpec(1, 72))
	testenv.OK(t, err)
	defer s.Close()
	for i := range 4 {
		testenv.OK(t, writeDenseShard(b, i))
	}
	testenv.OK(t, writeSparseShard(s, 0, n))
	want := uint64(3)
	if err := b.EachBlock(1, func(block uint64, payload []byte) error {
		if block != want || payload[2]>>4 != valueAt(64*block+5) {
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
		if w, ok := values[k]; !ok || v != w || last.compare(k) >= 0 {
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

	for _, c := range []struct {
		path string
		read func() error
	}{
		{filepath.Join(dense, "dense"+BuildingSuffix, shardName(1)), func() error { return b.EachBlock(1, func(uint64, []byte) error { return nil }) }},
		{filepath.Join(sparseDir, "sparse"+BuildingSuffix, shardName(0)), func() error { return s.EachEntry(0, func(Key, uint32) error { return nil }) }},
	} {
		data := testenv.ReadFile(t, c.path)
		data[len("EWSHARD1")+16+5] ^= 1 // of the first record
		testenv.OK(t, os.WriteFile(c.path, data, 0o644))
		if err := c.read(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "run the same command again") {
			t.Errorf("damaged: %v", err)
		}
		if _, err := os.Stat(c.path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the damaged shard is still there: %v", err)
		}
	}
}

// A shard with a block after its last one is damaged; EachBlock does not pass on that block.
func TestSurplusBlock(t *testing.T) {
	b, err := Create(t.TempDir(), Spec{Name: "x", Game: "test", Kind: Dense, Blocks: 4, ShardBlocks: 2})
	testenv.OK(t, err)
	defer b.Close()
	w, err := b.CreateShard(0)
	testenv.OK(t, err)
	for n := range uint64(3) {
		testenv.OK(t, w.writeRecord(n, []byte("block")))
	}
	w.next = w.end // as if PutBlock had written the blocks
	testenv.OK(t, w.Finish())
	var got []uint64
	err = b.EachBlock(0, func(n uint64, _ []byte) error {
		got = append(got, n)
		return nil
	})
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "block 2 after the last block") || len(got) != 2 {
		t.Errorf("blocks %v, %v", got, err)
	}
	if b.Done(0) {
		t.Error("the damaged shard is not pending")
	}
}

// A shard whose Finish failed is pending in the next run, even if its file has the final name
// already, as after a failed sync of the directory. The test puts another file there instead.
func TestFailedFinishRemovesShard(t *testing.T) {
	dir, spec := t.TempDir(), denseSpec(64*10, false)
	b, err := Create(dir, spec)
	testenv.OK(t, err)
	testenv.OK(t, writeDenseShard(b, 0))
	w, err := b.CreateShard(1)
	testenv.OK(t, err)
	testenv.OK(t, os.WriteFile(b.shardPath(1), testenv.ReadFile(t, b.shardPath(0)), 0o644))
	if err := w.Finish(); err == nil {
		t.Error("an incomplete shard was finished")
	}
	b.Close()
	b, err = Create(dir, spec)
	testenv.OK(t, err)
	defer b.Close()
	if !b.Done(0) || b.Done(1) {
		t.Errorf("pending shards %v, want all except shard 0", b.Pending())
	}
}

// TestDamagedShardIsRedone flips bits in shard files between two runs. Create or Finish
// finds the damage and removes the shard.
func TestDamagedShardIsRedone(t *testing.T) {
	const values, shards = 64 * 60, 20
	want := buildDense(t, t.TempDir(), values, false).SHA256
	master := t.TempDir()
	b, err := Create(master, denseSpec(values, false))
	testenv.OK(t, err)
	writeMissing(t, b)
	b.Close()
	r := rand.New(rand.NewPCG(3, 3))
	for round := range 12 {
		dir := t.TempDir()
		testenv.OK(t, os.CopyFS(dir, os.DirFS(master)))
		path := filepath.Join(dir, "dense"+BuildingSuffix, shardName(r.IntN(shards)))
		data := testenv.ReadFile(t, path)
		if round < 4 {
			data = data[:r.IntN(len(data))]
		} else {
			data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		}
		testenv.OK(t, os.WriteFile(path, data, 0o644))
		redone := 0
		var h *Header
		for range 2 {
			b, err = Create(dir, denseSpec(values, false))
			testenv.OK(t, err)
			for _, i := range b.Pending() {
				redone++
				testenv.OK(t, writeDenseShard(b, i))
			}
			h, err = b.Finish(context.Background(), FinishOptions{})
			b.Close()
			if err == nil {
				break
			}
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
		}
		if err != nil || h.SHA256 != want || h.Positions != values {
			t.Fatalf("round %d: %v, %+v", round, err, h)
		}
		if redone != 1 {
			t.Errorf("round %d: %d shards are redone", round, redone)
		}
	}
}

// A table that Badger writes in several flushes has every block and no problems, and every
// user can read it. Compression makes it smaller only if the blocks can be compressed.
func TestLargeTable(t *testing.T) {
	const blocks, size = 48, 256 << 10
	bytesOf := map[string]int64{}
	for _, c := range []struct {
		name     string
		compress bool
		fill     func(block []byte, r *rand.ChaCha8)
	}{
		{"plain", false, func(b []byte, r *rand.ChaCha8) { r.Read(b) }},
		{"random", true, func(b []byte, r *rand.ChaCha8) { r.Read(b) }},
		{"even", true, func(b []byte, r *rand.ChaCha8) { r.Read(b[:size/16]) }},
	} {
		block := func(n uint64) []byte {
			b := make([]byte, size)
			c.fill(b, rand.NewChaCha8([32]byte{byte(n)}))
			return b
		}
		dir := t.TempDir()
		b, err := Create(dir, Spec{Name: "large", Title: "test", Game: "test", Rules: 1, Solver: 1, Kind: Dense, Blocks: blocks, ShardBlocks: 10, Compress: c.compress})
		testenv.OK(t, err)
		for _, i := range b.Pending() {
			w, err := b.CreateShard(i)
			testenv.OK(t, err)
			for n, end := b.Spec().ShardRange(i); n < end; n++ {
				testenv.OK(t, w.PutBlock(n, block(n)))
			}
			testenv.OK(t, w.Finish())
		}
		h, err := b.Finish(t.Context(), FinishOptions{})
		testenv.OK(t, err)
		if h.PayloadBytes != blocks*size {
			t.Errorf("%s: %d bytes of payload", c.name, h.PayloadBytes)
		}
		bytesOf[c.name] = int64(h.Bytes())
		tab := openTest(t, filepath.Join(dir, "large"))
		for n := range uint64(blocks) {
			if got, err := tab.Block(n); err != nil || !bytes.Equal(got, block(n)) {
				t.Fatalf("%s: block %d: %d bytes, %v", c.name, n, len(got), err)
			}
		}
		noProblems(t, tab)
		testenv.OK(t, filepath.WalkDir(tab.Path(), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			want := fs.FileMode(0o644)
			if e.IsDir() {
				want = 0o755
			}
			if err == nil && info.Mode().Perm() != want && runtime.GOOS != "windows" {
				t.Errorf("%s: %v, want %v", path, info.Mode(), want)
			}
			return err
		}))
	}
	if p, r, e := bytesOf["plain"], bytesOf["random"], bytesOf["even"]; p < blocks*size || r < p || r > p+p/100 || e > p/8 {
		t.Errorf("%d bytes without compression, %d random ones and %d even ones with it", p, r, e)
	}
}

// A block is compressed only if that makes it smaller: the stored block never takes more than
// the block's bytes, the coding byte and the checksum.
func TestStoredSize(t *testing.T) {
	random := make([]byte, 4096)
	rand.NewChaCha8([32]byte{1}).Read(random)
	for _, compress := range []bool{false, true} {
		e, err := newEncoder(compress)
		testenv.OK(t, err)
		var d decoder
		most := 4
		if compress {
			most++
			d.zstd, err = newZstdDecoder()
			testenv.OK(t, err)
		}
		payloads := map[string][]byte{"zeros": make([]byte, 4096), "random": random, "short": random[:3], "empty": {}}
		for n := range 32 { // neither form is much smaller
			payloads[fmt.Sprintf("%d zeros", n)] = append(random[:40:40], make([]byte, n)...)
		}
		as := map[byte]int{}
		for name, payload := range payloads {
			stored := e.encode(7, payload)
			if compress {
				as[stored[0]]++
				packed := e.zstd.EncodeAll(payload, []byte{storedZstd})
				if want := min(len(packed), 1+len(payload)) + 4; len(stored) != want {
					t.Errorf("%s: %d bytes stored, want %d", name, len(stored), want)
				}
			}
			switch {
			case name == "zeros" && compress:
				if len(stored) > len(payload)/10 {
					t.Errorf("zeros: %d bytes of %d", len(stored), len(payload))
				}
			case len(stored) > len(payload)+most, !compress && len(stored) != len(payload)+4:
				t.Errorf("%s, compressed %t: %d bytes of %d", name, compress, len(stored), len(payload))
			}
			if got, err := d.decode(7, stored); err != nil || !bytes.Equal(got, payload) {
				t.Errorf("%s, compressed %t: decoded %d bytes, %v", name, compress, len(got), err)
			}
			if _, err := d.decode(8, stored); err == nil {
				t.Errorf("%s, compressed %t: read as another block", name, compress)
			}
		}
		if compress && (as[storedPlain] < 10 || as[storedZstd] < 10) {
			t.Errorf("blocks by coding: %v", as)
		}
		d.close()
	}
}

// Files in a building directory that do not have the name of a shard are ignored, even if
// they contain one.
func TestNamesOfShards(t *testing.T) {
	const values, shards = 64 * 60, 20
	dir := t.TempDir()
	b, err := Create(dir, denseSpec(values, false))
	testenv.OK(t, err)
	testenv.OK(t, writeDenseShard(b, 0))
	data := testenv.ReadFile(t, b.shardPath(0))
	for _, name := range []string{"shard-5", "shard-0000006x", "shard--000001", shardName(shards), "shard", "0000007"} {
		testenv.OK(t, os.WriteFile(filepath.Join(filepath.Dir(b.shardPath(0)), name), data, 0o644))
	}
	b.Close()
	b, err = Create(dir, denseSpec(values, false))
	testenv.OK(t, err)
	defer b.Close()
	if p := b.Pending(); len(p) != shards-1 || p[0] != 1 {
		t.Errorf("shards %v are missing, want 1 to %d", p, shards-1)
	}
}
