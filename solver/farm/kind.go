package farm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
)

// Digest is a SHA-256.
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

// Names lists the kinds' names in order, for sentences.
func (k Kinds) Names() string { return strings.Join(slices.Sorted(maps.Keys(k)), ", ") }

// Find is the kind of a name.
func (k Kinds) Find(name string) (Kind, error) {
	kind, ok := k[name]
	if !ok {
		return Kind{}, fmt.Errorf("unknown kind of job %q; known are %s", name, k.Names())
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

// Stage is a number of jobs of which none needs the result of another.
type Stage struct {
	// Name says what the jobs do, for people.
	Name string
	Kind string
	// Payloads has an entry for each job.
	Payloads [][]byte
	// Take is given each job's result once, in any order; calls don't overlap.
	// An error ends the run.
	Take func(job int, result []byte) error
	// Undo forgets a result that was taken and is not to be trusted any more:
	// its worker gave a wrong one elsewhere. Calls don't overlap with each
	// other or with Take, also not those of other stages. nil where the
	// results are not kept.
	Undo func(job int) error
}

// Farm carries out jobs somewhere.
type Farm interface {
	// Share makes bytes available to all handlers. open is called now and may
	// be called again later; it always returns the same bytes.
	Share(ctx context.Context, open func() ([]byte, error)) (Digest, error)
	// Do returns when every job of the stage is done and its result taken, or
	// with the first error. Several stages may be under way at once.
	Do(ctx context.Context, s Stage) error
}

// FailedJobs says which jobs of a stage could not be done, after trying
// several times; all others are done.
type FailedJobs struct {
	Stage string
	Jobs  []FailedJob
}

// FailedJob is a job that could not be done.
type FailedJob struct {
	ID  int
	Why string // the last attempt's error, with its worker
}

// Error lists the first few.
func (e *FailedJobs) Error() string {
	const show = 5
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d of the jobs failed again and again", e.Stage, len(e.Jobs))
	for i, j := range e.Jobs {
		if i == show {
			fmt.Fprintf(&b, "; and %d more", len(e.Jobs)-show)
			break
		}
		fmt.Fprintf(&b, "; job %d: %s", j.ID, j.Why)
	}
	return b.String()
}

// ErrNoBlob is returned by Env.Blob for a digest that nobody shared.
var ErrNoBlob = errors.New("these bytes were not shared")

// Opened is an argument for Share: data at the first call, what reopen gives
// at later ones, so that data need not be kept.
func Opened(data []byte, reopen func() ([]byte, error)) func() ([]byte, error) {
	var first atomic.Pointer[[]byte]
	first.Store(&data)
	return func() ([]byte, error) {
		if d := first.Swap(nil); d != nil {
			return *d, nil
		}
		return reopen()
	}
}
