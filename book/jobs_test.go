package book_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"endwise/book"
	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	"endwise/book/store"
	wybbook "endwise/book/watchyourback"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver/farm"
)

// jobSolves returns small solves and the kinds of their jobs; each solve returns a digest
// or a value.
func jobSolves(t *testing.T) map[string]solve {
	b := enginetest.Board(t, "2x3")
	digest := func(h *store.Header, err error) (string, error) {
		if err != nil {
			return "", err
		}
		return h.SHA256, nil
	}
	square := enginetest.Board(t, "3x3")
	o := book.ValueOptions{Threads: 4, TableBytes: 1 << 20, Plies: 3}
	return map[string]solve{
		cwbook.BoardJobs: func(ctx context.Context, dir string, f farm.Farm) (string, error) {
			return digest(cwbook.SolveBoard(ctx, dir, b, f, nil))
		},
		cwbook.EndingsJobs: func(ctx context.Context, dir string, f farm.Farm) (string, error) {
			return digest(cwbook.SolveEndings(ctx, dir, 6, 2, f, nil))
		},
		dabbook.ValueJobs: func(ctx context.Context, dir string, f farm.Farm) (string, error) {
			v, err := dabbook.SolveValue(ctx, dir, square, o, f, nil)
			return fmt.Sprint(v.Lower, v.Upper), err
		},
		wybbook.Jobs: func(ctx context.Context, dir string, f farm.Farm) (string, error) {
			list, err := wybbook.Solve(ctx, dir, 4, 10, f, nil)
			if err != nil {
				return "", err
			}
			return list[len(list)-1].Header.SHA256, nil
		},
	}
}

// solve is a solve whose jobs a farm does.
type solve func(ctx context.Context, dir string, f farm.Farm) (string, error)

// elsewhere is a farm that passes jobs on as payloads and results, as other processes need
// them. It stops after a number of stages.
type elsewhere struct {
	handler farm.Handler
	stages  atomic.Int64

	mu     sync.Mutex
	shared map[farm.Digest][]byte
	taking sync.Mutex
}

func newElsewhere(t *testing.T, kind string, stages int64) *elsewhere {
	t.Helper()
	e := &elsewhere{shared: map[farm.Digest][]byte{}}
	e.stages.Store(stages)
	for _, k := range allGames.JobKinds() {
		if k.Name == kind {
			var err error
			e.handler, err = k.Open(e)
			testenv.OK(t, err)
		}
	}
	t.Cleanup(func() { testenv.OK(t, e.handler.Close()) })
	return e
}

func (e *elsewhere) Share(_ context.Context, open func() ([]byte, error)) (farm.Digest, error) {
	data, err := open()
	d := farm.DigestOf(data)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shared[d] = data
	return d, err
}

func (e *elsewhere) Blob(_ context.Context, d farm.Digest) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	data, ok := e.shared[d]
	if !ok {
		return nil, errNoBlob
	}
	return data, nil
}

func (*elsewhere) Threads() int { return 2 }

var errBreak, errNoBlob = errors.New("broken off"), errors.New("these bytes were not shared")

func (e *elsewhere) Do(ctx context.Context, s farm.Stage) error {
	if e.stages.Add(-1) < 0 {
		return errBreak
	}
	s.Here = func(ctx context.Context, i int) error {
		result, err := farm.Run(ctx, e.handler, s.Payloads[i])
		if err != nil {
			return err
		}
		e.taking.Lock()
		defer e.taking.Unlock()
		return s.Take(i, result)
	}
	return farm.InProcess(2).Do(ctx, s)
}

// Solves whose jobs other processes do give the digest of a solve in this process's memory,
// also if they are interrupted after 0, 1 and 2 stages.
func TestHandedOutSolvesGiveTheSameTables(t *testing.T) {
	t.Parallel()
	for kind, solve := range jobSolves(t) {
		t.Run(kind, func(t *testing.T) {
			want, err := solve(t.Context(), t.TempDir(), farm.InProcess(2))
			testenv.OK(t, err)
			dir := t.TempDir()
			for stages := range int64(3) {
				if _, err := solve(t.Context(), dir, newElsewhere(t, kind, stages)); !errors.Is(err, errBreak) {
					t.Fatal(err)
				}
			}
			if got, err := solve(t.Context(), dir, newElsewhere(t, kind, 1<<30)); err != nil || got != want {
				t.Errorf("digest %s, %v; want %s", got, err, want)
			}
		})
	}
}

type noBlobs struct{}

func (noBlobs) Blob(context.Context, farm.Digest) ([]byte, error) { return nil, errNoBlob }
func (noBlobs) Threads() int                                      { return 1 }

// TestHostilePayloads passes every kind payloads that no coordinator sends.
func TestHostilePayloads(t *testing.T) {
	for _, k := range allGames.JobKinds() {
		for _, payload := range []string{
			``, `null`, `{}`, `[]`, `{"board":"9x9"}`, `{"board":"3x3","chunk":-1}`, `{"board":"3x3","chunk":5}`, `{"board":"3x3","chunk":1000000}`,
			`{"most":99}`, `{"most":3,"segments":9}`, `{"most":3,"segments":2,"part":7,"parts":1}`, `{"most":3,"segments":2,"parts":1,"needs":["00"]}`,
			`{"most":3,"segments":3,"parts":1}`, `{"pieces":77}`, `{"pieces":4,"parts":-3,"part":9}`, `{"pieces":4,"parts":4,"part":1,"planes":["` + strings.Repeat("0", 64) + `"]}`,
			`{"pieces":4,"parts":4,"part":-1}`,
			`{"board":"3x3","chunk":-1,"mask":"0","hash":65536}`, `{"board":"3x3","chunk":-1,"mask":"18446744073709551615","boxes":9,"t":1,"hash":65536}`, `{"board":"3x3","chunk":-1,"mask":"1","hash":1}`,
		} {
			h, err := k.Open(noBlobs{})
			testenv.OK(t, err)
			if out, err := farm.Run(t.Context(), h, []byte(payload)); err == nil || strings.Contains(err.Error(), "panic") {
				t.Errorf("%s: payload %s gave %d bytes, %v", k.Name, payload, len(out), err)
			}
			h.Close()
		}
	}
}
