package opening

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// publishSmall publishes a book of a 2x2 board with a number of nodes into the store dir.
func publishSmall(t *testing.T, dir string, nodes int) {
	t.Helper()
	b, err := New(circuitwars.Game{}, "2x2")
	testenv.OK(t, err)
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: nodes})
	_, err = b.Publish(t.Context(), dir)
	testenv.OK(t, err)
}

// Unpack writes a copy of the published book; it may be called concurrently. It leaves the
// copy unchanged afterwards, and replaces another version or a copy that has lost a file.
func TestUnpackStarterBook(t *testing.T) {
	from, table := t.TempDir(), TableName(circuitwars.Name, "2x2")
	publish := func(nodes int) {
		testenv.OK(t, os.RemoveAll(filepath.Join(from, table)))
		publishSmall(t, from, nodes)
	}
	publish(30)
	names, err := StarterBooks(os.DirFS(from), circuitwars.Name)
	if err != nil || len(names) != 1 || names[0] != table {
		t.Fatalf("books %v (%v)", names, err)
	}
	if none, err := StarterBooks(os.DirFS(from), "othergame"); err != nil || len(none) != 0 {
		t.Errorf("books of another game: %v (%v)", none, err)
	}
	dir := filepath.Join(t.TempDir(), "starter")
	unpack := func(nodes uint64) {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if _, err := Unpack(os.DirFS(from), names[0], dir); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		path, err := Unpack(os.DirFS(from), names[0], dir)
		testenv.OK(t, err)
		p, err := OpenPublished(path, circuitwars.Game{})
		testenv.OK(t, err)
		defer p.Close()
		if got := p.Header().Notes["nodes"]; got != nodes {
			t.Errorf("%d nodes are unpacked of %d", got, nodes)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("unpacking leaves %v", left)
		}
	}
	unpack(30)
	before, err := os.Stat(filepath.Join(dir, names[0]))
	testenv.OK(t, err)
	unpack(30)
	if after, err := os.Stat(filepath.Join(dir, names[0])); err != nil || !os.SameFile(before, after) {
		t.Errorf("a book that is there already is unpacked again (%v)", err)
	}
	publish(50)
	unpack(50)
	files, err := filepath.Glob(filepath.Join(dir, names[0], "*.sst"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	testenv.OK(t, os.Truncate(files[0], 0))
	unpack(50)
	testenv.OK(t, os.Remove(files[0]))
	unpack(50)
}

// Unpack fails if the book does not exist or cannot be written, and leaves no files.
func TestUnpackReturnsErrors(t *testing.T) {
	from, table := t.TempDir(), TableName(circuitwars.Name, "2x2")
	publishSmall(t, from, 1)
	if _, err := Unpack(os.DirFS(from), "missing", t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing book: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	testenv.OK(t, os.WriteFile(file, nil, 0o644))
	if path, err := Unpack(os.DirFS(from), table, file); err == nil || path != "" {
		t.Errorf("a directory that is a file: %q %v", path, err)
	}
	if _, err := StarterBooks(os.DirFS(filepath.Join(from, "missing")), circuitwars.Name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory of books: %v", err)
	}
	// A directory of the book's name that is not a book and cannot be moved away.
	if os.Getuid() != 0 {
		dir := t.TempDir()
		testenv.OK(t, os.Mkdir(filepath.Join(dir, table), 0o755))
		testenv.OK(t, os.Chmod(dir, 0o555))
		if path, err := Unpack(os.DirFS(from), table, dir); err == nil {
			t.Errorf("a read-only directory: %q", path)
		}
	}
	// A book whose file cannot be read: the work directory is removed.
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join(from, table, "*.sst"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	testenv.OK(t, os.Remove(files[0]))
	testenv.OK(t, os.Symlink("missing", files[0]))
	if path, err := Unpack(os.DirFS(from), table, dir); err == nil || path != "" {
		t.Errorf("an unreadable file: %q %v", path, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// interrupted calls between for every file whose size is requested.
type interrupted struct {
	fs.FS
	between func()
}

type interruptedEntry struct {
	fs.DirEntry
	between func()
}

func (f interrupted) ReadDir(name string) (out []fs.DirEntry, err error) {
	list, err := fs.ReadDir(f.FS, name)
	for _, e := range list {
		out = append(out, interruptedEntry{e, f.between})
	}
	return out, err
}

func (e interruptedEntry) Info() (fs.FileInfo, error) {
	e.between()
	return e.DirEntry.Info()
}

// Unpack fails if its files disappear before they are in place, but not if another process
// has put the book in place.
func TestUnpackWhileOthersDo(t *testing.T) {
	from, table := t.TempDir(), TableName(circuitwars.Name, "2x2")
	publishSmall(t, from, 1)
	for other, fails := range map[string]bool{"nothing": false, "removes the work": true, "unpacks": false} {
		dir := t.TempDir()
		final := filepath.Join(dir, table)
		testenv.OK(t, os.CopyFS(final, os.DirFS(filepath.Join(from, table))))
		files, err := filepath.Glob(filepath.Join(final, "*.sst"))
		testenv.OK(t, err)
		testenv.OK(t, os.Truncate(files[0], 0)) // the first file that is compared
		calls := 0
		path, err := Unpack(interrupted{os.DirFS(from), func() {
			if calls++; calls != 2 { // after the new files could not replace the old ones
				return
			}
			switch other {
			case "removes the work":
				work, err := filepath.Glob(filepath.Join(dir, "*.unpacking-*"))
				testenv.OK(t, err)
				testenv.OK(t, os.RemoveAll(work[0]))
			case "unpacks":
				testenv.OK(t, os.RemoveAll(final))
				testenv.OK(t, os.CopyFS(final, os.DirFS(filepath.Join(from, table))))
			}
		}}, table, dir)
		if (err != nil) != fails || (path == final) == fails || calls < 2 {
			t.Errorf("another process: %s: %q, %v, %d calls", other, path, err, calls)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 1 {
			t.Errorf("another process: %s: %v is left (%v)", other, left, err)
		}
	}
}
