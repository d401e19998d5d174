// Package farm distributes long work over workers. The work is cut into jobs
// that can be done in any order and are idempotent: a second result for the same
// job is the same as the first.
//
// A job is a Kind, a name known to every program of the same version, and a
// payload of a few bytes; whoever carries it out gives a result back as bytes.
// Farm is the owner's interface: the owner of the work hands in stages of jobs
// and takes results, and is alone in writing to a store. What is done is known
// from the store, so a resumed run hands in all jobs minus those.
//
// InProcess is the farm of the goroutines of this process; the package
// jetstream has one of machines. Work that is handed in to one can be handed in
// to the other.
package farm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
)

// Stage is a number of jobs of which none needs the result of another.
type Stage struct {
	// Name says what the jobs do, for people.
	Name string
	Kind string
	// Payloads has an entry for each job.
	Payloads [][]byte
	// Here, if not nil, is a short cut for a farm in this process, which calls
	// it instead: it works a job out in the owner's memory and keeps the
	// result there, as the kind's handler and Take would together. Calls
	// overlap.
	Here func(ctx context.Context, job int) error
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
	// Share makes bytes available to all handlers. open may be called now, and
	// again until the farm is closed; it always returns the same bytes.
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
