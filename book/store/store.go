// Package store stores solved tables, which are immutable, packed, checksummed and shared
// by any number of reading processes, and the journals of long solves ([Journal]).
//
// # A table
//
// A [Table] is one directory that contains blocks, in a Badger database or in one file
// (blocks.go), and the file table.json (header.go), whose [Header] describes the blocks.
// There are two kinds:
//
//   - Dense: value i, the index of a position 0..Values-1, is in block
//     i / BlockValues, packed with 1, 2, 4 or 8 bits per value; or blocks of
//     opaque bytes that only their owner interprets (Bits 0).
//   - Sparse: 128-bit keys, of which the first KeyBits count, map to small
//     numbers. Blocks are found by the first PrefixBits bits of the key, so
//     the keys must be evenly distributed, like hashes. The coding (sparse.go)
//     takes about KeyBits - log2(positions) + 2 + ValueBits bits per position.
//
// A key of the database contains one block and not one position, which takes less space and
// time to write with the same read latency.
//
// # On disk
//
// Badger's key of a block is its number, 8 bytes, big-endian, and its value the stored
// block (blocks.go). Values of a packed dense block start at the low bits of the first byte
// (table.go). The header's digest is a SHA-256 over all blocks in order, before
// compression. It is the same on every machine and for every way of building the table.
//
// # Reading, and damage
//
// [Open] reads the header, checks the parts of the files that Badger needs to open them
// (damage there would end the process inside Badger). The first read opens Badger
// read-only. Every block has a CRC-32C of its number and bytes, so a flipped bit becomes [ErrDamaged] and
// never a value. A block that Badger cannot find is damage as well, because every block is
// stored, including empty ones. Tables are safe for concurrent use.
//
// # Building
//
// [Create] makes or resumes the directory NAME.building and returns a [Builder]. The work
// is divided into shards; each shard is written to its own file (shardfile.go), which gets
// its final name only when it is complete and on disk, so a crash loses at most the
// unfinished shards. [Builder.Finish] joins the shards in order, streams the blocks into
// the table's files, opens the table read-only, verifies a share of the values by another
// method, and renames the directory into place. The digest is the same for every order of
// shards and any number of interruptions.
package store

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Format is the version of the layout on disk. Tables of another format are refused with
// [ErrForeign].
const Format = 1

// maxShards is the maximum number of shards of a sparse table: merging them needs one open
// file each.
const maxShards = 256

// maxBlockValues is the maximum number of values in a packed block.
const maxBlockValues = 4096

// Errors of this package, for use with [errors.Is]. Their texts say what to do.
var (
	// ErrMissing is returned by Open if there is no such table.
	ErrMissing = errors.New("no such table")
	// ErrLocked is returned by Create if another process builds the same table, and by
	// the first read if another program has it open for writing.
	ErrLocked = errors.New("table is locked by another process")
	// ErrNotClosed is returned by Open if another program wrote to the table and did not
	// close it.
	ErrNotClosed = errors.New("table was not closed cleanly")
	// ErrForeign is returned by Open for a table of another format, game or version of the
	// rules.
	ErrForeign = errors.New("table is of another version")
	// ErrDamaged is returned if bytes differ from what was written.
	ErrDamaged = errors.New("table is damaged")
	// ErrExists is returned by Create if the table exists.
	ErrExists = errors.New("table exists already")
	// ErrSpec is returned by Create if the building directory belongs to another
	// specification.
	ErrSpec = errors.New("building directory belongs to another specification")
	// ErrCollision is returned during a build if two positions of a sparse table share the
	// first KeyBits bits of their keys.
	ErrCollision = errors.New("two positions share a key")
	// ErrRange is returned for a rank or block number outside the table.
	ErrRange = errors.New("outside the table")
)

// Kind determines how a table finds a value.
type Kind string

// The two kinds.
const (
	Dense  Kind = "dense"
	Sparse Kind = "sparse"
)

// Spec specifies a table before it is solved. Processes that build the same Spec get the
// same digest.
type Spec struct {
	// Name is the directory's name: letters, digits, dot, dash, underscore.
	Name string `json:"name"`
	// Title is one line for users.
	Title string `json:"title"`
	// Game, Rules and Solver name the game, the version of its rules and the version of the
	// solver.
	Game   string `json:"game"`
	Rules  int    `json:"rules_version"`
	Solver int    `json:"solver_version"`
	// Params are defined by the owner: board=3x3, segments=12.
	Params map[string]string `json:"params,omitempty"`

	Kind Kind `json:"kind"`

	// Dense tables have Bits per value (1, 2, 4 or 8; 0 for opaque blocks), BlockValues per
	// block (at most maxBlockValues, a multiple of 8), and Values in all. For opaque blocks
	// Blocks is their number, and the owner may use Values and BlockValues freely.
	// ShardBlocks consecutive blocks form a shard.
	Bits        int    `json:"bits,omitempty"`
	BlockValues int    `json:"block_values,omitempty"`
	Values      uint64 `json:"values,omitempty"`
	Blocks      uint64 `json:"blocks"`
	ShardBlocks uint64 `json:"shard_blocks,omitempty"`

	// Sparse tables have keys of which KeyBits count (16..128, a multiple of 8), values of
	// ValueBits bits (1..32), and Shards shards (1..256). Finish sets Blocks.
	KeyBits   int `json:"key_bits,omitempty"`
	ValueBits int `json:"value_bits,omitempty"`
	Shards    int `json:"shards"`

	// Compress packs each block with zstd if that makes it smaller.
	Compress bool `json:"compress,omitempty"`
}

// goodName reports whether a table may have the name.
func goodName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return name != "" && len(name) <= 100 && strings.Trim(name, letters+"._-") == "" && strings.ContainsRune(letters, rune(name[0]))
}

// complete sets Blocks and Shards and returns an error if the Spec is invalid.
func (s *Spec) complete() error {
	if !goodName(s.Name) {
		return fmt.Errorf("table name %q: want letters, digits, dot, dash or underscore", s.Name)
	}
	var err error
	switch {
	case s.Game == "":
		err = errors.New("no game given")
	case s.Kind == Dense:
		err = s.completeDense()
	case s.Kind == Sparse:
		err = s.completeSparse()
	default:
		err = fmt.Errorf("kind %q: want dense or sparse", s.Kind)
	}
	if err != nil {
		return fmt.Errorf("table %q: %w", s.Name, err)
	}
	return nil
}

// completeDense is complete for a dense table.
func (s *Spec) completeDense() error {
	if s.KeyBits != 0 || s.ValueBits != 0 {
		return errors.New("key and value bits belong to sparse tables")
	}
	switch s.Bits {
	case 0:
		if s.Blocks == 0 {
			return errors.New("opaque blocks need their number, and Blocks is 0")
		}
	case 1, 2, 4, 8:
		if s.BlockValues < 8 || s.BlockValues > maxBlockValues || s.BlockValues%8 != 0 {
			return fmt.Errorf("%d values a block: want a multiple of 8 up to %d", s.BlockValues, maxBlockValues)
		}
		if s.Values == 0 {
			return errors.New("no values")
		}
		s.Blocks = (s.Values-1)/uint64(s.BlockValues) + 1
	default:
		return fmt.Errorf("%d bits a value: want 0, 1, 2, 4 or 8", s.Bits)
	}
	if s.ShardBlocks == 0 {
		return errors.New("no blocks in a shard")
	}
	shards := (s.Blocks-1)/s.ShardBlocks + 1
	if shards > 1<<20 {
		return fmt.Errorf("%d shards: at most %d", shards, 1<<20)
	}
	s.Shards = int(shards)
	return nil
}

// completeSparse is complete for a sparse table.
func (s *Spec) completeSparse() error {
	if s.Bits != 0 || s.BlockValues != 0 || s.Values != 0 || s.ShardBlocks != 0 {
		return errors.New("bits, values and shard blocks belong to dense tables")
	}
	if s.KeyBits < 16 || s.KeyBits > 128 || s.KeyBits%8 != 0 {
		return fmt.Errorf("%d key bits: want a multiple of 8 from 16 to 128", s.KeyBits)
	}
	if s.ValueBits < 1 || s.ValueBits > 32 {
		return fmt.Errorf("%d value bits: want 1 to 32", s.ValueBits)
	}
	if s.Shards < 1 || s.Shards > maxShards {
		return fmt.Errorf("%d shards: want 1 to %d", s.Shards, maxShards)
	}
	s.Blocks = 0
	return nil
}

// ShardRange returns the blocks first..end-1 of a dense table's shard.
func (s Spec) ShardRange(shard int) (first, end uint64) {
	first = uint64(shard) * s.ShardBlocks
	return first, min(first+s.ShardBlocks, s.Blocks)
}

// valuesIn returns the number of values in a packed block: BlockValues, except in the last
// one.
func (s Spec) valuesIn(block uint64) int {
	return int(min(uint64(s.BlockValues), s.Values-block*uint64(s.BlockValues)))
}

// checkLen returns an error if a packed block does not have the length of its values.
func (s Spec) checkLen(block uint64, payload []byte) error {
	if want := (s.valuesIn(block)*s.Bits + 7) / 8; s.Kind == Dense && s.Bits != 0 && len(payload) != want {
		return fmt.Errorf("%d bytes, want %d", len(payload), want)
	}
	return nil
}

// Header describes a finished table; it is the content of table.json.
type Header struct {
	Format int `json:"format"`
	Spec
	// Positions is the number of entries that the owner counted as positions. Counts
	// contains it per shard, Histogram per value.
	Positions uint64         `json:"positions"`
	Counts    []uint64       `json:"shard_positions"`
	Histogram map[int]uint64 `json:"histogram"`
	// Notes are further results of the owner, numbers by name.
	Notes map[string]uint64 `json:"notes,omitempty"`
	// Entries is the number of entries of a sparse table. PrefixBits of a key select its
	// block.
	Entries    uint64 `json:"entries,omitempty"`
	PrefixBits int    `json:"prefix_bits,omitempty"`
	// PayloadBytes is the size of all blocks before compression.
	PayloadBytes uint64 `json:"payload_bytes"`
	// SHA256 is the digest of number, length and bytes of all blocks in order.
	SHA256 string `json:"sha256"`
	// Verified is the number of entries that the last step of the build recomputed with
	// another method, all with the same result.
	Verified uint64 `json:"verified"`
	// Built is the time at which the table was finished; it is not part of the digest.
	Built time.Time `json:"built"`
	// Files are the files of the blocks.
	Files []Checksum `json:"files"`
}

// Bytes returns the size of the table's files.
func (h *Header) Bytes() uint64 {
	var n uint64
	for _, f := range h.Files {
		n += uint64(f.Size)
	}
	return n
}

// coding returns the coding of a sparse table's blocks.
func (h *Header) coding() blockCoding {
	return blockCoding{PrefixBits: h.PrefixBits, KeyBits: h.KeyBits, ValueBits: h.ValueBits}
}
