// Package store stores solved tables, and the journals of long solves ([Journal]).
//
// A [Table] contains the values of positions in numbered blocks. There are two kinds:
//
//   - A dense table has Values values of 1, 2, 4 or 8 bits, numbered from 0 ([Table.Value]). Value i is
//     in block i / BlockValues. If Bits is 0, only the caller interprets the blocks ([Table.Block]).
//   - A sparse table maps 128-bit keys to numbers ([Table.Lookup]).
//
// A store is a directory, and a table is a subdirectory of it that contains table.json, the [Header],
// and the blocks: in a Badger database (badger.go), or in one file that a program in a browser can read
// (onefile.go). blocks.go defines the stored form of a block, table.go the form of a block of values,
// and sparse.go that of a sparse block.
//
// Every block has a CRC-32C, so a changed bit causes [ErrDamaged] and never a wrong value. A missing
// block is damage as well, because even empty blocks are stored.
//
// [Create] starts or resumes the build of a table in the directory NAME.building. The blocks of a dense
// table, or the entries of a sparse one, are divided into shards. Each shard file gets its final name
// when it is complete and on disk, so an interruption loses only unfinished shards. [Builder.Finish]
// writes the table from all shards, verifies it and renames its directory.
package store

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Format is the version of the layout on disk.
const Format = 1

const (
	maxDenseShards = 1 << 20
	// maxSparseShards is small because Finish opens the files of all shards at the same time.
	maxSparseShards = 256
)

const maxBlockValues = 4096

// Errors of this package, for use with [errors.Is].
var (
	// ErrMissing is returned if there is no such finished table.
	ErrMissing = errors.New("no such table")
	// ErrLocked is returned if another process is building the table (Create), has the journal open
	// (OpenJournal), or has the table open for writing (Open and reads).
	ErrLocked = errors.New("locked by another process")
	// ErrForeign is returned for a table of another format, game, version of the rules or layout, and
	// for a Badger database of another program.
	ErrForeign = errors.New("table does not fit this program")
	// ErrDamaged is returned if bytes differ from what was written, or Badger files were added.
	ErrDamaged = errors.New("table is damaged")
	// ErrSpec is returned by Create if the building directory belongs to another specification.
	ErrSpec = errors.New("building directory belongs to another specification")
	// ErrCollision is returned by [ShardWriter.Put] for equal keys in a shard, and by [Builder.Finish]
	// for equal keys with different values. Only the first KeyBits bits of keys count.
	ErrCollision = errors.New("keys of two positions collide")
	// ErrRange is returned for a value, block or shard number outside the table.
	ErrRange = errors.New("outside the table")
)

// Kind is the kind of a table.
type Kind string

const (
	Dense  Kind = "dense"
	Sparse Kind = "sparse"
)

// Spec specifies a table before it is built.
type Spec struct {
	// Name is the name of the directory: up to 100 letters, digits, dots, dashes and underscores,
	// beginning with a letter or digit.
	Name string `json:"name"`
	// Title is one line for users.
	Title  string `json:"title"`
	Game   string `json:"game"`
	Rules  int    `json:"rules_version"`
	Solver int    `json:"solver_version"`
	// Params describe the contents for the caller, for example board=3x3 and segments=12.
	Params map[string]string `json:"params,omitempty"`

	Kind Kind `json:"kind"`

	// Bits is the number of bits of a value of a dense table, 1, 2, 4 or 8. If it is 0, only the caller
	// interprets the blocks, and this package does not use Values and BlockValues.
	Bits int `json:"bits,omitempty"`
	// BlockValues is the number of values in a block of a dense table, a multiple of 8 up to 4096.
	BlockValues int `json:"block_values,omitempty"`
	// Values is the number of values in a dense table.
	Values uint64 `json:"values,omitempty"`
	// Blocks is the number of blocks. The caller sets it for a dense table whose Bits is 0, Create for
	// any other dense table, and Finish for a sparse one.
	Blocks uint64 `json:"blocks"`
	// ShardBlocks is the number of consecutive blocks in each shard of a dense table but the last.
	ShardBlocks uint64 `json:"shard_blocks,omitempty"`

	// KeyBits is the number of bits of a key that a sparse table stores, a multiple of 8 from 16 to 128.
	KeyBits int `json:"key_bits,omitempty"`
	// ValueBits is the number of bits of a value of a sparse table, 1 to 32.
	ValueBits int `json:"value_bits,omitempty"`
	// Shards is the number of shards. The caller sets it for a sparse table, to at most maxSparseShards;
	// Create sets it for a dense one, to at most maxDenseShards.
	Shards int `json:"shards"`

	// Compress compresses each block with zstd if that makes it smaller.
	Compress bool `json:"compress,omitempty"`
}

func goodName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return name != "" && len(name) <= 100 && strings.Trim(name, letters+"._-") == "" && strings.ContainsRune(letters, rune(name[0]))
}

// complete sets Blocks and Shards and returns an error if the Spec is invalid.
func (s *Spec) complete() error {
	if !goodName(s.Name) {
		return fmt.Errorf("table name %q: want up to 100 letters, digits, dots, dashes and underscores, "+
			"beginning with a letter or digit", s.Name)
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

func (s *Spec) completeDense() error {
	if s.KeyBits != 0 || s.ValueBits != 0 {
		return errors.New("key and value bits belong to sparse tables")
	}
	switch s.Bits {
	case 0:
		if s.Blocks == 0 {
			return errors.New("if Bits is 0, Blocks must be set")
		}
	case 1, 2, 4, 8:
		if s.BlockValues < 8 || s.BlockValues > maxBlockValues || s.BlockValues%8 != 0 {
			return fmt.Errorf("%d values per block: want a multiple of 8 up to %d", s.BlockValues, maxBlockValues)
		}
		if s.Values == 0 {
			return errors.New("no values")
		}
		s.Blocks = (s.Values-1)/uint64(s.BlockValues) + 1
	default:
		return fmt.Errorf("%d bits per value: want 0, 1, 2, 4 or 8", s.Bits)
	}
	if s.ShardBlocks == 0 {
		return errors.New("no blocks in a shard")
	}
	shards := (s.Blocks-1)/s.ShardBlocks + 1
	if shards > maxDenseShards {
		return fmt.Errorf("%d shards: at most %d", shards, maxDenseShards)
	}
	s.Shards = int(shards)
	return nil
}

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
	if s.Shards < 1 || s.Shards > maxSparseShards {
		return fmt.Errorf("%d shards: want 1 to %d", s.Shards, maxSparseShards)
	}
	s.Blocks = 0
	return nil
}

// ShardRange returns the range of blocks, first..end-1, in a shard of a dense table.
func (s Spec) ShardRange(shard int) (first, end uint64) {
	first = uint64(shard) * s.ShardBlocks
	return first, min(first+s.ShardBlocks, s.Blocks)
}

func (s Spec) valuesIn(block uint64) int {
	return int(min(uint64(s.BlockValues), s.Values-block*uint64(s.BlockValues)))
}

func (s Spec) checkLen(block uint64, payload []byte) error {
	if want := (s.valuesIn(block)*s.Bits + 7) / 8; s.Kind == Dense && s.Bits != 0 && len(payload) != want {
		return fmt.Errorf("%d bytes, want %d", len(payload), want)
	}
	return nil
}

// Header describes a finished table. It is stored in table.json.
type Header struct {
	Format int `json:"format"` // Format of the program that built the table
	Spec
	// Positions is the number of positions that the build counted with [ShardWriter.Count], in Counts by
	// shard and in Histogram by value.
	Positions uint64         `json:"positions"`
	Counts    []uint64       `json:"shard_positions"`
	Histogram map[int]uint64 `json:"histogram"`
	// Notes are further numbers of the build, by name, which only the caller interprets.
	Notes map[string]uint64 `json:"notes,omitempty"`
	// Entries is the number of entries of a sparse table.
	Entries uint64 `json:"entries,omitempty"`
	// PrefixBits says how many of a key's first bits are the number of its block (sparse).
	PrefixBits int `json:"prefix_bits,omitempty"`
	// PayloadBytes is the size of all blocks before compression.
	PayloadBytes uint64 `json:"payload_bytes"`
	// SHA256 is the digest of all blocks in hexadecimal (digest.go).
	SHA256 string `json:"sha256"`
	// Verified is the number of entries that FinishOptions.Verify compared.
	Verified uint64 `json:"verified"`
	// Built is the time when [Builder.Finish] began.
	Built time.Time `json:"built"`
	// Files are the files that contain the blocks.
	Files []Checksum `json:"files"`
}

// Bytes returns the size of the files with the blocks.
func (h *Header) Bytes() uint64 {
	var n uint64
	for _, f := range h.Files {
		n += uint64(f.Size)
	}
	return n
}

func (h *Header) coding() blockCoding {
	return blockCoding{PrefixBits: h.PrefixBits, KeyBits: h.KeyBits, ValueBits: h.ValueBits}
}
