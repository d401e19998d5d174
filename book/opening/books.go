package opening

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"endwise/book/store"
	"endwise/engine"
)

// NamedBook is an opened book in lookup order, see [OpenBooks].
type NamedBook struct {
	Name string // its directory, Own or BuiltIn
	readable
}

// readable is implemented by [Book] and [Published].
type readable interface {
	// Board returns the book's board.
	Board() string
	// Lookup returns the entry of a position; the orientation translates the entry's moves.
	// ok is false if the book does not contain the position.
	Lookup(c engine.Position) (Entry, engine.Orientation, bool, error)
	Close() error
}

// Working returns the book if it is a working store, else nil.
func (l *NamedBook) Working() *Book {
	b, _ := l.readable.(*Book)
	return b
}

// Names of books in a store.
const (
	Own     = "published"
	BuiltIn = "built-in"
)

// GameOf returns the game of a working or published book. It returns [ErrMissing] or
// [ErrForeign] if the directory does not contain one.
func GameOf(dir string) (string, error) {
	if Exists(dir) {
		h, err := ReadHeader(dir)
		return h.Game, err
	}
	h, err := store.ReadHeader(dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w: want a directory that book grow or book publish wrote: %v", dir, ErrMissing, err)
	}
	if !strings.HasPrefix(h.Name, TableName(h.Game, "")) {
		return "", fmt.Errorf("%s: %w: a table, not a book", dir, ErrForeign)
	}
	return h.Game, nil
}

// OpenBooks opens the books of a game in lookup order: those of the directories dirs, those
// published in the store dir ("" for none), and the built-in ones (nil for none), which are
// unpacked into the store. It reads a working store completely into memory. report is
// called for books that cannot be used; books of other games are ignored.
func OpenBooks(dirs []string, dir string, builtIn fs.FS, game engine.Game, report func(error)) (out []*NamedBook) {
	open := func(name, dir string, err error) {
		var b readable
		switch {
		case err != nil:
		case Exists(dir):
			b, err = Read(dir, game, "")
		default:
			b, err = OpenPublished(dir, game)
		}
		if err != nil {
			report(err)
			return
		}
		out = append(out, &NamedBook{name, b})
	}
	for _, d := range dirs {
		if g, err := GameOf(d); err != nil || g == game.Name() {
			open(d, d, err)
		}
	}
	if dir == "" {
		return out
	}
	own, err := store.Named(dir, TableName(game.Name(), ""))
	if err != nil {
		report(err)
	}
	for _, path := range own {
		open(Own, path, nil)
	}
	if builtIn == nil {
		return out
	}
	names, err := StarterBooks(builtIn, game.Name())
	if err != nil {
		report(err)
	}
	for _, name := range names {
		path, err := Unpack(builtIn, name, filepath.Join(dir, StarterDir))
		open(BuiltIn, path, err)
	}
	return out
}

// Board returns the book's board.
func (b *Book) Board() string { return b.header.Board }

// Lookup returns the entry of a position like [Published.Lookup]. It is safe for concurrent
// use as long as the book is not changed.
func (b *Book) Lookup(c engine.Position) (e Entry, o engine.Orientation, ok bool, err error) {
	key, o := c.CanonicalKey(nil)
	id, ok := b.find(string(key))
	if ok {
		e = b.entry(id)
	}
	return e, o, ok, nil
}
