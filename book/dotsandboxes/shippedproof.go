package dotsandboxes

import (
	"cmp"
	"context"
	"io"
	"sync"

	"endwise/book"
	"endwise/data"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/farm"
)

// answerFile holds what ships of the proof of 4x4, which takes half a minute
// (exact.Solver.Prove). The solver's table compares 45 bits.
var answerFile = book.AnswerFile{Title: "endwise dotsandboxes answers 1\n", Bytes: 6}

// ProveValue works out the value of an empty board, as SolveValue does, and what is to ship
// of its proof, and writes that to w in the form in which it ships, with the answers of old, a
// file in that form, if it is not empty; so it goes on from the file of a run that was
// interrupted.
func ProveValue(ctx context.Context, dir string, b *grid.Board, o exact.ProofOptions, value book.ValueOptions, f farm.Farm, old []byte, w io.Writer, p *farm.Progress) (positions int, r solver.Result, err error) {
	var proved []exact.Proved
	if len(old) > 0 {
		if proved, err = readAnswers(old); err != nil {
			return 0, r, err
		}
	}
	o.Facts = proved
	o.Found = func(n int) { p.Set(uint64(n)) }
	_, err = solveValue(ctx, dir, b, value, f, p, func(s *exact.Solver) (err error) {
		p.Begin("proof of "+b.String(), "positions", 0, 0)
		var found []exact.Proved
		found, r, err = s.Prove(ctx, b, o)
		positions = len(found)
		proved = append(proved, found...)
		return err
	})
	if positions == 0 {
		return 0, r, err
	}
	answers := make([]book.Answer, len(proved))
	for i, a := range proved {
		answers[i] = book.Answer{Compared: a.Key[0], Bucket: a.Key[1], Lower: a.Lower, Upper: a.Upper}
	}
	return positions, r, cmp.Or(answerFile.Write(w, answers), err)
}

// shippedAnswers are the answers that ship.
var shippedAnswers = sync.OnceValue(func() []exact.Proved {
	proved, err := readAnswers(data.Proof(dotsandboxes.Name))
	if err != nil {
		panic(err) // the file is part of the program
	}
	return proved
})

// readAnswers reads a file of answers.
func readAnswers(text []byte) ([]exact.Proved, error) {
	answers, err := answerFile.Read(text)
	proved := make([]exact.Proved, len(answers))
	for i, a := range answers {
		proved[i] = exact.Proved{Key: [2]uint64{a.Compared, a.Bucket}, Lower: a.Lower, Upper: a.Upper}
	}
	return proved, err
}
