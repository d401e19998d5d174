//go:build unix && !solaris && !illumos && !aix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Lock takes an exclusive lock on a lock file, which it creates if necessary. The error is a *HeldError
// if the lock is held already. The caller must call release; the file remains.
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
	// On a full disk the lock works without a description of its holder.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(thisProcess()), 0)
	}
	return func() {
		_ = f.Truncate(0)
		f.Close()
	}, nil
}

// LockFile takes an exclusive lock on an open file until f is closed. The error is a *HeldError if the
// lock is held already.
func LockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return &HeldError{"another process"}
	}
	return err
}

// SyncDir makes the entries of a directory survive a power cut. It returns nil, without any effect,
// if the file system cannot sync directories or if the directory is not readable.
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
