package certificate

import (
	"context"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
)

// DotsAndBoxes makes the certificate of a board of Dots and Boxes. It wraps ErrNone.
func DotsAndBoxes(ctx context.Context, b *grid.Board, o Options) (*Certificate, error) {
	g, err := newSquaresGame("dotsandboxes", b)
	if err != nil {
		return nil, err
	}
	g.again = true
	s := exact.New(exact.Options{Threads: 1, TableBytes: o.HashBytes})
	ask := func(ctx context.Context, position uint64, atLeast int) (bool, error) {
		r, err := s.AtLeast(ctx, b, grid.Set{position}, atLeast)
		if err == nil && r.Lower < atLeast && r.Upper >= atLeast {
			err = ctx.Err()
		}
		return r.Lower >= atLeast, err
	}
	g.oracles = func(threads int) []oracle { // the solver serves several at once
		all := make([]oracle, threads)
		for i := range all {
			all[i] = ask
		}
		return all
	}
	return g.prove(ctx, func() (solver.Result, error) { return s.Value(ctx, b, b.All()) }, o)
}
