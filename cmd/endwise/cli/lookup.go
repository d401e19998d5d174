package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/opening"
	"endwise/book/remote"
	"endwise/data"
)

// LookupFlags are the flags of commands that look up moves.
type LookupFlags struct {
	Time    time.Duration
	Threads int
	HashMB  int
	// Several means that the command works on several games: each --book may belong to any of them.
	Several bool
	Server  string   // --lookup
	books   []string // --book
}

// BooksUsage is the help of --book for commands that consult several books.
const BooksUsage = BookUsage + "; added to the published and the embedded book; repeatable"

// Register adds all flags.
func (f *LookupFlags) Register(c *cobra.Command) {
	c.Flags().DurationVar(&f.Time, "time", 3*time.Second, TimeUsage)
	f.RegisterSources(c)
}

// RegisterSources adds the flags except --time. The default of --hash is f.HashMB, or 256 if that is 0.
func (f *LookupFlags) RegisterSources(c *cobra.Command) {
	c.Flags().IntVar(&f.Threads, "threads", Processors, ThreadsUsage)
	c.Flags().IntVar(&f.HashMB, "hash", cmp.Or(f.HashMB, 256), HashUsage)
	c.Flags().StringArrayVar(&f.books, "book", nil, BooksUsage+"; off for no book")
	c.Flags().StringVar(&f.Server, "lookup", "", "consult this server of endwise serve first, for instance http://127.0.0.1:8080")
}

// Options checks the flags and returns the options for opening sources in the store of [App.StoreIfAny].
func (f *LookupFlags) Options(a *App) (book.Options, error) {
	return f.OptionsIn(a, a.StoreIfAny())
}

// OptionsIn is Options with a given store, "" for none.
func (f *LookupFlags) OptionsIn(a *App, dir string) (book.Options, error) {
	if err := WantSizes(f.Threads, f.HashMB); err != nil {
		return book.Options{}, err
	}
	books, noBook := f.books, slices.Contains(f.books, "off")
	if noBook && len(books) > 1 {
		return book.Options{}, BadInput(errors.New("--book off cannot be combined with another --book"))
	}
	if noBook {
		books = nil
	}
	for _, b := range books {
		if _, err := opening.GameOf(b); err != nil {
			return book.Options{}, BadInput(fmt.Errorf("--book %w", err))
		}
	}
	return book.Options{
		Books:     books,
		NoBooks:   noBook,
		Store:     dir,
		Starter:   data.Books(),
		Threads:   f.Threads,
		HashBytes: int64(f.HashMB) << 20,
		Log:       a.Events(false, false),
	}, nil
}

// OpenSources checks the flags and opens the sources of a game. If the server of --lookup does not
// answer, it logs a warning.
func (f *LookupFlags) OpenSources(a *App, g Game) (*book.Lookup, error) {
	o, err := f.Options(a)
	if err != nil {
		return nil, err
	}
	l, err := f.Open(g, o)
	if err != nil || f.Server == "" {
		return l, err
	}
	if err := l.Sources[0].(*remote.Client).Reach(context.Background()); err != nil {
		o.Log.Warn("no answer from --lookup "+f.Server+", so the other sources answer", "cause", err)
	}
	return l, nil
}

// Open opens the sources of a game with o, a result of Options or OptionsIn. The server of --lookup, if
// any, is the first source. Unless f.Several is set, a --book of another game is an error.
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

// Lookups is a pool of lookups, each used by one caller at a time. The zero value is empty; the methods
// may be called concurrently.
type Lookups struct {
	mu   sync.Mutex
	free map[string][]*book.Lookup // by game
}

// Get returns an idle lookup of a game, or a new one from open.
func (p *Lookups) Get(game string, open func() (*book.Lookup, error)) (*book.Lookup, error) {
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

// Put returns a lookup to the pool.
func (p *Lookups) Put(game string, l *book.Lookup) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free == nil {
		p.free = map[string][]*book.Lookup{}
	}
	p.free[game] = append(p.free[game], l)
}

// With calls work with a lookup of a game from the pool, or from open. Afterwards it returns the lookup to
// the pool or, if work fails, closes it.
func (p *Lookups) With(game string, open func() (*book.Lookup, error), work func(*book.Lookup) error) error {
	l, err := p.Get(game, open)
	if err != nil {
		return err
	}
	if err = work(l); err != nil {
		return errors.Join(err, l.Close())
	}
	p.Put(game, l)
	return nil
}

// Close closes the lookups in the pool.
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
