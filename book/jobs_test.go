package book_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	"endwise/book/solving"
	"endwise/book/store"
	wybbook "endwise/book/watchyourback"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver/farm"
)

// farmSolves are small solves; each gives a digest or a value.
func farmSolves(t *testing.T) map[string]handedOut {
	b := enginetest.Board(t, "2x3")
	digest := func(h *store.Header, err error) (string, error) {
		if err != nil {
			return "", err
		}
		return h.SHA256, nil
	}
	last := func(list []wybbook.Solved, err error) (string, error) {
		if err != nil {
			return "", err
		}
		return list[len(list)-1].Header.SHA256, nil
	}
	value := func(v solving.BoardValue, err error) (string, error) {
		return fmt.Sprint(v.Lower, v.Upper), err
	}
	square := enginetest.Board(t, "3x3")
	o := solving.ValueOptions{Threads: 4, TableBytes: 1 << 20, Plies: 3}
	return map[string]handedOut{
		"board": func(ctx context.Context, dir string, f farm.Farm) (string, error) {
			return digest(cwbook.SolveBoard(ctx, dir, b, f, nil))
		},
		"endings": func(ctx context.Context, dir string, f farm.Farm) (string, error) {
			return digest(cwbook.SolveEndings(ctx, dir, 6, 2, f, nil))
		},
		"value": func(ctx context.Context, dir string, f farm.Farm) (string, error) {
			return value(dabbook.SolveValue(ctx, dir, square, o, f, nil))
		},
		"planes": func(ctx context.Context, dir string, f farm.Farm) (string, error) {
			return last(wybbook.Solve(ctx, dir, 4, 10, f, nil))
		},
	}
}

// elsewhere is a farm that does its jobs as one of other processes does, by
// payloads and results.
type elsewhere struct{ farm.Farm }

func (e elsewhere) Do(ctx context.Context, s farm.Stage) error {
	s.Here = nil
	return e.Farm.Do(ctx, s)
}

// breaking is a farm that breaks off after a number of stages.
type breaking struct {
	farm.Farm
	stages atomic.Int64
}

var errBreak = errors.New("broken off")

func (b *breaking) Do(ctx context.Context, s farm.Stage) error {
	if b.stages.Add(-1) < 0 {
		return errBreak
	}
	return b.Farm.Do(ctx, s)
}

// undoing is a farm that takes back what it did, all of it, at its last stage.
type undoing struct {
	farm.Farm
	mu     sync.Mutex
	stages int
	done   []farm.Stage
}

func (u *undoing) Do(ctx context.Context, s farm.Stage) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stages > 0 {
		u.stages--
		u.done = append(u.done, s)
		return u.Farm.Do(ctx, s)
	}
	for _, s := range u.done {
		for i := range s.Payloads {
			if err := s.Undo(i); err != nil {
				return err
			}
		}
	}
	return errBreak
}

// Solves that are handed out give the digest of one in this process's memory,
// where they are interrupted and where what they did is taken back.
func TestHandedOutSolvesGiveTheSameTables(t *testing.T) {
	t.Parallel()
	for name, solve := range farmSolves(t) {
		t.Run(name, func(t *testing.T) {
			want, err := solve(t.Context(), t.TempDir(), newFarm(t, 2))
			testenv.OK(t, err)
			t.Run("interrupted", func(t *testing.T) { interruptedSolve(t, solve, want) })
			t.Run("taken back", func(t *testing.T) { undoneSolve(t, solve, want) })
		})
	}
}

// handedOut is a solve whose jobs a farm does.
type handedOut func(ctx context.Context, dir string, f farm.Farm) (string, error)

// newFarm is a farm in this process, closed after the test.
func newFarm(t *testing.T, threads int) *farm.InProcess {
	t.Helper()
	f := farm.NewInProcess(farm.NewKinds(allGames.JobKinds()...), threads)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// interruptedSolve breaks a solve off after 0, 1 and 2 stages.
func interruptedSolve(t *testing.T, solve handedOut, want string) {
	dir := t.TempDir()
	for stages := range 3 {
		broken := &breaking{Farm: elsewhere{newFarm(t, 2)}}
		broken.stages.Store(int64(stages))
		if _, err := solve(t.Context(), dir, broken); !errors.Is(err, errBreak) {
			t.Fatal(err)
		}
	}
	if got, err := solve(t.Context(), dir, elsewhere{newFarm(t, 3)}); err != nil || got != want {
		t.Errorf("digest %s, %v; want %s", got, err, want)
	}
}

// undoneSolve undoes three stages and solves again: they are done anew.
func undoneSolve(t *testing.T, solve handedOut, want string) {
	dir := t.TempDir()
	first := &undoing{Farm: elsewhere{newFarm(t, 2)}, stages: 3}
	if _, err := solve(t.Context(), dir, first); !errors.Is(err, errBreak) {
		t.Fatal(err)
	}
	// Another run, so another farm: handlers keep what they took.
	second := &undoing{Farm: elsewhere{newFarm(t, 2)}, stages: 1000}
	if got, err := solve(t.Context(), dir, second); err != nil || got != want {
		t.Fatalf("digest %s, %v; want %s", got, err, want)
	}
	for i, s := range first.done {
		if again := second.done[i]; again.Name != s.Name || len(again.Payloads) != len(s.Payloads) {
			t.Errorf("stage %d: %s with %d jobs is done again as %s with %d", i, s.Name, len(s.Payloads), again.Name, len(again.Payloads))
		}
	}
}

type noBlobs struct{}

func (noBlobs) Blob(context.Context, farm.Digest) ([]byte, error) { return nil, farm.ErrNoBlob }
func (noBlobs) Threads() int                                      { return 1 }

// TestHostilePayloads gives every kind what no coordinator sends.
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
			if out, err := farm.Carry(t.Context(), h, []byte(payload)); err == nil || strings.Contains(err.Error(), "panic") {
				t.Errorf("%s: payload %s gave %d bytes, %v", k.Name, payload, len(out), err)
			}
			h.Close()
		}
	}
}
