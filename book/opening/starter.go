package opening

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"endwise/engine/disk"
)

// headerName is the file with the sizes and checksums of a table's other files ([store.Header]).
const headerName = "table.json"

// StarterDir is the directory in a store for built-in books.
const StarterDir = "starter"

// StarterBooks returns the names of a game's published books, the directories of a file system.
func StarterBooks(from fs.FS, game string) ([]string, error) {
	entries, err := fs.ReadDir(from, ".")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		_, err := fs.Stat(from, path.Join(e.Name(), headerName))
		if err == nil && strings.HasPrefix(e.Name(), TableName(game, "")) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// Unpack copies a published book, the directory name of a file system, to dir/name and returns the
// path of the copy. A book there is left unchanged if it has the same header, and files of the same
// sizes; otherwise it is replaced. Several processes may unpack the same book concurrently.
func Unpack(from fs.FS, name, dir string) (string, error) {
	final := filepath.Join(dir, name)
	book, err := fs.Sub(from, name)
	if err != nil {
		return "", err
	}
	header, err := fs.ReadFile(from, path.Join(name, headerName))
	if err != nil {
		return "", err
	}
	files, err := fs.ReadDir(from, name)
	if err != nil {
		return "", err
	}
	if isCopy(final, header, files) {
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
	if err := errors.Join(os.CopyFS(work, book), os.Chmod(work, 0o755), disk.SyncFiles(work)); err != nil {
		return "", err
	}
	err = disk.Rename(work, final)
	if err == nil || isCopy(final, header, files) { // another process may have unpacked the book
		return final, nil
	}
	old := work + ".old"
	if rerr := os.Rename(final, old); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		return "", err
	}
	defer os.RemoveAll(old)
	if err = disk.Rename(work, final); err != nil && !isCopy(final, header, files) {
		return "", fmt.Errorf("unpack %s: %w", name, err)
	}
	return final, nil
}

// isCopy reports whether dir contains the given header, and the given files in the same sizes.
func isCopy(dir string, header []byte, files []fs.DirEntry) bool {
	h, err := os.ReadFile(filepath.Join(dir, headerName))
	if err != nil || !bytes.Equal(h, header) {
		return false
	}
	for _, f := range files {
		want, err := f.Info()
		if err != nil {
			return false
		}
		have, err := os.Stat(filepath.Join(dir, f.Name()))
		if err != nil || have.Size() != want.Size() {
			return false
		}
	}
	return true
}
