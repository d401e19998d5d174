package certificate

import (
	"context"
	"slices"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
)

var lineGames = map[string]func(*grid.Board, Options) (*squaresGame, error){
	"dotsandboxes": newDotsAndBoxes, "circuitwars": newCircuitWars,
}

// Fact is a proved bound of a position of Dots and Boxes.
type Fact = exact.Proved

// DotsAndBoxes is [CircuitWars] for Dots and Boxes.
func DotsAndBoxes(ctx context.Context, b *grid.Board, o Options) (*Certificate, error) {
	g, err := newDotsAndBoxes(b, o)
	if err != nil {
		return nil, err
	}
	return g.prove(ctx, o)
}

func newDotsAndBoxes(b *grid.Board, o Options) (*squaresGame, error) {
	g, err := newSquaresGame("dotsandboxes", b)
	if err != nil {
		return nil, err
	}
	g.extraTurn = true
	s := exact.New(exact.Options{Threads: 1, TableBytes: exact.BoardTable(b, o.HashBytes)})
	g.value = func(ctx context.Context) (solver.Result, error) { return s.Value(ctx, b, b.All()) }
	g.newOracle = func() oracle { // the solver is safe for concurrent use
		return func(ctx context.Context, position uint64, atLeast int) (solver.Result, error) {
			return s.AtLeast(ctx, b, grid.Set{position}, atLeast)
		}
	}
	if o.Facts != nil {
		s.Learn(o.Facts)
		g.known = func(position uint64, atLeast int) (int, error) {
			moves, _, err := s.Known(b, grid.Set{position})
			for _, line := range g.order {
				good := func(m solver.MoveBounds) bool { return m.Segment == line && m.Lower >= atLeast }
				if slices.ContainsFunc(moves, good) {
					return line, nil
				}
			}
			return -1, err // without moves if not nil
		}
		g.secure = func(ctx context.Context, position uint64, atLeast int) (int, error) {
			m, _, err := s.Secure(ctx, b, grid.Set{position}, atLeast)
			return m.Segment, err
		}
	}
	return g, nil
}
