package certificate

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"endwise/data"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

type maker func(context.Context, *grid.Board, Options) (*Certificate, error)

func finalStage(ctx context.Context, _ *grid.Board, _ Options) (*Certificate, error) {
	return WatchYourBack(ctx)
}

var games = map[string]maker{"dotsandboxes": DotsAndBoxes, "circuitwars": CircuitWars, "watchyourback": finalStage}

// The certificates in data are reproducible: the smaller ones in every run, those up to
// 10 MB with ENDWISE_DEEP. TestEmbeddedCertificatesAreValid of cmd/checkproof
// reads the embedded ones.
func TestCertificatesAreReproducible(t *testing.T) {
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

// The bytes are the same for any number of threads, any table, and any point at which an
// earlier run was interrupted.
func TestBytesDoNotDependOnThreadsTablesOrInterruptions(t *testing.T) {
	t.Parallel()
	for game, prove := range map[string]maker{"dotsandboxes": DotsAndBoxes, "circuitwars": CircuitWars} {
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
			t.Errorf("%s: recorded %d of %d bytes", game, length, len(want.Body))
		}
		for i, end := range ends {
			got, err := prove(t.Context(), b, Options{Threads: 1 + i%3, HashBytes: 1 << (20 + i%5), Known: want.Body[:end]})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Body, want.Body) {
				t.Errorf("%s: different bytes with %d threads, resumed at %d", game, 1+i%3, end)
			}
		}
		if _, err := prove(t.Context(), b, Options{Known: want.Body[:ends[9]-1]}); !errors.Is(err, ErrRecorded) {
			t.Errorf("%s: recorded moves that end within a chunk: %v", game, err)
		}
		if _, err := prove(t.Context(), b, Options{Known: append(bytes.Clone(want.Body), 0)}); !errors.Is(err, ErrRecorded) {
			t.Errorf("%s: one recorded move too many: %v", game, err)
		}
	}
}

// No oracle leads to the certificate of a wrong value: a correct one finds no good move
// for some claim, a wrong one leads to a claim of more squares than are left.
func TestWrongValueHasNoCertificate(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	answer := func(v int) (solver.Result, error) {
		return solver.Result{Bounds: solver.Bounds{Lower: v, Upper: v}}, nil
	}
	oracles := map[string]func(values []int8) oracle{
		"correct": func(values []int8) oracle {
			return func(_ context.Context, p uint64, _ int) (solver.Result, error) { return answer(int(values[p])) }
		},
		"yes": func([]int8) oracle {
			return func(context.Context, uint64, int) (solver.Result, error) { return answer(99) }
		},
		"no": func([]int8) oracle {
			return func(context.Context, uint64, int) (solver.Result, error) { return answer(-99) }
		},
		"random": func([]int8) oracle {
			return func(context.Context, uint64, int) (solver.Result, error) { return answer(198*r.IntN(2) - 99) }
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
			g.extraTurn = true
			g.newOracle = func() oracle { return make(values) }
			for v := right - 5; v <= right+5; v++ {
				g.value = func(context.Context) (solver.Result, error) { return answer(v) }
				c, err := g.prove(t.Context(), Options{})
				switch {
				case v != right && !errors.Is(err, ErrWrong):
					t.Errorf("%s, %s: value %d: error %v, want ErrWrong: the value is %d", size, name, v, err, right)
				case v == right && name == "correct" && err != nil:
					t.Errorf("%s: value %d: %v", size, v, err)
				case err == nil && c.Value != right:
					t.Errorf("%s, %s: certificate of value %d", size, name, c.Value)
				}
			}
		}
	}
}

// Claims survive the growth of their table, the one for position 0 too, and only increase.
func TestClaims(t *testing.T) {
	const positions = 1000
	var c claims
	if c.holds(0, -leastBias) {
		t.Error("an empty table holds a claim")
	}
	for p := range uint64(positions) {
		c.raise(p, int8(p%100))
		c.raise(p, int8(p%100)-1)
	}
	for p := range uint64(positions) {
		if least := int8(p % 100); !c.holds(p, least) || c.holds(p, least+1) {
			t.Errorf("position %d: not held with %d, or held with %d", p, least, least+1)
		}
	}
	if list := c.sorted(); len(list) != positions || c.used != positions || !slices.IsSorted(list) {
		t.Errorf("%d claims, %d used, sorted %v", len(list), c.used, slices.IsSorted(list))
	}
}

// Boards have certificates up to 9 squares per side and the maximum number of lines.
func TestBoardsWithCertificates(t *testing.T) {
	for size, want := range map[string]bool{"1x9": true, "9x1": true, "1x10": false, "10x1": false, "4x4": true, "3x9": false} {
		b := enginetest.Board(t, size)
		if _, err := newSquaresGame("", b); (err == nil) != want || err != nil && !errors.Is(err, ErrNone) {
			t.Errorf("%s, %d lines: %v", size, b.Segments(), err)
		}
	}
}

// The progress has a stage for the value, with the positions expanded for it, and then one
// for the certificate.
func TestProgressOfCertificate(t *testing.T) {
	var p farm.Progress
	_, err := DotsAndBoxes(t.Context(), enginetest.Board(t, "2x2"), Options{HashBytes: 1 << 20, Progress: &p})
	if err != nil {
		t.Fatal(err)
	}
	stages := p.Stages(0)
	for i, s := range stages {
		if s.Before != 0 || s.Done == 0 || i > 0 && s.Total > 0 && s.Done != s.Total {
			t.Errorf("stage %d: %+v", i, s)
		}
	}
	if len(stages) < 2 {
		t.Errorf("stages %+v", stages)
	}
}

// An interrupted run returns the context's error and records nothing more.
func TestInterruptedRunReturnsContextError(t *testing.T) {
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
