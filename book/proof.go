package book

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ValueOptions size the search for the value of an empty board.
type ValueOptions struct {
	Threads    int
	TableBytes int64
	// Plies is how many lines are drawn in the positions that the search of
	// Dots and Boxes is split into.
	Plies int
}

// BoardValue is what is known of an empty board: bounds of the value for
// player 1, equal when it is solved.
type BoardValue struct {
	Lower, Upper int
	Expansions   uint64 // of this run
	Subpositions int    // positions that something is kept of, those of earlier runs included
}

// The value of an empty board can take longer to prove than any clock gives, so
// the part of its proof that is not found again in a moment ships with the
// program: bounds of positions near the empty board, which their solver learns.
// Whoever follows them never gets less than the value, from either side.

// ProofEntry is what is proved about a class of positions. The key's words are those
// by which the solver's table finds the entry (package tt): one is compared with
// it, one chooses its bucket.
type ProofEntry struct {
	Compared, Bucket uint64
	Lower, Upper     int8
}

// ProofFile is the form in which a game's answers ship: a title line, then a
// record an answer, sorted: the upper 4 bytes of the bucket's word, those bytes of
// the other that the table compares, and the two bounds.
type ProofFile struct {
	Title string // names format and keys; other keys need another one
	Bytes int    // of the word that is compared
}

func (f ProofFile) record() int { return 4 + f.Bytes + 2 }

// Write writes answers down, one of each class: what several tell of it holds together.
func (f ProofFile) Write(w io.Writer, answers []ProofEntry) error {
	records := make([][]byte, len(answers))
	for i, a := range answers {
		var key [8]byte
		r := binary.BigEndian.AppendUint32(nil, uint32(a.Bucket>>32))
		binary.BigEndian.PutUint64(key[:], a.Compared)
		records[i] = append(append(r, key[:f.Bytes]...), byte(a.Lower), byte(a.Upper))
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

// Read is the inverse of Write: it calls add with every answer; bits of the keys that are
// not kept are zero.
func (f ProofFile) Read(text string, add func(ProofEntry)) error {
	rest, ok := strings.CutPrefix(text, f.Title)
	if !ok {
		return fmt.Errorf("answers: does not begin with %q", f.Title)
	}
	if len(rest)%f.record() != 0 {
		return fmt.Errorf("answers: %d bytes are no multiple of %d", len(rest), f.record())
	}
	for i := 0; i < f.Count(text); i++ {
		r := []byte(rest[i*f.record() : (i+1)*f.record()])
		var key [8]byte
		copy(key[:], r[4:4+f.Bytes])
		a := ProofEntry{
			Compared: binary.BigEndian.Uint64(key[:]),
			Bucket:   uint64(binary.BigEndian.Uint32(r)) << 32,
			Lower:    int8(r[4+f.Bytes]), Upper: int8(r[5+f.Bytes]),
		}
		if a.Lower > a.Upper {
			return fmt.Errorf("answers: record %d: bounds %d to %d", i, a.Lower, a.Upper)
		}
		add(a)
	}
	return nil
}

// Count is how many answers a file has.
func (f ProofFile) Count(text string) int { return max(0, len(text)-len(f.Title)) / f.record() }
