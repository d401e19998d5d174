// Package circuitwars is what only Circuit Wars has of the command line: its
// entry (Game) and its solve, bench, bot, serve, shim and replay commands.
package circuitwars

import (
	"context"
	"io"
	"slices"

	"endwise/book/analysis"
	cwbook "endwise/book/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/certificate"
)

// Game is the entry of Circuit Wars.
func Game() cli.Game {
	g := cli.NewGame(cwbook.Game())
	g.Solve, g.Bot, g.Serve, g.Shim, g.Bench, g.Replay = newSolveCmd, newBotCmd, newServeCmd, newShimCmd, newBenchCmd, newReplayCmd
	g.Starters = []cli.Starter{
		{Flags: []string{"--board", "3x3"}, Seconds: 2},
		{Flags: []string{"--segments", "12"}, Seconds: 4, Answers: true},
	}
	g.Prove = func(ctx context.Context, board string, o certificate.Options) (*certificate.Certificate, error) {
		b, err := parseBoard(board)
		if err != nil {
			return nil, cli.BadInput(err)
		}
		return certificate.CircuitWars(ctx, b, o)
	}
	g.Example = "7x7:fffb96a7fcb3ffffcf9f6b89ddb4:22-17:2:112112221111122221122.222112....111122.111112...."
	g.Searches = []cli.Search{{Name: "circuitwars solver", Count: countSolver}, {Name: "circuitwars wins", Count: countWins}, {Name: "circuitwars live", Count: countLive}}
	g.Ports = []cli.PortUse{{Port: "5000", What: "serve circuitwars"}}
	g.Notation = "a move is x,y,side: 3,2,top is the top of the square in column 3, row 2"
	g.Web.Positions = "a position string, a move list or the server's status"
	g.LogBoard, g.Web.Records = circuitwars.UsualBoard, "Circuit Wars logs"
	g.Web.Readers = slices.Insert(g.Web.Readers, 0, analysis.CircuitWars(7, 7))
	g.LogReader = func(board string) (analysis.Reader, error) {
		b, err := parseBoard(board)
		if err != nil {
			return nil, err
		}
		return analysis.CircuitWars(b.Rows, b.Cols), nil
	}
	// A game that was lost before its first move has none.
	g.LogHeads, g.ReadPositions, g.ReadResult = []string{"/move/", "----"}, readPositions, readResult
	g.Arena = cli.ArenaGame{
		Rules:    arena.Rules{Game: g.Game, ForfeitScore: allSquares, WriteLog: writeLog},
		Programs: map[string]cli.ProgramOpener{"cmd:": openProgram},
		Help: `  cmd:COMMAND         in Circuit Wars: a program of yours, started for each game; it
                      registers on the server at http://127.0.0.1:5000, with any
                      team id, and plays. So one that has address and team inside
                      plays as it is; they are also its arguments, ENDWISE_SERVER
                      and ENDWISE_TEAM. On Linux each program has a network of its
                      own with nothing else in it; where that can't be, one game
                      is played at a time. It has 30s to register and a minute for
                      the first move; what it prints is kept with --logs
`,
	}
	return g
}

// parseBoard reads the size of a board of Circuit Wars: 3x5, or 7 for 7x7.
func parseBoard(size string) (*grid.Board, error) {
	rows, cols, err := grid.ParseSize(size)
	if err != nil {
		return nil, err
	}
	p, err := circuitwars.New(rows, cols)
	if err != nil {
		return nil, err
	}
	return p.Board(), nil
}

// readPositions reads the positions of a game's log as far as it is
// legal.
func readPositions(r io.Reader, board string) ([]engine.Position, error) {
	b, err := parseBoard(board)
	if err != nil {
		return nil, err
	}
	_, v, err := judge(r, b.Rows, b.Cols)
	if err != nil && len(v.Positions) == 0 {
		return nil, err
	}
	var game []engine.Position
	for _, p := range v.Positions {
		game = append(game, p)
	}
	return game, nil
}
