// Package store keeps solved tables: immutable, packed, checksummed, shared by
// any number of reading processes, and the journals of long solves.
//
// # A table
//
// A table is one directory that holds blocks, in a Badger database or in one file
// (blocks.go), and the file table.json. The header says what the blocks mean.
// There are two kinds:
//
//   - Dense: value i, the index of a position 0..Values-1, lies in block
//     i / BlockValues, packed with 1, 2, 4 or 8 bits a value; or blocks of
//     opaque bytes that only their owner understands (Bits 0).
//   - Sparse: 128-bit keys, of which the first KeyBits count, to small
//     numbers. Blocks are found by the first PrefixBits bits of the key, so
//     the keys must be spread evenly: hashes. The coding is in sparse.go; it
//     takes about KeyBits - log2(positions) + 2 + ValueBits bits a position.
//
// A key holds one block, never one position: that is 20 times smaller and
// hundreds of times faster to write than a key a position, with the same read
// latency.
//
// # On disk
//
// Badger's key of a block is its number, 8 bytes, big-endian. Its value
// is the block's bytes, with a byte for zstd in front in compressed tables, and
// their CRC-32C behind. Values of a packed dense block lie from the low bits of the
// first byte upwards (table.go). The header's digest is a SHA-256 over all blocks in
// order, before compression: the same on every machine, however the table came about.
//
// # Reading, and damage
//
// Open reads the header, checks the parts of the files that Badger needs to
// open them (damage there would end the process inside Badger), and opens
// Badger read-only. Every block carries a CRC-32C of its number and bytes, so
// that a flipped bit becomes ErrDamaged and never a value; a block that Badger
// cannot find is damage as well, because every block is stored, the empty ones
// included. Tables are safe for concurrent use.
//
// # Building
//
// Create makes or resumes the directory NAME.building. The work is cut into shards;
// each shard is written to its own file (shardfile.go), which gets its final name only
// when it is complete and on disk, so a crash loses at most the unfinished shards.
// Finish joins the shards in order, streams the blocks into the table's files, opens it
// read-only, has a share of the values verified by another method, and renames the
// directory into place. The digest is the same for every order of shards, with any
// number of interruptions.
package store

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Format is the version of the layout on disk. Tables of another format are
// refused with ErrForeign.
const Format = 1

// maxShards bounds the shards of a sparse table: they are merged with one open file
// each.
const maxShards = 256

// maxBlockValues is the largest number of values in a packed block.
const maxBlockValues = 4096

// The errors of this package, to be tested with errors.Is. Their texts say
// what to do.
var (
	// ErrMissing is returned by Open when there is no such table.
	ErrMissing = errors.New("no such table")
	// ErrLocked is returned by Create when another process builds the same
	// table, and by Open when a foreign program holds it open for writing.
	ErrLocked = errors.New("table is locked by another process")
	// ErrNotClosed is returned by Open when some other program wrote to the
	// table and did not close it.
	ErrNotClosed = errors.New("table was not closed cleanly")
	// ErrForeign is returned by Open for a table of another format, game or
	// version of the rules.
	ErrForeign = errors.New("table is of another version")
	// ErrDamaged is returned whenever bytes are not what was written.
	ErrDamaged = errors.New("table is damaged")
	// ErrExists is returned by Create when the table is already there.
	ErrExists = errors.New("table exists already")
	// ErrSpec is returned by Create when the building directory belongs to
	// another specification.
	ErrSpec = errors.New("building directory belongs to another specification")
	// ErrCollision is returned while a table is built when two positions of a
	// sparse one share the first KeyBits bits of their keys.
	ErrCollision = errors.New("two positions share a key")
	// ErrRange is returned for a rank or block number outside the table.
	ErrRange = errors.New("outside the table")
)

// Kind is how a table finds a value.
type Kind string

// The two kinds.
const (
	Dense  Kind = "dense"
	Sparse Kind = "sparse"
)

// Spec says what a table is, before a single value is known. Two processes
// that build the same Spec get the same digest.
type Spec struct {
	// Name is the directory's name: letters, digits, dot, dash, underscore.
	Name string `json:"name"`
	// Title is one line for people.
	Title string `json:"title"`
	// Game, Rules and Solver name the game, the version of its rules and the
	// version of the program that worked the values out.
	Game   string `json:"game"`
	Rules  int    `json:"rules_version"`
	Solver int    `json:"solver_version"`
	// Params are the owner's: board=3x3, segments=12.
	Params map[string]string `json:"params,omitempty"`

	Kind Kind `json:"kind"`

	// Dense: Bits a value (1, 2, 4 or 8; 0 for opaque blocks), BlockValues a
	// block (at most maxBlockValues, a multiple of 8), Values in all. For
	// opaque blocks Blocks counts them and Values and BlockValues are free
	// for the owner's use. ShardBlocks consecutive blocks make a shard.
	Bits        int    `json:"bits,omitempty"`
	BlockValues int    `json:"block_values,omitempty"`
	Values      uint64 `json:"values,omitempty"`
	Blocks      uint64 `json:"blocks"`
	ShardBlocks uint64 `json:"shard_blocks,omitempty"`

	// Sparse: KeyBits of the key count (16..128, a multiple of 8), values
	// take ValueBits bits (1..32), and the work has Shards shards (1..256).
	// Blocks is set by Finish.
	KeyBits   int `json:"key_bits,omitempty"`
	ValueBits int `json:"value_bits,omitempty"`
	Shards    int `json:"shards"`

	// Compress packs each block with zstd where that makes it smaller.
	Compress bool `json:"compress,omitempty"`
}

// goodName says whether a table may have the name.
func goodName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return name != "" && len(name) <= 100 && strings.Trim(name, letters+"._-") == "" && strings.ContainsRune(letters, rune(name[0]))
}

// complete fills in what follows (Blocks, Shards) and says what is wrong with a Spec.
func (s *Spec) complete() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("table %q: %s", s.Name, fmt.Sprintf(format, args...))
	}
	if !goodName(s.Name) {
		return fmt.Errorf("table name %q: want letters, digits, dot, dash or underscore", s.Name)
	}
	if s.Game == "" {
		return bad("no game given")
	}
	switch s.Kind {
	case Dense:
		if s.KeyBits != 0 || s.ValueBits != 0 {
			return bad("key and value bits belong to sparse tables")
		}
		switch s.Bits {
		case 0:
			if s.Blocks == 0 {
				return bad("opaque blocks need their number")
			}
		case 1, 2, 4, 8:
			if s.BlockValues < 8 || s.BlockValues > maxBlockValues || s.BlockValues%8 != 0 {
				return bad("%d values a block: want a multiple of 8 up to %d", s.BlockValues, maxBlockValues)
			}
			if s.Values == 0 {
				return bad("no values")
			}
			s.Blocks = (s.Values-1)/uint64(s.BlockValues) + 1
		default:
			return bad("%d bits a value: want 0, 1, 2, 4 or 8", s.Bits)
		}
		if s.ShardBlocks == 0 {
			return bad("no blocks in a shard")
		}
		shards := (s.Blocks-1)/s.ShardBlocks + 1
		if shards > 1<<20 {
			return bad("%d shards: at most %d", shards, 1<<20)
		}
		s.Shards = int(shards)
	case Sparse:
		if s.Bits != 0 || s.BlockValues != 0 || s.Values != 0 || s.ShardBlocks != 0 {
			return bad("bits, values and shard blocks belong to dense tables")
		}
		if s.KeyBits < 16 || s.KeyBits > 128 || s.KeyBits%8 != 0 {
			return bad("%d key bits: want a multiple of 8 from 16 to 128", s.KeyBits)
		}
		if s.ValueBits < 1 || s.ValueBits > 32 {
			return bad("%d value bits: want 1 to 32", s.ValueBits)
		}
		if s.Shards < 1 || s.Shards > maxShards {
			return bad("%d shards: want 1 to %d", s.Shards, maxShards)
		}
		s.Blocks = 0
	default:
		return bad("kind %q: want dense or sparse", s.Kind)
	}
	return nil
}

// ShardRange gives the blocks first..end-1 of a dense table's shard.
func (s Spec) ShardRange(shard int) (first, end uint64) {
	first = uint64(shard) * s.ShardBlocks
	return first, min(first+s.ShardBlocks, s.Blocks)
}

// valuesIn counts the values of a packed block: BlockValues, but for the last.
func (s Spec) valuesIn(block uint64) int {
	return int(min(uint64(s.BlockValues), s.Values-block*uint64(s.BlockValues)))
}

// checkLen refuses a block of another length than the values of a packed one take.
func (s Spec) checkLen(block uint64, payload []byte) error {
	if want := (s.valuesIn(block)*s.Bits + 7) / 8; s.Kind == Dense && s.Bits != 0 && len(payload) != want {
		return fmt.Errorf("%d bytes, want %d", len(payload), want)
	}
	return nil
}

// Header is what a finished table says about itself; it is the content of
// table.json.
type Header struct {
	Format int `json:"format"`
	Spec
	// Positions counts what the owner counted: the entries that mean
	// something. Counts has them a shard, Histogram a value.
	Positions uint64         `json:"positions"`
	Counts    []uint64       `json:"shard_positions"`
	Histogram map[int]uint64 `json:"histogram"`
	// Notes are the owner's further results, number by name.
	Notes map[string]uint64 `json:"notes,omitempty"`
	// Entries of a sparse table; PrefixBits of a key select its block.
	Entries    uint64 `json:"entries,omitempty"`
	PrefixBits int    `json:"prefix_bits,omitempty"`
	// PayloadBytes is the size of all blocks before compression.
	PayloadBytes uint64 `json:"payload_bytes"`
	// SHA256 runs over number, length and bytes of all blocks in order.
	SHA256 string `json:"sha256"`
	// Verified counts the entries that the build's last pass worked out
	// again with another method, all of them equal.
	Verified uint64 `json:"verified"`
	// Built is when the table was finished; not part of the digest.
	Built time.Time `json:"built"`
	// Files lists what holds the blocks.
	Files []Seal `json:"files"`
}

// Bytes is the size of the table's files.
func (h *Header) Bytes() uint64 {
	var n uint64
	for _, f := range h.Files {
		n += uint64(f.Size)
	}
	return n
}

// coding is how the blocks of a sparse table are coded.
func (h *Header) coding() blockCoding {
	return blockCoding{PrefixBits: h.PrefixBits, KeyBits: h.KeyBits, ValueBits: h.ValueBits}
}
