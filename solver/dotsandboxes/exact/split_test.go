package exact

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// A split search finds the value of the board for any number of open questions and any
// order of answers; no question is opened twice, even after a stop.
func TestSplitAsksNothingTwice(t *testing.T) {
	for size, want := range map[string]int{"3x3": -3, "2x4": 2} {
		b := enginetest.Board(t, size)
		s := New(Options{Threads: 1, TableBytes: 1 << 20})
		for _, plies := range []int{0, 1, 2, 3} {
			for _, limit := range []int{1, 3, 50} {
				x := Split{Board: b, Plies: plies}
				var mu sync.Mutex
				seen := map[Question]bool{}
				var stop atomic.Int64
				stop.Store(7)
				ask := func(ctx context.Context, q Question) (bool, error) {
					if stop.Add(-1) < 0 {
						return false, context.Canceled
					}
					mu.Lock()
					if seen[q] {
						t.Errorf("%v is asked twice", q)
					}
					seen[q] = true
					mu.Unlock()
					yes, _, err := s.Answer(ctx, b, q)
					return yes, err
				}
				if _, err := x.Value(t.Context(), limit, ask); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				clear(seen) // open questions are lost by a stop
				stop.Store(1 << 40)
				again := Split{Board: b, Plies: plies, Known: x.Known}
				r, err := again.Value(t.Context(), limit, ask)
				if err != nil || r.Lower != want || r.Upper != want {
					t.Errorf("%s, %d plies, %d at once: %+d..%+d, %v; want %+d", b, plies, limit, r.Lower, r.Upper, err, want)
				}
				// The recorded bounds suffice: nothing is asked again.
				third := Split{Board: b, Plies: plies, Known: again.Known}
				none := func(context.Context, Question) (bool, error) { return false, errors.New("asked again") }
				if r, err := third.Value(t.Context(), limit, none); err != nil || r.Lower != want || !r.Exact() {
					t.Errorf("%s, %d plies: from the answers %v, %v", b, plies, r, err)
				}
			}
		}
	}
}

// The first line tried on an empty board is the one in the middle, if there is one.
func TestSplitBeginsInTheMiddle(t *testing.T) {
	for size, middle := range map[string]string{"2x3": "h1,1", "3x2": "v1,1", "1x2": "v0,1", "2x1": "h1,0"} {
		b := enginetest.Board(t, size)
		s := New(Options{Threads: 1, TableBytes: 1 << 20})
		var first []string // lines drawn in the first question
		x := Split{Board: b, Plies: 1}
		_, err := x.Value(t.Context(), 1, func(ctx context.Context, q Question) (bool, error) {
			if first == nil {
				g, err := s.graph(b, b.All())
				testenv.OK(t, err)
				for e, line := range g.line[:b.Segments()] {
					if q.Mask>>e&1 == 0 {
						r, c, horizontal := b.Line(int(line))
						first = append(first, fmt.Sprintf("%c%d,%d", map[bool]byte{true: 'h', false: 'v'}[horizontal], r, c))
					}
				}
			}
			yes, _, err := s.Answer(ctx, b, q)
			return yes, err
		})
		testenv.OK(t, err)
		if len(first) != 1 || first[0] != middle {
			t.Errorf("%s: begins with %v, want %s", size, first, middle)
		}
	}
}

// A split search that is stopped after every answer and resumed finds the value too.
func TestStoppedSplitResumes(t *testing.T) {
	b := enginetest.Board(t, "3x3")
	known := map[Key]Proved{}
	stops := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		s := New(Options{Threads: 2, TableBytes: 1 << 20})
		n := 0
		x := Split{Board: b, Plies: 2, Known: known, Record: func(Proved) error {
			if n++; n == 5 {
				cancel()
			}
			return nil
		}}
		r, err := x.Value(ctx, 1, answering(s, b))
		cancel()
		known = x.Known
		if err == nil {
			if r.Lower != -3 || !r.Exact() {
				t.Errorf("after %d stops: %v", stops, r)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || r.Exact() || r.Lower > -3 || r.Upper < -3 {
			t.Fatalf("stop %d: %v, %v", stops, r, err)
		}
		stops++
	}
	if stops == 0 {
		t.Error("it was never stopped")
	}
}

// answering returns a function that answers questions with a solver.
func answering(s *Solver, b *grid.Board) func(context.Context, Question) (bool, error) {
	return func(ctx context.Context, q Question) (bool, error) {
		yes, _, err := s.Answer(ctx, b, q)
		return yes, err
	}
}
