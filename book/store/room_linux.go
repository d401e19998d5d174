package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// checkRoom reserves bytes in a directory and gives them back. Badger writes
// through mapped files, where a full disk is a signal that ends the process,
// so the question is asked before. A disk that another program fills meanwhile
// can still end it; the shards are safe then as well.
func checkRoom(dir string, bytes int64) error {
	path := filepath.Join(dir, "room.tmp")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	defer f.Close()
	switch err := syscall.Fallocate(int(f.Fd()), 0, 0, bytes); {
	case errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOSYS):
		return nil // a file system that can't say
	case err != nil:
		return fmt.Errorf("no room for %d KB in %s: %w", (bytes+1023)/1024, dir, err)
	}
	return nil
}
