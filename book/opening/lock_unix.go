//go:build unix && !solaris && !illumos && !aix

package opening

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock takes an exclusive lock on a file that it creates if need be, and
// writes into it who holds it. The system gives the lock back when the process
// ends, however it ends.
func lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w: %s", ErrLocked, holder(f))
		}
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

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}
