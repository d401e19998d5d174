package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/solver/farm"
	"endwise/solver/farm/jetstream"
)

func jobKinds(games cli.Games) []farm.Kind {
	return append(games.Book().JobKinds(), leafKind(games))
}

// NatsFlags are the flags of commands that use a NATS server.
type NatsFlags struct {
	URL     string
	context string
}

// NatsUsage is the help of --nats.
const NatsUsage = "URL of the NATS server"

// Login adds the flag for credentials to c.
func (f *NatsFlags) Login(c *cobra.Command) {
	c.Flags().StringVar(&f.context, "nats-context", "", "login for the NATS server: a context of the nats command, by name or file (default $NATS_CONTEXT)")
}

// Register adds the flags of a coordinator to c.
func (f *NatsFlags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.URL, "nats", "", NatsUsage+"; its workers do the work. embedded[:[HOST:]PORT] starts one here")
	f.Login(c)
}

// login reads the credentials that --nats-context or $NATS_CONTEXT names, if any.
func (f *NatsFlags) login() (jetstream.Login, error) {
	var c jetstream.Login
	name, from := f.context, "--nats-context"
	if name == "" {
		name, from = os.Getenv("NATS_CONTEXT"), "NATS_CONTEXT"
	}
	if name == "" {
		return c, nil
	}
	if !strings.ContainsAny(name, `./\`) {
		dir := os.Getenv("XDG_CONFIG_HOME") // on every system, like the nats command
		if home, err := os.UserHomeDir(); dir == "" && err == nil {
			dir = filepath.Join(home, ".config")
		}
		name = filepath.Join(dir, "nats", "context", name+".json")
	}
	data, err := cli.ReadLimited(name, 1<<16)
	if err != nil {
		return c, cli.BadInput(fmt.Errorf("%s: %w", from, err))
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, cli.BadInput(fmt.Errorf("%s: %s: want a context of the nats command: %w", from, name, err))
	}
	return c, nil
}

// Server returns the server that the flags name.
func (f *NatsFlags) Server() (jetstream.Server, error) {
	l, err := f.login()
	if err != nil {
		return jetstream.Server{}, err
	}
	s := jetstream.Server{URL: f.URL, Login: l}
	if err := s.Check(); err != nil {
		return s, cli.BadInput(fmt.Errorf("--nats: %w", err))
	}
	return s, nil
}

// Coordination describes work that a command may distribute.
type Coordination struct {
	Title   string
	Kind    string // name of the jobs' [farm.Kind]
	Memory  uint64 // bytes that a worker needs
	Threads int    // number of parallel jobs without --nats
}

// Coordinate returns a farm for the jobs of a run and a function that ends the run. Without --nats the
// farm works in this process. p, which may be nil, is part of the run's status.
func Coordinate(ctx context.Context, a *cli.App, f *NatsFlags, o Coordination, p *farm.Progress) (
	_ farm.Farm, end func() error, err error) {
	if f.URL == "" {
		return farm.InProcess(o.Threads), func() error { return nil }, nil
	}
	kinds := jobKinds(a.Games)
	i := slices.IndexFunc(kinds, func(k farm.Kind) bool { return k.Name == o.Kind })
	embedded, err := f.embedded(a)
	if err != nil {
		return nil, nil, err
	}
	var server jetstream.Server
	stop := func() error { return nil }
	if embedded != nil {
		server, stop = embedded.Server, embedded.Close
	} else if server, err = f.Server(); err != nil {
		return nil, nil, err
	}
	c, err := jetstream.Start(ctx, jetstream.Options{
		Server: server, Title: o.Title, Kind: kinds[i], Memory: o.Memory,
		Progress: p, Log: a.Events(false, false),
	})
	if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	if embedded != nil {
		fmt.Fprintf(a.Stderr, "NATS server for this run; on other terminals: endwise worker --nats %s\n", server.URL)
	}
	return c, func() error { return errors.Join(c.Close(), stop()) }, nil
}

// embedded starts a NATS server in this process if the value of --nats begins with "embedded",
// otherwise it returns nil.
func (f *NatsFlags) embedded(a *cli.App) (*jetstream.Embedded, error) {
	o, ok, err := jetstream.ParseEmbedded(f.URL)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--nats: %w", err))
	}
	if !ok {
		return nil, nil
	}
	store, err := a.Store()
	if err != nil {
		return nil, err
	}
	if o.Login, err = f.login(); err != nil {
		return nil, err
	}
	if err := o.Check(); err != nil {
		return nil, cli.BadInput(fmt.Errorf("--nats: %w", err))
	}
	o.Dir = filepath.Join(filepath.Dir(store), fmt.Sprintf("nats-%d", o.Port))
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o755); err != nil {
		return nil, err
	}
	return jetstream.StartEmbedded(o)
}
