package watchyourback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/levels"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/wyb"
)

func newBotCmd(a *cli.App) *cobra.Command {
	var (
		moveTime, gameTime time.Duration
		level              string
		seed               uint64
		verbose, noSolve   bool
		ponder             bool
		f                  cli.LookupFlags
	)
	c := &cobra.Command{
		Use:   "watchyourback",
		Short: "Answer the line protocol of Watch Your Back! on standard input and output",
		Long: `Answers the referee's line protocol, one JSON object a line, until its input
ends:

  {"type":"start","colour":"white"}   {"type":"ready"}
  {"type":"action","turns":0}         {"type":"action","action":[3,4]}
  {"type":"update","action":[4,2]}    {"type":"ok"}
  {"type":"end","winner":"white"}

The file that shim writes asks this way.

With --game-time it thinks with one thread, because processor time is what
counts, and spends more than the average on moves where it changes its mind.`,
		Example: "  endwise bot watchyourback --game-time 60s\n  endwise referee \"cmd:endwise bot watchyourback\" greedy",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cli.AddSpareThreads()
			if moveTime < 0 || gameTime < 0 {
				return cli.BadInput(errors.New("--time and --game-time: want a time above 0, or 0 for none"))
			}
			if ponder && (gameTime > 0 || level != "") {
				return cli.BadInput(errors.New("--ponder: takes processor time in the opponent's time: not with --game-time, and not for a --level"))
			}
			if gameTime > 0 && !cmd.Flags().Changed("threads") {
				f.Threads = 1 // a second one spends as much and finds less
			}
			b := &wyb.Bot{Pace: wyb.Pace{Move: moveTime, Game: gameTime, Threads: f.Threads}, Ponder: ponder}
			if level != "" {
				if seed == 0 {
					seed = rand.Uint64()
				}
				l, err := levels.NewWatchYourBack(level, seed)
				if err != nil {
					return cli.BadInput(err)
				}
				b.Player = l
			} else {
				o, err := f.Options(a)
				if err != nil {
					return err
				}
				if !noSolve {
					solveSmallTables(cmd.Context(), a, o)
				}
				g, err := cli.GameNamed(watchyourback.Name)
				if err != nil {
					return err
				}
				l, err := f.Open(g, o)
				if err != nil {
					return err
				}
				defer l.Close()
				b.Player = book.Player{Label: "endwise", Lookup: l}
			}
			if verbose {
				b.Think = func(p watchyourback.Position, d engine.Decision) {
					fmt.Fprintf(a.Stderr, "%s turn %d: %s, %s, %s, depth %d, %d nodes, %.0f ms\n",
						p.Phase(), p.Turns(), d.Move, p.Worth(d.Score, d.Proof, d.Distance), d.Source, d.Depth, d.Nodes, d.ElapsedMS)
				}
			}
			return b.Serve(cmd.Context(), a.Stdin, a.Stdout)
		},
	}
	c.Flags().DurationVar(&moveTime, "time", 3*time.Second, cli.TimeUsage)
	c.Flags().DurationVar(&gameTime, "game-time", 0, "processor time for the whole game, for instance 60s (default no limit)")
	c.Flags().BoolVar(&ponder, "ponder", false, "think in the opponent's time too, where nobody counts processor time")
	c.Flags().StringVar(&level, "level", "", "play as a built-in opponent: "+strings.Join(levels.WatchYourBackNames(), ", "))
	c.Flags().Uint64Var(&seed, "seed", 0, "with --level: repeat a game; 0 for a new one")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "say on standard error what each move is worth and why")
	c.Flags().BoolVar(&noSolve, "no-solve", false, "play without the 6x6 tables that the store lacks instead of solving them first")
	f.RegisterSources(c)
	return c
}
