package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// Options configure [Open]. The zero value accepts any game and caches 8 MiB of decoded
// blocks.
type Options struct {
	// Game and Rules, if set, must be the table's; otherwise Open returns [ErrForeign].
	Game  string
	Rules int
	// CacheBytes is the maximum size of cached decoded blocks; negative for none.
	CacheBytes int64
	// Fits reports whether a header has the layout that this program writes; nil accepts
	// every layout. Open returns [ErrForeign] for a table of another layout.
	Fits func(*Header) bool
}

// Table is a finished table opened for reading. It is safe for concurrent use.
type Table struct {
	header Header
	path   string
	blocks func() (blockReader, error) // opened by the first call: most lookups read few of their tables

	cache []atomic.Pointer[cachedBlock] // direct-mapped by block number

	closed atomic.Bool
	inUse  sync.RWMutex // read-locked while a block is read, locked by Close
}

// cachedBlock is a decoded block in a table's cache.
type cachedBlock struct {
	number  uint64
	payload []byte
}

// Open opens a table for reading. It returns [ErrMissing], [ErrNotClosed], [ErrForeign] or
// [ErrDamaged]; their texts say what to do. The first read returns [ErrLocked] if another program
// has the table open for writing.
func Open(path string, o Options) (*Table, error) {
	h, err := ReadHeader(path)
	if err != nil {
		return nil, err
	}
	if o.Game != "" && h.Game != o.Game {
		return nil, fmt.Errorf("%s: %w: it is for %s, not %s", path, ErrForeign, h.Game, o.Game)
	}
	if o.Rules != 0 && h.Rules != o.Rules {
		return nil, fmt.Errorf("%s: %w: rules version %d, this program plays version %d: delete the table and solve it again", path, ErrForeign, h.Rules, o.Rules)
	}
	if err := h.plausible(); err != nil {
		return nil, damaged(path, err.Error())
	}
	var first error
	verifyChecksums(path, h.Files, func(err error) {
		if first == nil {
			first = err
		}
	})
	switch {
	case errors.Is(first, ErrNotClosed):
		return nil, fmt.Errorf("%s: %w: another program wrote to it: delete the table and solve it again", path, first)
	case errors.Is(first, ErrDamaged):
		return nil, fmt.Errorf("%w: delete the table and solve it again", first)
	case first != nil:
		return nil, first
	}
	if o.Fits != nil && !o.Fits(h) {
		return nil, fmt.Errorf("%s: %w: its layout is not the one this program writes: delete the table and solve it again", path, ErrForeign)
	}
	t := &Table{header: *h, path: path}
	t.blocks = sync.OnceValues(func() (blockReader, error) {
		if t.closed.Load() {
			return nil, errClosed
		}
		return openBlocks(path, h)
	})
	bytes := o.CacheBytes
	if bytes == 0 {
		bytes = 8 << 20
	}
	if block := int64(h.PayloadBytes/h.Blocks) + 64; bytes > 0 {
		t.cache = make([]atomic.Pointer[cachedBlock], min(uint64(max(bytes/block, 1)), h.Blocks))
	}
	return t, nil
}

// plausible returns an error unless the header satisfies the code's assumptions.
func (h *Header) plausible() error {
	s := h.Spec
	if err := s.complete(); err != nil {
		return err
	}
	consistent := s.Blocks == h.Blocks
	if h.Kind == Sparse {
		consistent = h.PrefixBits >= 0 && h.PrefixBits <= maxPrefix(h.KeyBits) && h.Blocks == 1<<h.PrefixBits
	}
	if !consistent {
		return errors.New("header contradicts itself")
	}
	return nil
}

// firstLine returns a text up to its first line break.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Header returns the table's header. It must not be changed.
func (t *Table) Header() *Header { return &t.header }

// Path returns the table's directory.
func (t *Table) Path() string { return t.path }

// Close closes the table; later reads fail.
func (t *Table) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	t.inUse.Lock()
	defer t.inUse.Unlock()
	b, err := t.blocks()
	if err != nil {
		return nil // nothing is open; reads have returned the error
	}
	return b.Close()
}

// errClosed is returned by reads after Close.
var errClosed = errors.New("table is closed")

// Block returns the bytes of a block as they were written. They are shared and must not be
// changed.
func (t *Table) Block(block uint64) ([]byte, error) {
	if block >= t.header.Blocks {
		return nil, fmt.Errorf("block %d: %w (%d blocks)", block, ErrRange, t.header.Blocks)
	}
	if len(t.cache) == 0 {
		return t.read(block)
	}
	if t.closed.Load() {
		return nil, fmt.Errorf("%s: %w", t.path, errClosed)
	}
	slot := &t.cache[block*0x9E3779B97F4A7C15>>16%uint64(len(t.cache))]
	if c := slot.Load(); c != nil && c.number == block {
		return c.payload, nil
	}
	payload, err := t.read(block)
	if err != nil {
		return nil, err
	}
	slot.Store(&cachedBlock{block, payload})
	return payload, nil
}

// read reads a block from the files.
func (t *Table) read(block uint64) (payload []byte, err error) {
	t.inUse.RLock()
	defer t.inUse.RUnlock()
	if t.closed.Load() {
		return nil, fmt.Errorf("%s: %w", t.path, errClosed)
	}
	// Reading damaged files may panic; otherwise the checksums show the damage.
	defer func() {
		if r := recover(); r != nil {
			payload, err = nil, damaged(t.path, fmt.Sprintf("block %d: %s", block, firstLine(fmt.Sprint(r))))
		}
	}()
	b, err := t.blocks()
	if err != nil {
		return nil, err
	}
	if payload, err = b.Read(block); err == nil {
		err = t.header.checkLen(block, payload)
	}
	if err != nil {
		return nil, unsound(t.path, fmt.Sprintf("block %d: %v", block, err), err)
	}
	return payload, nil
}

// Value returns value i of a packed dense table.
func (t *Table) Value(i uint64) (uint8, error) {
	h := &t.header
	if h.Kind != Dense || h.Bits == 0 {
		return 0, fmt.Errorf("%s: has no packed values", t.path)
	}
	if i >= h.Values {
		return 0, fmt.Errorf("value %d: %w (%d values)", i, ErrRange, h.Values)
	}
	block, err := t.Block(i / uint64(h.BlockValues))
	if err != nil {
		return 0, err
	}
	return unpack(block, int(i%uint64(h.BlockValues)), h.Bits), nil
}

// Values of a packed block start at the low bits of the first byte: value i of a block
// occupies bits i*Bits … i*Bits+Bits-1 of the block read as one little-endian number. With
// 1, 2, 4 or 8 bits no value crosses a byte.

// unpack returns value i of a packed block; i must be in the block.
func unpack(block []byte, i, bits int) uint8 {
	bit := i * bits
	return block[bit>>3] >> (bit & 7) & (1<<bits - 1)
}

// Lookup returns the value of a key in a sparse table. For a key that is not in the table
// found is false, except that with a probability of positions/2^KeyBits Lookup returns
// another key's value. Look up only positions that the table covers, or use enough KeyBits.
func (t *Table) Lookup(key Key) (value uint32, found bool, err error) {
	h := &t.header
	if h.Kind != Sparse {
		return 0, false, fmt.Errorf("%s: has no keys", t.path)
	}
	n := key.bits(0, h.PrefixBits)
	block, err := t.Block(n)
	if err != nil {
		return 0, false, err
	}
	v, err := h.coding().view(block)
	if err != nil {
		return 0, false, damaged(t.path, fmt.Sprintf("block %d: %v", n, err))
	}
	value, found = v.find(key)
	return value, found, nil
}

// Each calls f with all entries of a sparse table in order. The keys are truncated to
// KeyBits.
func (t *Table) Each(ctx context.Context, f func(Key, uint32) error) error {
	h := &t.header
	if h.Kind != Sparse {
		return fmt.Errorf("%s: has no keys", t.path)
	}
	for n := range h.Blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		block, err := t.read(n)
		if err != nil {
			return err
		}
		v, err := h.coding().view(block)
		if err != nil {
			return damaged(t.path, fmt.Sprintf("block %d: %v", n, err))
		}
		if err := v.each(n, f); err != nil {
			return err
		}
	}
	return nil
}

// Dir returns the directory of a table in a store.
func Dir(store, name string) string { return filepath.Join(store, name) }
