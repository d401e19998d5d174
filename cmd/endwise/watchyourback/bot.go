package watchyourback

import (
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

// newBotCmd returns the command bot watchyourback.
func newBotCmd(a *cli.App) *cobra.Command {
	var (
		moveTime, gameTime time.Duration
		lf                 cli.LevelFlags
		verbose, noSolve   bool
		ponder, asJSON     bool
		f                  cli.LookupFlags
	)
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
			cli.AddSpareThreads()
			if moveTime < 0 || gameTime < 0 {
				return cli.BadInput(errors.New("--time and --game-time: want a time above 0, or 0 for none"))
			}
			if ponder && (gameTime > 0 || lf.Level != "") {
				return cli.BadInput(errors.New("--ponder: takes processor time in the opponent's time: " +
					"not with --game-time, and not for a --level"))
			}
			if gameTime > 0 && !cmd.Flags().Changed("threads") {
				f.Threads = 1 // processor time is limited: a second thread uses as much and finds less
			}
			log := a.Events(verbose, asJSON)
			player, done, err := botPlayer(a, lf, &f, noSolve, log)
			if err != nil {
				return err
			}
			defer done()
			pace := wyb.Pace{Move: moveTime, Game: gameTime, Threads: f.Threads}
			b := &wyb.Bot{Player: player, Log: log, Spender: wyb.Spender{Pace: pace}, Ponder: ponder}
			b.Think = func(p watchyourback.Position, d engine.Decision) {
				n := p.Turns() + 1
				if p.Phase() == watchyourback.Moving {
					n += watchyourback.PlacingTurns
				}
				cli.LogMove(log, slog.LevelDebug, p, n, d, time.Duration(d.ElapsedMS*float64(time.Millisecond)))
			}
			return b.Serve(cmd.Context(), a.Stdin, a.Stdout)
		},
	}
	c.Flags().DurationVar(&moveTime, "time", 3*time.Second, cli.TimeUsage)
	c.Flags().DurationVar(&gameTime, "game-time", 0, cli.GameTimeUsage+", for instance 60s (default no limit)")
	c.Flags().BoolVar(&ponder, "ponder", false, cli.PonderUsage+" or if processor time is limited")
	c.Flags().BoolVar(&asJSON, "json", false, cli.EventsUsage)
	lf.Register(c, watchyourback.Name)
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, cli.VerboseUsage+"; the value of each move and its source")
	c.Flags().BoolVar(&noSolve, "no-solve", false, cli.NoSolveUsage+"; without a message")
	f.RegisterSources(c)
	return c
}

// botPlayer returns the practice level that lf selects, or else the full player; quiet is passed to
// [botOptions]. The caller calls done after the last move.
func botPlayer(
	a *cli.App, lf cli.LevelFlags, f *cli.LookupFlags, quiet bool, log *slog.Logger,
) (p engine.Player, done func() error, err error) {
	if lf.Level != "" {
		return a.Player(watchyourback.Name, lf, *f)
	}
	g, err := a.Games.Named(watchyourback.Name)
	if err != nil {
		return nil, nil, err
	}
	o, err := botOptions(a, f, quiet, log)
	if err != nil {
		return nil, nil, err
	}
	l, err := f.Open(g, o)
	if err != nil {
		return nil, nil, err
	}
	return book.Player{Label: "endwise", Lookup: l}, l.Close, nil
}

// botOptions returns the options for opening the bot's sources. A store that cannot be used
// must not cost a game: the bot plays without it and logs one line. Unless quiet is set, it also
// logs that the store lacks the 6x6 tables.
func botOptions(a *cli.App, f *cli.LookupFlags, quiet bool, log *slog.Logger) (book.Options, error) {
	dir, storeErr := a.Store()
	if storeErr == nil {
		storeErr = canHold(dir)
	}
	if storeErr != nil {
		dir = ""
	}
	o, err := f.OptionsIn(a, dir)
	if err != nil {
		return o, err
	}
	o.Log = log
	switch {
	case storeErr != nil:
		o.Log.Warn("plays without tables and opening books", "why", storeErr)
	case !quiet:
		warnMissingTables(o.Log, dir)
	}
	return o, nil
}

// canHold returns an error if dir cannot be a store: it exists and is not a readable directory,
// or its nearest parent that exists is not a directory.
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

// warnMissingTables logs how to get the small 6x6 tables if the store lacks them.
func warnMissingTables(log *slog.Logger, dir string) {
	if !wybbook.Has(dir, smallPieces) {
		log.Warn("plays without the 6x6 tables; run endwise build once to have them", "store", dir)
	}
}
