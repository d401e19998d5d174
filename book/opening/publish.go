package opening

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/disk"
)

// A published book is a table of package store with opaque blocks. A node lies
// in block hash64(key) scaled to the number of blocks, about nodesPerBlock of
// them in a block, in the order of their keys; opening it reads a header, a
// look-up reads one block. A block is
//
//	uvarint  number of nodes
//	nodes    byte     length of the prefix shared with the key before
//	         bytes    the rest of the key; all keys are equally long
//	         byte     flags, below
//	         value    as in a record
//	         uvarints depth, milliseconds, plies (flag withBehind)
//	         uvarint  visits (flag withVisits)
//	         uvarint  best move
//	         uvarint  safe move (flag withSafe)
//	         uvarint, value  best move not in the book (flag withRest)
const (
	withBehind = 1 << iota
	withVisits
	withSafe
	withRest
	bestLinked // the position after the best move is a node
	bestSafe   // the best move is the safe one
)

const nodesPerBlock = 64

// PublishedFormat is the version of the published form.
const PublishedFormat = 1

// TableName is the name under which a book is published in a store.
func TableName(game, board string) string { return "opening-" + game + "-" + board }

// Entry is what a published book says about a position. Moves are those of the
// canonical position.
type Entry struct {
	Value  Value
	Behind Behind
	Visits int
	// Best is the move with the best estimate (the value itself where that is
	// proved); BestLinked says that the position after it is in the book.
	Best       engine.Move
	BestLinked bool
	// Safe is a move that is proved to be worth at least Value.Lo, where that
	// is bounded and such a move is known; Best if Best is one. HasSafe is
	// false where the bound is known of the position and not of a move.
	Safe    engine.Move
	HasSafe bool
	// Rest is the best of the moves whose positions are not in the book.
	Rest      engine.Move
	RestValue Value
	HasRest   bool
}

// entry sums a node up.
func (b *Book) entry(id int32) Entry {
	n := &b.nodes[id]
	e := Entry{Value: n.value, Behind: n.behind, Visits: int(n.visits)}
	var rest Value
	restAt := -1
	best := &n.classes[n.best]
	e.Best, e.BestLinked = engine.Move(best.move), best.child >= 0
	for i := range n.classes {
		c := &n.classes[i]
		v, _ := b.classValue(c)
		if safe := v.Lo > -Unbounded && v.Lo >= n.value.Lo; safe && (!e.HasSafe || c == best) {
			e.Safe, e.HasSafe = engine.Move(c.move), true
		}
		v.Est = min(v.Est, n.value.Hi)
		if c.child < 0 && (restAt < 0 || better(v, false, rest, false)) {
			restAt, rest = i, v
		}
	}
	if restAt >= 0 {
		e.Rest, e.RestValue, e.HasRest = engine.Move(n.classes[restAt].move), rest.clamp(), true
	}
	return e
}

func (e *Entry) append(b []byte) []byte {
	var flags byte
	if e.Behind != (Behind{}) {
		flags |= withBehind
	}
	if e.Visits > 0 {
		flags |= withVisits
	}
	if e.HasSafe && e.Safe != e.Best {
		flags |= withSafe
	}
	if e.HasRest {
		flags |= withRest
	}
	if e.BestLinked {
		flags |= bestLinked
	}
	if e.HasSafe && e.Safe == e.Best {
		flags |= bestSafe
	}
	b = appendValue(append(b, flags), e.Value, 0)
	if flags&withBehind != 0 {
		b = binary.AppendUvarint(b, uint64(e.Behind.Depth))
		b = binary.AppendUvarint(b, uint64(e.Behind.Millis))
		b = binary.AppendUvarint(b, uint64(e.Behind.Plies))
	}
	if flags&withVisits != 0 {
		b = binary.AppendUvarint(b, uint64(e.Visits))
	}
	b = binary.AppendUvarint(b, uint64(e.Best))
	if flags&withSafe != 0 {
		b = binary.AppendUvarint(b, uint64(e.Safe))
	}
	if flags&withRest != 0 {
		b = binary.AppendUvarint(b, uint64(e.Rest))
		b = appendValue(b, e.RestValue, 0)
	}
	return b
}

func (r *byteReader) entry() Entry {
	var e Entry
	flags := r.bytes(1)[0]
	e.Value, _ = r.value()
	if flags&withBehind != 0 {
		e.Behind = Behind{uint16(r.uvarint(1<<16 - 1)), uint32(r.uvarint(1<<32 - 1)), uint16(r.uvarint(1<<16 - 1))}
	}
	if flags&withVisits != 0 {
		e.Visits = int(r.uvarint(1<<32 - 1))
	}
	e.Best = engine.Move(r.uvarint(1<<16 - 1))
	e.BestLinked = flags&bestLinked != 0
	if flags&bestSafe != 0 {
		e.Safe, e.HasSafe = e.Best, true
	}
	if flags&withSafe != 0 {
		e.Safe, e.HasSafe = engine.Move(r.uvarint(1<<16-1)), true
	}
	if flags&withRest != 0 {
		e.Rest, e.HasRest = engine.Move(r.uvarint(1<<16-1)), true
		e.RestValue, _ = r.value()
	}
	return e
}

// blockOf is the block of a key.
func blockOf[T string | []byte](key T, blocks uint64) uint64 {
	return uint64(uint32(hash64(key))) * blocks >> 32
}

// Publish writes the book as an immutable table into a store, in place of an
// earlier one of the same game and board. Whoever has that one open keeps it.
// It returns the table's header.
func (b *Book) Publish(ctx context.Context, dir string) (*store.Header, error) {
	if b.Len() == 0 {
		return nil, errors.New("publish: the book is empty")
	}
	if b.conflicts > 0 {
		return nil, b.contradiction()
	}
	name := TableName(b.header.Game, b.header.Board)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	work := filepath.Join(dir, name+".publishing")
	unlock, err := hold(work)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, left := range []string{name, name + store.BuildingSuffix} {
		if err := os.RemoveAll(filepath.Join(work, left)); err != nil {
			return nil, err
		}
	}
	h, err := b.build(ctx, work, name)
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	// A directory can't be renamed over another one: the old one steps aside.
	// If the process ends between the two renames, the next Publish puts
	// things right.
	final, old := filepath.Join(dir, name), filepath.Join(work, "old")
	if err := os.RemoveAll(old); err != nil {
		return nil, err
	}
	if err := os.Rename(final, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := disk.Rename(filepath.Join(work, name), final); err != nil {
		_ = os.Rename(old, final) // the old book, if there is one, serves on
		return nil, err
	}
	return h, os.RemoveAll(work)
}

func (b *Book) build(ctx context.Context, dir, name string) (*store.Header, error) {
	blocks := uint64(len(b.nodes)-1)/nodesPerBlock + 1
	keyBytes := len(b.nodes[0].key)
	builder, err := store.Create(dir, store.Spec{
		Name: name, Title: fmt.Sprintf("Opening book of %s %s", b.rules.game.Title(), b.header.Board),
		Game: b.header.Game, Rules: b.header.Rules, Solver: PublishedFormat,
		Params: map[string]string{"board": b.header.Board, "key_bytes": strconv.Itoa(keyBytes)},
		Kind:   store.Dense, Blocks: blocks, ShardBlocks: blocks,
	})
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	order := b.sorted()
	slices.SortStableFunc(order, func(x, y int32) int {
		return cmp.Compare(blockOf(b.nodes[x].key, blocks), blockOf(b.nodes[y].key, blocks))
	})
	w, err := builder.Shard(0)
	if err != nil {
		return nil, err
	}
	var payload []byte
	for block := range blocks {
		if err := ctx.Err(); err != nil {
			w.Abort()
			return nil, err
		}
		n := 0
		for n < len(order) && blockOf(b.nodes[order[n]].key, blocks) == block {
			n++
		}
		payload = binary.AppendUvarint(payload[:0], uint64(n))
		last := ""
		for _, id := range order[:n] {
			key := b.nodes[id].key
			if len(key) != keyBytes {
				w.Abort()
				return nil, fmt.Errorf("keys of %d and of %d bytes", keyBytes, len(key))
			}
			shared := 0
			for shared < len(last) && last[shared] == key[shared] {
				shared++
			}
			payload = append(append(payload, byte(shared)), key[shared:]...)
			e := b.entry(id)
			payload = e.append(payload)
			last = key
			proof, _ := e.Value.Proof()
			w.Count(int(proof), 1)
		}
		order = order[n:]
		if err := w.PutBlock(block, payload); err != nil {
			w.Abort()
			return nil, err
		}
	}
	if err := w.Finish(); err != nil {
		return nil, err
	}
	return builder.Finish(ctx, store.FinishOptions{
		Notes:  map[string]uint64{"nodes": uint64(len(b.nodes)), "links": uint64(b.links)},
		Verify: b.comparePublished,
	})
}

// comparePublished looks every node up in a table and compares.
func (b *Book) comparePublished(ctx context.Context, t *store.Table) (uint64, error) {
	p, err := newPublished(t, b.rules.game)
	if err != nil {
		return 0, err
	}
	for id := range b.nodes {
		if id%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		e, ok, err := p.find([]byte(b.nodes[id].key))
		if err != nil {
			return 0, err
		}
		if want := b.entry(int32(id)); !ok || e != want {
			return 0, fmt.Errorf("node %x: %+v is read back as %+v", b.nodes[id].key, want, e)
		}
	}
	return uint64(len(b.nodes)), nil
}
