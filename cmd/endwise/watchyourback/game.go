// Package watchyourback contains the commands of Watch Your Back: solve, bot, shim and referee.
package watchyourback

import (
	"context"
	"fmt"
	"slices"

	"endwise/book/analysis"
	wybbook "endwise/book/watchyourback"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/wire/program"
	"endwise/solver/certificate"
)

// Game returns the description of Watch Your Back.
func Game() cli.Game {
	g := cli.NewGame(wybbook.Game())
	g.Alias = "wyb"
	g.Solve, g.Bot, g.Shim, g.Referee = newSolveCmd, newBotCmd, newShimCmd, newRefereeCmd
	g.Starters = []cli.Starter{{Flags: []string{"--pieces", "5"}, Seconds: 8, Answers: true}}
	g.Example = "......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192"
	g.Searches = searches
	g.Prove = func(ctx context.Context, board string, _ certificate.Options) (*certificate.Certificate, error) {
		if board != "" && board != "4x4" {
			return nil, fmt.Errorf("%w of %q: the stage on 4x4 has one", certificate.ErrNone, board)
		}
		return certificate.WatchYourBack(ctx)
	}
	g.SolveCommand = func(p engine.Position) string {
		if n, ok := wybbook.TablePieces(p); ok {
			return fmt.Sprintf("endwise solve watchyourback --pieces %d", n)
		}
		return ""
	}
	g.Web.EstimateScale, g.Web.Points = 800, "pieces"
	g.Notation = "O is White, @ is Black; (3,2) is the square in column 3, row 2"
	g.Web.Positions = "a position string, a move list, or the referee's drawing with its turns line"
	g.Web.Records = "the output of the Watch Your Back referee"
	g.Web.Moves = "(3,4) (4,3) (2,4) (5,3)"
	g.Web.Example = "......../......../..XO-X../..--@O../..@-@-../..XOOX../......../........:moving:200"
	g.Web.TooEarly = wybbook.TooEarly
	g.Web.Readers = slices.Insert(g.Web.Readers, 0, analysis.ReadWatchYourBack)
	g.Web.NearEnd = analysis.SmallWatchYourBack
	g.Arena = cli.ArenaGame{
		Rules:    arena.Rules{Game: g.Game, Unit: "pieces", WriteLog: writeLog},
		Programs: map[string]cli.ProgramOpener{"cmd:": openCommand, "py:": openPython},
		End:      program.KillOrphans,
		TimeNote: "A competition may also limit the processor time of a whole game, usually to 60 s: the command referee checks that with -t 60, this one does not.",
		Help: `  random, mirror, greedy, look-ahead
                      Watch Your Back: more practice levels. By strength: random,
                      level1 and mirror; level2, greedy, level3, level4, look-ahead
  cmd:COMMAND         Watch Your Back: your program, using the referee's line protocol
  py:MODULE           Watch Your Back: a Python file with a class Player
`,
	}
	g.Prepare = solveSmallTables
	return g
}
