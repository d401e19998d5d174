package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile calls write to write the contents of the file path. Even after a crash, the file exists
// completely or not at all: WriteFile creates a temporary file in the same directory, syncs it to the
// disk and renames it. An existing file is replaced, even if it is read-only. perm are the permissions of
// the file before the umask. After an error the previous file still exists, except if only syncing the
// directory failed. A killed process may leave its temporary file; [RemoveUnfinished] removes it.
func WriteFile(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return writeTemporary(path, perm, write, os.Rename)
}

// WriteNewFile writes a file like [WriteFile], but does not replace an existing one: the error then matches
// fs.ErrExist. Of several concurrent writers only one succeeds, except on a file system without hard links.
func WriteNewFile(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return writeTemporary(path, perm, write, func(temporary, path string) error {
		// A link fails if the name exists.
		err := os.Link(temporary, path)
		if err == nil {
			return os.Remove(temporary)
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		// The file system does not support links.
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
		}
		return os.Rename(temporary, path)
	})
}

// Bytes returns a function for [WriteFile] that writes data.
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// writeTemporary writes a temporary file and calls place to move it to path.
func writeTemporary(path string, perm fs.FileMode, write func(io.Writer) error,
	place func(temporary, path string) error) error {
	f, err := createTemporary(path, perm)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = place(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return named(err, f.Name(), path)
	}
	return SyncDir(filepath.Dir(path))
}

// createTemporary creates a file with a unique name for the contents of path.
func createTemporary(path string, perm fs.FileMode) (*os.File, error) {
	for {
		name := fmt.Sprintf("%s%0*x%s", temporaryStart(path), randomDigits, rand.Uint32(), temporaryEnd)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, named(err, name, path)
		}
	}
}

const (
	randomDigits = 8
	temporaryEnd = ".tmp"
)

func temporaryStart(path string) string {
	dir, base := filepath.Split(path)
	return dir + "." + base + "."
}

// named returns err with path in place of the file name temporary.
func named(err error, temporary, path string) error {
	switch e := err.(type) {
	case *fs.PathError:
		if e.Path == temporary {
			return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
		}
	case *os.LinkError:
		if e.Old == temporary {
			return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
		}
	}
	return err
}

// RemoveUnfinished removes the temporary files that killed processes have left while writing
// path. It must not be called while a process writes path.
func RemoveUnfinished(path string) error {
	dir, start := filepath.Dir(path), filepath.Base(temporaryStart(path))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		rest, starts := strings.CutPrefix(e.Name(), start)
		random, ends := strings.CutSuffix(rest, temporaryEnd)
		isRandom := len(random) == randomDigits && strings.Trim(random, "0123456789abcdef") == ""
		if starts && ends && isRandom {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// MkdirAll is like os.MkdirAll, and syncs the entries of the new directories.
func MkdirAll(dir string, perm fs.FileMode) error {
	var parents []string // of the missing directories
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		parents = append(parents, filepath.Dir(d))
	}
	if err := os.MkdirAll(dir, perm); err != nil {
		return err
	}
	for _, p := range parents {
		if err := SyncDir(p); err != nil {
			return err
		}
	}
	return nil
}

// SyncFiles syncs a directory and the files in it. The directory must not contain directories.
func SyncFiles(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return SyncDir(dir)
}

// Rename renames a file or directory and syncs the new entry. The contents must have been synced before.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(to))
}
