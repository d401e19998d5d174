package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// checkSpace returns an error if the given number of bytes cannot be reserved on the disk of dir.
// Badger writes through memory maps, where a full disk ends the process with a signal.
func checkSpace(dir string, bytes int64) error {
	path := filepath.Join(dir, "space.tmp")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	defer f.Close()
	switch err := syscall.Fallocate(int(f.Fd()), 0, 0, bytes); {
	case errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOSYS):
		return nil // not supported by the file system
	case err != nil:
		return fmt.Errorf("no space for %d KB in %s: %w", (bytes+1023)/1024, dir, err)
	}
	return nil
}
