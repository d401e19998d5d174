//go:build !unix || solaris || illumos || aix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Lock takes an exclusive lock by creating a file. The error is a *HeldError if the file exists. The
// caller must call release, which removes the file.
func Lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if errors.Is(err, fs.ErrExist) {
		who := "an unknown process"
		if g, err := os.Open(path); err == nil {
			who = holder(g)
			g.Close()
		}
		return nil, &HeldError{fmt.Sprintf("%s (if it no longer runs, delete %s)", who, path)}
	}
	if err != nil {
		return nil, err
	}
	_, _ = f.WriteAt([]byte(thisProcess()), 0)
	return func() {
		f.Close()
		os.Remove(path)
	}, nil
}

func LockFile(*os.File) error { return nil }

func SyncDir(string) error { return nil }
