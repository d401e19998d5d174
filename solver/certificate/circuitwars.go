package certificate

import (
	"context"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
)

// CircuitWars makes the certificate or, with Options.Leaf, the claims file of a board of Circuit
// Wars. The error wraps [ErrNone] if the board is too large, or [ErrWrong] or [ErrRecorded];
// otherwise it is that of ctx, Options.Record or the solver.
func CircuitWars(ctx context.Context, b *grid.Board, o Options) (*Certificate, error) {
	g, err := newCircuitWars(b, o)
	if err != nil {
		return nil, err
	}
	return g.prove(ctx, o)
}

// newCircuitWars returns the rules and solvers for a board. The error is that of newSquaresGame.
func newCircuitWars(b *grid.Board, o Options) (*squaresGame, error) {
	g, err := newSquaresGame("circuitwars", b)
	if err != nil {
		return nil, err
	}
	g.mirrored = true
	var outer uint64 // on the border of the board
	for l := range b.Segments() {
		if b.Sides(l)[1] == grid.Outside {
			outer |= 1 << l
		}
	}
	g.flood = func(free uint64) uint64 {
		reached := free & outer // the free lines that are connected to the outside through squares
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
	// The first oracle continues with the solver that has computed the value.
	var valued *exact.Solver
	newSolver := func() *exact.Solver { return exact.New(exact.Options{TableBytes: o.HashBytes}) }
	g.value = func(ctx context.Context) (solver.Result, error) {
		if valued == nil {
			valued = newSolver()
		}
		return valued.Value(ctx, b, b.All())
	}
	g.newOracle = func() oracle {
		s := valued
		if valued = nil; s == nil {
			s = newSolver()
		}
		return func(ctx context.Context, position uint64, atLeast int) (solver.Result, error) {
			return s.AtLeast(ctx, b, grid.Set{position}, atLeast)
		}
	}
	return g, nil
}
