package opening

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/disk"
)

// entry returns the summary of a node. Its estimates are clamped to the node's bounds.
func (b *Book) entry(id int32) Entry {
	n := &b.nodes[id]
	e := Entry{Value: n.value, Origin: n.origin, Visits: int(n.Visits)}
	var rest Value
	restAt := -1
	e.Best, e.BestLinked = engine.Move(n.Classes[n.best].Move), n.links[n.best].child >= 0
	for i := range n.Classes {
		v, _ := b.classValue(n, i)
		safe := v.Lo > -Unbounded && v.Lo >= n.value.Lo
		if safe && (!e.HasSafe || i == int(n.best)) {
			e.Safe, e.HasSafe = engine.Move(n.Classes[i].Move), true
		}
		v.Est = min(v.Est, n.value.Hi)
		if n.links[i].child < 0 && (restAt < 0 || better(v, false, rest, false)) {
			restAt, rest = i, v
		}
	}
	if restAt >= 0 {
		e.Rest, e.RestValue, e.HasRest = engine.Move(n.Classes[restAt].Move), rest.clamp(), true
	}
	return e
}

// Publish writes the book as an immutable table into the store storeDir and returns the
// table's header. It replaces an earlier table of the same game and board; processes that have
// the earlier table open can still read it. Publish returns an error if the book is empty,
// [ErrContradiction] if proofs exclude each other, and [ErrLocked] if another process is
// publishing the same book.
func (b *Book) Publish(ctx context.Context, storeDir string) (*store.Header, error) {
	if b.Len() == 0 {
		return nil, errors.New("publish: the book is empty")
	}
	if b.conflicts > 0 {
		return nil, b.contradiction()
	}
	name := TableName(b.header.Game, b.header.Board)
	if err := disk.MkdirAll(storeDir, 0o755); err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	work := filepath.Join(storeDir, name+".publishing")
	unlock, err := hold(work)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, remains := range []string{name, name + store.BuildingSuffix} {
		if err := os.RemoveAll(filepath.Join(work, remains)); err != nil {
			return nil, err
		}
	}
	order := b.sorted()
	keys := make([]string, len(order))
	for i, id := range order {
		keys[i] = b.nodes[id].Key
	}
	h, err := writePublished(ctx, work, b.game, b.header.Board, keys, b.links, func(i int) Entry { return b.entry(order[i]) })
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	// A directory cannot be renamed over another one, so the old one is moved away first. If
	// the process is killed between the two renames, the store has no such book until the
	// next Publish.
	final, old := filepath.Join(storeDir, name), filepath.Join(work, "old")
	if err := os.RemoveAll(old); err != nil {
		return nil, err
	}
	if err := os.Rename(final, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := disk.Rename(filepath.Join(work, name), final); err != nil {
		_ = os.Rename(old, final) // restore the old book, if there is one
		return nil, err
	}
	return h, os.RemoveAll(work)
}

// A published book is a table of package store. The hash of a node's key determines its
// block (blockOf); the nodes of a block are in the order of their keys. Opening the book
// reads the table's header, and a lookup reads one block. A block contains
//
// 	uvarint  number of nodes
//
// and for each node its key and its [Entry]:
//
// 	byte     length of the prefix shared with the previous key
// 	bytes    the rest of the key; all keys have the same length
// 	byte     flags (entry.go)
// 	value    Value (bytes.go)
// 	uvarints Depth, Millis and Plies of Origin (flag withOrigin)
// 	uvarint  Visits (flag withVisits)
// 	uvarint  Best
// 	uvarint  Safe (flag withSafe)
// 	uvarint  Rest (flag withRest)
// 	value    RestValue (flag withRest)

// nodesPerBlock is the average number of nodes in a block.
const nodesPerBlock = 64

// PublishedFormat is the version of the published form.
const PublishedFormat = 1

// TableName returns the name of the published book of a game and board in a store. With an
// empty board it returns the common prefix of the names for all boards.
func TableName(game, board string) string { return "opening-" + game + "-" + board }

// blockOf returns the block that contains a key, if there are the given number of blocks.
func blockOf[T string | []byte](key T, blocks uint64) uint64 {
	return uint64(uint32(keyHash(key))) * blocks >> 32
}

// writePublished writes a published book into dir, reads it back and compares it. keys are
// the nodes' keys, ascending; it returns an error if their lengths differ. entry(i) is the entry
// of keys[i]. links is the number of links from nodes to children, which becomes a note in the
// header.
func writePublished(
	ctx context.Context, dir string, game engine.Game, board string, keys []string, links int, entry func(i int) Entry,
) (*store.Header, error) {
	blocks := uint64(len(keys)-1)/nodesPerBlock + 1
	keyBytes := len(keys[0])
	inBlock := make([][]int, blocks)
	for i, key := range keys {
		if len(key) != keyBytes {
			return nil, fmt.Errorf("keys of %d and of %d bytes", keyBytes, len(key))
		}
		n := blockOf(key, blocks)
		inBlock[n] = append(inBlock[n], i)
	}
	builder, err := store.Create(dir, store.Spec{
		Name: TableName(game.Name(), board), Title: fmt.Sprintf("Opening book of %s %s", game.Title(), board),
		Game: game.Name(), Rules: game.RulesVersion(), Solver: PublishedFormat,
		Params: map[string]string{"board": board, "key_bytes": strconv.Itoa(keyBytes)},
		Kind:   store.Dense, Blocks: blocks, ShardBlocks: blocks,
	})
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	if err := writeBlocks(ctx, builder, inBlock, keys, entry); err != nil {
		return nil, err
	}
	return builder.Finish(ctx, store.FinishOptions{
		Notes: map[string]uint64{"nodes": uint64(len(keys)), "links": uint64(links)},
		Verify: func(ctx context.Context, t *store.Table) (uint64, error) {
			return uint64(len(keys)), verifyPublished(ctx, t, game, keys, entry)
		},
	})
}

// writeBlocks writes the only shard of a published book. inBlock contains the indices into keys
// of each block's nodes, and entry(i) is the entry of keys[i].
func writeBlocks(ctx context.Context, b *store.Builder, inBlock [][]int, keys []string, entry func(i int) Entry) error {
	w, err := b.CreateShard(0)
	if err != nil {
		return err
	}
	var payload []byte
	for block, in := range inBlock {
		payload = binary.AppendUvarint(payload[:0], uint64(len(in)))
		last := ""
		for _, i := range in {
			e := entry(i)
			payload = appendKey(payload, keys[i], last)
			payload = e.append(payload)
			last = keys[i]
			proof, _ := e.Value.proof()
			w.Count(int(proof), 1)
		}
		if err := errors.Join(ctx.Err(), w.PutBlock(uint64(block), payload)); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Finish()
}

// appendKey appends the length of the prefix that key shares with last, the previous key of
// the block, and the rest of key.
func appendKey(b []byte, key, last string) []byte {
	shared := 0
	for shared < len(last) && last[shared] == key[shared] {
		shared++
	}
	return append(append(b, byte(shared)), key[shared:]...)
}

// verifyPublished returns an error if a table does not contain entry(i) for each keys[i].
func verifyPublished(ctx context.Context, t *store.Table, game engine.Game, keys []string, entry func(i int) Entry) error {
	b, err := newPublished(t, game)
	if err != nil {
		return err
	}
	for i, key := range keys {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e, ok, err := b.find([]byte(key))
		if err != nil {
			return err
		}
		if want := entry(i); !ok || e != want {
			return fmt.Errorf("node %x: %+v is read back as %+v", key, want, e)
		}
	}
	return nil
}
