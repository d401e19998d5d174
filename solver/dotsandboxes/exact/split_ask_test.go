package exact

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"endwise/engine/enginetest"
)

// A split search whose frontier is asked for has the value of the whole
// one, however many questions are out at once and in whatever order answers
// come; nothing is asked twice, also after a stop.
func TestSplitAsks(t *testing.T) {
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
				if _, err := x.Value(t.Context(), s, limit, ask); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				clear(seen) // answers in flight at a stop are lost
				stop.Store(1 << 40)
				again := Split{Board: b, Plies: plies, Known: x.Known}
				r, err := again.Value(t.Context(), s, limit, ask)
				if err != nil || r.Lower != want || r.Upper != want {
					t.Errorf("%s, %d plies, %d at once: %+d..%+d, %v; want %+d", b, plies, limit, r.Lower, r.Upper, err, want)
				}
				// What was recorded is all that is needed.
				third := Split{Board: b, Plies: plies, Known: again.Known}
				none := func(context.Context, Question) (bool, error) { return false, errors.New("asked again") }
				if r, err := third.Value(t.Context(), s, limit, none); err != nil || r.Lower != want || !r.Exact() {
					t.Errorf("%s, %d plies: from the answers %v, %v", b, plies, r, err)
				}
			}
		}
		all := uint64(1)<<b.Segments() - 1
		for _, q := range []Question{{}, {Mask: 1 << 63, T: 1}, {Mask: 1, Boxes: 99}, {Mask: 1, T: -99}, {Mask: all, Boxes: b.Squares() - 1, T: b.Squares() - 1}, {Mask: all, Boxes: b.Squares(), T: b.Squares() - 1}} {
			if _, _, err := s.Answer(t.Context(), b, q); err == nil {
				t.Errorf("%v is answered", q)
			}
		}
	}
}
