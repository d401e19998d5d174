package dotsandboxes

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"

	"endwise/book/solving"
	"endwise/data"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/farm"
)

// answerFile holds what ships of a board's proof, which takes half a minute on 4x4 and
// hours on 4x5 (exact.Solver.Prove). The solver's table compares 45 bits.
var answerFile = solving.AnswerFile{Title: "endwise dotsandboxes answers 1\n", Bytes: 6}

// ProveValue works out the value of an empty board, as SolveValue does, and what is to ship
// of its proof, and writes that to w in the form in which it ships. It rests on the answers of
// old, a file in that form, if it is not empty, and writes those too where it is interrupted, so
// that another run goes on from there.
func ProveValue(ctx context.Context, dir string, b *grid.Board, o exact.ProofOptions, value solving.ValueOptions, f farm.Farm, old []byte, w io.Writer, p *farm.Progress) (positions int, v solving.BoardValue, err error) {
	if len(old) > 0 {
		if o.Facts, err = readAnswers(string(old)); err != nil {
			return 0, v, err
		}
	}
	o.Found = func(n int) { p.Set(uint64(n)) }
	v, err = solveValue(ctx, dir, b, value, f, p, func(s *exact.Solver) error {
		p.Begin("proof of "+b.String(), "positions", 0, 0)
		found, _, err := s.Prove(ctx, b, o)
		if positions = len(found); positions == 0 {
			return err
		}
		if err != nil {
			found = append(found, o.Facts...) // the next run goes on from them
		}
		// Before the table goes: it is the work of hours.
		return cmp.Or(writeAnswers(w, found), err)
	})
	return positions, v, err
}

// writeAnswers is the inverse of readAnswers.
func writeAnswers(w io.Writer, proved []exact.Proved) error {
	answers := make([]solving.Answer, len(proved))
	for i, a := range proved {
		answers[i] = solving.Answer{Compared: a.Key.Lo, Bucket: a.Key.Hi, Lower: a.Lower, Upper: a.Upper}
	}
	return answerFile.Write(w, answers)
}

// shipped holds what reads the answers of a board once, by its name.
var shipped sync.Map

// shippedAnswers are the answers that ship of a board, lying or standing; none of most.
func shippedAnswers(b *grid.Board) []exact.Proved {
	name := shippedName(b)
	read, _ := shipped.LoadOrStore(name, sync.OnceValue(func() []exact.Proved {
		text := data.Proof(dotsandboxes.Name, name)
		if text == "" {
			return nil
		}
		proved, err := readAnswers(text)
		if err != nil {
			panic(err) // the file is part of the program
		}
		return proved
	}))
	return read.(func() []exact.Proved)()
}

// shippedName is the name of a board's answers: the lesser side first.
func shippedName(b *grid.Board) string {
	return fmt.Sprintf("%dx%d", min(b.Rows, b.Cols), max(b.Rows, b.Cols))
}

// readAnswers reads a file of answers.
func readAnswers(text string) ([]exact.Proved, error) {
	proved := make([]exact.Proved, 0, answerFile.Count(text))
	err := answerFile.Read(text, func(a solving.Answer) {
		proved = append(proved, exact.Proved{Key: exact.Key{Lo: a.Compared, Hi: a.Bucket}, Lower: a.Lower, Upper: a.Upper})
	})
	return proved, err
}
