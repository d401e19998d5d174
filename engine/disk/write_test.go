package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"endwise/engine/testenv"
)

// holds fails the test unless the directory of path contains only path, with the given
// content.
func holds(t *testing.T, path, content string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	testenv.OK(t, err)
	have, err := os.ReadFile(path)
	if err != nil || string(have) != content || len(entries) != 1 {
		t.Errorf("%s contains %q, %v, with %d other files: want %q alone", path, have, err, len(entries)-1, content)
	}
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	testenv.OK(t, WriteFile(path, 0o600, Bytes([]byte("first"))))
	holds(t, path, "first")
	if st, err := os.Stat(path); err != nil || st.Mode().Perm()&0o077 != 0 {
		t.Errorf("permissions %v, %v", st.Mode(), err)
	}
	// While the second file is written, the first one exists.
	err := WriteFile(path, 0o644, func(w io.Writer) error {
		if _, err := io.WriteString(w, "second"); err != nil {
			return err
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != "first" {
			t.Errorf("before the end: %q, %v", have, err)
		}
		return nil
	})
	testenv.OK(t, err)
	holds(t, path, "second")
	failure := errors.New("no more")
	err = WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "thi")
		return errors.Join(err, failure)
	})
	if !errors.Is(err, failure) {
		t.Errorf("the writer's error became %v", err)
	}
	holds(t, path, "second")
}

// An error names the path of the call.
func TestWriteFileNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "none", "file"), dir} {
		for name, write := range map[string]func(string, fs.FileMode, func(io.Writer) error) error{"WriteFile": WriteFile, "WriteNewFile": WriteNewFile} {
			err := write(path, 0o644, Bytes(nil))
			if err == nil || !strings.Contains(err.Error(), path+":") || strings.Contains(err.Error(), temporaryEnd) {
				t.Errorf("%s of %s: %v", name, path, err)
			}
		}
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// An error of the function that writes the contents keeps the name of another file.
func TestWriteFileKeepsOtherNames(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	err := WriteFile(filepath.Join(dir, "file"), 0o644, func(io.Writer) error {
		_, err := os.Open(other)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), other+":") {
		t.Errorf("the error is %v, want the name %s", err, other)
	}
}

// If several writers create the same file, exactly one succeeds.
func TestWriteNewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var all sync.WaitGroup
	var winner atomic.Value
	var winners atomic.Int32
	for i := range 8 {
		all.Go(func() {
			text := fmt.Sprint(i)
			switch err := WriteNewFile(path, 0o644, Bytes([]byte(text))); {
			case err == nil:
				winner.Store(text)
				winners.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if winners.Load() != 1 {
		t.Fatalf("%d wrote the file", winners.Load())
	}
	holds(t, path, winner.Load().(string))
}

func TestRemoveUnfinished(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, name := range []string{"file", ".file.tmp", ".file.1.0a1b2c3d.tmp", ".file.settings.tmp", ".other.0a1b2c3d.tmp"} {
		testenv.OK(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	left, err := createTemporary(path, 0o644)
	testenv.OK(t, err)
	left.Close()
	testenv.OK(t, RemoveUnfinished(path))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Errorf("left are %v, %v", entries, err)
	}
	if _, err := os.Stat(left.Name()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", left.Name(), err)
	}
}

func TestRename(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := Rename(from, to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing is renamed: %v", err)
	}
	testenv.OK(t, os.WriteFile(from, []byte("x"), 0o644))
	testenv.OK(t, Rename(from, to))
	holds(t, to, "x")
}

func TestMkdirAllAndSyncFiles(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b", "c")
	for range 2 {
		testenv.OK(t, MkdirAll(deep, 0o755))
	}
	file := filepath.Join(deep, "file")
	testenv.OK(t, os.WriteFile(file, []byte("text"), 0o644))
	testenv.OK(t, SyncFiles(deep))
	for _, err := range []error{MkdirAll(filepath.Join(file, "d"), 0o755), SyncFiles(file), SyncFiles(filepath.Join(dir, "none"))} {
		if err == nil {
			t.Error("a file was taken for a directory, or a missing one for an empty one")
		}
	}
	if text, err := os.ReadFile(file); string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}
