//go:build unix

package arena

import (
	"os"
	"syscall"
)

// lock keeps other processes from opening the journal. The system drops it
// when the file is closed or the process ends.
func lock(f *os.File) error {
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return errBusy
	}
	return nil
}
