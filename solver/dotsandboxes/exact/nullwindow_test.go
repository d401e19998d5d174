package exact

import (
	"context"
	"errors"
	"testing"
	"time"

	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// early is a context whose deadline has passed before its Err reports it: timers fire late
// on a busy machine, and the search checks the clock itself.
type early struct{ context.Context }

func (early) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// Searches stopped by the clock are not reported as finished.
func TestDeadlineBeforeTheContextIsAnError(t *testing.T) {
	b := enginetest.Board(t, "3x3")
	ctx := early{t.Context()}
	s := New(Options{Threads: 1, TableBytes: 1 << 20})
	if a, r, err := s.Prove(ctx, b, ProofOptions{Size: 1}); !errors.Is(err, context.DeadlineExceeded) || a != nil || r.Exact() {
		t.Errorf("proof: %d bounds, %v, %v", len(a), r, err)
	}
	if reached, _, err := s.Search(ctx, b, NullWindow{Mask: 1<<24 - 1, Boxes: 9, T: -3}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("null window: %v, %v", reached, err)
	}
	x := Split{Board: b, Plies: 1}
	if r, err := x.Value(ctx, 1, searching(s, b)); !errors.Is(err, context.DeadlineExceeded) || r.Exact() {
		t.Errorf("split: %v, %v", r, err)
	}
}

// Impossible null-window searches are errors.
func TestImpossibleNullWindows(t *testing.T) {
	b := enginetest.Board(t, "2x4")
	s := New(Options{TableBytes: 1 << 20})
	all := uint64(1)<<b.Segments() - 1
	for _, n := range []NullWindow{{}, {Mask: 1 << 63, T: 1}, {Mask: 1, Boxes: 99}, {Mask: 1, T: -99}, {Mask: all, Boxes: b.Squares() - 1, T: b.Squares() - 1}, {Mask: all, Boxes: b.Squares(), T: b.Squares() - 1}} {
		if _, _, err := s.Search(t.Context(), b, n); err == nil {
			t.Errorf("%v is searched", n)
		}
	}
}

// A stopped solve continues from the bounds that it recorded.
func TestStoppedSolveResumesFromRecordedBounds(t *testing.T) {
	b := enginetest.Board(t, "3x4")
	recorded := 0
	o := Options{Threads: 1, TableBytes: 16 << 20, RecordNodes: 256, Record: func(Proved) { recorded++ }}
	whole, err := New(o).Value(t.Context(), b, b.All())
	if err != nil || whole.Lower != 0 || !whole.Exact() {
		t.Fatalf("%v, %v", whole, err)
	}
	var facts []Proved
	var w *work
	o.Record = func(a Proved) {
		if facts = append(facts, a); len(facts) == recorded/2 {
			w.stop.Store(true)
		}
	}
	w, mask, err := New(o).open(t.Context(), b, b.All())
	testenv.OK(t, err)
	half := w.value(mask, 0, nil)
	w.end()
	if half.Exact() || len(facts) == 0 {
		t.Fatalf("half way: %v, %d facts", half, len(facts))
	}
	s := New(Options{Threads: 2, TableBytes: 16 << 20})
	s.Learn(facts)
	rest, err := s.Value(t.Context(), b, b.All())
	if err != nil || rest.Lower != 0 || !rest.Exact() || rest.Nodes >= whole.Nodes*9/10 {
		t.Errorf("with %d facts: %v, %d positions expanded of %d, %v", len(facts), rest, rest.Nodes, whole.Nodes, err)
	}
}
