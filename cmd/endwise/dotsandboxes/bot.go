package dotsandboxes

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/wire/dabws"
)

// heapLimit is the memory limit, in bytes, at which a bot collects garbage. A collection stops all
// threads, which takes long if some of them wait for a processor.
const heapLimit = 512 << 20

type botOptions struct {
	addr                    string
	origins                 []string // of pages that may connect; none for all
	overhead                time.Duration
	verbose, ponder, asJSON bool
	level                   cli.LevelFlags
	sources                 cli.LookupFlags
}

func newBotCmd(a *cli.App) *cobra.Command {
	var o botOptions
	c := &cobra.Command{
		Use:   "dotsandboxes",
		Short: "Play Dots and Boxes as a websocket agent",
		Long: `Waits for games at ws://HOST:PORT/ and plays them until it is interrupted: either
side or both, several games at the same time, on any grid. The time limit of a
game runs from the arrival of the message that requests a line; games that wait at
the same time search in turn. Each game is two lines on standard error, with
--verbose also each move; with --json, every event is an object. In the opponents'
time the agent thinks about one game at a time, while no game waits for an answer,
and at most for the game's time limit.

If the search fails or takes too long, the agent draws the best line found so far,
or one chosen without search, which is logged. Grids of more than 192 lines (9x9
boxes have 180), up to 64x64, are played by simple rules.

Limits: 1024 connections with 64 games each (then the oldest game is dropped),
messages of 64 KB (longer ones are ignored), game ids of 256 characters.`,
		Example: "  endwise bot dotsandboxes --addr 127.0.0.1:8089\n  endwise bot dotsandboxes --addr 127.0.0.1:8090 --level level2",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a) },
	}
	c.Flags().StringVar(&o.addr, "addr", "127.0.0.1:8089", cli.AddrUsage)
	c.Flags().DurationVar(&o.overhead, "overhead", 0, cli.OverheadUsage+" (default none; the time to stop a search is always kept back)")
	c.Flags().StringArrayVar(&o.origins, "allow-origin", nil, "accept connections from pages of this origin only, for instance https://example.org; repeatable (default all pages)")
	c.Flags().BoolVar(&o.ponder, "ponder", cli.Processors > 1, cli.PonderUsage)
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, cli.VerboseUsage+"; every move")
	c.Flags().BoolVar(&o.asJSON, "json", false, cli.EventsUsage)
	o.level.Register(c, dotsandboxes.Name)
	o.sources.RegisterSources(c)
	return c
}

func (o *botOptions) run(ctx context.Context, a *cli.App) error {
	if err := cli.Want(o.overhead >= 0, "--overhead", o.overhead, "0 or more"); err != nil {
		return err
	}
	limit := int64(heapLimit)
	if runtime.GOOS != "linux" { // the solver's table is part of the heap
		limit += int64(o.sources.HashMB) << 20
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(limit)
	player, done, err := a.Player(dotsandboxes.Name, o.level, o.sources.OpenSources)
	if err != nil {
		return err
	}
	defer done()
	cli.AddSpareThreads()
	ln, err := cli.Listen("--addr", o.addr)
	if err != nil {
		return err
	}
	log := a.Events(o.verbose, o.asJSON)
	agent := &dabws.Agent{
		Player: player, Overhead: o.overhead, Ponder: o.ponder, Origins: o.origins,
		Moved: func(game string, p dotsandboxes.Position, d engine.Decision, took time.Duration) {
			cli.LogMove(log.With("game", game), slog.LevelDebug, p, p.Drawn().Len()+1, d, took)
		},
		Log: log,
	}
	fmt.Fprintf(a.Stdout, "Dots and Boxes agent on ws://%s/\n", ln.Addr())
	return dabws.Serve(ctx, ln, agent)
}
