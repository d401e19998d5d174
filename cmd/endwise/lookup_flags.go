package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/remote"
	"endwise/data"
)

// lookupFlags are the flags of every command that asks for moves.
type lookupFlags struct {
	time    time.Duration
	threads int
	hashMB  int
	server  string // --lookup
}

// register adds the flags of a command that asks for moves.
func (f *lookupFlags) register(c *cobra.Command) {
	c.Flags().DurationVar(&f.time, "time", 3*time.Second, timeUsage)
	f.registerSources(c)
}

// registerSources adds the flags that size the sources.
func (f *lookupFlags) registerSources(c *cobra.Command) {
	c.Flags().IntVar(&f.threads, "threads", processors, threadsUsage)
	c.Flags().IntVar(&f.hashMB, "hash", 256, hashUsage)
	c.Flags().StringVar(&f.server, "lookup", "", "ask this server of endwise serve first, for instance http://127.0.0.1:8080")
}

// options checks the flags and says how the sources are opened.
func (f *lookupFlags) options(a *app) (book.Options, error) {
	dir, err := a.store()
	if err != nil {
		return book.Options{}, err
	}
	if f.threads < 1 {
		return book.Options{}, badInput(fmt.Errorf("--threads %d: want 1 or more", f.threads))
	}
	if f.hashMB < 1 {
		return book.Options{}, badInput(fmt.Errorf("--hash %d: want 1 or more megabytes", f.hashMB))
	}
	return book.Options{
		Store:     dir,
		Starter:   data.Books(),
		Threads:   f.threads,
		HashBytes: int64(f.hashMB) << 20,
		Log:       a.log(false),
	}, nil
}

// open opens the sources of a game; with --lookup the server is asked before
// everything else.
func (f *lookupFlags) open(g gameEntry, o book.Options) (*book.Lookup, error) {
	l, err := g.sources.Open(o)
	if err != nil {
		return nil, err
	}
	if f.server != "" {
		c, err := remote.New(f.server, g.Game)
		if err != nil {
			l.Close()
			return nil, badInput(fmt.Errorf("--lookup: %w", err))
		}
		l.Sources = append([]book.Source{c}, l.Sources...)
	}
	return l, nil
}
