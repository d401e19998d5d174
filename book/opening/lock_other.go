//go:build !unix || solaris || illumos || aix

package opening

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// lock takes an exclusive lock by creating a file and writes into it who holds
// it. Where the system has no lock that ends with the process, a killed one
// leaves the file behind: the error says so.
func lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if errors.Is(err, fs.ErrExist) {
		who := "somebody"
		if g, err := os.Open(path); err == nil {
			who = holder(g)
			g.Close()
		}
		return nil, fmt.Errorf("%w: %s (if it no longer runs, delete %s)", ErrLocked, who, path)
	}
	if err != nil {
		return nil, err
	}
	_, _ = f.WriteAt([]byte(whoami()), 0)
	return func() {
		f.Close()
		os.Remove(path)
	}, nil
}

// syncDir does nothing where directories cannot be synced.
func syncDir(string) error { return nil }
