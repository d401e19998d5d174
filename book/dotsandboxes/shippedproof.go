package dotsandboxes

import (
	"io"
	"sync"

	"endwise/book"
	"endwise/data"
	"endwise/engine/dotsandboxes"
	"endwise/solver/dotsandboxes/exact"
)

// answerFile holds what ships of the proof of 4x4, which takes half a minute
// (exact.Solver.Prove). The solver's table compares 45 bits.
var answerFile = book.AnswerFile{Title: "endwise dotsandboxes answers 1\n", Bytes: 6}

// WriteAnswers writes answers in the form in which they ship.
func WriteAnswers(w io.Writer, proved []exact.Proved) error {
	answers := make([]book.Answer, len(proved))
	for i, a := range proved {
		answers[i] = book.Answer{Compared: a.Key[0], Bucket: a.Key[1], Lower: a.Lower, Upper: a.Upper}
	}
	return answerFile.Write(w, answers)
}

// shippedAnswers are the answers that ship.
var shippedAnswers = sync.OnceValue(func() []exact.Proved {
	answers, err := answerFile.Read(data.Proof(dotsandboxes.Name))
	if err != nil {
		panic(err) // the file is part of the program
	}
	proved := make([]exact.Proved, len(answers))
	for i, a := range answers {
		proved[i] = exact.Proved{Key: [2]uint64{a.Compared, a.Bucket}, Lower: a.Lower, Upper: a.Upper}
	}
	return proved
})
