package store

import (
	"bytes"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/ristretto/v2/z"
	"github.com/klauspost/compress/zstd"

	"endwise/engine/disk"
)

// FinishOptions are what Finish may be told. The zero value is fine.
type FinishOptions struct {
	// Verify checks the finished table before it is put into place, for
	// instance by working out a share of the entries with another method. It
	// returns how many entries it compared; an error keeps the table from
	// its place, and the shards are kept.
	Verify func(context.Context, *Table) (checked uint64, err error)
	// Transform, if given, turns each block of a dense table into what the
	// table keeps, so that the shards may hold what later shards of a resumed
	// build need and the table only what readers need. It is called from
	// several goroutines, must leave packed blocks at their size, and must
	// give the same bytes every time: the digest is over its results.
	Transform func(block uint64, payload []byte) ([]byte, error)
	// Notes go into the header; Verify may still change them.
	Notes map[string]uint64
	// Progress is told how many of all shards are in the table.
	Progress func(done, total int)
}

// roomBeside is what a table takes beside what its shards took: Badger's own
// files and the keys of blocks, before tidy removes some of it.
const roomBeside = 512 << 10

// Finish makes the table of the finished shards, verifies it and puts it into
// place; then it deletes the building directory. When it fails the shards stay,
// and the next Finish starts over from them. It returns the table's header.
func (b *Builder) Finish(ctx context.Context, o FinishOptions) (*Header, error) {
	if left := len(b.Pending()); left > 0 {
		return nil, fmt.Errorf("finish %s: %d of %d shards are not done", b.spec.Name, left, b.spec.Shards)
	}
	h := &Header{Format: Format, Spec: b.spec, Histogram: map[int]uint64{}, Notes: o.Notes, Built: time.Now().UTC().Truncate(time.Second)}
	var entries uint64
	room := int64(roomBeside)
	for i := range b.spec.Shards {
		if st, err := os.Stat(b.shardPath(i)); err == nil {
			room += st.Size() + st.Size()/8
		}
		st, err := readShardStats(b.shardPath(i))
		if err != nil {
			return nil, removeDamaged(b.shardPath(i), err)
		}
		entries += st.Entries
		h.Positions += st.Positions
		h.Counts = append(h.Counts, st.Positions)
		for v, n := range st.Histogram {
			h.Histogram[v] += n
		}
	}
	if b.spec.Kind == Sparse {
		h.PrefixBits = sparsePrefix(entries, b.spec.KeyBits)
		h.Blocks = 1 << h.PrefixBits
	}
	if err := checkRoom(b.work, room); err != nil {
		return nil, fmt.Errorf("finish %s: %w", b.spec.Name, err)
	}
	dir := filepath.Join(b.work, finalName)
	if err := b.writeBadger(ctx, dir, h, o); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("finish %s: %w", b.spec.Name, err)
	}
	err := tidy(dir)
	if err == nil {
		h.Files, err = sealFiles(dir)
	}
	if err == nil {
		err = writeHeader(dir, h)
	}
	if err != nil {
		return nil, fmt.Errorf("finish %s: %w", b.spec.Name, err)
	}
	if o.Verify != nil {
		if err := b.verifyFinal(ctx, dir, h, o.Verify); err != nil {
			return nil, fmt.Errorf("verify %s: %w", b.spec.Name, err)
		}
	}
	final := filepath.Join(b.dir, b.spec.Name)
	if err := disk.Rename(dir, final); err != nil {
		return nil, err
	}
	if err := b.Discard(); err != nil {
		return nil, fmt.Errorf("finish %s: the table is in place, but its building directory stays: %w", b.spec.Name, err)
	}
	return h, nil
}

// tidy removes what a reader does not need, the empty value log and its 1 MB
// of statistics, and lets every user read the rest.
func tidy(dir string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range names {
		path := filepath.Join(dir, e.Name())
		if strings.HasSuffix(path, ".vlog") || e.Name() == "DISCARD" {
			err = os.Remove(path)
		} else {
			err = os.Chmod(path, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o755)
}

func (b *Builder) verifyFinal(ctx context.Context, dir string, h *Header, verify func(context.Context, *Table) (uint64, error)) error {
	t, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	n, err := verify(ctx, t)
	if cerr := t.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	h.Verified = n
	return writeHeader(dir, h)
}

// badgerOptions are what reading and writing have in common. Compression is
// off because the blocks are packed, metrics and conflict detection because
// nobody asks; the caches are off because uncompressed blocks are read from
// the mapped file.
func badgerOptions(dir string) badger.Options {
	o := badger.DefaultOptions(dir).
		WithLogger(nil).
		WithCompression(options.None).
		WithBlockCacheSize(0).
		WithIndexCacheSize(0).
		WithMetricsEnabled(false).
		WithDetectConflicts(false).
		WithNumVersionsToKeep(1).
		WithNumCompactors(0).
		WithBloomFalsePositive(0).
		WithBlockSize(16 << 10).
		WithBaseTableSize(1 << 20). // files of 32 MB at the last level
		WithMemTableSize(8 << 20).
		WithValueThreshold(1 << 20).
		WithValueLogFileSize(1 << 20).
		WithChecksumVerificationMode(options.NoVerification)
	return o
}

// tableSink streams blocks in order into Badger and into the digest.
type tableSink struct {
	h    *Header
	w    *badger.StreamWriter
	buf  *z.Buffer
	zstd *zstd.Encoder
	sum  hash.Hash
	next uint64
}

func (b *Builder) writeBadger(ctx context.Context, dir string, h *Header, o FinishOptions) (err error) {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	// Badger panics where a file can't be made while it opens or closes.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("write %s: %v", dir, r)
		}
	}()
	db, err := badger.Open(badgerOptions(dir))
	if err != nil {
		return err
	}
	defer func() {
		if cerr := db.Close(); err == nil {
			err = cerr
		}
	}()
	s := &tableSink{h: h, w: db.NewStreamWriter(), buf: z.NewBuffer(5<<20, "store"), sum: sha256.New()}
	defer func() { s.buf.Release() }()
	if b.spec.Compress {
		if s.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderCRC(false)); err != nil {
			return err
		}
	}
	if err := s.w.Prepare(); err != nil {
		return err
	}
	progress := o.Progress
	if progress == nil {
		progress = func(int, int) {}
	}
	if b.spec.Kind == Dense {
		err = b.streamDense(ctx, s, o.Transform, progress)
	} else {
		err = b.streamSparse(ctx, s, progress)
	}
	if err == nil {
		err = s.flush()
	}
	if err != nil {
		s.w.Cancel()
		return err
	}
	h.SHA256 = hex.EncodeToString(s.sum.Sum(nil))
	return s.w.Flush()
}

// batch is a number of consecutive blocks on their way through streamDense.
type batch struct {
	first    uint64
	payloads [][]byte
	stored   [][]byte
	err      error
	shard    int           // the shard that ends with this batch, -1 for none
	ready    chan struct{} // closed when stored is complete
}

const batchBlocks = 64

// streamDense reads the shards in order, transforms and packs their blocks on
// all processors, and writes them in order.
func (b *Builder) streamDense(ctx context.Context, s *tableSink, transform func(uint64, []byte) ([]byte, error), progress func(done, total int)) error {
	workers := runtime.GOMAXPROCS(0)
	ctx, cancel := context.WithCancel(ctx)
	ordered := make(chan *batch, 4*workers)
	work := make(chan *batch, 4*workers)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	for range workers {
		running.Go(func() {
			for t := range work {
				t.err = s.prepare(t, transform)
				close(t.ready)
			}
		})
	}
	running.Go(func() {
		defer close(work)
		defer close(ordered)
		send := func(t *batch) error {
			t.ready = make(chan struct{})
			for _, to := range []chan *batch{ordered, work} {
				select {
				case to <- t:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		}
		for i := range b.spec.Shards {
			t := &batch{shard: -1}
			err := b.EachBlock(i, func(n uint64, payload []byte) error {
				if len(t.payloads) == batchBlocks {
					if err := send(t); err != nil {
						return err
					}
					t = &batch{shard: -1}
				}
				if len(t.payloads) == 0 {
					t.first = n
				}
				t.payloads = append(t.payloads, bytes.Clone(payload))
				return nil
			})
			if err != nil {
				t = &batch{err: err, ready: make(chan struct{})}
				close(t.ready)
				select {
				case ordered <- t:
				case <-ctx.Done():
				}
				return
			}
			t.shard = i
			if send(t) != nil {
				return
			}
		}
	})
	for {
		var t *batch
		select {
		case t = <-ordered:
		case <-ctx.Done():
			return ctx.Err()
		}
		if t == nil {
			return ctx.Err()
		}
		select {
		case <-t.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		if t.err != nil {
			return t.err
		}
		for i, payload := range t.payloads {
			if err := s.put(payload, t.stored[i]); err != nil {
				return err
			}
		}
		if t.shard >= 0 {
			progress(t.shard+1, b.spec.Shards)
		}
	}
}

// prepare transforms and packs the blocks of a batch.
func (s *tableSink) prepare(t *batch, transform func(uint64, []byte) ([]byte, error)) error {
	t.stored = make([][]byte, len(t.payloads))
	for i, payload := range t.payloads {
		n := t.first + uint64(i)
		if transform != nil {
			var err error
			if payload, err = transform(n, payload); err != nil {
				return fmt.Errorf("block %d: %w", n, err)
			}
			if s.h.Bits != 0 && len(payload) != s.h.packedLen(n) || len(payload) > MaxBlockBytes {
				return fmt.Errorf("block %d: %d bytes after its transformation", n, len(payload))
			}
			t.payloads[i] = payload
		}
		t.stored[i] = s.encode(n, payload)
	}
	return nil
}

// streamSparse merges the sorted shards and cuts them into blocks by prefix.
// The same key with the same value in two shards is one entry.
func (b *Builder) streamSparse(ctx context.Context, s *tableSink, progress func(done, total int)) error {
	var runs runHeap
	defer func() {
		for _, c := range runs {
			c.close()
		}
	}()
	for i := range b.spec.Shards {
		c, err := b.openRun(i)
		if err != nil {
			return removeDamaged(b.shardPath(i), err)
		}
		ok, err := c.next()
		if err != nil {
			c.close()
			return removeDamaged(b.shardPath(i), err)
		}
		if ok {
			runs = append(runs, c)
		} else {
			c.close()
		}
	}
	heap.Init(&runs)
	var block []entry
	emit := func() error {
		payload, err := encodeSparse(block, s.h.PrefixBits, b.spec.KeyBits, b.spec.ValueBits)
		if err != nil {
			return err
		}
		block = block[:0]
		if len(payload) > MaxBlockBytes {
			return fmt.Errorf("block %d: %d bytes, at most %d: keys are not spread evenly", s.next, len(payload), MaxBlockBytes)
		}
		return s.put(payload, s.encode(s.next, payload))
	}
	advance := func(n uint64) error { // emits the blocks before n
		for s.next < n {
			if err := emit(); err != nil {
				return err
			}
			if s.next%1024 == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
				progress(int(s.next*uint64(b.spec.Shards)/s.h.Blocks), b.spec.Shards)
			}
		}
		return nil
	}
	for len(runs) > 0 {
		c := runs[0]
		e := c.head
		if err := advance(keyBitsAt(e.key, 0, s.h.PrefixBits)); err != nil {
			return err
		}
		switch n := len(block); {
		case n == 0 || block[n-1].key.Less(e.key):
			block = append(block, e)
			s.h.Entries++
		case block[n-1].key != e.key:
			return removeDamaged(b.shardPath(c.shard), c.damage("keys do not ascend"))
		case block[n-1].value != e.value:
			return fmt.Errorf("%w in their first %d bits, or two shards disagree (values %d and %d)", ErrCollision, b.spec.KeyBits, block[n-1].value, e.value)
		}
		ok, err := c.next()
		if err != nil {
			return removeDamaged(b.shardPath(c.shard), err)
		}
		if ok {
			heap.Fix(&runs, 0)
		} else {
			c.close()
			heap.Pop(&runs)
		}
	}
	if err := advance(s.h.Blocks); err != nil {
		return err
	}
	progress(b.spec.Shards, b.spec.Shards)
	return nil
}

type runHeap []*runCursor

func (r runHeap) Len() int           { return len(r) }
func (r runHeap) Less(i, j int) bool { return r[i].head.key.Less(r[j].head.key) }
func (r runHeap) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *runHeap) Push(x any)        { *r = append(*r, x.(*runCursor)) }
func (r *runHeap) Pop() any {
	old := *r
	c := old[len(old)-1]
	*r = old[:len(old)-1]
	return c
}

// A stored block is its bytes and the CRC-32C of number and bytes. In a table
// with Compress the bytes are preceded by one that says whether they are
// packed with zstd.
const (
	storedPlain = 0
	storedZstd  = 1
)

// encode is the stored form of a block.
func (s *tableSink) encode(block uint64, payload []byte) []byte {
	var stored []byte
	if s.zstd != nil {
		stored = s.zstd.EncodeAll(payload, []byte{storedZstd})
		if len(stored) > len(payload) {
			stored = append([]byte{storedPlain}, payload...)
		}
	} else {
		stored = append(make([]byte, 0, len(payload)+4), payload...)
	}
	return binary.LittleEndian.AppendUint32(stored, blockCRC(block, stored))
}

// put writes the next block, given its bytes and their stored form.
func (s *tableSink) put(payload, stored []byte) error {
	var head [12]byte
	binary.LittleEndian.PutUint64(head[:], s.next)
	binary.LittleEndian.PutUint32(head[8:], uint32(len(payload)))
	s.sum.Write(head[:])
	s.sum.Write(payload)
	s.h.PayloadBytes += uint64(len(payload))
	badger.KVToBuffer(&pb.KV{Key: blockKey(s.next), Value: stored, Version: 1, StreamId: 1}, s.buf)
	s.next++
	if s.buf.LenNoPadding() >= 4<<20 {
		return s.flush()
	}
	return nil
}

func (s *tableSink) flush() error {
	if s.buf.LenNoPadding() == 0 {
		return nil
	}
	err := s.w.Write(s.buf)
	s.buf.Reset()
	return err
}

func blockKey(block uint64) []byte { return binary.BigEndian.AppendUint64(nil, block) }
