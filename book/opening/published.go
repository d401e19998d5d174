package opening

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"endwise/book/store"
	"endwise/engine"
)

// Published is a published book, opened for reading. It is safe for concurrent use.
type Published struct {
	table    *store.Table
	game     engine.Game
	keyBytes int // length of every key
}

// OpenPublished opens the published book at path. It returns the errors of [store.Open], and
// [store.ErrForeign] for another format.
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

func (b *Published) Close() error { return b.table.Close() }

func (b *Published) Board() string { return b.Header().Params["board"] }

func (b *Published) Header() *store.Header { return b.table.Header() }

// Lookup returns the entry of p's canonical position; o translates its moves to moves of p. ok is
// false if the book does not contain p.
func (b *Published) Lookup(p engine.Position) (e Entry, o engine.Orientation, ok bool, err error) {
	key, o := p.CanonicalKey(nil)
	e, ok, err = b.find(key)
	return e, o, ok, err
}

func (b *Published) find(key []byte) (e Entry, ok bool, err error) {
	if len(key) != b.keyBytes {
		return e, false, nil
	}
	n := blockOf(key, b.table.Header().Blocks)
	block, err := b.table.Block(n)
	if err != nil {
		return e, false, err
	}
	for k, e := range b.nodes(n, block, &err) {
		if string(k) == string(key) {
			return e, true, nil
		}
	}
	return e, false, err
}

// nodes returns the keys and entries of block n. A key is valid until the next one. If the block
// cannot be decoded, the loop ends and sets err to [store.ErrDamaged].
func (b *Published) nodes(n uint64, block []byte, err *error) iter.Seq2[[]byte, Entry] {
	return func(yield func([]byte, Entry) bool) {
		r := &reader{b: block}
		var key [maxKeyBytes]byte
		for range r.uvarint(uint64(len(block))) {
			shared := int(r.bytes(1)[0])
			if r.bad = r.bad || shared > b.keyBytes; r.bad {
				break
			}
			copy(key[shared:b.keyBytes], r.bytes(b.keyBytes-shared))
			e := readEntry(r)
			if r.bad {
				break
			}
			if !yield(key[:b.keyBytes], e) {
				return
			}
		}
		if r.bad || len(r.b) != 0 {
			*err = fmt.Errorf("%s: %w: block %d is malformed", b.table.Path(), store.ErrDamaged, n)
		}
	}
}

// Each calls f with every canonical position of the book and its entry, and stops at the first error.
func (b *Published) Each(ctx context.Context, f func(pos engine.Position, e Entry) error) error {
	for n := range b.table.Header().Blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		block, err := b.table.Block(n)
		if err != nil {
			return err
		}
		for key, e := range b.nodes(n, block, &err) {
			pos, err := b.game.FromKey(key)
			if err == nil {
				err = f(pos, e)
			}
			if err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
