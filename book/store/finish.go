package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"endwise/engine/disk"
)

// FinishOptions are the options of Builder.Finish. The zero value is fine.
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
	// Progress, if given, is called with the number of shards in the table.
	Progress func(shards uint64)
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
		h.PrefixBits = prefixFor(entries, b.spec.KeyBits)
		h.Blocks = 1 << h.PrefixBits
	}
	if err := checkRoom(b.work, room); err != nil {
		return nil, fmt.Errorf("finish %s: %w", b.spec.Name, err)
	}
	dir := filepath.Join(b.work, finalName)
	err := b.writeBlocks(ctx, dir, h, o)
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
	if err := b.Discard(); err != nil {
		return nil, fmt.Errorf("finish %s: the table is in place, but its building directory stays: %w", b.spec.Name, err)
	}
	return h, nil
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
