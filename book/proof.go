package book

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"endwise/solver"
)

// ValueOptions configure the computation of an empty board's value.
type ValueOptions struct {
	Threads    int
	TableBytes int64 // of the transposition table
	// Plies is the number of turns after which the search of a Dots and Boxes board is divided into
	// separate searches of the positions reached.
	Plies int
	// Forecast is the expected number of positions of the search, for the progress; 0 for none.
	Forecast float64
}

// BoardValue contains bounds of an empty board's value for player 1.
type BoardValue struct {
	solver.Bounds
	Expansions   uint64 // positions expanded in this run
	Subpositions int    // positions with stored bounds, including those of earlier runs
}

// Proving the value of an empty board takes longer than a game. The program therefore contains an
// embedded proof: the bounds of positions near the empty board, which are loaded into the transposition
// table of the exact solver.

// The sources of proofs by an embedded proof: without and with positions that the exact solver expanded.
const (
	EmbeddedProof       = "embedded proof"
	SolvedEmbeddedProof = "solved, embedded proof"
)

// ProofSource returns EmbeddedProof if the solver expanded no position for r, else SolvedEmbeddedProof.
func ProofSource(r solver.Result) string {
	if r.Nodes == 0 {
		return EmbeddedProof
	}
	return SolvedEmbeddedProof
}

// ProofEntry contains the proved bounds of a canonical position. Compared and Bucket are the two words
// of the position's key in the solver's transposition table (package tt).
type ProofEntry struct {
	Compared, Bucket uint64
	Lower, Upper     int8
}

// ProofFile defines the file of an embedded proof: the title, then one record per position in ascending
// order of their bytes. A record contains, in this order:
//
//	4 bytes      upper half of Bucket, big-endian
//	Bytes bytes  leading bytes of Compared, big-endian
//	1 byte       lower bound, signed
//	1 byte       upper bound, signed
type ProofFile struct {
	Title string // identifies the format and the keys
	Bytes int    // number of bytes of Compared in a record, at most 8
}

func (f ProofFile) recordBytes() int { return 4 + f.Bytes + 2 }

// Write writes a file with the given entries, in any order. For entries with the same stored key it
// writes one record with the intersection of their bounds.
func (f ProofFile) Write(w io.Writer, entries []ProofEntry) error {
	records := make([][]byte, len(entries))
	for i, e := range entries {
		var key [8]byte
		r := binary.BigEndian.AppendUint32(nil, uint32(e.Bucket>>32))
		binary.BigEndian.PutUint64(key[:], e.Compared)
		records[i] = append(append(r, key[:f.Bytes]...), byte(e.Lower), byte(e.Upper))
	}
	slices.SortFunc(records, bytes.Compare)
	out, last := []byte(f.Title), []byte(nil) // last is the latest record of out
	for _, r := range records {
		key := len(r) - 2 // its length; the bounds follow
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

// Read calls add with every entry of a file; text is its contents. Bits of the keys that are not stored
// are zero. Read returns an error if the title, the length or the bounds of an entry are invalid.
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

// Count returns the number of entries of a file; text is its contents.
func (f ProofFile) Count(text string) int { return max(0, len(text)-len(f.Title)) / f.recordBytes() }
