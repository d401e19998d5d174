package dotsandboxes

import (
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

// answerFile holds what ships of the proofs of 4x4, which takes half a minute, and of
// 4x5 (exact.Solver.Prove). The solver's table compares 45 bits.
var answerFile = book.AnswerFile{Title: "endwise dotsandboxes answers 1\n", Bytes: 6}

// ProveValue works out what is to ship of the proof of an empty board's value, from what
// SolveValue has kept in dir, if anything, and writes it to w in the form in which it ships,
// with the answers of old, a file in that form, if it is not empty. It needs one thread.
func ProveValue(ctx context.Context, dir string, b *grid.Board, o exact.ProofOptions, tableBytes int64, old []byte, w io.Writer, p *farm.Progress) (positions int, r solver.Result, err error) {
	var answers []book.Answer
	if len(old) > 0 {
		if answers, err = answerFile.Read(old); err != nil {
			return 0, r, err
		}
	}
	if o.Facts, err = keptFacts(dir, b); err != nil {
		return 0, r, err
	}
	p.Begin("proof of "+b.String(), "positions", 0, 0)
	o.Found = func(n int) { p.Set(uint64(n)) }
	proved, r, err := exact.New(exact.Options{Threads: 1, TableBytes: tableBytes}).Prove(ctx, b, o)
	if err != nil {
		return 0, r, err
	}
	for _, a := range proved {
		answers = append(answers, book.Answer{Compared: a.Key[0], Bucket: a.Key[1], Lower: a.Lower, Upper: a.Upper})
	}
	return len(proved), r, answerFile.Write(w, answers)
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
