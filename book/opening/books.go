package opening

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"endwise/book/store"
	"endwise/engine"
)

// NamedBook is an opened book, working or published, with its name in messages.
type NamedBook struct {
	Name string // the book's directory, PublishedHere or BuiltIn
	readable
}

type readable interface {
	// Board is the [engine.Position] BoardName of the book's positions.
	Board() string
	Lookup(p engine.Position) (e Entry, o engine.Orientation, ok bool, err error)
	Close() error
}

// Working returns the book if it is a working book, else nil.
func (l *NamedBook) Working() *Book {
	b, _ := l.readable.(*Book)
	return b
}

// Values of [NamedBook.Name] for the books of a store.
const (
	PublishedHere = "published"
	BuiltIn       = "built-in" // embedded in the program
)

// GameOf returns the name of the game of the working or published book in a directory. It returns
// [ErrMissing] if there is no book and no table, and [ErrForeign] for a table that is not a book.
func GameOf(dir string) (string, error) {
	if Exists(dir) {
		h, err := ReadHeader(dir)
		return h.Game, err
	}
	h, err := store.ReadHeader(dir)
	if errors.Is(err, store.ErrMissing) {
		return "", fmt.Errorf("%s: %w: want a directory that 'endwise book grow' or 'endwise book publish' wrote", dir, ErrMissing)
	}
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(h.Name, TableName(h.Game, "")) {
		return "", fmt.Errorf("%s: %w: a table, not a book", dir, ErrForeign)
	}
	return h.Game, nil
}

// OpenBooks opens the books of a game and returns them in lookup order: those in bookDirs, those
// published in storeDir, those embedded in builtIn (nil for none), which are unpacked into storeDir.
// If storeDir is "", only the books in bookDirs are opened. Books of other games are ignored. report
// is called with an error for each book that cannot be opened.
func OpenBooks(bookDirs []string, storeDir string, builtIn fs.FS, game engine.Game, report func(error)) (out []*NamedBook) {
	// open opens the book at path. If err is not nil, it only reports err.
	open := func(name, path string, err error) {
		var b readable
		switch {
		case err != nil:
		case Exists(path):
			b, err = Read(path, game, "")
		default:
			b, err = OpenPublished(path, game)
		}
		if err != nil {
			report(err)
			return
		}
		out = append(out, &NamedBook{name, b})
	}
	for _, dir := range bookDirs {
		if g, err := GameOf(dir); err != nil || g == game.Name() {
			open(dir, dir, err)
		}
	}
	if storeDir == "" {
		return out
	}
	published, err := store.Named(storeDir, TableName(game.Name(), ""))
	if err != nil {
		report(err)
	}
	for _, path := range published {
		open(PublishedHere, path, nil)
	}
	if builtIn == nil {
		return out
	}
	names, err := StarterBooks(builtIn, game.Name())
	if err != nil {
		report(err)
	}
	for _, name := range names {
		path, err := Unpack(builtIn, name, filepath.Join(storeDir, StarterDir))
		open(BuiltIn, path, err)
	}
	return out
}

func (b *Book) Board() string { return b.header.Board }

// Lookup works like [Published.Lookup]; the error is always nil.
func (b *Book) Lookup(p engine.Position) (e Entry, o engine.Orientation, ok bool, err error) {
	key, o := p.CanonicalKey(nil)
	id, ok := b.find(string(key))
	if ok {
		e = b.entry(id)
	}
	return e, o, ok, nil
}
