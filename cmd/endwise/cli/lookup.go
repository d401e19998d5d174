package cli

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/opening"
	"endwise/book/remote"
	"endwise/data"
)

// LookupFlags are the flags of every command that asks for moves.
type LookupFlags struct {
	Time    time.Duration
	Threads int
	HashMB  int
	// Several says that the command works on more games than one: then each --book
	// need only be a book of one of them.
	Several bool
	Server  string   // --lookup
	books   []string // --book
}

// BooksUsage is the help of --book where books are asked.
const BooksUsage = BookUsage + "; added to the published and the embedded book; repeatable"

// Register adds the flags of a command that asks for moves.
func (f *LookupFlags) Register(c *cobra.Command) {
	c.Flags().DurationVar(&f.Time, "time", 3*time.Second, TimeUsage)
	f.RegisterSources(c)
}

// RegisterSources adds the flags that size the sources.
func (f *LookupFlags) RegisterSources(c *cobra.Command) {
	c.Flags().IntVar(&f.Threads, "threads", Processors, ThreadsUsage)
	c.Flags().IntVar(&f.HashMB, "hash", 256, HashUsage)
	c.Flags().StringArrayVar(&f.books, "book", nil, BooksUsage)
	c.Flags().StringVar(&f.Server, "lookup", "", "ask this server of endwise serve first, for instance http://127.0.0.1:8080")
}

// Options checks the flags and says how the sources are opened.
func (f *LookupFlags) Options(a *App) (book.Options, error) {
	return f.OptionsIn(a, a.StoreIfAny())
}

// OptionsIn is Options with a given store, "" for none.
func (f *LookupFlags) OptionsIn(a *App, dir string) (book.Options, error) {
	if err := WantSizes(f.Threads, f.HashMB); err != nil {
		return book.Options{}, err
	}
	for _, b := range f.books {
		if _, err := opening.GameOf(b); err != nil {
			return book.Options{}, BadInput(fmt.Errorf("--book %w", err))
		}
	}
	return book.Options{
		Books:     f.books,
		Store:     dir,
		Starter:   data.Books(),
		Threads:   f.Threads,
		HashBytes: int64(f.HashMB) << 20,
		Log:       a.Log(false),
	}, nil
}

// OpenSources checks the flags and opens the sources of a game.
func (f *LookupFlags) OpenSources(a *App, g Game) (*book.Lookup, error) {
	o, err := f.Options(a)
	if err != nil {
		return nil, err
	}
	return f.Open(g, o)
}

// Open opens the sources of a game; with --lookup the server is asked before
// everything else.
func (f *LookupFlags) Open(g Game, o book.Options) (*book.Lookup, error) {
	for _, b := range f.books {
		if name, err := opening.GameOf(b); err == nil && name != g.Name() && !f.Several {
			return nil, BadInput(fmt.Errorf("--book %s: a book of %s, not of %s", b, name, g.Name()))
		}
	}
	l, err := g.Sources.Open(o)
	if err != nil {
		return nil, err
	}
	if f.Server != "" {
		c, err := remote.New(f.Server, g.Game)
		if err != nil {
			l.Close()
			return nil, BadInput(fmt.Errorf("--lookup: %w", err))
		}
		l.Sources = append([]book.Source{c}, l.Sources...)
	}
	return l, nil
}

// Lookups lends the lookups of games, each to one user at a time, so that nobody
// waits for another, and keeps them for later users.
type Lookups struct {
	mu   sync.Mutex
	free map[string][]*book.Lookup // by game
}

// Take gives a lookup of a game that is free; where none is it opens one.
func (p *Lookups) Take(game string, open func() (*book.Lookup, error)) (*book.Lookup, error) {
	p.mu.Lock()
	list := p.free[game]
	if n := len(list); n > 0 {
		defer p.mu.Unlock()
		p.free[game] = list[:n-1]
		return list[n-1], nil
	}
	p.mu.Unlock()
	return open()
}

// GiveBack takes a lookup back.
func (p *Lookups) GiveBack(game string, l *book.Lookup) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free == nil {
		p.free = map[string][]*book.Lookup{}
	}
	p.free[game] = append(p.free[game], l)
}

// Lend calls work with a lookup of a game that nobody else uses meanwhile. After an
// error it is not used again.
func (p *Lookups) Lend(game string, open func() (*book.Lookup, error), work func(*book.Lookup) error) error {
	l, err := p.Take(game, open)
	if err != nil {
		return err
	}
	if err = work(l); err != nil {
		return errors.Join(err, l.Close())
	}
	p.GiveBack(game, l)
	return nil
}

// Close closes the lookups that are not lent.
func (p *Lookups) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, list := range p.free {
		for _, l := range list {
			errs = append(errs, l.Close())
		}
	}
	p.free = nil
	return errors.Join(errs...)
}
