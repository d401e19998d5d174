// Package jetstream implements a [farm.Farm] of machines over NATS JetStream.
//
// One process, the [Coordinator], owns a run: it enqueues jobs, receives results and is the only
// process that writes to a store. Any number of workers ([Work]) on any number of machines run
// jobs; they need no store and may join, leave, pause and be killed at any time. [Embedded] is a
// NATS server in the coordinator's process.
//
// # What JetStream does
//
//   - The stream ENDWISE_JOBS is a work queue with one consumer that all workers share. A
//     worker reports progress three times in each AckWait and acknowledges a job when the
//     coordinator has stored its result. The jobs of a silent worker are delivered to others,
//     at most MaxDeliver times.
//   - The object store ENDWISE_TABLES contains the bytes that jobs need, under their SHA-256,
//     and results that are too long for a message.
//
// A worker sends a result as a request to the coordinator, and repeats it until the coordinator has
// taken the result. A coordinator starts with empty streams, because the store records which jobs
// are done. If the server loses the streams, the run ends, and the same command resumes it.
//
// # Trust
//
// Unless the kind of job is Timed, the coordinator recomputes the first result of each worker before
// it stores results of this worker. If the recomputed result differs, the run ends with an error that
// names the worker.
package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine"
	"endwise/solver/farm"
)

const (
	jobsStream    = "ENDWISE_JOBS"
	bucketName    = "ENDWISE_TABLES" // of the object store
	jobsSubject   = "endwise.jobs"
	resultSubject = "endwise.result." // followed by the run's ID
	endSubject    = "endwise.end."    // followed by the run's ID
	statusSubject = "endwise.status"
	runKey        = "endwise_run" // metadata of the streams: the run's ID

	// inlineLimit is the maximum length of a result in its message; in base64 it is well below 1 MB.
	inlineLimit        = 256 << 10
	maxMessage         = 1 << 20  // maximum length of a message that is decoded
	maxName, maxReason = 100, 500 // in logs and errors, in bytes

	defaultAckWait    = time.Minute
	defaultMaxDeliver = 10

	askLimit   = 3 * time.Second        // for a request
	retryEvery = 300 * time.Millisecond // between two attempts while the server is away
)

type job struct {
	Stage   int    `json:"stage"` // number of the stage in the run
	ID      int    `json:"id"`    // index in the stage
	Payload []byte `json:"payload"`
}

type result struct {
	Stage  int         `json:"stage"`
	ID     int         `json:"id"`
	Worker string      `json:"worker"`
	Digest farm.Digest `json:"digest"`
	Data   []byte      `json:"data,omitempty"` // if it is short
	Blob   string      `json:"blob,omitempty"` // otherwise its name in the object store
	Error  string      `json:"error,omitempty"`
	Millis float64     `json:"ms"` // that the job took
}

// The coordinator's answers to a result.
const (
	taken = "taken" // the result is stored, or not needed any more
	wait  = "wait"  // send the result again later
)

func newID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// decode reports whether data is a message in JSON that v can hold, and stores it in v.
func decode(data []byte, v any) bool {
	return len(data) <= maxMessage && json.Unmarshal(data, v) == nil
}

// Errors of this package, for errors.Is.
var (
	// ErrServer is wrapped if the server does not answer or cannot be used.
	ErrServer = errors.New("NATS server")
	// ErrNoRoom is wrapped if the server has no disk space left.
	ErrNoRoom = errors.New("the NATS server has no space left: free space on its disk or raise its limit; " + resumes)
	// ErrOtherRun is wrapped if another coordinator uses the server.
	ErrOtherRun = errors.New("another run uses this NATS server")
	// ErrNoRun is wrapped if no coordinator answers.
	ErrNoRun = errors.New("no run is in progress")
	// ErrRefused is wrapped if a worker cannot take part in the run.
	ErrRefused = errors.New("refused")
	// ErrUntrusted is wrapped if a worker returned a wrong result.
	ErrUntrusted = errors.New("not to be trusted")
)

// fullCodes are the server's error codes for a full disk or an exceeded limit.
var fullCodes = []jetstream.ErrorCode{10002, 10023, 10028, 10047, 10077}

// noRoom reports whether err means that the server has no disk space left.
func noRoom(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && slices.Contains(fullCodes, api.ErrorCode) ||
		errors.Is(err, jetstream.ErrMaxBytesExceeded) || strings.Contains(err.Error(), "no space left")
}

// missing reports whether err means that the streams of a run do not exist.
func missing(err error) bool {
	return errors.Is(err, jetstream.ErrStreamNotFound) ||
		errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrBucketNotFound)
}

// permanent reports whether another attempt would fail with err too.
func permanent(err error) bool {
	return missing(err) || errors.Is(err, jetstream.ErrObjectNotFound) ||
		errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrMaxPayload)
}

// retry calls f, with a pause of retryEvery between attempts, until f succeeds, fails permanently
// or finds the server full, or until ctx ends. limit is the time limit of each attempt. The error
// wraps ErrNoRoom if the server is full, and is the cause of ctx if ctx ended.
func retry(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	for {
		sub, cancel := context.WithTimeout(ctx, limit)
		err := f(sub)
		cancel()
		switch {
		case err == nil:
			return nil
		case noRoom(err):
			return fmt.Errorf("%w (%v)", ErrNoRoom, err)
		case ctx.Err() == nil && permanent(err):
			return err
		}
		if engine.Pause(ctx, retryEvery) != nil {
			return context.Cause(ctx)
		}
	}
}

// blobLimit returns the time limit for transferring size bytes, a second per MB and 2*askLimit.
func blobLimit(size int) time.Duration { return 2*askLimit + time.Duration(size>>20)*time.Second }

func put(ctx context.Context, bucket jetstream.ObjectStore, name string, data []byte) error {
	return retry(ctx, blobLimit(len(data)), func(ctx context.Context) error {
		_, err := bucket.PutBytes(ctx, name, data)
		return err
	})
}

func get(ctx context.Context, bucket jetstream.ObjectStore, name string) (data []byte, err error) {
	err = retry(ctx, blobLimit(128<<20), func(ctx context.Context) error {
		data, err = bucket.GetBytes(ctx, name)
		return err
	})
	return data, err
}

type environment struct {
	bucket  jetstream.ObjectStore
	threads int
}

func (e environment) Blob(ctx context.Context, d farm.Digest) ([]byte, error) {
	data, err := get(ctx, e.bucket, string(d))
	if err != nil {
		return nil, fmt.Errorf("shared bytes %s: %w", d.Short(), err)
	}
	return data, nil
}

func (e environment) Threads() int { return e.threads }
