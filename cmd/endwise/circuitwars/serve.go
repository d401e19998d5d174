package circuitwars

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web"
	"endwise/engine/circuitwars"
	"endwise/engine/wire/cwhttp"
)

type serveOptions struct {
	addr, board, logFile string
	limit                time.Duration // per move, 0 for none
	hosts                []string      // further names of this machine
	verbose              bool
}

func newServeCmd(a *cli.App) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "circuitwars",
		Short: "Run a Circuit Wars game server",
		Long: `Runs a game server that replaces the championship's: /reg/TEAM, /status,
/move/TEAM/x,y,border, /restart, and a page at / that shows the game live. Player
1's first move is not timed.

With --log FILE every finished game is written in the format of the championship's
logs, one game per file: FILE, FILE-2, FILE-3 and so on (before the extension). No
file is overwritten.

Limits: 256 connections (above that, the one that is silent longest is closed), one
request on each, 16 KB and 5 s for its header, 10 s for the whole request; team ids
of 1 to 25 characters.`,
		Example: "  endwise serve circuitwars --log practice.log\n  endwise serve circuitwars --board 3x5 --time 0",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a) },
	}
	c.Flags().StringVar(&o.addr, "addr", "127.0.0.1:5000", cli.AddrUsage)
	cli.AllowHost(c, &o.hosts)
	c.Flags().DurationVar(&o.limit, "time", 3*time.Second, cli.TimeUsage+", 0 for no limit")
	c.Flags().StringVar(&o.board, "board", circuitwars.UsualBoard, cli.BoardUsage)
	c.Flags().StringVar(&o.logFile, "log", "", "keep finished games in this file (see above)")
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, cli.VerboseUsage+"; every move")
	return c
}

func (o *serveOptions) run(ctx context.Context, a *cli.App) error {
	cli.AddSpareThreads()
	board, err := parseBoard(o.board)
	if err != nil {
		return cli.BadInput(err)
	}
	if o.limit < 0 || o.limit > 0 && o.limit < time.Millisecond {
		return cli.BadInput(fmt.Errorf("--time %v: want a time like 3s or 500ms, or 0 for no limit", o.limit))
	}
	log := a.Events(o.verbose, false)
	cfg := cwhttp.ServerConfig{
		Page: web.Handler("circuitwars"), Hosts: append(o.hosts, o.addr), Log: log, Board: board.String(), Timeout: o.limit,
	}
	if o.logFile != "" {
		if cfg.Ended, err = keepGames(o.logFile, log); err != nil {
			return cli.BadInput(err)
		}
	}
	srv, err := cwhttp.NewServer(cfg)
	if err != nil {
		return cli.BadInput(err)
	}
	ln, err := cli.Listen("--addr", o.addr)
	if err != nil {
		return err
	}
	clock := "no time limit"
	if o.limit > 0 {
		clock = o.limit.String() + " a move"
	}
	fmt.Fprintf(a.Stdout, "Circuit Wars on %s, board %s, %s\n", cli.Addresses(ln.Addr()), cfg.Board, clock)
	return srv.Serve(ctx, ln)
}

// keepGames returns a function that writes a game to file or, if that exists, to a similar name.
func keepGames(file string, log *slog.Logger) (func(circuitwars.Log), error) {
	if st, err := os.Stat(filepath.Dir(file)); err != nil || !st.IsDir() {
		return nil, fmt.Errorf("--log %s: there is no directory %s", file, filepath.Dir(file))
	}
	if st, err := os.Stat(file); err == nil && st.IsDir() {
		return nil, fmt.Errorf("--log %s is a directory: give a file name", file)
	}
	return func(g circuitwars.Log) {
		if name, err := cwhttp.WriteGame(file, g); err != nil {
			log.Error("the game is not kept", "cause", err)
		} else {
			log.Info("game kept", "file", name)
		}
	}, nil
}
