package arena

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

func TestJournalRefusesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r")
	type header struct {
		Game string `json:"game"`
		Seed int    `json:"seed"`
	}
	j, _, err := OpenJournal(path, header{"a", 1})
	testenv.OK(t, err)
	testenv.OK(t, j.Append(Result{ID: "x"}))
	if runtime.GOOS != "windows" {
		if _, _, err := OpenJournal(path, header{"a", 1}); !errors.Is(err, errBusy) {
			t.Errorf("opened while open: %v", err)
		}
	}
	j.Close()
	if err := j.Append(Result{ID: "y"}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a result that cannot be written: %v", err)
	}
	other := new(OtherRunError)
	if _, _, err := OpenJournal(path, header{"a", 2}); !errors.As(err, &other) || string(other.Header) != `{"game":"a","seed":1}` {
		t.Errorf("other seed: %v, header %s", err, other.Header)
	}
	for text, want := range map[string]string{
		"hello":                                 "not a results file",
		"hello\n":                               "line 1",
		"null\n":                                "line 1",
		"{\"game\":\"a\",\"seed\":1}\n[]\n{}\n": "line 2",
		"{\"game\":\"a\",\"seed\":1}\n{\"id\":\"":                       "",
		"{\"game\":\"a\",\"seed\":1}\n{\"id\"\x00\x00\x00\"}\n":         "", // a power cut left zero bytes
		"{\"game\":\"a\",\"seed\":1}\n{\"id\"\x00\"}\n{\"id\":\"b\"}\n": "line 2",
		"{\"game\":\"a": "",
	} {
		testenv.OK(t, os.WriteFile(path, []byte(text), 0o644))
		j, got, err := OpenJournal(path, header{"a", 1})
		if want == "" {
			if err != nil || len(got) != 0 {
				t.Errorf("%q: %v, %v", text, got, err)
				continue
			}
			j.Close()
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, _, err := OpenJournal(filepath.Join(dir, "none", "r"), header{}); err == nil {
		t.Error("a file in a missing directory opened")
	}
}

// A result that was taken back is gone, and may be appended again.
func TestTakeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	ids := func() (*Journal, string) {
		j, results, err := OpenJournal(path, map[string]int{"run": 1})
		testenv.OK(t, err)
		var list []string
		for _, r := range results {
			list = append(list, r.ID+string(r.End))
		}
		return j, strings.Join(list, " ")
	}
	j, _ := ids()
	for _, id := range []string{"a", "b", "c"} {
		testenv.OK(t, j.Append(Result{ID: id, End: "1"}))
	}
	for _, id := range []string{"b", "never"} {
		testenv.OK(t, j.TakeBack(id))
	}
	j.Close()
	j, got := ids()
	if got != "a1 c1" {
		t.Errorf("contains %q, want a1 c1", got)
	}
	testenv.OK(t, j.Append(Result{ID: "b", End: "2"}))
	j.Close()
	j, got = ids()
	j.Close()
	if got != "a1 c1 b2" {
		t.Errorf("contains %q, want a1 c1 b2", got)
	}
}

// For any content, opening a results file either fails with a sentence or returns a journal
// that a result can be appended to and read back from.
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

// endless is a source that always returns the same game.
type endless struct{}

func (endless) Next() (Fixture, bool) { return Fixture{}, true }

func (endless) Record(Result) {}

// A result that cannot be written is reported even if the run was interrupted before.
func TestRunReturnsJournalErrorOfInterruptedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	j, _, err := OpenJournal(path, map[string]int{"run": 1})
	testenv.OK(t, err)
	j.Close()
	ctx, cancel := context.WithCancel(t.Context())
	play := func(context.Context, Fixture) (Result, error) {
		cancel()
		return Result{ID: "x"}, nil
	}
	if err := Run(ctx, play, endless{}, 1, j, nil); err == nil || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v, want an error of %s", err, path)
	}
}
