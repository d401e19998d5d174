// Package disk provides file operations for programs that must not lose stored work: files
// that exist completely or not at all, append-only files and the records in them, directory entries
// that survive a power cut, and locks.
//
// Locks are advisory and end with the process. On systems without such locks, [Lock] creates a file,
// which a killed process leaves behind, and [LockFile] does nothing.
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

// Unreadable reports whether err comes from the operating system and says nothing about the contents of
// a file.
func Unreadable(err error) bool { return errors.As(err, new(syscall.Errno)) }

// HeldError is returned if a lock is held already.
type HeldError struct {
	Holder string // describes the process that holds the lock
}

func (e *HeldError) Error() string { return "held by " + e.Holder }

// withoutSecret returns an argument with … in place of user names and passwords in addresses.
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

// thisProcess describes this process for a lock file: its number, host and command, and the time now.
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

// holder returns the description of the process in the lock file r, or "an unknown process".
func holder(r io.Reader) string {
	text, err := io.ReadAll(io.LimitReader(r, 1024))
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if err != nil || line == "" {
		return "an unknown process"
	}
	return line
}
