package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// checkSpace returns an error if the disk of dir does not have the given number of free bytes.
// It reserves the space and releases it again. Badger writes through memory maps, where a full disk
// ends the process with a signal. This can still happen if another program fills the disk after the
// check; the complete shards are kept.
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
