package opening

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"endwise/engine/disk"
)

// headerName is the file that describes a table; it contains the names and checksums of the
// other files.
const headerName = "table.json"

// StarterDir is the directory in a store for built-in books.
const StarterDir = "starter"

// StarterBooks returns the published books of a game in a file system that has one
// directory per book.
func StarterBooks(books fs.FS, game string) ([]string, error) {
	names, err := fs.ReadDir(books, ".")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range names {
		if e.IsDir() && strings.HasPrefix(e.Name(), TableName(game, "")) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// Unpack writes a published book of a file system into a directory, because it can only be
// opened from files, and returns its path. An existing book with the same header and files
// of the same sizes is kept; otherwise it is replaced, because it is an earlier version or
// lost files in a power cut. Several processes may unpack the same book concurrently.
func Unpack(books fs.FS, name, dir string) (string, error) {
	final := filepath.Join(dir, name)
	want, err := fs.ReadFile(books, path.Join(name, headerName))
	if err != nil {
		return "", err
	}
	files, err := fs.ReadDir(books, name)
	if err != nil {
		return "", err
	}
	// unpacked reports whether the book is in its place already.
	unpacked := func() bool {
		header, err := os.ReadFile(filepath.Join(final, headerName))
		return err == nil && bytes.Equal(header, want) && !slices.ContainsFunc(files, func(f fs.DirEntry) bool {
			packed, err := f.Info()
			onDisk, err2 := os.Stat(filepath.Join(final, f.Name()))
			return err != nil || err2 != nil || packed.Size() != onDisk.Size()
		})
	}
	if unpacked() {
		return final, nil
	}
	if err := disk.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(dir, name+".unpacking-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	book, err := fs.Sub(books, name)
	if err == nil {
		err = errors.Join(os.CopyFS(work, book), os.Chmod(work, 0o755), disk.SyncFiles(work))
	}
	if err != nil {
		return "", err
	}
	err = disk.Rename(work, final)
	if err == nil || unpacked() {
		return final, nil
	}
	// Another book has the same path: move it away.
	old := work + ".old"
	if rerr := os.Rename(final, old); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		return "", err
	}
	defer os.RemoveAll(old)
	if err = disk.Rename(work, final); err != nil && !unpacked() {
		return "", fmt.Errorf("unpack %s: %w", name, err)
	}
	return final, nil
}
