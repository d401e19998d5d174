package exact

import (
	"context"
	"errors"
	"testing"
	"time"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
)

// early is a context whose deadline has passed without its knowing: timers are
// late on a busy machine, and the search looks at the clock itself.
type early struct{ context.Context }

func (early) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// What was cut short by the clock is never handed out as done.
func TestDeadlineBeforeTheContext(t *testing.T) {
	b := enginetest.Board(t, "3x3")
	ctx := early{t.Context()}
	s := New(Options{Threads: 1, TableBytes: 1 << 20})
	x := Split{Board: b, Plies: 1}
	if r, err := x.Value(ctx, s, 1, answering(s, b)); !errors.Is(err, context.DeadlineExceeded) || r.Exact() {
		t.Errorf("split: %v, %v", r, err)
	}
	if a, r, err := s.Prove(ctx, b, ProofOptions{Size: 1}); !errors.Is(err, context.DeadlineExceeded) || a != nil || r.Exact() {
		t.Errorf("proof: %d answers, %v, %v", len(a), r, err)
	}
	if yes, _, err := s.Answer(ctx, b, Question{Mask: 1<<24 - 1, Boxes: 9, T: -3}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("question: %v, %v", yes, err)
	}
}

// A split search that is stopped at every answer and taken up again gets to the
// value as well.
func TestSplitStops(t *testing.T) {
	b := enginetest.Board(t, "3x3")
	known := map[[2]uint64]Proved{}
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
		r, err := x.Value(ctx, s, 1, answering(s, b))
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

// A solve that is stopped half way goes on from what it recorded.
func TestRecorded(t *testing.T) {
	b := enginetest.Board(t, "3x4")
	o := Options{Threads: 1, TableBytes: 16 << 20, RecordNodes: 256}
	whole, err := New(o).Value(t.Context(), b, b.All())
	if err != nil || whole.Lower != 0 || !whole.Exact() {
		t.Fatalf("%v, %v", whole, err)
	}
	var facts []Proved
	o.NodeBudget, o.Record = whole.Nodes/2, func(a Proved) { facts = append(facts, a) }
	half, err := New(o).Value(t.Context(), b, b.All())
	if half.Exact() || len(facts) == 0 {
		t.Fatalf("half way: %v, %v, %d facts", half, err, len(facts))
	}
	s := New(Options{Threads: 2, TableBytes: 16 << 20})
	s.Learn(facts)
	rest, err := s.Value(t.Context(), b, b.All())
	if err != nil || rest.Lower != 0 || !rest.Exact() || rest.Nodes >= whole.Nodes*9/10 {
		t.Errorf("with %d facts: %v, %d positions expanded of %d, %v", len(facts), rest, rest.Nodes, whole.Nodes, err)
	}
}

// answering has a solver answer all questions.
func answering(s *Solver, b *grid.Board) func(context.Context, Question) (bool, error) {
	return func(ctx context.Context, q Question) (bool, error) {
		yes, _, err := s.Answer(ctx, b, q)
		return yes, err
	}
}
