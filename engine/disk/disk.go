// Package disk provides file operations for programs that must not lose stored work: files
// that exist completely or not at all (write.go), append-only files (log.go) and the
// records in them (frames.go), directory entries that survive a power cut, and locks.
//
// Locks are advisory and end with the process. On systems without such locks, the lock is
// the existence of the file. A killed process leaves the file behind; the error of the next Lock
// contains advice to remove it.
package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Unreadable reports whether err comes from the operating system, for instance because of too
// many open files. Such an error does not mean that the contents of a file are damaged.
func Unreadable(err error) bool { return errors.As(err, new(syscall.Errno)) }

// HeldError is returned if a lock is held already.
type HeldError struct {
	// Holder describes the process that holds the lock.
	Holder string
}

// Error implements error.
func (e *HeldError) Error() string { return "held by " + e.Holder }

// withoutSecret returns an argument of this process with … in place of user names and
// passwords in addresses.
func withoutSecret(arg string) string {
	before, rest, ok := strings.Cut(arg, "://")
	if !ok {
		return arg
	}
	host := rest
	if i := strings.IndexAny(rest, "/?# \t\r\n"); i >= 0 {
		host = rest[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		rest = "…" + rest[i:]
	}
	return before + "://" + withoutSecret(rest)
}

// thisProcess returns the description of this process in a lock file.
func thisProcess() string {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	command := filepath.Base(os.Args[0])
	for _, a := range os.Args[1:] {
		command += " " + withoutSecret(a)
	}
	if len(command) > 200 {
		command = strings.ToValidUTF8(command[:200], "") + "…"
	}
	now := time.Now().UTC().Format("2006-01-02 15:04:05 UTC")
	return fmt.Sprintf("process %d on %s since %s (%s)", os.Getpid(), host, now, command)
}

// holder returns the description of the process in the lock file r, "an unknown process" if there is
// none or it cannot be read.
func holder(r io.Reader) string {
	text, err := io.ReadAll(io.LimitReader(r, 1024))
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if err != nil || line == "" {
		return "an unknown process"
	}
	return line
}
