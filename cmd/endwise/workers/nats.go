package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/solver/farm"
	"endwise/solver/farm/jetstream"
	"endwise/solver/farm/natsserver"
)

// JobKinds are all kinds of job that a worker carries out.
func JobKinds(games cli.Games) farm.Kinds {
	return farm.NewKinds(append(games.Book().JobKinds(), leafKind(games))...)
}

// NatsFlags are the flags of commands that use a NATS server.
type NatsFlags struct {
	URL     string
	context string
	sample  cli.Share
}

// NatsUsage is what --nats means.
const NatsUsage = "URL of the NATS server"

// Login registers what it takes to reach a server.
func (f *NatsFlags) Login(c *cobra.Command) {
	c.Flags().StringVar(&f.context, "nats-context", "", "how to log in at the NATS server: a context of the nats command, or such a file (default $NATS_CONTEXT)")
}

// Register adds the flags of a coordinator.
func (f *NatsFlags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.URL, "nats", "", NatsUsage+"; its workers do the work. embedded[:[HOST:]PORT] starts one here")
	f.sample = jetstream.DefaultCheck
	c.Flags().Var(&f.sample, "sample", "with --nats: share of the values that is worked out again; of what workers answer")
	f.Login(c)
}

// natsContext is what of a context of the nats command counts here: a JSON file
// with these keys, among others.
type natsContext struct {
	User     string `json:"user"`
	Password string `json:"password"`
	Creds    string `json:"creds"` // a file, as are the next three
	Cert     string `json:"cert"`
	Key      string `json:"key"`
	CA       string `json:"ca"`
}

// login reads the context that the flag or the environment names.
func (f *NatsFlags) login() (natsContext, error) {
	var c natsContext
	name, from := f.context, "--nats-context"
	if name == "" {
		name, from = os.Getenv("NATS_CONTEXT"), "NATS_CONTEXT"
	}
	if name == "" {
		return c, nil
	}
	if !strings.ContainsAny(name, `./\`) {
		dir := os.Getenv("XDG_CONFIG_HOME") // as the nats command does on every system
		if home, err := os.UserHomeDir(); dir == "" && err == nil {
			dir = filepath.Join(home, ".config")
		}
		name = filepath.Join(dir, "nats", "context", name+".json")
	}
	data, err := cli.ReadLimited(name, 1<<16)
	if err == nil {
		if err = json.Unmarshal(data, &c); err != nil {
			err = fmt.Errorf("%s: want a context of the nats command: %w", name, err)
		}
	}
	if err != nil {
		return c, cli.BadInput(fmt.Errorf("%s: %w", from, err))
	}
	return c, nil
}

// Server is the server that the flags name.
func (f *NatsFlags) Server() (natsserver.Server, error) {
	l, err := f.login()
	if err != nil {
		return natsserver.Server{}, err
	}
	s := natsserver.Server{URL: f.URL, User: l.User, Password: l.Password, Creds: l.Creds, Cert: l.Cert, Key: l.Key, CA: l.CA}
	if err := s.Check(); err != nil {
		return s, cli.BadInput(fmt.Errorf("--nats: %w", err))
	}
	return s, nil
}

// Coordination is what a command needs to hand its work out.
type Coordination struct {
	Title   string
	Kind    string // of its jobs
	Memory  uint64 // that a worker needs, in bytes
	Threads int    // that a solve takes where nothing is handed out
}

// Coordinate makes this process the coordinator of a run. Without --nats the
// farm is nil, and the work is done here. The returned function ends the run.
func Coordinate(ctx context.Context, a *cli.App, f *NatsFlags, o Coordination, p *farm.Progress) (farm.Farm, func() error, error) {
	if f.URL == "" {
		return nil, func() error { return nil }, nil
	}
	kind, ok := JobKinds(a.Games)[o.Kind]
	if !ok {
		return nil, nil, fmt.Errorf("unknown kind of job %q", o.Kind)
	}
	options := jetstream.Options{
		Title: o.Title, Kinds: farm.NewKinds(kind), Memory: o.Memory, Check: float64(f.sample), Progress: p,
		Log: a.Log(false),
	}
	if f.sample == 0 {
		options.Check = -1
	}
	embedded, err := f.embedded(a)
	if err != nil {
		return nil, nil, err
	}
	if options.Embedded = embedded; embedded == nil {
		if options.Server, err = f.Server(); err != nil {
			return nil, nil, err
		}
	}
	stop := func() error { return nil }
	if embedded != nil {
		stop = embedded.Close
	}
	c, err := jetstream.Start(ctx, options)
	if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	if embedded != nil {
		fmt.Fprintf(a.Stderr, "NATS server for this run; on other terminals: endwise worker --nats %s\n", embedded.URL())
	}
	return c, func() error { return errors.Join(c.Close(), stop()) }, nil
}

// embedded starts a NATS server here if --nats says so; nil if it does not.
func (f *NatsFlags) embedded(a *cli.App) (*natsserver.Embedded, error) {
	o, ok, err := natsserver.ParseEmbedded(f.URL)
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
	l, err := f.login()
	if err != nil {
		return nil, err
	}
	o.User, o.Password, o.Cert, o.Key, o.CA = l.User, l.Password, l.Cert, l.Key, l.CA
	if err := o.Check(); err != nil {
		return nil, cli.BadInput(fmt.Errorf("--nats: %w", err))
	}
	o.Dir = filepath.Join(filepath.Dir(store), fmt.Sprintf("nats-%d", o.Port))
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o755); err != nil {
		return nil, err
	}
	return natsserver.StartEmbedded(o)
}
