package watchyourback

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	wybbook "endwise/book/watchyourback"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/wyb"
)

type botFlags struct {
	moveTime, gameTime time.Duration
	verbose            bool
	ponder, asJSON     bool
	level              cli.LevelFlags
	sources            cli.LookupFlags
}

func newBotCmd(a *cli.App) *cobra.Command {
	var f botFlags
	c := &cobra.Command{
		Use:   "watchyourback",
		Short: "Answer the line protocol of Watch Your Back! on standard input and output",
		Long: `Answers the referee's line protocol, one JSON object per line, until its input
ends:

  {"type":"start","colour":"white"}   {"type":"ready"}
  {"type":"action","turns":0}         {"type":"action","action":[3,4]}
  {"type":"update","action":[4,2]}    {"type":"ok"}
  {"type":"end","winner":"white"}

The file that shim writes uses this protocol.

The bot solves nothing before it plays: without the 6x6 tables (endwise build) it
prints one line on standard error and plays on.

With --game-time it uses one thread, because processor time counts, and spends
more than the average on moves where the best move changes late. --time is
processor time then, too; a move takes up to ten times as long on a busy machine.`,
		Example: "  endwise bot watchyourback --game-time 60s\n  endwise referee watchyourback \"cmd:endwise bot watchyourback\" greedy",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.gameTime > 0 && !cmd.Flags().Changed("threads") {
				f.sources.Threads = 1 // processor time is limited: a second thread uses as much and finds less
			}
			return f.run(cmd.Context(), a)
		},
	}
	c.Flags().DurationVar(&f.moveTime, "time", 3*time.Second, cli.TimeUsage)
	c.Flags().DurationVar(&f.gameTime, "game-time", 0, cli.GameTimeUsage+", for instance 60s (default no limit)")
	c.Flags().BoolVar(&f.ponder, "ponder", false, cli.PonderUsage+" or if processor time is limited")
	c.Flags().BoolVar(&f.asJSON, "json", false, cli.EventsUsage)
	f.level.Register(c, watchyourback.Name)
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, cli.VerboseUsage+"; the value of each move and its source")
	f.sources.RegisterSources(c)
	return c
}

func (f *botFlags) run(ctx context.Context, a *cli.App) error {
	cli.AddSpareThreads()
	if f.moveTime < 0 || f.gameTime < 0 {
		return cli.BadInput(errors.New("--time and --game-time: want a time above 0, or 0 for none"))
	}
	if f.ponder && (f.gameTime > 0 || f.level.Level != "") {
		return cli.BadInput(errors.New("--ponder: takes processor time in the opponent's time: " +
			"not with --game-time, and not for a --level"))
	}
	log := a.Events(f.verbose, f.asJSON)
	open := func(a *cli.App, g cli.Game) (*book.Lookup, error) { return f.open(a, g, log) }
	player, done, err := a.Player(watchyourback.Name, f.level, open)
	if err != nil {
		return err
	}
	defer done()
	pace := wyb.Pace{Move: f.moveTime, Game: f.gameTime, Threads: f.sources.Threads}
	b := &wyb.Bot{Player: player, Log: log, Spender: wyb.Spender{Pace: pace}, Ponder: f.ponder}
	b.Think = func(p watchyourback.Position, d engine.Decision) {
		n := p.Turns() + 1 // in this phase
		if p.Phase() == watchyourback.Moving {
			n += watchyourback.PlacingTurns
		}
		cli.LogMove(log, slog.LevelDebug, p, n, d, time.Duration(d.ElapsedMS*float64(time.Millisecond)))
	}
	return b.Serve(ctx, a.Stdin, a.Stdout)
}

// open opens the sources of the bot. If the store cannot be used, the bot plays without it.
func (f *botFlags) open(a *cli.App, g cli.Game, log *slog.Logger) (*book.Lookup, error) {
	dir, storeErr := a.Store()
	if storeErr == nil {
		storeErr = canHold(dir)
	}
	if storeErr != nil {
		dir = ""
	}
	o, err := f.sources.OptionsIn(a, dir)
	if err != nil {
		return nil, err
	}
	o.Log = log
	if storeErr != nil {
		o.Log.Warn("plays without tables and opening books", "why", storeErr)
	} else {
		warnMissingTables(o.Log, dir)
	}
	return f.sources.Open(g, o)
}

// canHold returns an error if dir cannot be a store: if it exists and is not a readable directory, or
// if its nearest parent that exists is not a directory.
func canHold(dir string) error {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		st, err := os.Stat(d)
		switch {
		case err == nil && !st.IsDir():
			return fmt.Errorf("%s is not a directory", d)
		case err == nil && d == filepath.Clean(dir):
			f, err := os.Open(d)
			if err != nil {
				return err
			}
			return f.Close()
		case err == nil || d == filepath.Dir(d):
			return nil
		}
	}
}

func warnMissingTables(log *slog.Logger, dir string) {
	if !wybbook.Has(dir, smallPieces) {
		log.Warn("plays without the 6x6 tables; run endwise build once to have them", "store", dir)
	}
}
