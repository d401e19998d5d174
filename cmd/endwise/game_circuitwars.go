package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"endwise/book/analysis"
	cwbook "endwise/book/circuitwars"
	"endwise/cmd/endwise/web"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
)

// circuitWars is the entry of Circuit Wars.
func circuitWars() gameEntry {
	g := newGame(cwbook.Game())
	g.solve, g.bot, g.serve, g.shim, g.bench = newSolveCircuitWarsCmd, newBotCircuitWarsCmd, newServeCircuitWarsCmd, newShimCircuitWarsCmd, newBenchCircuitWarsCmd
	g.commands = []func(*app) *cobra.Command{newReplayCmd}
	g.starters = []starter{
		{flags: []string{"--board", "3x3"}, seconds: 2},
		{flags: []string{"--segments", "12"}, seconds: 4, answers: true},
	}
	g.example = "7x7:fffb96a7fcb3ffffcf9f6b89ddb4:22-17:2:112112221111122221122.222112....111122.111112...."
	g.fingerprints = []fingerprint{{"circuitwars solver", countCircuitWarsSolver}, {"circuitwars wins", countCircuitWarsWins}, {"circuitwars live", countCircuitWarsLive}}
	g.values = []boardValue{
		{board: "3x3", solve: circuitWarsValue}, {board: "2x5", solve: circuitWarsValue}, {board: "3x4", long: true, solve: circuitWarsValue}, {board: "2x6", long: true, solve: circuitWarsValue},
		{board: "1x13", solve: circuitWarsValue}, {board: "1x14", long: true, solve: circuitWarsValue}, {board: "1x15", long: true, solve: circuitWarsValue},
	}
	g.ports = []portUse{{"5000", "serve circuitwars"}}
	g.positions = "a position string, a move list or the server's status"
	g.logBoard, g.records = circuitwars.UsualBoard, "Circuit Wars logs"
	g.readers = func(board string) ([]analysis.Reader, error) {
		b, err := circuitWarsBoard(board)
		if err != nil {
			return nil, err
		}
		return []analysis.Reader{analysis.CircuitWars(b.Rows, b.Cols)}, nil
	}
	g.logHead, g.readPositions, g.readResults = "/move/", readCircuitWarsPositions, readCircuitWarsResults
	g.draw = web.DrawCircuitWars
	g.arena = arenaGame{
		rules:    arena.Rules{ForfeitScore: allSquares, WriteLog: writeCircuitWarsLog},
		programs: map[string]programOpener{"cmd:": circuitWarsProgram},
		help: `  cmd:COMMAND         in Circuit Wars: a program of yours, started for each game with
                      the address of a game server and its team name as arguments
                      and as ENDWISE_SERVER and ENDWISE_TEAM; it registers there
                      and plays, and what it prints is kept with --logs. It has
                      30s to register and a minute for the first move of a game
`,
	}
	return g
}

// circuitWarsBoard reads the size of a board of Circuit Wars: 3x5, or 7 for 7x7.
func circuitWarsBoard(size string) (*grid.Board, error) {
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

// readCircuitWarsPositions reads the positions of a game's log as far as it is
// legal.
func readCircuitWarsPositions(r io.Reader, board string) ([]engine.Position, error) {
	b, err := circuitWarsBoard(board)
	if err != nil {
		return nil, err
	}
	log, err := circuitwars.ReadLog(r)
	if err != nil {
		return nil, err
	}
	v, err := circuitwars.Judge(log, b.Rows, b.Cols)
	if err != nil && len(v.Positions) == 0 {
		return nil, err
	}
	var game []engine.Position
	for _, p := range v.Positions {
		game = append(game, p)
	}
	return game, nil
}

// readCircuitWarsResults reads and judges the game logs of a directory.
func readCircuitWarsResults(dir string, first engine.Position) ([]arena.Result, error) {
	p, ok := first.(circuitwars.Position)
	if !ok {
		return nil, fmt.Errorf("a position of %s where one of Circuit Wars is expected", first.Game())
	}
	return readLogs(dir, p)
}
