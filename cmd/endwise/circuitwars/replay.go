package circuitwars

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/wire/cwbot"
)

func newReplayCmd(a *cli.App) *cobra.Command {
	var (
		board, to string
		pace      time.Duration
		restart   bool
	)
	c := &cobra.Command{
		Use:   "circuitwars FILE…",
		Short: "Judge Circuit Wars game logs by the rules, or play one on a server",
		Long: `Replays game logs by the rules and prints a line per game: the result by the rules,
the result in the log, agree or disagree, and the place of an illegal move or a
timeout. A directory stands for the *.log files, and the logs without an extension,
in and below it.

With --to URL one log is played on a server for both players, to watch it on the
server's page or to test the server.

Exit code 0 if everything agrees, 1 if something disagrees, 2 if a log cannot be
read.`,
		Example: "  endwise replay circuitwars GAMES/\n  endwise replay circuitwars --to http://127.0.0.1:5000 --pace 1s GAME.log",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, files []string) error {
			if _, err := parseBoard(cmp.Or(board, circuitwars.UsualBoard)); err != nil {
				return cli.BadInput(fmt.Errorf("--board: %w", err))
			}
			if to == "" {
				return replayLogs(cmd.Context(), a, files, board)
			}
			if len(files) != 1 {
				return cli.BadInput(fmt.Errorf("--to plays one log, not %d", len(files)))
			}
			if err := cli.Want(pace >= 0, "--pace", pace, "0 or more"); err != nil {
				return err
			}
			client, err := cwbot.NewClient(to)
			if err != nil {
				return cli.BadInput(err)
			}
			client.Interval = min(pace, cwbot.DefaultInterval)
			return replayTo(cmd.Context(), a, cwbot.Replay{Client: client, Pace: pace, Restart: restart}, files[0], board)
		},
	}
	c.Flags().StringVar(&board, "board", "", cli.BoardUsage+"; of the logs (default "+circuitwars.UsualBoard+", or the board that a log fits)")
	c.Flags().StringVar(&to, "to", "", "play the log on this server")
	c.Flags().DurationVar(&pace, "pace", 500*time.Millisecond, "with --to: time from one move to the next")
	c.Flags().BoolVar(&restart, "restart", false, "with --to: ask the server for a new game first")
	return c
}

// ending is the end of a game according to one source.
type ending struct {
	code  circuitwars.Code // the server's status code
	score [2]int
}

// printEnds prints a line that compares the ending in a log with found, the ending by judge. fault
// describes an illegal move or a timeout, "" for none.
func printEnds(w io.Writer, file, judge string, found, log ending, fault string) error {
	verdict := "disagree"
	if found == log {
		verdict = "agree"
	}
	if fault != "" {
		fault = ": " + fault
	}
	line := fmt.Sprintf("%s: %s %d %d-%d, log %d %d-%d, %s%s", file, judge,
		found.code, found.score[0], found.score[1], log.code, log.score[0], log.score[1], verdict, fault)
	_, err := fmt.Fprintln(w, engine.Printable(line))
	return err
}

// replayLogs compares logs with the rules. If one disagrees or is unreadable, the error comes at the end.
func replayLogs(ctx context.Context, a *cli.App, paths []string, board string) error {
	files, err := a.Games.FilesBelow(a.Stderr, paths, ".log")
	if err != nil {
		return cli.BadInput(err)
	}
	var agree, disagree int
	var bad cli.Unread
	kinds := map[circuitwars.Code]int{}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		log, v, err := readLog(file, board)
		if err != nil {
			bad.Add(file, a.Games.NameGame(circuitwars.Name, file, err))
			continue
		}
		if v.Agrees(log) {
			agree++
		} else {
			disagree++
		}
		kinds[v.Code.Kind()]++
		judge := cli.Count(len(v.Played), "move") + ", rules"
		if err := printEnds(a.Stdout, file, judge, ending{v.Code, v.Score}, ending{log.Code, log.Score}, v.Fault); err != nil {
			return err
		}
	}
	if agree+disagree > 0 {
		fmt.Fprintf(a.Stdout, "%s: %d agree, %d disagree; %d played to the end, %s, %s\n",
			cli.Count(agree+disagree, "game"), agree, disagree, kinds[circuitwars.KindWon],
			cli.Count(kinds[circuitwars.KindIllegal], "illegal move"),
			cli.Count(kinds[circuitwars.KindTimeout], "timeout"))
	}
	switch broken := bad.Print(a.Stderr); {
	case broken > 0:
		return cli.BadInput(fmt.Errorf("%s could not be read", cli.Count(broken, "log")))
	case disagree > 0:
		return fmt.Errorf("logs that disagree with the rules: %d", disagree)
	}
	return nil
}

// replayTo plays a log on a server. If the game ends otherwise than in the log, it returns an error.
func replayTo(ctx context.Context, a *cli.App, r cwbot.Replay, file, board string) error {
	log, v, err := readLog(file, board)
	if err != nil {
		return cli.BadInput(err)
	}
	st, err := r.Play(ctx, log, v)
	switch {
	case errors.Is(err, cwbot.ErrBusy):
		return fmt.Errorf("%w; --restart starts a new one", err)
	case err != nil:
		return err
	}
	found, recorded := ending{st.Code, st.Score()}, ending{log.Code, log.Score}
	if err := printEnds(a.Stdout, file, "server", found, recorded, ""); err != nil {
		return err
	}
	if found != recorded {
		return errors.New("the server disagrees with the log")
	}
	return nil
}
