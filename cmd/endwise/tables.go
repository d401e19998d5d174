package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"endwise/book/opening"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/solve"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine/disk"
	"endwise/engine/grid"
)

// storedRow is a row of the list of a store's contents.
type storedRow struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Positions *int   `json:"positions,omitempty"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256,omitempty"` // of a finished table or published book
	Note      string `json:"note,omitempty"`   // the progress of a run, a value, or what is wrong
	Leftover  bool   `json:"leftover"`         // only a stopped run needs it, to resume
	Path      string `json:"path"`
}

const openValue = "open; the same solve --value resumes"

// printStored lists the store, describes the tables in names, if any, or removes leftovers if clean is set.
func printStored(a *cli.App, names []string, clean, asJSON bool) error {
	dir := a.StoreIfAny()
	if dir == "" {
		return nil
	}
	list, err := store.List(dir)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		return describeTables(a.WithJSON(asJSON), dir, list, names)
	}
	rows, err := storedRows(a.Games, dir, list)
	switch {
	case err != nil:
		return err
	case clean:
		return removeLeftovers(a.Stdout, rows, time.Now())
	case asJSON:
		return cli.WriteJSON(a.Stdout, rows)
	case len(rows) == 0:
		_, err := fmt.Fprintf(a.Stdout, "nothing in %s yet: endwise build solves the starter tables\n", dir)
		return err
	}
	return printRows(a, dir, rows)
}

func printRows(a *cli.App, dir string, rows []storedRow) error {
	fmt.Fprintf(a.Stdout, "store %s\n\n", dir)
	t := cli.NewTable("name", "kind", "positions", "size", "digest or state")
	leftovers, openJournal := 0, ""
	for _, r := range rows {
		count := ""
		if r.Positions != nil {
			count = cli.Amount(uint64(*r.Positions))
		}
		t.Row("", r.Name, r.Kind, count, cli.Bytes(r.Bytes), cmp.Or(r.Note, fmt.Sprintf("%.16s", r.SHA256)))
		if r.Leftover {
			leftovers++
		}
		if r.Note == openValue {
			openJournal = r.Path
		}
	}
	t.Write(a.Stdout, false, a.Columns())
	paragraph := func(text string) { fmt.Fprintf(a.Stdout, "\n%s\n", cli.Wrap(text, "", a.Columns())) }
	if leftovers > 0 {
		paragraph(cli.Count(leftovers, "leftover") +
			" of stopped runs: the same command resumes them, endwise status --clean removes them after a day")
	}
	if openJournal != "" {
		paragraph("--clean keeps the proofs of an open value; to remove them: rm " + openJournal)
	}
	_, err := fmt.Fprintln(a.Stdout, "\ndetails of a table: endwise status NAME")
	return err
}

// describeTables prints the properties of the tables in names; list is that of the store dir.
func describeTables(a *cli.App, dir string, list []store.Listing, names []string) error {
	for i, name := range names {
		at := slices.IndexFunc(list, func(l store.Listing) bool { return l.Name == name && !l.Building })
		if at < 0 {
			return cli.BadInput(fmt.Errorf("no table %q in %s: endwise status lists the tables; of a book, endwise book show prints positions", name, dir))
		}
		if err := list[at].Err; err != nil {
			return err
		}
		if i > 0 && a.JSON == nil {
			fmt.Fprintln(a.Stdout)
		}
		if err := solve.PrintTable(a, list[at].Header); err != nil {
			return err
		}
	}
	return nil
}

// storedRows returns rows for list, and for the growing books and the values in the store dir.
func storedRows(games cli.Games, dir string, list []store.Listing) ([]storedRow, error) {
	rows := []storedRow{} // not null in JSON
	for _, l := range list {
		rows = append(rows, listingRow(l))
	}
	books, err := workingBooks(games, dir)
	if err != nil {
		return nil, err
	}
	for _, b := range books {
		rows = append(rows, b.row())
	}
	values, err := filepath.Glob(filepath.Join(dir, "*-value-*"))
	if err != nil {
		return nil, err
	}
	for _, path := range values {
		if r, ok := storedValue(games, dir, path); ok {
			rows = append(rows, r)
		}
	}
	for i, r := range rows {
		rows[i].Bytes = sizeOf(r.Path)
	}
	return rows, nil
}

func listingRow(l store.Listing) storedRow {
	r := storedRow{Name: l.Name, Kind: "table", Path: l.Path}
	switch {
	case l.Building:
		r.Kind, r.Leftover = "unfinished", true
		r.Note = fmt.Sprintf("%d of %d parts solved", l.ShardsDone, l.ShardsTotal)
		if n := sizeOf(store.JournalOf(l.Path)); n > 0 {
			r.Note = fmt.Sprintf("in its first pass, %s of positions kept", cli.Bytes(n))
		}
	case l.Err != nil:
		r.Kind, r.Note = "unusable", l.Err.Error()
	default:
		if strings.HasPrefix(l.Name, "opening-") {
			r.Kind = "published book"
		}
		r.Positions, r.SHA256 = new(int(l.Header.Positions)), l.Header.SHA256
	}
	return r
}

// storedValue returns the row of a value or of a saved search at path. It returns false for other files.
func storedValue(games cli.Games, dir, path string) (storedRow, bool) {
	r := storedRow{Name: filepath.Base(path), Kind: "value", Path: path}
	name, journal := strings.CutSuffix(r.Name, ".journal")
	game, board, _ := strings.Cut(name, "-value-")
	g, err := games.Named(game)
	if err != nil || g.Sources.SolvedValue == nil {
		return r, false
	}
	if !journal {
		r.Kind, r.Leftover, r.Note = "saved search", true, "of a stopped solve --value"
		return r, strings.HasSuffix(r.Name, ".table") || strings.HasSuffix(r.Name, ".tmp")
	}
	b, err := grid.Parse(board)
	if err != nil {
		return r, false
	}
	v, err := g.Sources.SolvedValue(dir, b)
	switch {
	case err != nil:
		r.Kind, r.Note = "unusable", err.Error()
	case v.Exact():
		r.Note = answer.Signed(v.Lower) + " for player 1, proved"
	default:
		r.Note = openValue
	}
	return r, true
}

// removeLeftovers removes unused leftovers last written more than a day before now. It prints all of them.
func removeLeftovers(w io.Writer, rows []storedRow, now time.Time) error {
	var freed int64
	removed := 0
	for _, r := range rows {
		if !r.Leftover {
			continue
		}
		used, err := inUse(r.Path)
		recent := now.Sub(lastWrite(r.Path)) < 24*time.Hour
		if err == nil && !used && !recent {
			err = os.RemoveAll(r.Path)
		}
		switch {
		case used:
			fmt.Fprintf(w, "%s is in use\n", r.Name)
		case err != nil:
			return err
		case recent:
			fmt.Fprintf(w, "%s is less than a day old and can resume (%s); to remove it: rm -r %s\n", r.Name, r.Note, r.Path)
		default:
			freed, removed = freed+r.Bytes, removed+1
			fmt.Fprintf(w, "removed %s, %s\n", r.Name, cli.Bytes(r.Bytes))
		}
	}
	_, err := fmt.Fprintf(w, "%s removed, %s freed\n", cli.Count(removed, "leftover"), cli.Bytes(freed))
	return err
}

// inUse reports whether a process holds the lock of a leftover: of the directory in which a table is
// built, or of the journal next to the search of a solve --value.
func inUse(path string) (bool, error) {
	st, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if st.IsDir() {
		var release func()
		if release, err = store.LockBuilding(path); err == nil {
			release()
		}
	} else {
		var journal *os.File
		journal, err = os.OpenFile(strings.TrimSuffix(path, filepath.Ext(path))+".journal", os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err == nil {
			defer journal.Close()
			err = disk.LockFile(journal)
		}
	}
	if errors.As(err, new(*disk.HeldError)) {
		return true, nil
	}
	return false, err
}

// visit calls found with all that can be read at and below path.
func visit(path string, found func(fs.FileInfo)) {
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil {
			found(info)
		}
		return nil
	})
}

// sizeOf returns the number of bytes in the file at path, or in the files below it.
func sizeOf(path string) (n int64) {
	visit(path, func(info fs.FileInfo) {
		if !info.IsDir() {
			n += info.Size()
		}
	})
	return n
}

// lastWrite returns the latest time at which path or anything below it was written.
func lastWrite(path string) (last time.Time) {
	visit(path, func(info fs.FileInfo) {
		if info.ModTime().After(last) {
			last = info.ModTime()
		}
	})
	return last
}

// workingBook is a growing book in the store.
type workingBook struct {
	Path, Game, Board string
	Counts            opening.Counts
	Err               error // why it cannot be read
}

func (b workingBook) row() storedRow {
	r := storedRow{Name: "books/" + b.Game + "-" + b.Board, Kind: "growing book", Positions: &b.Counts.Positions, Path: b.Path}
	switch {
	case b.Err != nil:
		r.Kind, r.Positions, r.Note = "unusable", nil, b.Err.Error()
	case b.Counts.Positions == 0:
		r.Note = "nothing yet"
	default:
		r.Note = fmt.Sprintf("%d proved, %d bounded, %d estimated", b.Counts.Proved, b.Counts.Bounded, b.Counts.Estimated)
	}
	return r
}

// workingBooks returns the growing books of the games in the store dir.
func workingBooks(games cli.Games, dir string) ([]workingBook, error) {
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
			b.Counts = book.Counts()
		}
		out = append(out, b)
	}
	return out, nil
}
