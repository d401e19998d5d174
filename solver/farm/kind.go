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

// Short returns the first eight characters of d, for messages.
func (d Digest) Short() string { return string(d[:min(8, len(d))]) }

// Kind is a kind of job that any process can run.
type Kind struct {
	// Name identifies the kind.
	Name string
	// Version contains the versions of everything on which results depend: the rules, the solver,
	// and the format of payload and result. Only workers with the same version take part in a run.
	Version string
	// Timed means that results of a job may differ, because they depend on the time available.
	Timed bool
	// Open returns a handler for the jobs of one run. The caller must close it.
	Open func(Env) (Handler, error)
}

// Env is the environment of a handler in its process.
type Env interface {
	// Blob returns the bytes with the digest d.
	Blob(ctx context.Context, d Digest) ([]byte, error)
	// Threads returns the number of jobs that run concurrently.
	Threads() int
}

// Handler runs jobs of one kind. It may keep data between jobs.
type Handler interface {
	// Work runs the job with a payload and returns its result, the same in every process unless the
	// kind is Timed. It may be called concurrently. It must return an error for an invalid payload.
	Work(ctx context.Context, payload []byte) (result []byte, err error)
	// Close releases the handler, when no call of Work is in progress.
	Close() error
}

// Run calls h.Work and converts a panic to an error.
func Run(ctx context.Context, h Handler, payload []byte) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v: %s", r, panicPlace(debug.Stack()))
		}
	}()
	return h.Work(ctx, payload)
}

// panicPlace returns the file and line of a panic, which follow the line of its function in a stack.
func panicPlace(stack []byte) string {
	lines := bytes.Split(stack, []byte("\n"))
	for i, l := range lines {
		if bytes.HasPrefix(l, []byte("panic(")) && i+3 < len(lines) {
			return string(bytes.TrimSpace(lines[i+3]))
		}
	}
	return "no stack"
}
