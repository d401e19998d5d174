package dotsandboxes

import (
	"context"

	"endwise/cmd/endwise/cli"
	"endwise/engine/dotsandboxes"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/mcts"
)

var searches = []cli.Search{
	{Name: "dotsandboxes solver", Count: countSolver},
	{Name: "dotsandboxes live", Count: countLive},
}

var countedPositions = []string{
	"2x4", "2x5", "3x3",
	"5x5 h01100/10001/10101/11010/00100/01001 v001001/100100/110010/010100/000110 0-1 2",
	"5x5 h00001/01000/00100/11000/01111/10000 v001110/110011/010110/101001/000100 0-0 1",
	"5x5 h10100/01011/00000/01011/00111/00011 v101001/001100/100001/100000/111000 0-0 1",
	"5x5 h01110/01011/00110/00001/00111/01110 v000000/110000/011010/111000/000010 0-0 1",
}

func newSolver() *exact.Solver {
	s := exact.New(exact.Options{Threads: 1, TableBytes: 16 << 20})
	s.Warm()
	return s
}

// countSolver counts the nodes of the exact values of countedPositions, each with an empty table.
func countSolver(ctx context.Context) (nodes uint64, err error) {
	for _, text := range countedPositions {
		p, err := dotsandboxes.Parse(text)
		if err != nil {
			return 0, err
		}
		r, err := newSolver().Value(ctx, p.Board(), p.Free())
		if err != nil {
			return 0, err
		}
		nodes += r.Nodes
	}
	return nodes, nil
}

// countLive counts the nodes of one heuristic search of the usual board.
func countLive(ctx context.Context) (uint64, error) {
	p, err := dotsandboxes.Parse(dotsandboxes.UsualBoard)
	if err != nil {
		return 0, err
	}
	return mcts.New(newSolver(), 1).Search(ctx, p.Board(), p.Free(), mcts.Options{Seed: 1, Playouts: 400}).Nodes, nil
}
