package certificate

import (
	"context"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
)

// CircuitWars makes the certificate of a board of Circuit Wars. It wraps [ErrNone].
func CircuitWars(ctx context.Context, b *grid.Board, o Options) (*Certificate, error) {
	g, err := newSquaresGame("circuitwars", b)
	if err != nil {
		return nil, err
	}
	var outer uint64 // lines on the border of the board
	for l := range b.Segments() {
		if b.Sides(l)[1] == grid.Outside {
			outer |= 1 << l
		}
	}
	g.flood = func(free uint64) uint64 {
		reached := free & outer
		for before := ^reached; before != reached; {
			before = reached
			for _, lines := range g.squares {
				if reached&lines != 0 {
					reached |= free & lines
				}
			}
		}
		return reached
	}
	options := exact.Options{TableBytes: o.HashBytes}
	g.newOracle = func() oracle {
		s := exact.New(options)
		return func(ctx context.Context, position uint64, atLeast int) (bool, error) {
			r, err := s.AtLeast(ctx, b, grid.Set{position}, atLeast)
			return r.Lower >= atLeast, err
		}
	}
	return g.prove(ctx, func() (solver.Result, error) { return exact.New(options).Value(ctx, b, b.All()) }, o)
}
