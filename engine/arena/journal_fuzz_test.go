package arena

import (
	"os"
	"path/filepath"
	"testing"

	"endwise/engine/testenv"
)

// Whatever a results file holds, opening it either fails with a sentence or
// gives a journal that a result can be added to and found in again.
func FuzzJournal(f *testing.F) {
	head := `{"game":"a"}`
	for _, s := range []string{"", head, head + "\n", head + "\n{\"id\":\"x\"}\n", head + "\n{\"id\":\"x\",\"winner\":7}\n{\"id\":\"y\"", "\n\n", "{\"game\":\"b\"}\n", "[]\n", head + "\nnull\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "r")
		testenv.OK(t, os.WriteFile(path, data, 0o644))
		open := func() (*Journal, []Result, error) { return OpenJournal(path, map[string]string{"game": "a"}) }
		j, before, err := open()
		if err != nil {
			return
		}
		added := Result{ID: "new game"}
		for _, r := range before {
			if r.ID == added.ID {
				added.ID += "!"
			}
		}
		testenv.OK(t, j.Append(added))
		j.Close()
		j, after, err := open()
		if err != nil {
			t.Fatalf("after adding a result: %v", err)
		}
		j.Close()
		if len(after) != len(before)+1 || after[len(before)].ID != added.ID {
			t.Errorf("%d results, then %d", len(before), len(after))
		}
	})
}
