package opening

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"endwise/book/store"
	"endwise/engine"
)

// Edition is one of several books that are asked for the same positions, in turn:
// the first one that speaks decides on estimates, and what any of them proves holds.
type Edition struct {
	Name string // for people: its directory, or Own or Shipped
	readable
}

// readable is what an edition needs of a book, working (Book) or published.
type readable interface {
	// Board is the board that the book is for.
	Board() string
	// Lookup finds a position; the orientation translates the entry's moves. A
	// position of another board is not in the book.
	Lookup(c engine.Position) (Entry, engine.Orientation, bool, error)
	Close() error
}

// Working is the book of an edition that is a working store, nil of others.
func (l *Edition) Working() *Book {
	b, _ := l.readable.(*Book)
	return b
}

// The names of editions that have no other.
const (
	Own     = "published"
	Shipped = "shipped"
)

// GameOf is the name of the game of a book, working or published. It returns
// ErrMissing or ErrForeign where the directory is none.
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
		return "", fmt.Errorf("%s: %w: a table, and no book", dir, ErrForeign)
	}
	return h.Game, nil
}

// OpenEditions opens the books of a game in the order in which they speak: those of
// the directories given, those published in a store ("" for none), and those
// that ship with the program (nil for none), which are unpacked into the store. A
// working store is read into memory whole.
// report hears of books that can't be used; those of other games are passed over.
func OpenEditions(dirs []string, dir string, shipped fs.FS, game engine.Game, report func(error)) (out []*Edition) {
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
		out = append(out, &Edition{name, b})
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
	if shipped == nil {
		return out
	}
	names, err := StarterBooks(shipped, game.Name())
	if err != nil {
		report(err)
	}
	for _, name := range names {
		path, err := Unpack(shipped, name, filepath.Join(dir, StarterDir))
		open(Shipped, path, err)
	}
	return out
}

// Board is the board that the book is for.
func (b *Book) Board() string { return b.header.Board }

// Lookup finds a position, as Published.Lookup does. While nobody writes to the
// book it is safe for concurrent use.
func (b *Book) Lookup(c engine.Position) (e Entry, o engine.Orientation, ok bool, err error) {
	key, o := c.CanonicalKey(nil)
	id, ok := b.find(string(key))
	if ok {
		e = b.entry(id)
	}
	return e, o, ok, nil
}
