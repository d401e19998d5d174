package dotsandboxes

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"

	"endwise/data"
	"endwise/solver/dotsandboxes/exact"
)

// The value of 4x4 takes half a minute, more than any clock gives, so the part
// of its proof that is not found again in a moment ships with the program
// (exact.Solver.Prove): whoever follows it never gets less than the value,
// from either side. The file is a title line, then a record a position: the
// key's two words, 45 and 32 of their upper bits, and its two bounds, sorted.

// answersTitle names format and keys; other keys need another title.
const answersTitle = "endwise dotsandboxes answers 1\n"

const answerRecord = 12

// WriteAnswers writes answers in the form in which they ship.
func WriteAnswers(w io.Writer, answers []exact.Proved) error {
	records := make([][answerRecord]byte, len(answers))
	for i, a := range answers {
		r := &records[i]
		binary.BigEndian.PutUint32(r[:], uint32(a.Key[1]>>32))
		var lo [8]byte
		binary.BigEndian.PutUint64(lo[:], a.Key[0])
		copy(r[4:10], lo[:6])
		r[10], r[11] = byte(a.Lower), byte(a.Upper)
	}
	slices.SortFunc(records, func(a, b [answerRecord]byte) int { return cmp.Compare(string(a[:]), string(b[:])) })
	var out bytes.Buffer
	out.WriteString(answersTitle)
	for _, r := range records {
		out.Write(r[:])
	}
	_, err := w.Write(out.Bytes())
	return err
}

// readAnswers is the inverse of WriteAnswers. The lower bits of the keys,
// which a solver's table does not hold either, are zero.
func readAnswers(text []byte) ([]exact.Proved, error) {
	rest, ok := bytes.CutPrefix(text, []byte(answersTitle))
	if !ok {
		return nil, fmt.Errorf("answers: does not begin with %q", answersTitle)
	}
	if len(rest)%answerRecord != 0 {
		return nil, fmt.Errorf("answers: %d bytes are no multiple of %d", len(rest), answerRecord)
	}
	answers := make([]exact.Proved, 0, len(rest)/answerRecord)
	for r := range slices.Chunk(rest, answerRecord) {
		var lo [8]byte
		copy(lo[:6], r[4:10])
		a := exact.Proved{
			Key:   [2]uint64{binary.BigEndian.Uint64(lo[:]), uint64(binary.BigEndian.Uint32(r)) << 32},
			Lower: int8(r[10]), Upper: int8(r[11]),
		}
		if a.Lower > a.Upper {
			return nil, fmt.Errorf("answers: record %d: bounds %d to %d", len(answers), a.Lower, a.Upper)
		}
		answers = append(answers, a)
	}
	return answers, nil
}

// shippedAnswers are the answers that ship.
var shippedAnswers = sync.OnceValue(func() []exact.Proved {
	answers, err := readAnswers(data.DotsAndBoxesProof())
	if err != nil {
		panic(err) // the file is part of the program
	}
	return answers
})
