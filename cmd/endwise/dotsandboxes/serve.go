package dotsandboxes

import (
	"fmt"
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

// newServeCmd returns the command serve dotsandboxes.
func newServeCmd(a *cli.App) *cobra.Command {
	var addr string
	var hosts []string
	var verbose bool
	var f cli.LookupFlags
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := a.Events(verbose, false)
			full, done, err := a.Player(dotsandboxes.Name, cli.LevelFlags{}, f)
			if err != nil {
				return err
			}
			defer done()
			cli.AddSpareThreads()
			mux := http.NewServeMux()
			mux.Handle("/", web.Handler("dotsandboxes", "ws:", "wss:"))
			players := []engine.Player{full}
			for n := 1; n <= levels.Count; n++ {
				l, err := levels.New(n, uint64(time.Now().UnixNano()))
				if err != nil {
					return err
				}
				players = append(players, l)
			}
			agents := http.NewServeMux() // open to pages on any host, as an agent is
			for _, p := range players {
				agents.Handle("/agent/"+p.Name(), &dabws.Agent{Player: p, Log: log.With("agent", p.Name())})
			}
			ln, err := cli.Listen("--addr", addr)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "Dots and Boxes on %s\n", cli.Addresses(ln.Addr()))
			return dabws.Serve(cmd.Context(), ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, pattern := agents.Handler(r); pattern != "" {
					agents.ServeHTTP(w, r)
					return
				}
				if err := httpd.Foreign(r, append(hosts, addr)...); err != nil {
					http.Error(w, err.Error(), http.StatusForbidden)
					return
				}
				mux.ServeHTTP(w, r)
			}))
		},
	}
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:8088", cli.AddrUsage)
	cli.AllowHost(c, &hosts)
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, cli.VerboseUsage+"; every move")
	f.RegisterSources(c)
	return c
}
