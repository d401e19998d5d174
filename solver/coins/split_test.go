package coins

import (
	"context"
	"errors"
	"testing"

	"endwise/engine/grid"
)

// A split search has the value of the whole one; stopped at every answer and
// taken up again it gets there as well, and what is known is not worked out
// twice.
func TestSplit(t *testing.T) {
	b, err := grid.New(3, 3)
	if err != nil {
		t.Fatal(err)
	}
	for plies := range 4 {
		s := New(Options{Threads: 1, TableBytes: 1 << 20})
		known := map[[2]uint64]Answer{}
		x := Split{Board: b, Plies: plies, Record: func(a Answer) error { known[a.Key] = a; return nil }}
		r, err := x.Value(t.Context(), s)
		if err != nil || !r.Exact() || r.Lower != -3 {
			t.Fatalf("%d plies: %v, %v", plies, r, err)
		}
		again := Split{Board: b, Plies: plies, Known: known}
		if r, err = again.Value(t.Context(), New(Options{Threads: 1, TableBytes: 1 << 20})); err != nil || r.Lower != -3 || r.Expansions != 0 {
			t.Errorf("%d plies, all known: %v with %d expansions, %v", plies, r, r.Expansions, err)
		}
	}
	known := map[[2]uint64]Answer{}
	stops := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		s := New(Options{Threads: 2, TableBytes: 1 << 20})
		n := 0
		x := Split{Board: b, Plies: 2, Known: known, Record: func(Answer) error {
			if n++; n == 5 {
				cancel()
			}
			return nil
		}}
		r, err := x.Value(ctx, s)
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
