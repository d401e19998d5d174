package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/book/remote"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web"
	"endwise/engine/wire/httpd"
)

const (
	maxConnections = 512
	maxHeaderBytes = 32 << 10
	headerTimeout  = 5 * time.Second
	requestTimeout = 30 * time.Second
)

type serveOptions struct {
	addr, exercises string
	hosts           []string // names other than addr under which browsers may reach the pages
	rate            float64  // requests per second and address, 0 for no limit
	sources         cli.LookupFlags
}

func newServeCmd(a *cli.App) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve pages and lookups over HTTP, or run a game's server",
		Long: fmt.Sprintf(`Serves pages to play, explore, analyse and practise all games in a browser,
and answers lookups over HTTP:

  GET  /v1/GAME/lookup?position=TEXT&time=1s&moves=best|all
  POST /v1/GAME/lookup?time=1s&moves=all   with the position as the body
  GET  /healthz, /debug/vars                 health and metrics

Other endwise processes can use it in place of their own store with
--lookup http://HOST:PORT. It stores nothing about visitors and refuses requests
that browsers send on behalf of other sites.

Limits: %d connections, %d KB and %g s for a request's header, %g s for the whole
request, %g s of search per lookup, %d MB per game record; --rate limits each client.`,
			maxConnections, maxHeaderBytes>>10, headerTimeout.Seconds(), requestTimeout.Seconds(),
			remote.MaxTime.Seconds(), analysis.MaxRecordBytes>>20),
		Example: "  endwise serve\n  endwise serve --addr 0.0.0.0:8080 --rate 5",
		// Without this, an unknown game would be treated as an argument of serve.
		Args: func(cmd *cobra.Command, rest []string) error {
			if len(rest) > 0 {
				return cli.Choose("game")(cmd, rest)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a) },
	}
	c.Flags().StringVar(&o.addr, "addr", "127.0.0.1:8080", cli.AddrUsage)
	cli.AllowHost(c, &o.hosts)
	c.Flags().StringVar(&o.exercises, "exercises", "", cli.ExercisesUsage+"; the practise page shows them")
	c.Flags().Float64Var(&o.rate, "rate", 200,
		"requests per second from one address, three times as many in a burst; 0 for no limit")
	o.sources.RegisterSources(c)
	c.AddCommand(a.Commands(func(g cli.Game) func(*cli.App) *cobra.Command { return g.Serve })...)
	return c
}

func (o *serveOptions) run(ctx context.Context, a *cli.App) error {
	cli.AddSpareThreads()
	o.sources.Several = true
	sources, err := o.sources.Options(a)
	if err != nil {
		return err
	}
	sources.HashBytes /= int64(2 * len(a.Games)) // each game opens sources for lookups and for analyses
	cfg := web.Config{
		Games: a.Games.Web(), Rate: o.rate, Burst: max(1, int(3*o.rate)),
		Hosts: append(o.hosts, o.addr), Log: a.Events(false, false),
	}
	for i, g := range a.Games {
		cfg.Games[i].Open = func() (*book.Lookup, error) { return o.sources.Open(g, sources) }
	}
	if o.exercises != "" {
		if cfg.Exercises, err = readExercises(a.Games, o.exercises); err != nil {
			return cli.BadInput(err)
		}
	}
	site, err := web.NewSite(cfg)
	if err != nil {
		return cli.BadInput(err)
	}
	defer site.Close()
	if err := site.Open(); err != nil {
		return err
	}
	ln, err := cli.Listen("--addr", o.addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "Endwise on %s\n", cli.Addresses(ln.Addr()))
	if o.exercises != "" {
		players := map[string]bool{}
		for _, e := range cfg.Exercises {
			players[e.By] = true
		}
		fmt.Fprintf(a.Stdout, "%s of %s on the page Practise\n", cli.Count(len(cfg.Exercises), "exercise"), cli.Count(len(players), "player"))
	}
	return serveSite(ctx, ln, site)
}

// serveSite serves h on ln, with limits for clients, until ctx ends.
func serveSite(ctx context.Context, ln net.Listener, h http.Handler) error {
	var connections atomic.Int64
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      60 * time.Second, // analyses extend it
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          log.New(io.Discard, "", 0), // malformed requests are not logged
		ConnState: func(c net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				if connections.Add(1) > maxConnections {
					c.Close()
				}
			case http.StateClosed, http.StateHijacked:
				connections.Add(-1)
			}
		},
	}
	return httpd.Serve(ctx, srv, ln, 1500*time.Millisecond)
}

// readExercises reads a file with one JSON object per line.
func readExercises(games cli.Games, file string) ([]analysis.Exercise, error) {
	data, err := cli.ReadLimited(file, 64<<20)
	if err != nil {
		return nil, err
	}
	var out []analysis.Exercise
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		e, err := parseExercise(games, sc.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", file, n, err)
		}
		out = append(out, e)
	}
	if err := sc.Err(); err != nil || len(out) > 0 {
		return out, err
	}
	return nil, fmt.Errorf("%s: no exercise: endwise analyze GAMES/ --exercises FILE.jsonl finds more in several games", file)
}

// parseExercise reads an exercise and checks that its answer is a move of its position.
func parseExercise(games cli.Games, text []byte) (e analysis.Exercise, err error) {
	if err := json.Unmarshal(text, &e); err != nil {
		return e, fmt.Errorf("no exercise (%w): want a file that endwise analyze GAMES/ --exercises FILE.jsonl writes", err)
	}
	g, err := games.Named(e.Game)
	if err != nil {
		return e, err
	}
	p, err := g.Parse(e.Position)
	if err == nil {
		_, err = p.ParseMove(e.Answer)
	}
	return e, err
}
