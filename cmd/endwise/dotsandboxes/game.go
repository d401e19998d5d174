// Package dotsandboxes contains the commands of Dots and Boxes: solve, bot, serve, shim and replay.
package dotsandboxes

import (
	"context"
	"fmt"
	"slices"

	"endwise/book/analysis"
	dabbook "endwise/book/dotsandboxes"
	"endwise/cmd/endwise/cli"
	"endwise/engine/arena"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/engine/wire/dabws"
	"endwise/solver/certificate"
)

// Game returns the description of Dots and Boxes.
func Game() cli.Game {
	g := cli.NewGame(dabbook.Game())
	g.Alias = "dab"
	g.Solve, g.Bot, g.Serve, g.Shim, g.Replay = newSolveCmd, newBotCmd, newServeCmd, newShimCmd, newReplayCmd
	g.Starters = []cli.Starter{
		{Flags: []string{"--board", "3x3"}, Seconds: 1, Answers: true},
		{Flags: []string{"--board", "2x5"}, Seconds: 6},
	}
	g.Prove = func(ctx context.Context, board string, o certificate.Options) (*certificate.Certificate, error) {
		b, err := grid.Parse(board)
		if err != nil {
			return nil, cli.BadInput(fmt.Errorf("--board: %w", err))
		}
		if o.Leaf > 0 {
			o.Facts = dabbook.EmbeddedAnswers(b)
		}
		return certificate.DotsAndBoxes(ctx, b, o)
	}
	g.Example = "3x3 h0,1 v1,2 h3,1 v0,0"
	g.Drawing = "+--+--+\n|1 |\n+--+  +\n|\n+  +  +\n1-0 2\n"
	g.Searches = searches
	g.Ports = []cli.PortUse{{Port: "8088", What: "serve dotsandboxes"}, {Port: "8089", What: "bot dotsandboxes"}}
	g.NamedStarts = true
	g.Notation = "h1,2 runs right from the dot in row 1, column 2; v1,2 runs down from it"
	g.AssumedSize = dotsandboxes.AssumedSize
	g.MoveNotations = []string{"trmph", "knox", "openspiel", "codingame"}
	g.Web.Positions = "in any notation (Little Golem, Knox, OpenSpiel, CodinGame, …) or drawn"
	g.Web.Records = "Dots and Boxes in any notation"
	g.Web.Moves = "2x2 h0,0 v1,2 h1,0 v0,0 v0,1"
	g.Web.Example = "2x4 h1111/1111/1111 v10000/00000 0-0 2"
	g.Web.TooEarly = dabbook.TooEarly
	g.Web.Readers = slices.Insert(g.Web.Readers, 0, analysis.ReadDotsAndBoxes)
	g.Arena = cli.ArenaGame{
		Rules:    arena.Rules{Game: g.Game, Unit: "boxes", WriteLog: dabws.WriteLog},
		Programs: map[string]cli.ProgramOpener{"ws://": openAgent},
		Help: `  ws://HOST:PORT      Dots and Boxes: your agent, one connection per game
`,
	}
	return g
}
