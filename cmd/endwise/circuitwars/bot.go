package circuitwars

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/wire/cwbot"
	"endwise/engine/wire/cwhttp"
)

type botOptions struct {
	server, team                          string
	moveTime, overhead, interval, timeout time.Duration

	as             int // player to resume as, 0 to register
	ponder, asJSON bool
	level          cli.LevelFlags
	lookup         cli.LookupFlags
}

func newBotCmd(a *cli.App) *cobra.Command {
	var o botOptions
	c := &cobra.Command{
		Use:   "circuitwars",
		Short: "Play a game on a Circuit Wars server",
		Long: `Registers on a game server, plays one game and prints the result. Each move is a
line on standard error: the move, the expected result, whether that is proved, and
the time used. --json adds the rest.

Exit code 0 if the game was played to its end, won or lost.

--as resumes a game after a bot has died: it plays as soon as the status gives
that player the turn, and ends with exit code 1 if no game is running. The
protocol does not tell which team is which player: a wrong --as loses the game.

If the search fails or takes too long, the bot plays the best move found so far,
or a legal one chosen without search.`,
		Example: "  endwise bot circuitwars --server http://127.0.0.1:5000 --team endwise\n  endwise bot circuitwars --team practice --level level3",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a) },
	}
	c.Flags().StringVar(&o.server, "server", "http://127.0.0.1:5000", "address of the game server")
	c.Flags().StringVar(&o.team, "team", "endwise", "team id to register; for most servers 1 to 25 letters, digits, - or _")
	c.Flags().IntVar(&o.as, "as", 0, "resume a game in which the team is already registered as player 1 or 2")
	c.Flags().DurationVar(&o.moveTime, "time", 0, cli.TimeUsage+" (default the rest of the server's clock, 3s without one)")
	c.Flags().DurationVar(&o.overhead, "overhead", 0, cli.OverheadUsage+" (default and minimum the time of a request)")
	c.Flags().DurationVar(&o.interval, "interval", cwbot.DefaultInterval, "minimum time between two requests; a tenth of the server's limit if that is less")
	c.Flags().DurationVar(&o.timeout, "patience", cwbot.DefaultServerTimeout, "give up after this time without a usable answer of the server")
	c.Flags().BoolVar(&o.ponder, "ponder", cli.Processors > 1, cli.PonderUsage)
	c.Flags().BoolVar(&o.asJSON, "json", false, cli.EventsUsage)
	o.level.Register(c, circuitwars.Name)
	o.lookup.RegisterSources(c)
	return c
}

func (o *botOptions) check() error {
	if err := cwhttp.ImpossibleTeam(o.team); err != nil {
		return cli.BadInput(fmt.Errorf("--team: %w", err))
	}
	return cmp.Or(
		cli.Want(o.as >= 0 && o.as <= 2, "--as", o.as, "1 or 2"),
		cli.Want(o.moveTime >= 0, "--time", o.moveTime, "a time above 0, or 0 for what the clock leaves"),
		cli.Want(o.interval >= 0, "--interval", o.interval, "0 or more"),
		cli.Want(o.overhead >= 0, "--overhead", o.overhead, "0 or more"),
		cli.Want(o.timeout > 0, "--patience", o.timeout, "a time above 0"),
	)
}

func (o *botOptions) run(ctx context.Context, a *cli.App) error {
	if err := o.check(); err != nil {
		return err
	}
	client, err := cwbot.NewClient(o.server)
	if err != nil {
		return cli.BadInput(err)
	}
	client.Interval = o.interval
	player, done, err := a.Player(circuitwars.Name, o.level, o.lookup.OpenSources)
	if err != nil {
		return err
	}
	defer done()
	cli.AddSpareThreads()
	log := a.Events(false, o.asJSON)
	report := func(text string) {
		if o.asJSON {
			log.Info(text)
		} else {
			fmt.Fprintln(a.Stdout, text)
		}
	}
	side := engine.Side(o.as) // None before the registration
	bot := &cwbot.Bot{
		Client: client, Team: o.team, Player: player, As: side,
		MoveTime: o.moveTime, Overhead: o.overhead, ServerTimeout: o.timeout, Ponder: o.ponder,
		Registered: func(s engine.Side) {
			if side == engine.None {
				report("registered as " + s.String())
			} else {
				report("resumed as " + s.String())
			}
			side = s
		},
		Moved: func(p circuitwars.Position, d engine.Decision, took time.Duration) {
			cli.LogMove(log, slog.LevelInfo, p, p.Drawn().Len()+1, d, took)
		},
		Log: log,
	}
	result, err := bot.Play(ctx)
	switch {
	case errors.Is(err, cwhttp.TeamTaken) || errors.Is(err, cwhttp.GameStarted):
		return fmt.Errorf("%w; if this is your own game, add --as 1 or --as 2", err)
	case errors.Is(err, cwbot.ErrNotFound):
		return cli.BadInput(fmt.Errorf("%w; check --server", err))
	case cli.Interrupted(err) && side != engine.None:
		return &cli.Unfinished{Err: err, Next: fmt.Sprintf("to resume the game, add --as %d", side)}
	case err != nil:
		return err
	}
	report(fmt.Sprintf("%s: %s, slowest %s", result, cli.Count(result.Moves, "move"), cli.Seconds(result.Slowest)))
	return nil
}
