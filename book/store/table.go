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

// Options say how a table is opened. The zero value takes any game and keeps
// 8 MiB of decoded blocks.
type Options struct {
	// Game and Rules, if given, must be the table's; another one is
	// ErrForeign.
	Game  string
	Rules int
	// CacheBytes bounds the decoded blocks that are kept; negative for none.
	CacheBytes int64
}

// Table is a finished table opened for reading. It is safe for concurrent use.
type Table struct {
	header Header
	path   string
	blocks func() (blocks, error) // opened by the first call: most lookups ask few of the tables they have
	opened atomic.Bool            // blocks was called
	unzip  unzipper               // nil for uncompressed tables

	cache []atomic.Pointer[cachedBlock] // direct-mapped by block number

	closed atomic.Bool
	inUse  sync.RWMutex // read-locked while a block is read, locked by Close
}

// blocks are a table's blocks as they are stored (encode and decode in block.go): a Badger
// database (badger.go) or one file (onefile.go). Both are safe for concurrent use,
// and may panic on damaged files.
type blocks interface {
	// read gives the bytes of a block as they were put in.
	read(block uint64) ([]byte, error)
	// check finds damage that the checksums of blocks don't show.
	check() error
	Close() error
}

// A decoder checks the stored form of a block and returns a copy of its bytes as they
// were put in.
type decoder func(block uint64, stored []byte) ([]byte, error)

// unzipper unpacks blocks, for several goroutines at once.
type unzipper interface {
	DecodeAll(packed, onto []byte) ([]byte, error)
	Close()
}

type cachedBlock struct {
	number  uint64
	payload []byte
}

// Open opens a table for reading. It returns ErrMissing, ErrNotClosed, ErrForeign or
// ErrDamaged, each with what to do. The first read returns ErrLocked where another
// program has the table open for writing.
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
	checkSeals(path, h.Files, func(err error) {
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
	t := &Table{header: *h, path: path}
	t.blocks = sync.OnceValues(func() (blocks, error) {
		t.opened.Store(true)
		return openBlocks(path, h, t.decode)
	})
	if h.Compress {
		if t.unzip, err = newUnzipper(); err != nil {
			return nil, err
		}
	}
	bytes := o.CacheBytes
	if bytes == 0 {
		bytes = 8 << 20
	}
	if block := int64(h.PayloadBytes/h.Blocks) + 64; bytes > 0 {
		t.cache = make([]atomic.Pointer[cachedBlock], min(uint64(max(bytes/block, 1)), h.Blocks))
	}
	return t, nil
}

// plausible checks what the code relies on in a header.
func (h *Header) plausible() error {
	s := h.Spec
	if err := s.check(); err != nil {
		return err
	}
	if h.Kind == Dense && s.Blocks != h.Blocks || h.Kind == Sparse && (h.PrefixBits < 0 || h.PrefixBits > h.KeyBits-subBits || h.PrefixBits > 40 || h.Blocks != 1<<h.PrefixBits) {
		return errors.New("header contradicts itself")
	}
	return nil
}

// openBlocks opens what holds a table's blocks.
func openBlocks(path string, h *Header, decode decoder) (b blocks, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = damaged(path, fmt.Sprintf("open: %v", r))
		}
	}()
	if h.packed() {
		return openPacked(path, h, decode)
	}
	return openBadger(path, decode)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Header is the table's description. It must not be changed.
func (t *Table) Header() *Header { return &t.header }

// Path is the table's directory.
func (t *Table) Path() string { return t.path }

// Close closes the table; later reads fail.
func (t *Table) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	t.inUse.Lock()
	defer t.inUse.Unlock()
	if t.unzip != nil {
		t.unzip.Close()
	}
	if !t.opened.Load() {
		return nil
	}
	b, err := t.blocks()
	if err != nil {
		return nil // nothing is open; who read was told
	}
	return b.Close()
}

var errClosed = errors.New("table is closed")

// Block gives the bytes of a block as they were put in. They are shared and
// must not be changed.
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

// read takes a block from the files.
func (t *Table) read(block uint64) (payload []byte, err error) {
	t.inUse.RLock()
	defer t.inUse.RUnlock()
	if t.closed.Load() {
		return nil, fmt.Errorf("%s: %w", t.path, errClosed)
	}
	// Reading damaged files may panic; damage that does not is noticed by decode, which
	// compares checksums (block.go).
	defer func() {
		if r := recover(); r != nil {
			payload, err = nil, damaged(t.path, fmt.Sprintf("block %d: %s", block, firstLine(fmt.Sprint(r))))
		}
	}()
	b, err := t.blocks()
	if err != nil {
		return nil, err
	}
	if payload, err = b.read(block); err != nil {
		return nil, damaged(t.path, fmt.Sprintf("block %d: %s", block, firstLine(err.Error())))
	}
	return payload, nil
}

// Value reads value i of a packed dense table.
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
	return Unpack(block, int(i%uint64(h.BlockValues)), h.Bits), nil
}

// Lookup finds the value of a key in a sparse table. A key that was never put
// in is reported as not found, or, once in 2^KeyBits/positions times, gets
// another key's value: ask only for positions that the table covers, or give
// it enough KeyBits.
func (t *Table) Lookup(key Key) (value uint32, found bool, err error) {
	h := &t.header
	if h.Kind != Sparse {
		return 0, false, fmt.Errorf("%s: has no keys", t.path)
	}
	n := keyBitsAt(key, 0, h.PrefixBits)
	block, err := t.Block(n)
	if err != nil {
		return 0, false, err
	}
	v, err := viewSparse(block, h.PrefixBits, h.KeyBits, h.ValueBits)
	if err != nil {
		return 0, false, damaged(t.path, fmt.Sprintf("block %d: %v", n, err))
	}
	value, found = v.find(key)
	return value, found, nil
}

// Each calls f with all entries of a sparse table in order. The keys are cut
// to KeyBits.
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
		v, err := viewSparse(block, h.PrefixBits, h.KeyBits, h.ValueBits)
		if err != nil {
			return damaged(t.path, fmt.Sprintf("block %d: %v", n, err))
		}
		if err := v.each(n, f); err != nil {
			return err
		}
	}
	return nil
}

// Dir is where a table of a given name lies in a store.
func Dir(store, name string) string { return filepath.Join(store, name) }
