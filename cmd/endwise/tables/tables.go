// Package tables implements the commands that look at the store: status and verify.
package tables

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

// printStored lists what is in the store.
func printStored(a *cli.App, asJSON bool) error {
	dir, err := a.Store()
	if err != nil {
		return err
	}
	list, err := store.List(dir)
	if err != nil {
		return err
	}
	books, err := Growing(a.Games, dir)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printTablesJSON(a.Stdout, list, books)
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

// WorkingBook is a book that is being grown.
type WorkingBook struct {
	Path, Game, Board string
	Positions         int
	Err               error // why it can't be read
}

// Growing finds the working stores of books in a store.
func Growing(games cli.Games, dir string) ([]WorkingBook, error) {
	names, err := os.ReadDir(filepath.Join(dir, "books"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []WorkingBook
	for _, e := range names {
		game, board, ok := strings.Cut(e.Name(), "-")
		g, err := games.Named(game)
		if !ok || err != nil {
			continue // not a book's directory
		}
		b := WorkingBook{Path: filepath.Join(dir, "books", e.Name()), Game: game, Board: board}
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

// tableJSON is a table in the output of status --json.
type tableJSON struct {
	Name          string            `json:"name"`
	Path          string            `json:"path"`
	State         string            `json:"state"` // finished, building, unusable, or growing, a book
	Error         string            `json:"error,omitempty"`
	ShardsDone    int               `json:"shards_done,omitempty"`
	Shards        int               `json:"shards,omitempty"`
	Title         string            `json:"title,omitempty"`
	Game          string            `json:"game,omitempty"`
	RulesVersion  int               `json:"rules_version,omitempty"`
	Params        map[string]string `json:"params,omitempty"`
	Positions     uint64            `json:"positions,omitempty"`
	Notes         map[string]uint64 `json:"notes,omitempty"`
	Verified      uint64            `json:"verified,omitempty"`
	Bytes         uint64            `json:"bytes,omitempty"`
	BytesPosition float64           `json:"bytes_per_position,omitempty"`
	Values        map[int]uint64    `json:"values,omitempty"`
	SHA256        string            `json:"sha256,omitempty"`
}

func printTablesJSON(w io.Writer, list []store.Listing, books []WorkingBook) error {
	out := make([]tableJSON, 0, len(list))
	for _, l := range list {
		t := tableJSON{Name: l.Name, Path: l.Path}
		switch h := l.Header; {
		case h != nil:
			t.State, t.Title, t.Game, t.RulesVersion, t.Params = "finished", h.Title, h.Game, h.Rules, h.Params
			t.Shards, t.ShardsDone = h.Shards, h.Shards
			t.Positions, t.Notes, t.Verified, t.Bytes = h.Positions, h.Notes, h.Verified, h.Bytes()
			t.BytesPosition = float64(h.Bytes()) / float64(max(h.Positions, 1))
			t.Values, t.SHA256 = h.Histogram, h.SHA256
		case l.Err != nil:
			t.State, t.Error = "unusable", l.Err.Error()
		default:
			t.State, t.ShardsDone, t.Shards = "building", l.ShardsDone, l.ShardsTotal
		}
		out = append(out, t)
	}
	for _, b := range books {
		t := tableJSON{Name: filepath.Base(b.Path), Path: b.Path, State: "growing", Game: b.Game, Positions: uint64(b.Positions), Params: map[string]string{"board": b.Board}}
		if b.Err != nil {
			t.State, t.Error = "unusable", b.Err.Error()
		}
		out = append(out, t)
	}
	return cli.WriteJSON(w, out)
}
