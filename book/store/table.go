package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// Options configure [Open].
type Options struct {
	// Game and Rules are the expected name of the game and version of its rules; "" and 0 accept any.
	// For a table of another game or version, Open returns [ErrForeign].
	Game  string
	Rules int
	// CacheBytes is the approximate size of the block cache; 0 means 8 MiB, a negative number none.
	CacheBytes int64
	// Fits, if not nil, reports whether the caller can read a table with this header. If it returns
	// false, Open returns [ErrForeign].
	Fits func(*Header) bool
}

// Table is a finished table opened for reading. It is safe for concurrent use.
type Table struct {
	header Header
	path   string
	blocks func() (blockReader, error) // the first call opens the files of the blocks

	cache []atomic.Pointer[cachedBlock] // direct-mapped: a hash of the block number is the index

	closed atomic.Bool
	inUse  sync.RWMutex // read-locked while a block is read, locked by Close
}

type cachedBlock struct {
	number  uint64
	payload []byte
}

// Open opens the table at path for reading. It returns [ErrMissing], [ErrForeign] or [ErrDamaged]. If
// another program has the table open for writing, Open returns [ErrLocked] if files have changed;
// otherwise reads of blocks return [ErrLocked].
func Open(path string, o Options) (*Table, error) {
	h, err := ReadHeader(path)
	if err != nil {
		return nil, err
	}
	if o.Game != "" && h.Game != o.Game {
		return nil, fmt.Errorf("%s: %w: it is for %s, not %s", path, ErrForeign, h.Game, o.Game)
	}
	if o.Rules != 0 && h.Rules != o.Rules {
		return nil, fmt.Errorf("%s: %w: rules version %d, this program plays version %d: delete the table and solve it again",
			path, ErrForeign, h.Rules, o.Rules)
	}
	if err := h.check(); err != nil {
		return nil, damaged(path, err.Error())
	}
	if changed := changedFiles(path, h.Files); len(changed) > 0 {
		return nil, changed[0]
	}
	if o.Fits != nil && !o.Fits(h) {
		return nil, fmt.Errorf("%s: %w: its layout is not the one this program writes: delete the table and solve it again",
			path, ErrForeign)
	}
	t := &Table{header: *h, path: path}
	t.blocks = sync.OnceValues(func() (blockReader, error) {
		if t.closed.Load() {
			return nil, errClosed
		}
		return openBlocks(path, h)
	})
	if bytes := cmp.Or(o.CacheBytes, 8<<20); bytes > 0 {
		perBlock := int64(h.PayloadBytes/h.Blocks) + 64
		t.cache = make([]atomic.Pointer[cachedBlock], min(uint64(max(bytes/perBlock, 1)), h.Blocks))
	}
	return t, nil
}

// check returns an error if the Spec is invalid or contradicts the rest of the header. It works on a
// copy, because complete sets Blocks and Shards.
func (h *Header) check() error {
	s := h.Spec
	if err := s.complete(); err != nil {
		return err
	}
	consistent := false
	switch h.Kind {
	case Dense:
		consistent = s.Blocks == h.Blocks && s.Shards == h.Shards
	case Sparse:
		consistent = h.PrefixBits >= 0 && h.PrefixBits <= maxPrefix(h.KeyBits) && h.Blocks == 1<<h.PrefixBits
	}
	if !consistent {
		return errors.New("header contradicts itself")
	}
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Header returns the table's header, which must not be changed.
func (t *Table) Header() *Header { return &t.header }

func (t *Table) Path() string { return t.path }

// Close waits for running reads and closes the table. Later reads return an error.
func (t *Table) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	t.inUse.Lock()
	defer t.inUse.Unlock()
	b, err := t.blocks()
	if err != nil {
		return nil // the files are not open
	}
	return b.Close()
}

var errClosed = errors.New("table is closed")

// Block returns the decoded bytes of a block, which are shared and must not be changed. It returns
// [ErrRange] for a number beyond the last block, and other errors of reading or for a closed table.
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

// read reads a block from the files, which the first call opens. It does not use the cache.
func (t *Table) read(block uint64) (payload []byte, err error) {
	t.inUse.RLock()
	defer t.inUse.RUnlock()
	if t.closed.Load() {
		return nil, fmt.Errorf("%s: %w", t.path, errClosed)
	}
	defer func() { // reading damaged files may panic
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

// Value returns value i of a dense table with Bits > 0, or [ErrRange] if there are fewer values.
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

// In a block of values, value i occupies the bits i*Bits … i*Bits+Bits-1, counted from the
// lowest bit of the first byte. With 1, 2, 4 or 8 bits a value lies in one byte.

func unpack(block []byte, i, bits int) uint8 {
	bit := i * bits
	return block[bit>>3] >> (bit & 7) & (1<<bits - 1)
}

// Lookup returns the value of a key in a sparse table; found is false if the table does not contain the
// key. Only the first KeyBits bits of keys are compared: for a random key that the table does not
// contain, Lookup returns the value of another key with probability Entries / 2^KeyBits.
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

// Each calls f with all entries of a sparse table in the order of their keys, which are truncated to
// KeyBits. It stops at the first error, of f, of ctx or of reading, and returns it.
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

func Dir(store, name string) string { return filepath.Join(store, name) }
