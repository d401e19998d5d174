package main

import (
	"context"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/analysis"
	wybbook "endwise/book/watchyourback"
	"endwise/cmd/endwise/web"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/levels"
	"endwise/engine/wire/program"
)

// watchYourBack is the entry of Watch Your Back.
func watchYourBack() gameEntry {
	g := newGame(wybbook.Game())
	g.solve, g.bot, g.shim, g.bench = newSolveWatchYourBackCmd, newBotWatchYourBackCmd, newShimWatchYourBackCmd, newBenchWatchYourBackCmd
	g.commands = []func(*app) *cobra.Command{newRefereeCmd}
	g.starters = []starter{{flags: []string{"--pieces", "5"}, seconds: 8, answers: true}}
	g.example = "......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192"
	g.fingerprints = []fingerprint{{"watchyourback live", countWatchYourBackLive}, {"watchyourback solver", countWatchYourBackSolver}}
	g.estimateScale, g.points = 800, "pieces"
	g.positions = "a position string, or the referee's drawing with its turns line"
	g.records = "the output of the Watch Your Back referee"
	g.readers = func(string) ([]analysis.Reader, error) { return []analysis.Reader{analysis.WatchYourBack}, nil }
	g.nearEnd = analysis.SmallWatchYourBack
	g.draw = web.DrawWatchYourBack
	g.arena = arenaGame{
		rules:    arena.Rules{WriteLog: writeWatchYourBackLog},
		programs: map[string]programOpener{"cmd:": watchYourBackCommand, "py:": watchYourBackPython},
		levels:   levels.WatchYourBackNames(),
		newLevel: func(name string, seed uint64) (engine.Player, error) { return levels.NewWatchYourBack(name, seed) },
		end:      program.KillOrphans,
		help: `  random, greedy, look-ahead, mirror
                      more built-in opponents of Watch Your Back
  cmd:COMMAND         in Watch Your Back: a program of yours that speaks the
                      referee's line protocol
  py:MODULE           in Watch Your Back: a Python file with a Player class
`,
	}
	g.prepare = func(ctx context.Context, a *app, o book.Options) { a.solveSmallTables(ctx, o) }
	return g
}
