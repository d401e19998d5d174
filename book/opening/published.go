package opening

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"endwise/book/store"
	"endwise/engine"
)

// Published is a published book, opened for reading. Opening it reads little more than a
// header; it is safe for concurrent use.
type Published struct {
	table    *store.Table
	game     engine.Game
	keyBytes int
}

// OpenPublished opens a published book of a game. It returns the errors of package store,
// and [store.ErrForeign] for another format of the book.
func OpenPublished(path string, game engine.Game) (*Published, error) {
	t, err := store.Open(path, store.Options{Game: game.Name(), Rules: game.RulesVersion(), CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	b, err := newPublished(t, game)
	if err != nil {
		t.Close()
		return nil, err
	}
	return b, nil
}

// newPublished returns a published book that reads an open table.
func newPublished(t *store.Table, game engine.Game) (*Published, error) {
	h := t.Header()
	if h.Solver != PublishedFormat {
		return nil, fmt.Errorf("%s: %w: published as format %d, this program reads format %d: publish it again", t.Path(), store.ErrForeign, h.Solver, PublishedFormat)
	}
	n, err := strconv.Atoi(h.Params["key_bytes"])
	if err != nil || n < 1 || n > maxKeyBytes {
		return nil, fmt.Errorf("%s: %w: key_bytes %q", t.Path(), store.ErrDamaged, h.Params["key_bytes"])
	}
	return &Published{t, game, n}, nil
}

// Close closes the book.
func (b *Published) Close() error { return b.table.Close() }

// Board returns the book's board.
func (b *Published) Board() string { return b.Header().Params["board"] }

// Header returns the table's header.
func (b *Published) Header() *store.Header { return b.table.Header() }

// Lookup returns the entry of a position; the orientation translates the entry's moves. ok
// is false if the book does not contain the position.
func (b *Published) Lookup(c engine.Position) (Entry, engine.Orientation, bool, error) {
	key, o := c.CanonicalKey(nil)
	e, ok, err := b.find(key)
	return e, o, ok, err
}

// find returns the entry of a key.
func (b *Published) find(key []byte) (e Entry, ok bool, err error) {
	if len(key) != b.keyBytes {
		return e, false, nil
	}
	n := blockOf(key, b.table.Header().Blocks)
	block, err := b.table.Block(n)
	if err != nil {
		return e, false, err
	}
	err = b.scan(n, block, func(k []byte, entry Entry) (more bool) {
		if ok = string(k) == string(key); ok {
			e = entry
		}
		return !ok
	})
	return e, ok, err
}

// scan calls f with the entries of a block until f returns false.
func (b *Published) scan(n uint64, block []byte, f func(key []byte, e Entry) (more bool)) error {
	damaged := fmt.Errorf("%s: %w: block %d is malformed", b.table.Path(), store.ErrDamaged, n)
	r := &reader{b: block}
	var key [maxKeyBytes]byte
	for range r.uvarint(uint64(len(block))) {
		shared := int(r.bytes(1)[0])
		if r.bad || shared > b.keyBytes {
			return damaged
		}
		copy(key[shared:b.keyBytes], r.bytes(b.keyBytes-shared))
		e := readEntry(r)
		if r.bad {
			return damaged
		}
		if !f(key[:b.keyBytes], e) {
			return nil
		}
	}
	if r.bad || len(r.b) != 0 {
		return damaged
	}
	return nil
}

// Each calls f with every position of the book, in the order of the blocks, until f returns
// an error. A position that cannot be read is an error.
func (b *Published) Each(ctx context.Context, f func(pos engine.Position, e Entry) error) error {
	for n := range b.table.Header().Blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		block, err := b.table.Block(n)
		if err != nil {
			return err
		}
		var failed error
		err = b.scan(n, block, func(key []byte, e Entry) (more bool) {
			pos, err := b.game.FromKey(key)
			if err == nil {
				err = f(pos, e)
			}
			failed = err
			return err == nil
		})
		if err = cmp.Or(failed, err); err != nil {
			return err
		}
	}
	return nil
}
