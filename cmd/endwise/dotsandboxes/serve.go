package dotsandboxes

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
	"endwise/engine/wire/dabws"
	"endwise/engine/wire/httpd"
)

type serveOptions struct {
	addr    string
	hosts   []string // further names of this machine
	verbose bool
	sources cli.LookupFlags
}

func newServeCmd(a *cli.App) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "dotsandboxes",
		Short: "Run a page to play Dots and Boxes on",
		Long: `Serves a page on which people and agents play Dots and Boxes against each other
on grids up to 9x9 boxes. An agent is any program that uses the agents' protocol,
given by its websocket address, or a built-in one: level1 to level4 and endwise,
which also answer at ws://HOST:PORT/agent/ for other pages and drivers. An agent
that is late or draws an illegal line loses.

Limits of each built-in agent: 1024 connections with 64 games each, messages of
64 KB, game ids of 256 characters.`,
		Example: "  endwise serve dotsandboxes\n  endwise serve dotsandboxes --addr 127.0.0.1:9000",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a) },
	}
	c.Flags().StringVar(&o.addr, "addr", "127.0.0.1:8088", cli.AddrUsage)
	cli.AllowHost(c, &o.hosts)
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, cli.VerboseUsage+"; every move")
	o.sources.RegisterSources(c)
	return c
}

func (o *serveOptions) run(ctx context.Context, a *cli.App) error {
	full, done, err := a.Player(dotsandboxes.Name, cli.LevelFlags{}, o.sources.OpenSources)
	if err != nil {
		return err
	}
	defer done()
	cli.AddSpareThreads()
	agents, err := agentHandler(full, a.Events(o.verbose, false))
	if err != nil {
		return err
	}
	page := http.NewServeMux()
	page.Handle("/", web.Handler("dotsandboxes", "ws:", "wss:"))
	ln, err := cli.Listen("--addr", o.addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "Dots and Boxes on %s\n", cli.Addresses(ln.Addr()))
	return dabws.Serve(ctx, ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := agents.Handler(r); pattern != "" { // agents are open to pages of other hosts
			agents.ServeHTTP(w, r)
			return
		}
		if err := httpd.Foreign(r, append(o.hosts, o.addr)...); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		page.ServeHTTP(w, r)
	}))
}

// agentHandler returns a handler with an agent at /agent/NAME for full and each level.
func agentHandler(full engine.Player, log *slog.Logger) (*http.ServeMux, error) {
	players := []engine.Player{full}
	for n := 1; n <= levels.Count; n++ {
		l, err := levels.New(n, uint64(time.Now().UnixNano()))
		if err != nil {
			return nil, err
		}
		players = append(players, l)
	}
	mux := http.NewServeMux()
	for _, p := range players {
		mux.Handle("/agent/"+p.Name(), &dabws.Agent{Player: p, Log: log.With("agent", p.Name())})
	}
	return mux, nil
}
