package dotsandboxes

import (
	"context"
	"fmt"
	"io"
	"sync"

	"endwise/book"
	"endwise/data"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/farm"
)

// answerFile is the format of a board's embedded proof ([exact.Solver.Prove]). In the solver's keys
// ([exact.Key]), Compared is the word Lo, and Bucket is Hi.
var answerFile = book.ProofFile{Title: "endwise dotsandboxes answers 1\n", Bytes: 6}

// proofOptions returns the options of a board's embedded proof. On large boards the proof omits
// positions with few free lines, which are numerous and quickly solved.
func proofOptions(b *grid.Board, threads int) exact.ProofOptions {
	o := exact.ProofOptions{Size: 1_000_000, Together: threads > 1}
	if b.Segments() > maxTableLines {
		o.Size, o.Lines = 3_000, 32
	}
	return o
}

// ProveValue computes the value of an empty board like [SolveValue], and writes the embedded proof to
// w. It returns the number of positions in the proof.
func ProveValue(
	ctx context.Context, dir string, b *grid.Board, o book.ValueOptions, f farm.Farm, w io.Writer, p *farm.Progress,
) (positions int, v book.BoardValue, err error) {
	r, err := openValue(dir, b, o, p)
	if err != nil {
		return 0, v, err
	}
	defer func() { err = r.close(err) }()
	if v, err = r.solve(ctx, f); err != nil {
		return 0, v, err
	}
	proved, err := r.prove(ctx, proofOptions(b, o.Threads))
	if err != nil {
		return 0, v, err
	}
	answers := make([]book.ProofEntry, len(proved))
	for i, a := range proved {
		answers[i] = book.ProofEntry{Compared: a.Key.Lo, Bucket: a.Key.Hi, Lower: a.Lower, Upper: a.Upper}
	}
	return len(proved), v, answerFile.Write(w, answers)
}

var embedded sync.Map

// EmbeddedAnswers returns the embedded proof for a board or the board turned by 90 degrees, or nil.
func EmbeddedAnswers(b *grid.Board) []exact.Proved {
	name := embeddedName(b)
	read, _ := embedded.LoadOrStore(name, sync.OnceValue(func() []exact.Proved {
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

func hasEmbeddedProof(b *grid.Board) bool {
	return data.Proof(dotsandboxes.Name, embeddedName(b)) != ""
}

func embeddedName(b *grid.Board) string {
	return fmt.Sprintf("%dx%d", min(b.Rows, b.Cols), max(b.Rows, b.Cols))
}

func readAnswers(text string) ([]exact.Proved, error) {
	proved := make([]exact.Proved, 0, answerFile.Count(text))
	err := answerFile.Read(text, func(a book.ProofEntry) {
		proved = append(proved, exact.Proved{Key: exact.Key{Lo: a.Compared, Hi: a.Bucket}, Lower: a.Lower, Upper: a.Upper})
	})
	return proved, err
}
