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
	name, kind string
	positions  int    // -1 if there is no number
	sha256     string // of a finished table or published book
	note       string // without a sha256: the progress of a run, a value, or what is wrong
	path       string
	leftover   bool // only a stopped run needs it, to resume
}

// openValue is the note of a journal of solve --value while the value is not proved.
const openValue = "open; the same solve --value resumes"

// storedJSON is the JSON form of a storedRow.
type storedJSON struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Positions *int   `json:"positions,omitempty"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256,omitempty"`
	Note      string `json:"note,omitempty"`
	Leftover  bool   `json:"leftover"`
	Path      string `json:"path"`
}

func (r storedRow) json() storedJSON {
	j := storedJSON{r.name, r.kind, nil, sizeOf(r.path), r.sha256, r.note, r.leftover, r.path}
	if r.positions >= 0 {
		j.Positions = &r.positions
	}
	return j
}

// printStored describes the named tables of the store. If names is empty, it lists the contents
// of the store, or removes the leftovers if clean is true. If asJSON is true, a description is one
// object per table, and the list is one array.
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
		return describe(a.WithJSON(asJSON), dir, list, names)
	}
	rows, err := storedRows(a.Games, dir, list)
	switch {
	case err != nil:
		return err
	case clean:
		return removeLeftovers(a.Stdout, rows, time.Now())
	case asJSON:
		out := []storedJSON{} // not null without rows
		for _, r := range rows {
			out = append(out, r.json())
		}
		return cli.WriteJSON(a.Stdout, out)
	case len(rows) == 0:
		_, err := fmt.Fprintf(a.Stdout, "nothing in %s yet: endwise build solves the starter tables\n", dir)
		return err
	}
	return printRows(a, dir, rows)
}

// printRows prints the contents of the store in dir as a table, and the commands that use it.
func printRows(a *cli.App, dir string, rows []storedRow) error {
	fmt.Fprintf(a.Stdout, "store %s\n\n", dir)
	t := cli.NewTable("name", "kind", "positions", "size", "digest or state")
	leftovers, openJournal := 0, ""
	for _, r := range rows {
		count := ""
		if r.positions >= 0 {
			count = cli.Amount(uint64(r.positions))
		}
		t.Row("", r.name, r.kind, count, cli.Bytes(sizeOf(r.path)), cmp.Or(r.note, fmt.Sprintf("%.16s", r.sha256)))
		if r.leftover {
			leftovers++
		}
		if r.note == openValue {
			openJournal = r.path
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

// describe prints the headers of the named tables, which must be in list, the contents of the
// store in dir.
func describe(a *cli.App, dir string, list []store.Listing, names []string) error {
	for i, name := range names {
		at := slices.IndexFunc(list, func(l store.Listing) bool { return l.Name == name && !l.Building })
		if at < 0 {
			return cli.BadInput(fmt.Errorf("no table %q in %s", name, dir))
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

// storedRows returns the contents of the store in dir: the tables and published books in
// list, then growing books, values and leftovers.
func storedRows(games cli.Games, dir string, list []store.Listing) ([]storedRow, error) {
	var rows []storedRow
	for _, l := range list {
		rows = append(rows, listingRow(l))
	}
	books, err := growing(games, dir)
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
	return rows, nil
}

// listingRow returns the row of a table or published book.
func listingRow(l store.Listing) storedRow {
	r := storedRow{name: l.Name, kind: "table", positions: -1, path: l.Path}
	switch {
	case l.Building:
		r.kind, r.leftover = "unfinished", true
		r.note = fmt.Sprintf("%d of %d parts solved", l.ShardsDone, l.ShardsTotal)
		if n := sizeOf(store.JournalOf(l.Path)); n > 0 {
			r.note = fmt.Sprintf("in its first pass, %s of positions kept", cli.Bytes(n))
		}
	case l.Err != nil:
		r.kind, r.note = "unusable", l.Err.Error()
	default:
		if strings.HasPrefix(l.Name, "opening-") {
			r.kind = "published book"
		}
		r.positions, r.sha256 = int(l.Header.Positions), l.Header.SHA256
	}
	return r
}

// storedValue returns the row of a file that solve --value writes: the journal of its proofs,
// or the search of a stopped run. It returns false for other files.
func storedValue(games cli.Games, dir, path string) (storedRow, bool) {
	r := storedRow{name: filepath.Base(path), kind: "value", positions: -1, path: path}
	name, journal := strings.CutSuffix(r.name, ".journal")
	game, board, _ := strings.Cut(name, "-value-")
	g, err := games.Named(game)
	if err != nil || g.Sources.SolvedValue == nil {
		return r, false
	}
	if !journal {
		r.kind, r.leftover, r.note = "saved search", true, "of a stopped solve --value"
		return r, strings.HasSuffix(r.name, ".table") || strings.HasSuffix(r.name, ".tmp")
	}
	b, err := grid.Parse(board)
	if err != nil {
		return r, false
	}
	v, err := g.Sources.SolvedValue(dir, b)
	switch {
	case err != nil:
		r.kind, r.note = "unusable", err.Error()
	case v.Exact():
		r.note = answer.Signed(v.Lower) + " for player 1, proved"
	default:
		r.note = openValue
	}
	return r, true
}

// removeLeftovers removes the leftovers among rows that no process uses and whose last write is
// at least a day before now, and prints a line for each leftover.
func removeLeftovers(w io.Writer, rows []storedRow, now time.Time) error {
	var freed int64
	removed := 0
	for _, r := range rows {
		if !r.leftover {
			continue
		}
		size := sizeOf(r.path)
		used, err := inUse(r.path)
		recent := now.Sub(lastWrite(r.path)) < 24*time.Hour
		if err == nil && !used && !recent {
			err = os.RemoveAll(r.path)
		}
		switch {
		case used:
			fmt.Fprintf(w, "%s is in use\n", r.name)
		case err != nil:
			return err
		case recent:
			fmt.Fprintf(w, "%s is less than a day old and can resume (%s); to remove it: rm -r %s\n", r.name, r.note, r.path)
		default:
			freed, removed = freed+size, removed+1
			fmt.Fprintf(w, "removed %s, %s\n", r.name, cli.Bytes(size))
		}
	}
	_, err := fmt.Fprintf(w, "%s removed, %s freed\n", cli.Count(removed, "leftover"), cli.Bytes(freed))
	return err
}

// inUse reports whether a process holds the lock of a leftover: of a directory in which a
// table is built, or of the journal next to the search of a solve --value.
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

// sizeOf returns the size in bytes of a file, or of the files below a directory. Files that cannot
// be read count as empty.
func sizeOf(path string) (n int64) {
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}

// lastWrite returns the latest time at which a file, or one below a directory, was written.
func lastWrite(path string) (last time.Time) {
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // counted as never written
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	return last
}

// workingBook is a growing book.
type workingBook struct {
	Path, Game, Board string
	Counts            opening.Counts
	Err               error // why it cannot be read
}

func (b workingBook) row() storedRow {
	r := storedRow{name: "books/" + b.Game + "-" + b.Board, kind: "growing book", positions: b.Counts.Positions, path: b.Path}
	switch {
	case b.Err != nil:
		r.kind, r.positions, r.note = "unusable", -1, b.Err.Error()
	case b.Counts.Positions == 0:
		r.note = "nothing yet"
	default:
		r.note = fmt.Sprintf("%d proved, %d bounded, %d estimated", b.Counts.Proved, b.Counts.Bounded, b.Counts.Estimated)
	}
	return r
}

// growing returns the growing books of the store in dir.
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
			b.Counts = book.Counts()
		}
		out = append(out, b)
	}
	return out, nil
}
