package book

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ValueOptions configure the search for the value of an empty board.
type ValueOptions struct {
	Threads    int
	TableBytes int64
	// Plies is the number of lines drawn in the positions into which the search of Dots and
	// Boxes is split.
	Plies int
}

// BoardValue contains the bounds of an empty board's value for player 1. They are equal if
// the board is solved.
type BoardValue struct {
	Lower, Upper int
	Expansions   uint64 // in this run
	Subpositions int    // positions with stored bounds, including those of earlier runs
}

// Proving the value of an empty board can take longer than any clock allows. The program
// therefore embeds the expensive part of the proof: bounds of positions near the empty
// board, which are loaded into the solver's table. With them either side can always be
// played to at least its share of the value.

// ProofEntry contains the proved bounds of a canonical position. Compared and Bucket are
// the words of its key in the solver's transposition table (package tt): the table compares
// the first with its entry and chooses the bucket by the second.
type ProofEntry struct {
	Compared, Bucket uint64
	Lower, Upper     int8
}

// ProofFile is the format of a game's embedded proof: the title line, then one record per
// position in ascending order. A record contains, in this order:
//
//	4 bytes      upper half of Bucket, big-endian
//	Bytes bytes  leading bytes of Compared, big-endian
//	1 byte       lower bound, signed
//	1 byte       upper bound, signed
type ProofFile struct {
	Title string // names format and keys, so that files with other keys are refused
	Bytes int    // number of bytes of Compared that are stored
}

// recordBytes returns the length of a record.
func (f ProofFile) recordBytes() int { return 4 + f.Bytes + 2 }

// Write writes the entries. Of several entries with the same stored key it writes one with
// the intersection of their bounds.
func (f ProofFile) Write(w io.Writer, entries []ProofEntry) error {
	records := make([][]byte, len(entries))
	for i, e := range entries {
		var key [8]byte
		r := binary.BigEndian.AppendUint32(nil, uint32(e.Bucket>>32))
		binary.BigEndian.PutUint64(key[:], e.Compared)
		records[i] = append(append(r, key[:f.Bytes]...), byte(e.Lower), byte(e.Upper))
	}
	slices.SortFunc(records, bytes.Compare)
	out, last := []byte(f.Title), []byte(nil)
	for _, r := range records {
		key := len(r) - 2
		if last == nil || !bytes.Equal(last[:key], r[:key]) {
			out = append(out, r...)
			last = out[len(out)-len(r):]
			continue
		}
		last[key] = byte(max(int8(last[key]), int8(r[key])))
		last[key+1] = byte(min(int8(last[key+1]), int8(r[key+1])))
	}
	_, err := w.Write(out)
	return err
}

// Read calls add with every entry of a file's text; key bits that are not stored are zero.
func (f ProofFile) Read(text string, add func(ProofEntry)) error {
	rest, ok := strings.CutPrefix(text, f.Title)
	if !ok {
		return fmt.Errorf("embedded proof: does not begin with %q", f.Title)
	}
	size := f.recordBytes()
	if len(rest)%size != 0 {
		return fmt.Errorf("embedded proof: %d bytes are not a multiple of %d", len(rest), size)
	}
	for i := range f.Count(text) {
		r := []byte(rest[i*size : (i+1)*size])
		var key [8]byte
		copy(key[:], r[4:4+f.Bytes])
		e := ProofEntry{
			Compared: binary.BigEndian.Uint64(key[:]),
			Bucket:   uint64(binary.BigEndian.Uint32(r)) << 32,
			Lower:    int8(r[4+f.Bytes]), Upper: int8(r[5+f.Bytes]),
		}
		if e.Lower > e.Upper {
			return fmt.Errorf("embedded proof: record %d: bounds %d to %d", i, e.Lower, e.Upper)
		}
		add(e)
	}
	return nil
}

// Count returns the number of entries of a file's text.
func (f ProofFile) Count(text string) int { return max(0, len(text)-len(f.Title)) / f.recordBytes() }
