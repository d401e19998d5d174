package certificate

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"endwise/data"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver"
	"endwise/solver/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

type proving func(context.Context, *grid.Board, Options) (*Certificate, error)

func stage(ctx context.Context, _ *grid.Board, _ Options) (*Certificate, error) {
	return WatchYourBack(ctx)
}

var games = map[string]proving{"dotsandboxes": DotsAndBoxes, "circuitwars": CircuitWars, "watchyourback": stage}

// Every certificate on the list of known ones comes out the same again; the larger ones
// with ENDWISE_DEEP alone, and 4x4, which takes 38 minutes of processor time, by the
// command alone. The checkers' test reads those that ship.
func TestKnown(t *testing.T) {
	t.Parallel()
	for _, c := range data.Certificates() {
		if c.Bytes > 100_000 && os.Getenv("ENDWISE_DEEP") == "" || c.Bytes > 10_000_000 {
			continue
		}
		t.Run(c.Game+" "+c.Board, func(t *testing.T) {
			t.Parallel()
			got, err := games[c.Game](t.Context(), enginetest.Board(t, c.Board), Options{Threads: 2, HashBytes: 64 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if d := got.Digest(); d != c.SHA256 || got.Value != c.Value || len(got.Body) != c.Bytes {
				t.Errorf("value %d, %d bytes, digest %s; the list has %d, %d and %s", got.Value, len(got.Body), d, c.Value, c.Bytes, c.SHA256)
			}
		})
	}
}

// The bytes are the same for any number of threads and any table, and from wherever an
// earlier run was stopped.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	for game, prove := range map[string]proving{"dotsandboxes": DotsAndBoxes, "circuitwars": CircuitWars} {
		b := enginetest.Board(t, "2x3")
		var ends []int
		length := 0
		want, err := prove(t.Context(), b, Options{HashBytes: 1 << 20, Record: func(moves []byte) error {
			length += len(moves)
			ends = append(ends, length)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if length != len(want.Body) {
			t.Errorf("%s: %d bytes were recorded of %d", game, length, len(want.Body))
		}
		for i, end := range ends {
			got, err := prove(t.Context(), b, Options{Threads: 1 + i%3, HashBytes: 1 << (20 + i%5), Known: want.Body[:end]})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Body, want.Body) {
				t.Errorf("%s: other bytes with %d threads, from %d on", game, 1+i%3, end)
			}
		}
		if _, err := prove(t.Context(), b, Options{Known: want.Body[:ends[9]-1]}); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: moves that end within those found together: %v", game, err)
		}
		if _, err := prove(t.Context(), b, Options{Known: append(bytes.Clone(want.Body), 0)}); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: a move too many: %v", game, err)
		}
	}
}

// A wrong value can't be written, whatever the oracles say: honest ones know no move that
// is good enough, and lying ones lead to a claim of more squares than there are.
func TestWrongValue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	oracles := map[string]func(values []int8) oracle{
		"honest": func(values []int8) oracle {
			return func(_ context.Context, p uint64, atLeast int) (bool, error) { return int(values[p]) >= atLeast, nil }
		},
		"yes": func([]int8) oracle { return func(context.Context, uint64, int) (bool, error) { return true, nil } },
		"no":  func([]int8) oracle { return func(context.Context, uint64, int) (bool, error) { return false, nil } },
		"random": func([]int8) oracle {
			return func(context.Context, uint64, int) (bool, error) { return r.IntN(2) == 0, nil }
		},
	}
	for _, size := range []string{"1x1", "1x3", "2x2", "1x5", "2x3"} {
		b := enginetest.Board(t, size)
		values, err := plain.DotsAndBoxesBoard(t.Context(), size, nil)
		if err != nil {
			t.Fatal(err)
		}
		right := int(values[len(values)-1])
		for name, make := range oracles {
			g, err := newSquaresGame("dotsandboxes", b)
			if err != nil {
				t.Fatal(err)
			}
			g.again = true
			g.newOracle = func() oracle { return make(values) }
			for v := right - 5; v <= right+5; v++ {
				c, err := g.prove(t.Context(), func() (solver.Result, error) { return solver.Result{Bounds: solver.Bounds{Lower: v, Upper: v}}, nil }, Options{})
				switch {
				case v != right && !errors.Is(err, ErrWrong):
					t.Errorf("%s, %s: value %d was proved (%v), %d is right", size, name, v, err, right)
				case v == right && name == "honest" && err != nil:
					t.Errorf("%s: value %d was not proved: %v", size, v, err)
				case err == nil && c.Value != right:
					t.Errorf("%s, %s: certificate of %d", size, name, c.Value)
				}
			}
		}
	}
}

// An interrupted run ends with the context's error.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := CircuitWars(ctx, enginetest.Board(t, "2x4"), Options{HashBytes: 1 << 20, Record: func([]byte) error {
		if n++; n == 5 {
			cancel()
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) || n != 5 {
		t.Errorf("%d records, %v", n, err)
	}
}
