package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"endwise/solver/farm"
	"endwise/solver/farm/jetstream"
)

// JobKinds are all kinds of job that a worker carries out.
func JobKinds() farm.Kinds {
	kinds := BookGames().JobKinds()
	for _, kind := range CommandJobs {
		kinds = append(kinds, kind())
	}
	return farm.NewKinds(kinds...)
}

// NatsFlags are the flags of commands that use a NATS server.
type NatsFlags struct {
	URL          string
	user         string
	passwordFile string
	creds        string
	cert, key    string
	ca           string
	check        float64
}

// Login registers what it takes to reach a server.
func (f *NatsFlags) Login(c *cobra.Command) {
	c.Flags().StringVar(&f.user, "nats-user", "", "user to log in with at the NATS server")
	c.Flags().StringVar(&f.passwordFile, "nats-password-file", "", "file with the user's password")
	c.Flags().StringVar(&f.creds, "nats-creds", "", "credentials file to log in with")
	c.Flags().StringVar(&f.cert, "nats-cert", "", "certificate file for TLS")
	c.Flags().StringVar(&f.key, "nats-key", "", "key file of the certificate")
	c.Flags().StringVar(&f.ca, "nats-ca", "", "file of the certificates that the other side's is checked against")
}

// Register adds the flags of a coordinator.
func (f *NatsFlags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.URL, "nats", "", "have the work done by endwise worker processes: URL of a NATS server, or embedded[:[HOST:]PORT] to start one here")
	c.Flags().Float64Var(&f.check, "check", jetstream.DefaultCheck, "with --nats: share of the workers' results worked out again here, 0 to 1")
	f.Login(c)
}

// password reads the password file.
func (f *NatsFlags) password() (string, error) {
	if f.passwordFile == "" {
		return "", nil
	}
	data, err := ReadLimited(f.passwordFile, 1<<10)
	return strings.TrimRight(string(data), "\r\n"), err
}

// Server is the server that the flags name.
func (f *NatsFlags) Server() (jetstream.Server, error) {
	password, err := f.password()
	if err != nil {
		return jetstream.Server{}, BadInput(fmt.Errorf("--nats-password-file: %w", err))
	}
	s := jetstream.Server{URL: f.URL, User: f.user, Password: password, Creds: f.creds, Cert: f.cert, Key: f.key, CA: f.ca}
	if err := s.Check(); err != nil {
		return s, BadInput(fmt.Errorf("--nats: %w", err))
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
func (a *App) Coordinate(ctx context.Context, f *NatsFlags, o Coordination, p *farm.Progress) (farm.Farm, func() error, error) {
	if f.URL == "" {
		return nil, func() error { return nil }, nil
	}
	if f.check < 0 || f.check > 1 {
		return nil, nil, BadInput(fmt.Errorf("--check %v: want 0 to 1", f.check))
	}
	kind, ok := JobKinds()[o.Kind]
	if !ok {
		return nil, nil, fmt.Errorf("unknown kind of job %q", o.Kind)
	}
	options := jetstream.Options{
		Title: o.Title, Kinds: farm.NewKinds(kind), Memory: o.Memory, Check: f.check, Progress: p,
		Log: a.Log(false),
	}
	if f.check == 0 {
		options.Check = -1
	}
	embedded, err := a.embedded(f)
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
func (a *App) embedded(f *NatsFlags) (*jetstream.Embedded, error) {
	o, ok, err := jetstream.ParseEmbedded(f.URL)
	if !ok || err != nil {
		return nil, BadInput(wrapFlag("--nats", err))
	}
	store, err := a.Store()
	if err != nil {
		return nil, err
	}
	if o.Password, err = f.password(); err != nil {
		return nil, BadInput(fmt.Errorf("--nats-password-file: %w", err))
	}
	o.User, o.Cert, o.Key, o.CA = f.user, f.cert, f.key, f.ca
	if err := o.Check(); err != nil {
		return nil, BadInput(wrapFlag("--nats", err))
	}
	o.Dir = filepath.Join(filepath.Dir(store), fmt.Sprintf("nats-%d", o.Port))
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o755); err != nil {
		return nil, err
	}
	return jetstream.StartEmbedded(o)
}

// wrapFlag names the flag that an error is about; nil stays nil.
func wrapFlag(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}
