//go:build unix && !solaris && !illumos && !aix

package store

import (
	"errors"
	"os"
	"syscall"
)

// openForWritingElsewhere reports whether a program has the Badger database in dir open for writing.
// Such a program holds an exclusive lock on dir; programs that read hold shared ones.
func openForWritingElsewhere(dir string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close() // releases the lock
	return errors.Is(syscall.Flock(int(d.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
