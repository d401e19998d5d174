package farm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
)

// Digest names shared bytes: their SHA-256, wherever they leave the process.
type Digest [sha256.Size]byte

// DigestOf is the digest of some bytes.
func DigestOf(data []byte) Digest { return sha256.Sum256(data) }

// String is the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Short is the first eight digits, for sentences.
func (d Digest) Short() string { return d.String()[:8] }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return fmt.Errorf("digest of %d digits: want %d", len(text), 2*len(d))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// Kind is a kind of job that any process can carry out.
type Kind struct {
	// Name is the same in every program that knows the kind.
	Name string
	// Version says in words all that a result depends on besides the payload:
	// rules, solver, form of payload and result. Only workers of the same
	// version take part in a run.
	Version string
	// Timed says that the result depends on how much time there was, so that
	// two results for the same job need not be equal.
	Timed bool
	// Open prepares a process for the jobs of one run. The handler is closed
	// when the run is over.
	Open func(Env) (Handler, error)
}

// Env is what a handler finds in the process it works in.
type Env interface {
	// Blob is shared bytes by their digest; see Farm.Share. Others may read the
	// same bytes at the same time: they are not to be written to.
	Blob(ctx context.Context, d Digest) ([]byte, error)
	// Threads is how many jobs are carried out at once.
	Threads() int
}

// Handler carries out jobs of one kind. It may keep what it fetched and built
// between jobs.
type Handler interface {
	// Work carries out one job; several goroutines call it at once. The same
	// payload gives the same result everywhere, unless the kind is Timed. The
	// payload comes from another process: whatever it holds, Work returns.
	Work(ctx context.Context, payload []byte) (result []byte, err error)
	Close() error
}

// Kinds finds kinds by name.
type Kinds map[string]Kind

// NewKinds lists kinds by name.
func NewKinds(list ...Kind) Kinds {
	k := Kinds{}
	for _, x := range list {
		k[x.Name] = x
	}
	return k
}

// Find is the kind of a name.
func (k Kinds) Find(name string) (Kind, error) {
	kind, ok := k[name]
	if !ok {
		return Kind{}, fmt.Errorf("unknown kind of job %q; known are %s", name, strings.Join(slices.Sorted(maps.Keys(k)), ", "))
	}
	return kind, nil
}

// Carry calls a handler and turns a panic into an error: a job must not take
// the process with it that works on others.
func Carry(ctx context.Context, h Handler, payload []byte) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v: %s", r, panicPlace(debug.Stack()))
		}
	}()
	return h.Work(ctx, payload)
}

// panicPlace finds the line of the panic in a stack.
func panicPlace(stack []byte) string {
	lines := bytes.Split(stack, []byte("\n"))
	for i, l := range lines {
		if bytes.HasPrefix(l, []byte("panic(")) && i+3 < len(lines) {
			return string(bytes.TrimSpace(lines[i+3]))
		}
	}
	return "no stack"
}
