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

// A split search finds the value of the board with any number of concurrent searches and any
// order of results. It searches nothing twice, even after a stop.
func TestSplitSearchesNothingTwice(t *testing.T) {
	for size, want := range map[string]int{"3x3": -3, "2x4": 2} {
		b := enginetest.Board(t, size)
		s := New(Options{Threads: 1, TableBytes: 1 << 20})
		for _, plies := range []int{0, 1, 2, 3} {
			for _, limit := range []int{1, 3, 50} {
				x := Split{Board: b, Plies: plies}
				var mu sync.Mutex
				seen := map[NullWindow]bool{}
				var stop atomic.Int64
				stop.Store(7)
				search := func(ctx context.Context, n NullWindow) (bool, error) {
					if stop.Add(-1) < 0 {
						return false, context.Canceled
					}
					mu.Lock()
					if seen[n] {
						t.Errorf("%v is searched twice", n)
					}
					seen[n] = true
					mu.Unlock()
					reached, _, err := s.Search(ctx, b, n)
					return reached, err
				}
				if _, err := x.Value(t.Context(), limit, search); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				clear(seen) // a stop loses the searches that were running
				stop.Store(1 << 40)
				again := Split{Board: b, Plies: plies, Known: x.Known}
				r, err := again.Value(t.Context(), limit, search)
				if err != nil || r.Lower != want || r.Upper != want {
					t.Errorf("%s, %d plies, %d at once: %+d..%+d, %v; want %+d", b, plies, limit, r.Lower, r.Upper, err, want)
				}
				// The recorded bounds suffice: nothing is searched again.
				third := Split{Board: b, Plies: plies, Known: again.Known}
				none := func(context.Context, NullWindow) (bool, error) { return false, errors.New("searched again") }
				if r, err := third.Value(t.Context(), limit, none); err != nil || r.Lower != want || !r.Exact() {
					t.Errorf("%s, %d plies: from the recorded bounds %v, %v", b, plies, r, err)
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
		var first []string // lines drawn in the first search
		x := Split{Board: b, Plies: 1}
		_, err := x.Value(t.Context(), 1, func(ctx context.Context, n NullWindow) (bool, error) {
			if first == nil {
				g, err := s.graph(b, b.All())
				testenv.OK(t, err)
				for e, line := range g.line[:b.Segments()] {
					if n.Mask>>e&1 == 0 {
						r, c, horizontal := b.Line(int(line))
						first = append(first, fmt.Sprintf("%c%d,%d", map[bool]byte{true: 'h', false: 'v'}[horizontal], r, c))
					}
				}
			}
			reached, _, err := s.Search(ctx, b, n)
			return reached, err
		})
		testenv.OK(t, err)
		if len(first) != 1 || first[0] != middle {
			t.Errorf("%s: begins with %v, want %s", size, first, middle)
		}
	}
}

// A split search that is stopped after every fifth bound and resumed finds the value.
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
		r, err := x.Value(ctx, 1, searching(s, b))
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

// searching returns a function that runs null-window searches with a solver.
func searching(s *Solver, b *grid.Board) func(context.Context, NullWindow) (bool, error) {
	return func(ctx context.Context, n NullWindow) (bool, error) {
		reached, _, err := s.Search(ctx, b, n)
		return reached, err
	}
}
