// Package jetstream is a farm of machines over NATS JetStream.
//
// One process, the coordinator, owns a run: it hands jobs in, takes results
// and is alone in writing to a store. Any number of workers on any number of
// machines carry jobs out; they need no store and may come, go, stand still and
// be killed at any time.
//
// # What is on the server
//
//   - The stream ENDWISE_JOBS, a work queue with one durable consumer that all
//     workers share. A job is acknowledged when its result is published; while
//     a worker is at it, it says so three times in each AckWait. A worker that
//     falls silent loses the job to another after AckWait, and a job that five
//     workers fell silent over is given up.
//   - The stream ENDWISE_RESULTS, from workers to the coordinator. Results
//     longer than inlineLimit go into the object store, and the message has
//     their digest.
//   - The object store ENDWISE_TABLES: bytes that jobs need, under their
//     SHA-256, of which a worker fetches each once, and long results under
//     their job and SHA-256.
//   - Control messages that nobody keeps: hello (a worker asks to take part
//     and is told the run, or why not), beat (it is still there), trouble (it
//     cannot deliver), status (anybody asks how far the run is), end.
//
// All of it is disposable. The coordinator knows what is done from its store,
// so it starts with empty streams, and when the server comes back without its
// disk it fills them again with what is left.
//
// A worker takes a job in queue.go, works in worker.go, keeps it leased and sends
// the result in lease.go; who may take part is decided in members.go, what becomes
// of results in results.go and check.go; the coordinator is coordinator.go, and
// supervise.go puts back what the server has lost.
//
// # Trust
//
// The first result of each worker and a share of all others are worked out
// again by the coordinator before they are taken. Two results for one job must
// be the same bytes. When they are not, or a check fails, the worker is named,
// what was taken from it in this run is undone together with everything that
// was built on it, and the run stops.
package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine"
	"endwise/solver/farm"
)

const (
	jobsStream     = "ENDWISE_JOBS"
	resultsStream  = "ENDWISE_RESULTS"
	bucketName     = "ENDWISE_TABLES"
	workers        = "workers"     // the durable consumer of the jobs
	coordinator    = "coordinator" // that of the results
	jobsSubject    = "endwise.jobs"
	resultsSubject = "endwise.results"
	helloSubject   = "endwise.hello"
	beatSubject    = "endwise.beat"
	troubleSubject = "endwise.trouble"
	statusSubject  = "endwise.status"
	endSubject     = "endwise.end"
	// runKey is the name under which the streams know their run.
	runKey = "endwise_run"
	// workKey is the name under which they know what it does.
	workKey = "endwise_work"

	// inlineLimit is the longest payload or result that is sent within its
	// message: with base64 and the rest well below the server's usual limit
	// of 1 MB.
	inlineLimit = 256 << 10
	// maxMessage bounds every message that is decoded.
	maxMessage = 1 << 20
	// maxBlob bounds what is fetched into memory from the object store.
	maxBlob = 1 << 30

	// DefaultAckWait is how long a worker may be silent before its jobs go to
	// others.
	DefaultAckWait = time.Minute
	// DefaultAttempts is how often a job is tried before it is given up.
	DefaultAttempts = 5
	// DefaultCheck is the share of results that the coordinator works out
	// again.
	DefaultCheck = 0.01

	// beatEvery is the time between two signs of life of a worker.
	beatEvery = 2 * time.Second
	// askLimit is how long a control message may wait for its answer.
	askLimit = 3 * time.Second
	// retryEvery is the time between two attempts at something that a server
	// that is away will do later.
	retryEvery = 300 * time.Millisecond
)

// wireJob is a job in the queue.
type wireJob struct {
	Work    string `json:"work"` // "RUN/STAGE"
	ID      int    `json:"id"`
	Kind    string `json:"kind"`
	Payload []byte `json:"payload,omitempty"`
	// Blob is the digest of a payload that is too long for the message.
	Blob *farm.Digest `json:"blob,omitempty"`
}

func (j wireJob) name() jobName { return jobName{j.Work, j.ID} }

// wireResult is what became of a job: a result, an error, or nothing.
type wireResult struct {
	Work   string       `json:"work"`
	ID     int          `json:"id"`
	Worker string       `json:"worker"`
	Digest *farm.Digest `json:"digest,omitempty"` // nil without a result
	Result []byte       `json:"result,omitempty"` // where it is short
	Long   bool         `json:"long,omitempty"`   // it is in the object store
	Error  string       `json:"error,omitempty"`
	// GivenBack says that the worker was stopped.
	GivenBack bool    `json:"given_back,omitempty"`
	Millis    float64 `json:"ms"`
}

// blob is where a long result lies in the object store. Each job has a place of
// its own: jobs may have equal results, and who has taken one removes it.
func (r wireResult) blob() string { return fmt.Sprintf("%s/%d/%s", r.Work, r.ID, r.Digest) }

// hello is a worker's request to take part and, with the run, its sign of life.
type hello struct {
	Worker  string            `json:"worker"`
	Host    string            `json:"host"`
	Threads int               `json:"threads"`
	Memory  uint64            `json:"memory"` // bytes it may use, 0 for not known
	Kinds   map[string]string `json:"kinds"`  // name → version
	Run     string            `json:"run,omitempty"`
	Busy    int               `json:"busy"` // jobs under way
}

// welcome answers a hello.
type welcome struct {
	Run       string `json:"run,omitempty"`
	Title     string `json:"title,omitempty"`
	AckWaitMS int64  `json:"ack_wait_ms,omitempty"`
	// Refused is why the worker may not take part.
	Refused string `json:"refused,omitempty"`
}

// trouble is what keeps a worker from delivering.
type trouble struct {
	Run    string `json:"run"`
	Worker string `json:"worker"`
	Error  string `json:"error"`
}

// newID is a name that nothing else has.
func newID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// The errors of this package, to be tested with errors.Is.
var (
	// ErrNoRoom means that the server cannot store any more.
	ErrNoRoom = errors.New("the NATS server has no room left: free space on its disk or raise its limit; what is done is stored, and the same command goes on")
	// ErrOtherRun means that another coordinator uses the server.
	ErrOtherRun = errors.New("another run uses this NATS server")
	// ErrRefused is returned by Work when the coordinator does not take the
	// worker.
	ErrRefused = errors.New("refused")
	// ErrUntrusted means that a worker gave a wrong result.
	ErrUntrusted = errors.New("not to be trusted")
)

// Codes of the server for a full disk or an exceeded limit.
const (
	codeAccountExceeded       = 10002
	codeInsufficientResources = 10023
	codeMemoryExceeded        = 10028
	codeStorageExceeded       = 10047
	codeStoreFailed           = 10077
)

// noRoom says whether the server refused something for lack of space.
func noRoom(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode {
		case codeAccountExceeded, codeInsufficientResources, codeMemoryExceeded, codeStorageExceeded, codeStoreFailed:
			return true
		}
	}
	return err != nil && (errors.Is(err, jetstream.ErrMaxBytesExceeded) || strings.Contains(err.Error(), "no space left"))
}

// missing says whether a stream, its consumer or the object store is not there.
func missing(err error) bool {
	return errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrBucketNotFound)
}

// passing says whether an error may go away by itself: the server is away or
// busy, or its streams are about to be made again.
func passing(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code >= 500 || missing(err)
	}
	return missing(err) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrConnectionReconnecting) ||
		errors.Is(err, nats.ErrStaleConnection)
}

// retry repeats f, each time with a limit, while the server is away. A
// server without room is ErrNoRoom.
func retry(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	for {
		sub, cancel := context.WithTimeout(ctx, limit)
		err := f(sub)
		late := sub.Err() != nil
		cancel()
		switch {
		case err == nil:
			return nil
		case noRoom(err):
			return fmt.Errorf("%w (%v)", ErrNoRoom, err)
		case ctx.Err() == nil && !late && !passing(err):
			return err
		case engine.Pause(ctx, retryEvery) != nil:
			return context.Cause(ctx)
		}
	}
}
