//go:build unix && !solaris && !illumos && !aix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Lock takes an exclusive lock on a file of its own, which it creates if need
// be, and writes into it who holds it. The error is a *HeldError where another
// process does.
func Lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := LockFile(f); err != nil {
		if held := new(HeldError); errors.As(err, &held) {
			held.Holder = holder(f)
			err = held
		}
		f.Close()
		return nil, err
	}
	// On a full disk the lock holds without a name in it.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(whoami()), 0)
	}
	return func() {
		_ = f.Truncate(0)
		f.Close()
	}, nil
}

// LockFile takes an exclusive lock on an open file until it is closed. The
// error is a *HeldError where another process has it.
func LockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return &HeldError{"another process"}
	}
	return err
}

// SyncDir makes the names in a directory last. Where the file system cannot do
// that, or the directory may be written but not read, it is no error.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
