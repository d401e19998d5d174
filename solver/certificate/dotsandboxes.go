package certificate

import (
	"context"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
)

// DotsAndBoxes makes the certificate of a board of Dots and Boxes. It wraps [ErrNone].
func DotsAndBoxes(ctx context.Context, b *grid.Board, o Options) (*Certificate, error) {
	g, err := newSquaresGame("dotsandboxes", b)
	if err != nil {
		return nil, err
	}
	g.extraTurn = true
	s := exact.New(exact.Options{Threads: 1, TableBytes: exact.BoardTable(b, o.HashBytes)})
	ask := func(ctx context.Context, position uint64, atLeast int) (bool, error) {
		r, err := s.AtLeast(ctx, b, grid.Set{position}, atLeast)
		return r.Lower >= atLeast, err
	}
	g.newOracle = func() oracle { return ask } // the solver is safe for concurrent use
	return g.prove(ctx, func() (solver.Result, error) { return s.Value(ctx, b, b.All()) }, o)
}
