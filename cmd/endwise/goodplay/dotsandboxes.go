package goodplay

import (
	"context"

	dabbook "endwise/book/dotsandboxes"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
)

// DotsAndBoxes is the sample of Dots and Boxes, on 5x5.
var DotsAndBoxes = Sample{
	File:     "benchmark/dotsandboxes.games",
	Unit:     "lines",
	Left:     []int{46, 44, 42, 40, 38, 36, 34, 32, 30},
	PlayTime: soon,
	begin:    func() (engine.Position, error) { return dotsandboxes.Parse(dotsandboxes.UsualBoard) },
	open:     dabbook.Open,
	solver: func(o Options) exactSolver {
		s := exact.New(exact.Options{Threads: o.Threads, TableBytes: o.HashBytes()})
		s.Warm()
		return dotsAndBoxes{s}
	},
}

type dotsAndBoxes struct{ *exact.Solver }

func (s dotsAndBoxes) Value(ctx context.Context, p engine.Position) (solver.Result, error) {
	own := p.(dotsandboxes.Position) // as begin made it
	return s.Solver.Value(ctx, own.Board(), own.Free())
}

func (s dotsAndBoxes) AtLeast(ctx context.Context, p engine.Position, need int) (solver.Result, error) {
	own := p.(dotsandboxes.Position) // as begin made it
	return s.Solver.AtLeast(ctx, own.Board(), own.Free(), need)
}
