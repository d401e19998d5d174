package opening

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// A book unpacks to the published one, once, by many callers concurrently, and replaces
// another version or a book that has lost a file.
func TestUnpackStarterBook(t *testing.T) {
	from, table := t.TempDir(), TableName(circuitwars.Name, "2x2")
	publish := func(nodes int) {
		testenv.OK(t, os.RemoveAll(filepath.Join(from, table)))
		var keys []string
		for i := range nodes {
			keys = append(keys, fmt.Sprintf("%02d", i))
		}
		_, err := writePublished(t.Context(), from, circuitwars.Game{}, "2x2", keys, 0, func(i int) Entry { return Entry{Visits: i} })
		testenv.OK(t, err)
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
