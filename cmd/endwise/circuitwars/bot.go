package circuitwars

import (
	"cmp"
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

// newBotCmd returns the command bot circuitwars.
func newBotCmd(a *cli.App) *cobra.Command {
	var (
		server, team                           string
		moveTime, overhead, interval, patience time.Duration

		as     int
		ponder bool
		asJSON bool
		lf     cli.LevelFlags
		f      cli.LookupFlags
	)
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cwhttp.ImpossibleTeam(team); err != nil {
				return cli.BadInput(fmt.Errorf("--team: %w", err))
			}
			if err := cmp.Or(
				cli.Want(as >= 0 && as <= 2, "--as", as, "1 or 2"),
				cli.Want(moveTime >= 0, "--time", moveTime, "a time above 0, or 0 for what the clock leaves"),
				cli.Want(interval >= 0, "--interval", interval, "0 or more"),
				cli.Want(overhead >= 0, "--overhead", overhead, "0 or more"),
				cli.Want(patience > 0, "--patience", patience, "a time above 0"),
			); err != nil {
				return err
			}
			client, err := cwbot.NewClient(server)
			if err != nil {
				return cli.BadInput(err)
			}
			client.Interval = interval
			player, done, err := a.Player(circuitwars.Name, lf, f)
			if err != nil {
				return err
			}
			defer done()
			cli.AddSpareThreads()
			log := a.Events(false, asJSON)
			report := func(text string) {
				if asJSON {
					log.Info(text)
				} else {
					fmt.Fprintln(a.Stdout, text)
				}
			}
			bot := &cwbot.Bot{
				Client: client, Team: team, Player: player, As: engine.Side(as),
				MoveTime: moveTime, Overhead: overhead, ServerTimeout: patience, Ponder: ponder,
				Registered: func(side engine.Side) { report("registered as " + side.String()) },
				Moved: func(p circuitwars.Position, d engine.Decision, took time.Duration) {
					cli.LogMove(log, slog.LevelInfo, p, p.Drawn().Len()+1, d, took)
				},
				Log: log,
			}
			out, err := bot.Play(cmd.Context())
			if errors.Is(err, cwhttp.TeamTaken) {
				return fmt.Errorf("%w; if this is your own game, add --as 1 or --as 2", err)
			}
			if err != nil {
				return err
			}
			report(fmt.Sprintf("%s: %s, slowest %s", out, cli.Count(out.Moves, "move"), cli.Seconds(out.Slowest)))
			return nil
		},
	}
	c.Flags().StringVar(&server, "server", "http://127.0.0.1:5000", "address of the game server")
	c.Flags().StringVar(&team, "team", "endwise", "team id to register")
	c.Flags().IntVar(&as, "as", 0, "resume a game in which the team is already registered as player 1 or 2")
	c.Flags().DurationVar(&moveTime, "time", 0, cli.TimeUsage+" (default the rest of the server's clock, 3s without one)")
	c.Flags().DurationVar(&overhead, "overhead", 0, cli.OverheadUsage+" (default the time of a request)")
	c.Flags().DurationVar(&interval, "interval", cwbot.DefaultInterval, "least time between two requests; a tenth of the server's limit where that is less")
	c.Flags().DurationVar(&patience, "patience", cwbot.DefaultServerTimeout, "give up when the server has not answered for so long")
	c.Flags().BoolVar(&ponder, "ponder", cli.Processors > 1, cli.PonderUsage)
	c.Flags().BoolVar(&asJSON, "json", false, cli.EventsUsage)
	lf.Register(c, circuitwars.Name)
	f.RegisterSources(c)
	return c
}
