package main

import (
	"endwise/book/analysis"
	dabbook "endwise/book/dotsandboxes"
	"endwise/cmd/endwise/web"
	"endwise/engine/arena"
	"endwise/engine/wire/dabws"
)

// dotsAndBoxes is the entry of Dots and Boxes.
func dotsAndBoxes() gameEntry {
	g := newGame(dabbook.Game())
	g.solve, g.bot, g.serve, g.shim, g.bench = newSolveDotsAndBoxesCmd, newBotDotsAndBoxesCmd, newServeDotsAndBoxesCmd, newShimDotsAndBoxesCmd, newBenchDotsAndBoxesCmd
	g.starters = []starter{
		{flags: []string{"--board", "3x3"}, seconds: 1, answers: true},
		{flags: []string{"--board", "2x5"}, seconds: 6},
	}
	g.example = "3x3 h0,1 v1,2 h3,1 v0,0"
	g.fingerprints = []fingerprint{{"dotsandboxes solver", countDotsAndBoxesSolver}, {"dotsandboxes live", countDotsAndBoxesLive}}
	g.values = []boardValue{{board: "2x4", solve: dotsAndBoxesValue}, {board: "2x5", solve: dotsAndBoxesValue}, {board: "3x3", solve: dotsAndBoxesValue}, {board: "3x4", solve: dotsAndBoxesValue}}
	g.ports = []portUse{{"8088", "serve dotsandboxes"}, {"8089", "bot dotsandboxes"}}
	g.positions = "a position string, a list of lines or the agents' messages"
	g.records = "messages of the Dots and Boxes protocol"
	g.readers = func(string) ([]analysis.Reader, error) { return []analysis.Reader{analysis.DotsAndBoxes}, nil }
	g.draw = web.DrawDotsAndBoxes
	g.arena = arenaGame{
		rules:    arena.Rules{WriteLog: dabws.WriteLog},
		programs: map[string]programOpener{"ws://": dotsAndBoxesAgent},
		help: `  ws://HOST:PORT      in Dots and Boxes: an agent of yours, a connection a game
`,
	}
	return g
}
