package opening

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"endwise/book/store"
	"endwise/engine"
)

// Published is a published book, opened for reading. Blocks are read when they are needed. A
// Published is safe for concurrent use.
type Published struct {
	table    *store.Table
	game     engine.Game
	keyBytes int // length of all keys
}

// OpenPublished opens the published book at path. It returns [store.ErrForeign] for a book of
// another game, rules or format, and other errors of [store.Open].
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
		return nil, fmt.Errorf("%s: %w: published as format %d, this program reads format %d: publish it again",
			t.Path(), store.ErrForeign, h.Solver, PublishedFormat)
	}
	n, err := strconv.Atoi(h.Params["key_bytes"])
	if err != nil || n < 1 || n > maxKeyBytes {
		return nil, fmt.Errorf("%s: %w: key_bytes %q", t.Path(), store.ErrDamaged, h.Params["key_bytes"])
	}
	return &Published{t, game, n}, nil
}

// Close closes the book.
func (b *Published) Close() error { return b.table.Close() }

// Board returns the name of the book's board.
func (b *Published) Board() string { return b.Header().Params["board"] }

// Header returns the header of the book's table.
func (b *Published) Header() *store.Header { return b.table.Header() }

// Lookup returns the entry of p's canonical position; the orientation translates its moves
// to moves of p. ok is false if the book does not contain p.
func (b *Published) Lookup(p engine.Position) (e Entry, o engine.Orientation, ok bool, err error) {
	key, o := p.CanonicalKey(nil)
	e, ok, err = b.find(key)
	return e, o, ok, err
}

// find returns the entry of a key. ok is false if the book does not contain it.
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

// scan calls f with the key and entry of each node of block n until f returns false. The key
// is valid until f returns. scan returns [store.ErrDamaged] if the block cannot be decoded.
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

// Each calls f with every canonical position of the book and its entry, in the order of the
// blocks. It stops at the first error, of f or of reading, and returns it.
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
