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

// answerFile is the format of a board's embedded proof, which takes half a minute to
// compute on 4x4 and hours on 4x5 ([exact.Solver.Prove]). The solver's table compares the
// first 45 bits of [exact.Key] Lo and chooses the bucket by Hi.
var answerFile = book.ProofFile{Title: "endwise dotsandboxes answers 1\n", Bytes: 6}

// proofOptions returns the options of the embedded proofs. On a board as large as 4x5,
// positions with few lines left are omitted: they are numerous and quickly solved.
func proofOptions(b *grid.Board, threads int) exact.ProofOptions {
	o := exact.ProofOptions{Size: 1_000_000, Together: threads > 1}
	if b.Segments() > maxClassLines {
		o.Size, o.Lines = 3_000, 32
	}
	return o
}

// ProveValue computes the value of an empty board, as [SolveValue] does, and writes the
// part of its proof to embed to w. An interrupted call writes nothing to w; the next
// continues from its journal and table.
func ProveValue(ctx context.Context, dir string, b *grid.Board, o book.ValueOptions, f farm.Farm, w io.Writer, p *farm.Progress) (positions int, v book.BoardValue, err error) {
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
	return len(proved), v, writeAnswers(w, proved)
}

// writeAnswers is the inverse of readAnswers.
func writeAnswers(w io.Writer, proved []exact.Proved) error {
	answers := make([]book.ProofEntry, len(proved))
	for i, a := range proved {
		answers[i] = book.ProofEntry{Compared: a.Key.Lo, Bucket: a.Key.Hi, Lower: a.Lower, Upper: a.Upper}
	}
	return answerFile.Write(w, answers)
}

// embedded caches, by a board's name, the function that reads its proof once.
var embedded sync.Map

// EmbeddedAnswers returns the embedded proof of a board in either orientation; most boards
// have none.
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

// embeddedName returns the name of a board's proof: the lesser side first.
func embeddedName(b *grid.Board) string {
	return fmt.Sprintf("%dx%d", min(b.Rows, b.Cols), max(b.Rows, b.Cols))
}

// readAnswers reads the text of a proof.
func readAnswers(text string) ([]exact.Proved, error) {
	proved := make([]exact.Proved, 0, answerFile.Count(text))
	err := answerFile.Read(text, func(a book.ProofEntry) {
		proved = append(proved, exact.Proved{Key: exact.Key{Lo: a.Compared, Hi: a.Bucket}, Lower: a.Lower, Upper: a.Upper})
	})
	return proved, err
}
