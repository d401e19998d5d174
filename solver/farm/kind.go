package farm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"
)

// Digest is the SHA-256 of bytes in hexadecimal.
type Digest string

// DigestOf returns the digest of data.
func DigestOf(data []byte) Digest {
	sum := sha256.Sum256(data)
	return Digest(hex.EncodeToString(sum[:]))
}

// Short returns the first eight digits, for messages.
func (d Digest) Short() string { return string(d[:min(8, len(d))]) }

// Kind is a kind of job that any process can carry out.
type Kind struct {
	// Name is the same in all programs.
	Name string
	// Version describes everything that a result depends on besides the payload:
	// rules, solver, form of payload and result. Only workers of the same version
	// take part in a run.
	Version string
	// Timed means that results depend on the time available, so that two results for
	// the same job may differ.
	Timed bool
	// Open prepares a process for the jobs of one run. The handler is closed
	// when the run is over.
	Open func(Env) (Handler, error)
}

// Env is the environment of a handler in its process.
type Env interface {
	// Blob returns shared bytes by their digest; see Farm.Share.
	Blob(ctx context.Context, d Digest) ([]byte, error)
	// Threads returns the number of jobs that are carried out concurrently.
	Threads() int
}

// Handler carries out jobs of one kind. It may cache data between jobs.
type Handler interface {
	// Work carries out one job; it may be called concurrently. The same payload gives the
	// same result in every process, unless the kind is Timed. The payload comes from
	// another process, so Work must return an error for invalid ones.
	Work(ctx context.Context, payload []byte) (result []byte, err error)
	Close() error
}

// Carry calls a handler and turns a panic into an error, so that it does not end the other
// jobs of the process.
func Carry(ctx context.Context, h Handler, payload []byte) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v: %s", r, panicPlace(debug.Stack()))
		}
	}()
	return h.Work(ctx, payload)
}

// panicPlace returns the file and line of the panic in a stack trace.
func panicPlace(stack []byte) string {
	lines := bytes.Split(stack, []byte("\n"))
	for i, l := range lines {
		if bytes.HasPrefix(l, []byte("panic(")) && i+3 < len(lines) {
			return string(bytes.TrimSpace(lines[i+3]))
		}
	}
	return "no stack"
}
