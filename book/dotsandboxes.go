package book

import (
	"fmt"
	"io"

	"endwise/engine/dotsandboxes"
	"endwise/solver/dotsandboxes/exact"
)

// DotsAndBoxes opens the sources of Dots and Boxes: opening book, strong
// solutions of small boards, the exact solver and live search, which share one
// transposition table.
func DotsAndBoxes(o Options) (*Lookup, error) {
	t := openDotsAndBoxesTables(o.Store, o.logger())
	s := exact.New(exact.Options{Threads: o.Threads, TableBytes: o.HashBytes})
	s.Learn(shippedAnswers())
	// Before a clock runs: a busy machine may take long to find the memory.
	s.Warm()
	return withOpening(&Lookup{
		Sources: []Source{tableSource{t.know}, coinsSolve{s}, coinsSearch{s}},
		Instant: coinsInstant{},
		closers: []io.Closer{t},
	}, o, dotsandboxes.Game{}), nil
}

// dotsAndBoxesPosition is the question's position with its own type.
func dotsAndBoxesPosition(q *Question) (dotsandboxes.Position, error) {
	p, ok := q.Position.(dotsandboxes.Position)
	if !ok {
		return p, fmt.Errorf("a position of %s where one of Dots and Boxes is expected", q.Position.Game())
	}
	return p, nil
}
