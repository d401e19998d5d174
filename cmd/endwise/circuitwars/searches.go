package circuitwars

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/search"
)

var searches = []cli.Search{
	{Name: "circuitwars solver", Count: countSolver},
	{Name: "circuitwars wins", Count: countWins},
	{Name: "circuitwars live", Count: countLive},
}

// sampleGames replays the built-in games.
func sampleGames() (out []circuitwars.Verdict, err error) {
	files, err := fs.Glob(data.Games, "games/circuitwars/*")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		log, err := data.Games.Open(file)
		if err != nil {
			return nil, err
		}
		_, v, err := judgeLog(log, 7, 7)
		if err := cmp.Or(err, log.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// tail returns the first position of a game with at most the given number of free segments. ok is false
// if there is none or the game is over in it.
func tail(v circuitwars.Verdict, segments int) (p circuitwars.Position, ok bool) {
	for _, p := range v.Positions {
		if n := p.Free().Len(); n <= segments {
			return p, n > 0
		}
	}
	return p, false
}

// countTails returns the sum of the nodes of solve, with an empty table, for the [tail] of each built-in
// game and each number in segments.
func countTails(ctx context.Context, nodeLimit uint64, segments []int,
	solve func(*exact.Solver, circuitwars.Position) (solver.Result, error)) (nodes uint64, err error) {
	games, err := sampleGames()
	if err != nil {
		return 0, err
	}
	s := exact.New(exact.Options{Threads: 1, TableBytes: 32 << 20, NodeLimit: nodeLimit})
	for _, n := range segments {
		for _, v := range games {
			p, ok := tail(v, n)
			if !ok {
				continue
			}
			s.Clear()
			r, err := solve(s, p)
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return 0, err
			}
			nodes += r.Nodes
		}
	}
	return nodes, nil
}

// countSolver counts the nodes of searches for the value.
func countSolver(ctx context.Context) (uint64, error) {
	segments := []int{15, 20, 25, 30, 35, 40, 45, 50, 55, 60}
	return countTails(ctx, 20_000, segments, func(s *exact.Solver, p circuitwars.Position) (solver.Result, error) {
		return s.Value(ctx, p.Board(), p.Free())
	})
}

// countWins counts the nodes of searches for a win of the side to move.
func countWins(ctx context.Context) (uint64, error) {
	return countTails(ctx, 10_000, []int{40, 50, 60}, func(s *exact.Solver, p circuitwars.Position) (solver.Result, error) {
		score := p.Score()
		need := score[p.Turn().Other()-engine.First] - score[p.Turn()-engine.First] + 1 // to have more in the end
		return s.AtLeast(ctx, p.Board(), p.Free(), need)
	})
}

// countLive counts the nodes of heuristic searches with depth 4.
func countLive(ctx context.Context) (nodes uint64, err error) {
	games, err := sampleGames()
	if err != nil {
		return 0, err
	}
	for i, v := range games[:6] {
		p, ok := tail(v, 60+8*i)
		if !ok {
			continue
		}
		s, err := search.New(p.Board(), 4<<20)
		if err != nil {
			return 0, err
		}
		nodes += s.Search(ctx, p, time.Time{}, 4, false).Nodes
	}
	return nodes, nil
}
