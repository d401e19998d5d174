package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"endwise/book/opening"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/solve"
)

// printStored lists the contents of the store.
func printStored(a *cli.App) error {
	dir := a.StoreIfAny()
	if dir == "" {
		return nil
	}
	list, err := store.List(dir)
	if err != nil {
		return err
	}
	books, err := growing(a.Games, dir)
	switch {
	case err != nil:
		return err
	case len(list)+len(books) == 0:
		_, err := fmt.Fprintf(a.Stdout, "no tables in %s\n", dir)
		return err
	}
	for i, l := range list {
		if i > 0 {
			fmt.Fprintln(a.Stdout)
		}
		if err := printListing(a.Stdout, a.Games, l); err != nil {
			return err
		}
	}
	for _, b := range books {
		what := "being grown, " + cli.Count(b.Positions, "position")
		if b.Err != nil {
			what = b.Err.Error()
		}
		if _, err := fmt.Fprintln(a.Stdout, "\n"+cli.Wrap(fmt.Sprintf("books/%s-%s: %s; endwise book show %s --board %s", b.Game, b.Board, what, b.Game, b.Board), "  ")); err != nil {
			return err
		}
	}
	return nil
}

// workingBook is a growing book.
type workingBook struct {
	Path, Game, Board string
	Positions         int
	Err               error // why it cannot be read
}

// growing returns the growing books of a store.
func growing(games cli.Games, dir string) ([]workingBook, error) {
	names, err := os.ReadDir(filepath.Join(dir, "books"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []workingBook
	for _, e := range names {
		game, board, ok := strings.Cut(e.Name(), "-")
		g, err := games.Named(game)
		if !ok || err != nil {
			continue // not a book's directory
		}
		b := workingBook{Path: filepath.Join(dir, "books", e.Name()), Game: game, Board: board}
		var book *opening.Book
		if book, b.Err = opening.Read(b.Path, g.Game, board); b.Err == nil {
			b.Positions = book.Len()
		}
		out = append(out, b)
	}
	return out, nil
}

func printListing(w io.Writer, games cli.Games, l store.Listing) error {
	var err error
	switch {
	case l.Header != nil:
		return solve.PrintTable(w, games, l.Header)
	case l.Err != nil:
		_, err = fmt.Fprintf(w, "%s: cannot be used\n  %v\n", l.Name, l.Err)
	default:
		_, err = fmt.Fprintf(w, "%s: unfinished, %d of %d shards; the command that solves it goes on\n", l.Name, l.ShardsDone, l.ShardsTotal)
	}
	return err
}
