package solving

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The value of an empty board can take longer to prove than any clock gives, so
// the part of its proof that is not found again in a moment ships with the
// program: bounds of positions near the empty board, which their solver learns.
// Whoever follows them never gets less than the value, from either side.

// Answer is what is proved about a class of positions. The key's words are those
// by which the solver's table finds the entry (package tt): one is compared with
// it, one chooses its bucket.
type Answer struct {
	Compared, Bucket uint64
	Lower, Upper     int8
}

// AnswerFile is the form in which a game's answers ship: a title line, then a
// record an answer, sorted: the upper 4 bytes of the bucket's word, those bytes of
// the other that the table compares, and the two bounds.
type AnswerFile struct {
	Title string // names format and keys; other keys need another one
	Bytes int    // of the word that is compared
}

func (f AnswerFile) record() int { return 4 + f.Bytes + 2 }

// Write writes answers down, one of each class: what several tell of it holds together.
func (f AnswerFile) Write(w io.Writer, answers []Answer) error {
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
func (f AnswerFile) Read(text string, add func(Answer)) error {
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
		a := Answer{
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
func (f AnswerFile) Count(text string) int { return max(0, len(text)-len(f.Title)) / f.record() }
