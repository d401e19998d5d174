package goodplay

import (
	"context"
	"time"

	cwbook "endwise/book/circuitwars"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
)

// CircuitWars is the sample of Circuit Wars, on 7x7.
var CircuitWars = Sample{
	File:     "benchmark/circuitwars.games",
	Unit:     "segments",
	Left:     []int{75, 70, 65, 60, 55, 50, 45, 40},
	PlayTime: 3 * time.Second,
	begin:    func() (engine.Position, error) { return circuitwars.Parse(circuitwars.UsualBoard) },
	open:     cwbook.Open,
	solver: func(o Options) exactSolver {
		return circuitWars{exact.New(exact.Options{Threads: o.Threads, TableBytes: o.HashBytes()})}
	},
}

type circuitWars struct{ *exact.Solver }

func (s circuitWars) Value(ctx context.Context, p engine.Position) (solver.Result, error) {
	own := p.(circuitwars.Position) // as begin made it
	return s.Solver.Value(ctx, own.Board(), own.Free())
}

func (s circuitWars) AtLeast(ctx context.Context, p engine.Position, need int) (solver.Result, error) {
	own := p.(circuitwars.Position) // as begin made it
	return s.Solver.AtLeast(ctx, own.Board(), own.Free(), need)
}
