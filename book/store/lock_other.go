//go:build !unix || solaris || illumos || aix

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// lockFile takes an exclusive lock by creating a file. Where the system has no
// lock that ends with the process, a killed one leaves the file behind: the
// error says so.
func lockFile(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w (if none is running, delete %s)", ErrLocked, path)
	}
	if err != nil {
		return nil, err
	}
	return func() {
		f.Close()
		os.Remove(path)
	}, nil
}

// syncDir does nothing where directories cannot be synced.
func syncDir(string) error { return nil }
