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

// entry returns the summary of a node.
func (b *Book) entry(id int32) Entry {
	n := &b.nodes[id]
	e := Entry{Value: n.value, Origin: n.origin, Visits: int(n.Visits)}
	e.Best, e.BestLinked = engine.Move(n.Moves[n.best].Move), n.links[n.best].child >= 0
	for i := range n.Moves {
		m := engine.Move(n.Moves[i].Move)
		v, _ := b.moveValue(n, i)
		safe := v.Lo > -Unbounded && v.Lo >= n.value.Lo
		if safe && (!e.HasSafe || m == e.Best) {
			e.Safe, e.HasSafe = m, true
		}
		v.Est = min(v.Est, n.value.Hi)
		if n.links[i].child < 0 && (!e.HasUnlinked || better(v, false, e.UnlinkedValue, false)) {
			e.Unlinked, e.UnlinkedValue, e.HasUnlinked = m, v, true
		}
	}
	e.UnlinkedValue = e.UnlinkedValue.clamp()
	return e
}

// Publish writes the book as an immutable table into the store storeDir and returns the table's
// header. It replaces an earlier table of the same game and board. Publish returns an error if the
// book is empty, [ErrContradiction] if proofs exclude each other, and [ErrLocked] if another process
// is publishing the same book. If the process is killed while it replaces the earlier table, there may
// be none until the next Publish.
func (b *Book) Publish(ctx context.Context, storeDir string) (*store.Header, error) {
	if b.Len() == 0 {
		return nil, errors.New("publish: the book is empty")
	}
	if b.conflicts > 0 {
		return nil, b.contradiction()
	}
	final := filepath.Join(storeDir, TableName(b.header.Game, b.header.Board))
	work := final + ".publishing"
	unlock, err := lockDir(work)
	if err != nil {
		return nil, err
	}
	defer unlock()
	name := filepath.Base(final)
	for _, remains := range []string{name, name + store.BuildingSuffix, replacedName} {
		if err := os.RemoveAll(filepath.Join(work, remains)); err != nil {
			return nil, err
		}
	}
	h, err := b.writeTable(ctx, work)
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	if err := replaceTable(final, work); err != nil {
		return nil, err
	}
	// The lock file remains: otherwise a process that has opened it and one that creates a new file
	// could both lock this book. The next Publish removes what remains of the earlier table.
	_ = os.RemoveAll(filepath.Join(work, replacedName))
	return h, nil
}

const replacedName = "old"

// replaceTable moves the new table in the directory work to final, and an earlier one to work. A
// directory cannot be renamed over another one: if the process is killed between the two renames,
// there is no table at final until the next Publish.
func replaceTable(final, work string) error {
	replaced := filepath.Join(work, replacedName)
	if err := os.Rename(final, replaced); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := disk.Rename(filepath.Join(work, filepath.Base(final)), final)
	if err != nil {
		_ = os.Rename(replaced, final) // fails if there was no earlier table
	}
	return err
}

// A published book is a table of package store. The hash of a node's key determines its block
// (blockOf); the nodes of a block are in the order of their keys. A block contains
// 	uvarint  number of nodes
//
// and for each node its key and its [Entry]:
//
// 	byte     length of the prefix shared with the previous key
// 	bytes    the key after this prefix; all keys have the same length
// 	byte     flags (entry.go)
// 	value    Value (bytes.go)
// 	uvarints Depth, Millis and Plies of Origin (flag withOrigin)
// 	uvarint  Visits (flag withVisits)
// 	uvarint  Best
// 	uvarint  Safe (flag withSafe)
// 	uvarint  Unlinked (flag withUnlinked)
// 	value    UnlinkedValue (flag withUnlinked)

const nodesPerBlock = 64

// PublishedFormat is the version of the published form.
const PublishedFormat = 1

// TableName returns the name of the published book of a game and board in a store. If board is empty,
// it returns the common prefix of the names for all boards.
func TableName(game, board string) string { return "opening-" + game + "-" + board }

// blockOf returns the number of the block that contains a key; blocks is the number of all blocks.
func blockOf[T string | []byte](key T, blocks uint64) uint64 {
	return uint64(uint32(keyHash(key))) * blocks >> 32
}

// writeTable writes the book's table below dir, and verifies that it contains every entry.
func (b *Book) writeTable(ctx context.Context, dir string) (*store.Header, error) {
	blocks := uint64(b.Len()-1)/nodesPerBlock + 1
	keyBytes := len(b.nodes[0].Key)
	inBlock := make([][]int32, blocks) // in the order of the keys
	for _, id := range b.nodesByKey() {
		key := b.nodes[id].Key
		if len(key) != keyBytes {
			return nil, fmt.Errorf("keys of %d and of %d bytes", keyBytes, len(key))
		}
		n := blockOf(key, blocks)
		inBlock[n] = append(inBlock[n], id)
	}
	board := b.header.Board
	builder, err := store.Create(dir, store.Spec{
		Name: TableName(b.game.Name(), board), Title: fmt.Sprintf("Opening book of %s %s", b.game.Title(), board),
		Game: b.game.Name(), Rules: b.game.RulesVersion(), Solver: PublishedFormat,
		Params: map[string]string{"board": board, "key_bytes": strconv.Itoa(keyBytes)},
		Kind:   store.Dense, Blocks: blocks, ShardBlocks: blocks,
	})
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	if err := b.writeBlocks(ctx, builder, inBlock); err != nil {
		return nil, err
	}
	notes := map[string]uint64{"nodes": uint64(b.Len()), "links": uint64(b.links)}
	check := func(ctx context.Context, t *store.Table) (uint64, error) {
		return uint64(b.Len()), b.checkTable(ctx, t)
	}
	return builder.Finish(ctx, store.FinishOptions{Notes: notes, Verify: check})
}

// checkTable returns an error unless t contains the entry of every node.
func (b *Book) checkTable(ctx context.Context, t *store.Table) error {
	published, err := newPublished(t, b.game)
	if err != nil {
		return err
	}
	for id := range b.nodes {
		if id%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		key, want := []byte(b.nodes[id].Key), b.entry(int32(id))
		e, ok, err := published.find(key)
		if err != nil {
			return err
		}
		if !ok || e != want {
			return fmt.Errorf("node %x: %+v is read back as %+v", key, want, e)
		}
	}
	return nil
}

// writeBlocks writes the table's only shard; inBlock contains the nodes of each block, ordered by key.
func (b *Book) writeBlocks(ctx context.Context, builder *store.Builder, inBlock [][]int32) error {
	w, err := builder.CreateShard(0)
	if err != nil {
		return err
	}
	var payload []byte
	for block, nodes := range inBlock {
		payload = binary.AppendUvarint(payload[:0], uint64(len(nodes)))
		last := ""
		for _, id := range nodes {
			e, key := b.entry(id), b.nodes[id].Key
			payload = e.append(appendKey(payload, key, last))
			last = key
			w.Count(int(e.Value.proof()), 1)
		}
		if err := errors.Join(ctx.Err(), w.PutBlock(uint64(block), payload)); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Finish()
}

// appendKey appends the length of the prefix that key shares with last, and the rest of key. last is
// "" or a key of the same length.
func appendKey(b []byte, key, last string) []byte {
	shared := 0
	for shared < len(last) && last[shared] == key[shared] {
		shared++
	}
	return append(append(b, byte(shared)), key[shared:]...)
}
