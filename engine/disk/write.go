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

// WriteFile writes a file that is there whole or not at all, after a crash
// too: under a temporary name in the same directory, which is brought to the
// disk and then renamed. A file of that name is replaced, whatever its
// permissions; perm, before the umask, are those of the new one. An error
// names path, not the temporary name, and what stood there still does, unless
// it is the directory that could not be synced.
//
// Only a process that is killed leaves its temporary file; see
// RemoveUnfinished.
func WriteFile(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return writeTemporary(path, perm, write, os.Rename)
}

// WriteNewFile is WriteFile, but never replaces a file: where the name is taken
// the error is fs.ErrExist, whoever else takes it at the same time. Only on a
// file system without links two that write at once may both succeed.
func WriteNewFile(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return writeTemporary(path, perm, write, func(temporary, path string) error {
		// A link, unlike a rename, fails where the name is taken.
		err := os.Link(temporary, path)
		if err == nil {
			return os.Remove(temporary)
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		// A file system without links.
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
		}
		return os.Rename(temporary, path)
	})
}

// Bytes writes data, for WriteFile.
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// writeTemporary writes a file and has it put into place.
func writeTemporary(path string, perm fs.FileMode, write func(io.Writer) error, place func(temporary, path string) error) error {
	f, err := createTemporary(path, perm)
	if err != nil {
		return named(err, path)
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
		return named(err, path)
	}
	return SyncDir(filepath.Dir(path))
}

// createTemporary creates a file of a name that no other writer has. Unlike
// those of os.CreateTemp its permissions obey the umask.
func createTemporary(path string, perm fs.FileMode) (*os.File, error) {
	for {
		name := fmt.Sprintf("%s%0*x%s", temporaryStart(path), randomDigits, rand.Uint32(), temporaryEnd)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// A temporary name is a start, random hexadecimal digits and an end.
const (
	randomDigits = 8
	temporaryEnd = ".tmp"
)

func temporaryStart(path string) string {
	dir, base := filepath.Split(path)
	return dir + "." + base + "."
}

// named has an error speak of the file that the caller knows.
func named(err error, path string) error {
	switch e := err.(type) {
	case *fs.PathError:
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	case *os.LinkError:
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	return err
}

// RemoveUnfinished removes what killed processes left of a file that they were
// writing. Nobody may be writing it now.
func RemoveUnfinished(path string) error {
	dir, start := filepath.Dir(path), filepath.Base(temporaryStart(path))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		rest, starts := strings.CutPrefix(e.Name(), start)
		random, ends := strings.CutSuffix(rest, temporaryEnd)
		if starts && ends && len(random) == randomDigits && strings.Trim(random, "0123456789abcdef") == "" {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// MkdirAll is os.MkdirAll, but the names of the directories that it makes last.
func MkdirAll(dir string, perm fs.FileMode) error {
	var parents []string // of those that are missing
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

// SyncFiles brings the files of a directory and their names to the disk, for those that
// were written by other packages.
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

// Rename renames a file or directory and makes its new name last. What is in
// it must have been brought to the disk before.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(to))
}
