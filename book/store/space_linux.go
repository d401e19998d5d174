package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// checkSpace reserves disk space in a directory and releases it. Badger writes through
// mapped files, where a full disk is a signal that ends the process, so the space is
// checked before. If another program fills the disk later, the signal can still end the
// process, but the shards are complete.
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
