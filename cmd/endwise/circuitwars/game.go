// Package circuitwars contains the commands of Circuit Wars: solve, bot, serve, shim and replay.
package circuitwars

import (
	"context"
	"fmt"
	"io"
	"slices"

	"endwise/book/analysis"
	cwbook "endwise/book/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
	"endwise/engine/wire/program"
	"endwise/solver/certificate"
)

const programHelp = `  cmd:COMMAND         Circuit Wars: your program, started for each game. It registers on
                      the server at http://127.0.0.1:5000 with any team id and plays.
                      The arguments of the program are the server's address and the
                      player's name; ENDWISE_SERVER and ENDWISE_TEAM have them too. A
                      program with another built-in team id, and this address built in,
                      needs no change. On Linux each program has its own network; if
                      that is impossible, one game is played at a time. The program has
                      30 s to register and at least a minute for the first move. --logs
                      keeps its output. It runs in the current directory; for another:
                      cmd:cd DIR && exec ./bot
`

// Game returns the description of Circuit Wars.
func Game() cli.Game {
	g := cli.NewGame(cwbook.Game())
	g.Alias = "cw"
	g.Solve, g.Bot, g.Serve, g.Shim, g.Replay = newSolveCmd, newBotCmd, newServeCmd, newShimCmd, newReplayCmd
	g.Starters = []cli.Starter{
		{Flags: []string{"--board", "3x3"}, Seconds: 2},
		{Flags: []string{"--segments", "12"}, Seconds: 4, Answers: true},
	}
	g.Prove = func(ctx context.Context, board string, o certificate.Options) (*certificate.Certificate, error) {
		b, err := parseBoard(board)
		if err != nil {
			return nil, cli.BadInput(fmt.Errorf("--board: %w", err))
		}
		return certificate.CircuitWars(ctx, b, o)
	}
	g.Example = "7x7:fffb96a7fcb3ffffcf9f6b89ddb4:22-17:2:112112221111122221122.222112....111122.111112...."
	g.Drawing = "+--+--+\n|1 |\n+--+  +\n|\n+  +  +\n1-0 2\n"
	g.Searches = searches
	g.Ports = []cli.PortUse{{Port: "5000", What: "serve circuitwars"}}
	g.Notation = "a move is x,y,side: 3,2,top is the top of the square in column 3, row 2"
	g.Web.Positions = "a position string, a move list or the server's status"
	g.Web.Records = "Circuit Wars logs"
	g.Web.Moves = "2x2 0,0,top 1,1,bottom 1,0,top 0,1,bottom 0,0,left"
	g.Web.Example = "3x3:ca0a80:0-0:2"
	g.Web.TooEarly = cwbook.TooEarly
	g.Web.Readers = slices.Insert(g.Web.Readers, 0, analysis.CircuitWarsReader(0, 0))
	// The log of a game without moves begins with "----".
	g.LogHeads, g.ReadResult = []string{"/move/", "----"}, readResult
	g.LogReader = func(board string) (analysis.Reader, error) {
		b, err := parseBoard(board)
		if err != nil {
			return nil, err
		}
		return analysis.CircuitWarsReader(b.Rows, b.Cols), nil
	}
	g.Arena = cli.ArenaGame{
		Rules: arena.Rules{
			Game: g.Game, Unit: "squares", WriteLog: writeLog,
			ForfeitScore: func(last engine.Position, winner engine.Side) [2]int {
				return circuitwars.ForfeitScore(last.(circuitwars.Position).Board(), winner)
			},
		},
		Programs: map[string]cli.ProgramOpener{"cmd:": openProgram},
		End:      program.KillOrphans,
		Help:     programHelp,
		TimeNote: "The time of a program's move includes its wait until it requests the status.",
	}
	return g
}

// writeLog writes a game as the championship's server logs it. The moves of a random opening count as
// the teams' moves, and a crash as a timeout.
func writeLog(w io.Writer, _ engine.Position, r arena.Result) error {
	g := circuitwars.Log{Teams: r.Players, Score: r.Score}
	for i, m := range slices.Concat(r.Opening, r.Moves) {
		g.Moves = append(g.Moves, circuitwars.LogMove{Team: r.Players[i%2], Text: m})
	}
	switch {
	case r.End == arena.Illegal:
		g.Code = circuitwars.IllegalBy1.For(r.Loser())
		g.Moves = append(g.Moves, circuitwars.LogMove{Team: r.Players[r.Loser()-1], Text: r.BadMove})
	case r.End == arena.NoPlayer:
		g.Code = circuitwars.WaitingForBoth
	case r.Forfeited():
		g.Code = circuitwars.TimeoutBy1.For(r.Loser())
	case r.Winner == engine.First:
		g.Code = circuitwars.WonBy1
	default: // also a tie, for which the server has no code
		g.Code = circuitwars.WonBy1.For(engine.Second)
	}
	return circuitwars.WriteLog(w, g)
}
