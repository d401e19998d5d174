package dotsandboxes

import (
	"fmt"
	"net"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine/dotsandboxes"
	"endwise/engine/wire/dabws"
)

// heapLimit is where a bot's garbage is collected, every few dozen moves: a
// collection stops all threads, which takes long where some of them wait for a
// processor. The solver's table does not count.
const heapLimit = 512 << 20

func collectRarely() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(heapLimit)
}

func newBotCmd(a *cli.App) *cobra.Command {
	var (
		host    string
		port    int
		margin  time.Duration
		verbose bool
		ponder  bool
		lf      cli.LevelFlags
		f       cli.LookupFlags
	)
	c := &cobra.Command{
		Use:   "dotsandboxes",
		Short: "Play Dots and Boxes as a websocket agent",
		Long: `Waits for games at ws://HOST:PORT/ and plays them until it is interrupted:
either side or both, several games at once, on any grid up to 9x9 boxes. The
time limit of each game is kept from the arrival of the message that asks for
a line. Every game is a line on standard error, with --verbose every move.
While an opponent thinks it ponders, one game at a time, none while any game
waits for an answer, and at most for the time limit of the game.

Limits: 1024 connections with 64 games each (the oldest is forgotten), messages
of 16 KB, game ids of 256 characters.`,
		Example: "  endwise bot dotsandboxes --port 8089\n  endwise bot dotsandboxes --port 8090 --level 2",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if port < 0 || port > 65535 {
				return cli.BadInput(fmt.Errorf("--port %d: want 0 to 65535", port))
			}
			if margin < 0 {
				return cli.BadInput(fmt.Errorf("--margin %v: want 0 or more", margin))
			}
			p, done, err := a.Player(dotsandboxes.Name, lf, f)
			if err != nil {
				return err
			}
			defer done()
			cli.AddSpareThreads()
			collectRarely()
			agent := &dabws.Agent{
				Player: p, Margin: margin, Ponder: ponder,
				Log: a.Log(verbose),
			}
			addr := net.JoinHostPort(host, strconv.Itoa(port))
			return cli.InUse(addr, agent.ListenAndServe(cmd.Context(), addr, func(at net.Addr) {
				fmt.Fprintf(a.Stdout, "Dots and Boxes agent on ws://%s/\n", at)
			}))
		},
	}
	c.Flags().IntVar(&port, "port", 8089, "port to listen on, 0 for a free one")
	c.Flags().StringVar(&host, "host", "127.0.0.1", "address to listen on")
	c.Flags().DurationVar(&margin, "margin", 0, "kept back from each time limit (default 20ms and a twentieth of it)")
	c.Flags().BoolVar(&ponder, "ponder", cli.Processors > 1, "think while the opponent does; switch it off where several bots share the processor")
	c.Flags().BoolVar(&verbose, "verbose", false, "log every move")
	lf.Register(c)
	f.RegisterSources(c)
	return c
}
