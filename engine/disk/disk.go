// Package disk is what programs that keep their work need of a file system and
// the standard library lacks: files that are there whole or not at all
// (write.go), files that only grow (log.go) and the records in them (frames.go),
// names that last, and locks that end with the process however it ends.
//
// Locks are advisory: they keep other processes out that ask for them. Where
// the system has no such locks, the existence of the file is one, and a killed
// process leaves it behind; the error then says so.
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

// Unreadable reports whether err comes from the operating system, as for too few
// descriptors: it says nothing about the bytes in a file.
func Unreadable(err error) bool { return errors.As(err, new(syscall.Errno)) }

// HeldError is returned where another process holds a lock.
type HeldError struct {
	// Holder says who it is, in words.
	Holder string
}

// Error implements error.
func (e *HeldError) Error() string { return "held by " + e.Holder }

// withoutSecret is an argument without what names and passwords look like in
// addresses.
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

// whoami is what a holder leaves in the lock file.
func whoami() string {
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
	return fmt.Sprintf("process %d on %s since %s (%s)", os.Getpid(), host, time.Now().UTC().Format("2006-01-02 15:04:05 UTC"), command)
}

// holder reads a lock file.
func holder(r io.Reader) string {
	text, err := io.ReadAll(io.LimitReader(r, 1024))
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if err != nil || line == "" {
		return "a process that has not said its name"
	}
	return line
}
