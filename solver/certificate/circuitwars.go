package certificate

import (
	"context"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
)

// CircuitWars makes the certificate of a board of Circuit Wars. It wraps [ErrNone].
func CircuitWars(ctx context.Context, b *grid.Board, o Options) (*Certificate, error) {
	g, err := newCircuitWars(b, o)
	if err != nil {
		return nil, err
	}
	return g.prove(ctx, o)
}

func newCircuitWars(b *grid.Board, o Options) (*squaresGame, error) {
	g, err := newSquaresGame("circuitwars", b)
	if err != nil {
		return nil, err
	}
	g.mirrored = true
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
	var first *exact.Solver // used for the value and by the first oracle
	solved := func() *exact.Solver {
		s := first
		if first = nil; s == nil {
			s = exact.New(exact.Options{TableBytes: o.HashBytes})
		}
		return s
	}
	g.value = func(ctx context.Context) (solver.Result, error) {
		s := solved()
		first = s
		return s.Value(ctx, b, b.All())
	}
	g.newOracle = func() oracle {
		s := solved()
		return func(ctx context.Context, position uint64, atLeast int) (solver.Result, error) {
			return s.AtLeast(ctx, b, grid.Set{position}, atLeast)
		}
	}
	return g, nil
}
