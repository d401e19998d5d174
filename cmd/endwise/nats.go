package main

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

// jobKinds are all kinds of job that a worker carries out.
func jobKinds() farm.Kinds {
	return farm.NewKinds(append(bookGames().JobKinds(), analysisKind(), leafKind(), pairKind(), levelPairKind())...)
}

// natsFlags are the flags of commands that use a NATS server.
type natsFlags struct {
	url          string
	user         string
	passwordFile string
	creds        string
	cert, key    string
	ca           string
	check        float64
}

// login registers what it takes to reach a server.
func (f *natsFlags) login(c *cobra.Command) {
	c.Flags().StringVar(&f.user, "nats-user", "", "user to log in with at the NATS server")
	c.Flags().StringVar(&f.passwordFile, "nats-password-file", "", "file with the user's password")
	c.Flags().StringVar(&f.creds, "nats-creds", "", "credentials file to log in with")
	c.Flags().StringVar(&f.cert, "nats-cert", "", "certificate file for TLS")
	c.Flags().StringVar(&f.key, "nats-key", "", "key file of the certificate")
	c.Flags().StringVar(&f.ca, "nats-ca", "", "file of the certificates that the other side's is checked against")
}

// register adds the flags of a coordinator.
func (f *natsFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.url, "nats", "", "have the work done by endwise worker processes: URL of a NATS server, or embedded[:[HOST:]PORT] to start one here")
	c.Flags().Float64Var(&f.check, "check", jetstream.DefaultCheck, "with --nats: share of the workers' results worked out again here, 0 to 1")
	f.login(c)
}

// password reads the password file.
func (f *natsFlags) password() (string, error) {
	if f.passwordFile == "" {
		return "", nil
	}
	data, err := readLimited(f.passwordFile, 1<<10)
	return strings.TrimRight(string(data), "\r\n"), err
}

// server is the server that the flags name.
func (f *natsFlags) server() (jetstream.Server, error) {
	password, err := f.password()
	if err != nil {
		return jetstream.Server{}, badInput(fmt.Errorf("--nats-password-file: %w", err))
	}
	s := jetstream.Server{URL: f.url, User: f.user, Password: password, Creds: f.creds, Cert: f.cert, Key: f.key, CA: f.ca}
	if err := s.Check(); err != nil {
		return s, badInput(fmt.Errorf("--nats: %w", err))
	}
	return s, nil
}

// coordination is what a command needs to hand its work out.
type coordination struct {
	title   string
	kind    string // of its jobs
	memory  uint64 // that a worker needs, in bytes
	threads int    // that a solve takes where nothing is handed out
}

// coordinate makes this process the coordinator of a run. Without --nats the
// farm is nil, and the work is done here. The returned function ends the run.
func (a *app) coordinate(ctx context.Context, f *natsFlags, o coordination, p *farm.Progress) (farm.Farm, func() error, error) {
	if f.url == "" {
		return nil, func() error { return nil }, nil
	}
	if f.check < 0 || f.check > 1 {
		return nil, nil, badInput(fmt.Errorf("--check %v: want 0 to 1", f.check))
	}
	kind, ok := jobKinds()[o.kind]
	if !ok {
		return nil, nil, fmt.Errorf("unknown kind of job %q", o.kind)
	}
	options := jetstream.Options{
		Title: o.title, Kinds: farm.NewKinds(kind), Memory: o.memory, Check: f.check, Progress: p,
		Log: a.log(false),
	}
	if f.check == 0 {
		options.Check = -1
	}
	embedded, err := a.embedded(f)
	if err != nil {
		return nil, nil, err
	}
	if options.Embedded = embedded; embedded == nil {
		if options.Server, err = f.server(); err != nil {
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
		fmt.Fprintf(a.stderr, "NATS server for this run; on other terminals: endwise worker --nats %s\n", embedded.URL())
	}
	return c, func() error { return errors.Join(c.Close(), stop()) }, nil
}

// embedded starts a NATS server here if --nats says so; nil if it does not.
func (a *app) embedded(f *natsFlags) (*jetstream.Embedded, error) {
	o, ok, err := jetstream.ParseEmbedded(f.url)
	if !ok || err != nil {
		return nil, badInput(wrapFlag("--nats", err))
	}
	store, err := a.store()
	if err != nil {
		return nil, err
	}
	if o.Password, err = f.password(); err != nil {
		return nil, badInput(fmt.Errorf("--nats-password-file: %w", err))
	}
	o.User, o.Cert, o.Key, o.CA = f.user, f.cert, f.key, f.ca
	if err := o.Check(); err != nil {
		return nil, badInput(wrapFlag("--nats", err))
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
