package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"endwise/engine/disk"
	"endwise/solver/farm"
)

// FinishOptions are the options of [Builder.Finish].
type FinishOptions struct {
	// Verify, if not nil, checks the new table. It returns the number of entries that it compared. If it
	// returns an error, Finish fails.
	Verify func(context.Context, *Table) (checked uint64, err error)
	// Transform, if not nil, converts each block of a dense table, for instance to remove information
	// that only the build of later shards needs. It is called concurrently, must be deterministic, and
	// must not change the size of a block of packed values.
	Transform func(block uint64, payload []byte) ([]byte, error)
	// Notes become Notes of the header. Verify may still change the map.
	Notes map[string]uint64
	// Progress, if not nil, is called with Shards × written blocks / Blocks, rounded down.
	Progress func(shards uint64)
}

// Finish writes the table from the finished shards, verifies it, renames it to its final name and
// deletes the building directory. It returns the table's header. If Finish fails before it has renamed
// the table, the shards remain and Finish can be called again. The exception is a damaged shard:
// Finish deletes it and makes it pending again.
func (b *Builder) Finish(ctx context.Context, o FinishOptions) (*Header, error) {
	if left := len(b.Pending()); left > 0 {
		return nil, fmt.Errorf("finish %s: %d of %d shards are not done", b.spec.Name, left, b.spec.Shards)
	}
	h, err := b.header(o.Notes)
	if err != nil {
		return nil, err
	}
	if err := checkSpace(b.work, b.expectedSpace()); err != nil {
		return nil, fmt.Errorf("finish %s: %w", b.spec.Name, err)
	}
	dir := filepath.Join(b.work, finalName)
	w := &tableWriter{b: b, o: o, h: h, sum: newDigest()}
	err = w.write(ctx, dir)
	if err == nil {
		err = writeHeader(dir, h)
	}
	if err != nil {
		os.RemoveAll(dir)
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
	if err := b.discard(); err != nil {
		return nil, fmt.Errorf("finish %s: the table is in place, but its building directory stays: %w", b.spec.Name, err)
	}
	return h, nil
}

// header returns the table's header without the fields that depend on the stored blocks.
func (b *Builder) header(notes map[string]uint64) (*Header, error) {
	h := &Header{
		Format: Format, Spec: b.spec, Histogram: map[int]uint64{}, Notes: notes,
		Built: time.Now().UTC().Truncate(time.Second),
	}
	var entries uint64
	for i := range b.spec.Shards {
		st, err := b.readStats(i)
		if err != nil {
			return nil, err
		}
		entries += st.Entries
		h.Positions += st.Positions
		h.Counts = append(h.Counts, st.Positions)
		for v, n := range st.Histogram {
			h.Histogram[v] += n
		}
	}
	if b.spec.Kind == Sparse {
		h.PrefixBits = prefixFor(entries, b.spec.KeyBits)
		h.Blocks = 1 << h.PrefixBits
	}
	return h, nil
}

// expectedSpace returns the disk space to reserve for the table, somewhat more than that of its shards.
func (b *Builder) expectedSpace() int64 {
	space := int64(512 << 10)
	for i := range b.spec.Shards {
		if st, err := os.Stat(b.shardPath(i)); err == nil {
			space += st.Size() + st.Size()/8
		}
	}
	return space
}

// verifyFinal calls verify with the table in dir, and adds its result to h and to the header in dir.
func (b *Builder) verifyFinal(
	ctx context.Context, dir string, h *Header, verify func(context.Context, *Table) (compared uint64, err error),
) error {
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

type tableWriter struct {
	b       *Builder
	o       FinishOptions
	h       *Header
	files   blockWriter
	encoder encoder
	sum     digest
	next    uint64 // number of the next block
}

// write writes the files of the blocks into dir, and sets the fields of w.h that depend on the blocks.
func (w *tableWriter) write(ctx context.Context, dir string) (err error) {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	// Badger panics if it cannot create a file while it opens or closes.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("write %s: %v", dir, r)
		}
	}()
	if w.encoder, err = newEncoder(w.h.Compress); err != nil {
		return err
	}
	if w.files, err = createBlocks(dir); err != nil {
		return err
	}
	if w.h.Kind == Dense {
		err = farm.InOrder(ctx, w.readBatches, w.prepare, w.putBatch)
	} else {
		err = w.merge(ctx)
	}
	if err != nil {
		w.files.Cancel()
		return err
	}
	w.h.SHA256 = w.sum.String()
	w.h.Files, err = w.files.Finish()
	return err
}

const batchBlocks = 64

// put writes the next block, of which stored is the stored form.
func (w *tableWriter) put(payload, stored []byte) error {
	w.sum.Add(w.next, payload)
	w.h.PayloadBytes += uint64(len(payload))
	w.next++
	if w.o.Progress != nil && (w.next%batchBlocks == 0 || w.next == w.h.Blocks) {
		w.o.Progress(w.next * uint64(w.h.Shards) / w.h.Blocks)
	}
	return w.files.Put(stored)
}

// batch contains consecutive blocks of a dense table. Batches are prepared concurrently and written in
// order.
type batch struct {
	first            uint64   // number of the first block
	payloads, stored [][]byte // blocks, and their stored forms
}

// readBatches calls send with batches of all blocks, in order.
func (w *tableWriter) readBatches(send func(*batch) error) error {
	next := new(batch)
	for shard := range w.h.Shards {
		err := w.b.EachBlock(shard, func(n uint64, payload []byte) error {
			if len(next.payloads) == batchBlocks {
				if err := send(next); err != nil {
					return err
				}
				next = &batch{first: n}
			}
			next.payloads = append(next.payloads, bytes.Clone(payload))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return send(next)
}

// prepare transforms the blocks of a batch and sets their stored forms.
func (w *tableWriter) prepare(t *batch) error {
	t.stored = make([][]byte, len(t.payloads))
	for i, payload := range t.payloads {
		n := t.first + uint64(i)
		if w.o.Transform != nil {
			var err error
			if payload, err = w.o.Transform(n, payload); err != nil {
				return fmt.Errorf("block %d: %w", n, err)
			}
			if w.h.checkLen(n, payload) != nil || len(payload) > maxBlockBytes {
				return fmt.Errorf("block %d: %d bytes after its transformation", n, len(payload))
			}
			t.payloads[i] = payload
		}
		t.stored[i] = w.encoder.encode(n, payload)
	}
	return nil
}

func (w *tableWriter) putBatch(t *batch) error {
	for i, payload := range t.payloads {
		if err := w.put(payload, t.stored[i]); err != nil {
			return err
		}
	}
	return nil
}

// merge writes the blocks of a sparse table by merging its sorted shards. Shards may share entries,
// but merge returns [ErrCollision] if a key has two different values.
func (w *tableWriter) merge(ctx context.Context) error {
	var runs []*runCursor
	defer func() {
		for _, c := range runs {
			c.close()
		}
	}()
	for i := range w.h.Shards {
		c, err := w.b.openRun(i)
		if err != nil {
			return err
		}
		runs = append(runs, c)
	}
	var block []entry
	for w.next < w.h.Blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if block, err = w.mergeBlock(block[:0], runs); err != nil {
			return err
		}
		w.h.Entries += uint64(len(block))
		payload, err := w.h.coding().encode(block)
		if err != nil {
			return err
		}
		if len(payload) > maxBlockBytes {
			return fmt.Errorf("block %d: %d bytes, at most %d: keys are not spread evenly", w.next, len(payload), maxBlockBytes)
		}
		if err := w.put(payload, w.encoder.encode(w.next, payload)); err != nil {
			return err
		}
	}
	return nil
}

// mergeBlock appends the entries of block w.next, sorted and without duplicates, to block, which is empty.
// Each cursor of runs must be at its first entry of this block or of a later one.
func (w *tableWriter) mergeBlock(block []entry, runs []*runCursor) ([]entry, error) {
	for _, c := range runs {
		for c.more && c.head.Key.bits(0, w.h.PrefixBits) == w.next {
			block = append(block, c.head)
			if err := c.next(); err != nil {
				return nil, err
			}
		}
	}
	sortEntries(block)
	block = slices.Compact(block)
	for i := 1; i < len(block); i++ {
		if x, y := block[i-1], block[i]; x.Key == y.Key {
			return nil, fmt.Errorf("%w: their first %d bits are equal, or two shards have different values (%d and %d) for a position",
				ErrCollision, w.h.KeyBits, x.Value, y.Value)
		}
	}
	return block, nil
}
