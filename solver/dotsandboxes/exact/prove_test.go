package exact

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/tt"
)

// Every bound that Prove returns holds by plain minimax for every position with its key,
// whether the two proofs are traversed concurrently or not. Stopped proofs return nothing.
func TestProvedBoundsAreTrue(t *testing.T) {
	for _, c := range []struct {
		board string
		value int
	}{{"2x2", 2}, {"1x5", -1}, {"2x3", -2}} {
		b := enginetest.Board(t, c.board)
		g, err := newGraph(b, b.All())
		testenv.OK(t, err)
		values := plainValues(t, b)
		prove := func(s *Solver, o ProofOptions) []Proved {
			t.Helper()
			answers, r, err := s.Prove(t.Context(), b, o)
			if err != nil || !r.Exact() || r.Lower != c.value {
				t.Fatalf("%s: %d answers, %s, %v", c.board, len(answers), r, err)
			}
			by := map[Key]Proved{}
			for _, a := range answers {
				by[a.Key] = a
			}
			var sh shape
			var k keys
			found := 0
			for m, v := range values {
				if free := (grid.Set{uint64(m)}); m != 0 && Close(b, free).Taken == 0 {
					g.decompose(g.Mask(free), &sh, 0)
					if a, ok := by[k.keyOf(&sh)]; ok {
						if found++; v < a.Lower || v > a.Upper {
							t.Fatalf("%s: free %b is worth %d, the proof says %d to %d", c.board, m, v, a.Lower, a.Upper)
						}
					}
				}
			}
			if found < len(answers) {
				t.Errorf("%s: %d positions for %d answers", c.board, found, len(answers))
			}
			return answers
		}
		answers := prove(New(Options{Threads: 2, TableBytes: 1 << 20}), ProofOptions{Size: 1})
		if len(answers) < 10 && c.board != "1x5" {
			t.Errorf("%s: %d answers", c.board, len(answers))
		}
		// The bounds are also true if a small table loses entries.
		prove(New(Options{Threads: 1, TableBytes: 1 << 10}), ProofOptions{Size: 1})
		// With the bounds learned, a search has nothing left to expand.
		one := Options{Threads: 1, TableBytes: 1 << 20}
		for _, answers := range [][]Proved{answers, prove(New(one), ProofOptions{Size: 1, Together: true})} {
			s := New(one)
			s.Learn(answers)
			if r, err := s.Value(t.Context(), b, b.All()); err != nil || r.Lower != c.value || !r.Exact() || r.Nodes != 0 {
				t.Errorf("%s with its proof: %s in %d expansions, %v", c.board, r, r.Nodes, err)
			}
		}
		// Lines omits small positions.
		all, large := prove(New(one), ProofOptions{Size: 1}), prove(New(one), ProofOptions{Size: 1, Lines: 10})
		if len(large) == 0 || len(large) > len(all) || len(large) == len(all) && c.board == "2x3" {
			t.Errorf("%s: %d answers, of which %d are of positions with more than ten lines", c.board, len(all), len(large))
		}
		if c.board == "2x3" {
			ctx, cancel := context.WithCancel(t.Context())
			stop := func(n int) {
				if n >= 10 {
					cancel()
					time.Sleep(5 * time.Millisecond) // until the search notices
				}
			}
			if some, r, err := New(one).Prove(ctx, b, ProofOptions{Size: 1, Found: stop}); !errors.Is(err, context.Canceled) || some != nil || !r.Exact() {
				t.Errorf("stopped at ten answers: %d, %s, %v", len(some), r, err)
			}
			cancel()
		}
	}
}

// A player of either side who follows a proof gets at least the value against every reply.
func TestFollowingAProofGetsTheValue(t *testing.T) {
	const value = -2
	b := enginetest.Board(t, "2x3")
	s := New(Options{Threads: 1, TableBytes: 1 << 20})
	answers, _, err := s.Prove(t.Context(), b, ProofOptions{Size: 20})
	testenv.OK(t, err)
	s = New(Options{Threads: 1, TableBytes: 1 << 20})
	s.Learn(answers)
	type state struct {
		free grid.Set
		need int
		mine bool
	}
	seen := map[state]bool{}
	var play func(free grid.Set, need int, mine bool)
	play = func(free grid.Set, need int, mine bool) { // need is the number of points still needed
		if seen[state{free, need, mine}] || t.Failed() {
			return
		}
		seen[state{free, need, mine}] = true
		if free == (grid.Set{}) {
			if need > 0 {
				t.Errorf("ends %d below the value", need)
			}
			return
		}
		draw := func(e int) {
			rest := free
			rest.Remove(e)
			taken := completed(b, rest, e)
			if mine {
				play(rest, need-taken, taken > 0)
			} else {
				play(rest, need+taken, taken == 0)
			}
		}
		if !mine {
			for _, e := range free.Segments() {
				draw(e)
			}
			return
		}
		m, r, err := s.Secure(t.Context(), b, free, need)
		if err != nil || m.Segment < 0 || m.Lower < need || r.Lower < need {
			t.Fatalf("free %v: no line worth %d: %+v, %s, %v", free, need, m, r, err)
		}
		draw(m.Segment)
	}
	play(b.All(), value, true)
	play(b.All(), -value, false)
}

// After null-window searches, the bounds of Known are true.
func TestKnownBoundsAreTrue(t *testing.T) {
	b := enginetest.Board(t, "2x3")
	values := plainValues(t, b)
	s := New(Options{Threads: 2, TableBytes: 1 << 20})
	for m := 1; m < len(values); m += 611 {
		free, v := grid.Set{uint64(m)}, int(values[m])
		for need := v - 2; need <= v+2; need += 2 {
			_, _, err := s.Secure(t.Context(), b, free, need)
			testenv.OK(t, err)
		}
		known, r, err := s.Known(b, free)
		if err != nil || r.Lower > v || r.Upper < v || len(known) != free.Len() {
			t.Fatalf("free %b worth %d: known %s of %d lines, %v", m, v, r, len(known), err)
		}
		for _, k := range known {
			after := free
			after.Remove(k.Segment)
			w := k.Gain + int(values[after[0]])
			if k.Gain == 0 {
				w = -w
			}
			if k.Lower > w || k.Upper < min(w, v) {
				t.Fatalf("free %b line %d worth %d: known %d to %d", m, k.Segment, w, k.Lower, k.Upper)
			}
		}
	}
}

func TestStoppedProofReturnsNothing(t *testing.T) {
	b := enginetest.Board(t, "4x4")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a, r, err := New(Options{TableBytes: 1 << 20}).Prove(ctx, b, ProofOptions{Size: 1}); !errors.Is(err, context.Canceled) || a != nil || r.Exact() {
		t.Errorf("%d answers, %s, %v", len(a), r, err)
	}
}

// Bounds that would fill too much of the table are not learned.
func TestLearnLeavesRoom(t *testing.T) {
	b := enginetest.Board(t, "2x3")
	answers, _, err := New(Options{Threads: 1, TableBytes: 1 << 20}).Prove(t.Context(), b, ProofOptions{Size: 1})
	testenv.OK(t, err)
	for size, learns := range map[int64]bool{1 << 20: true, 1 << 10: false} {
		s := New(Options{Threads: 1, TableBytes: size})
		s.Learn(answers)
		if _, r, err := s.Known(b, b.All()); err != nil || r.Exact() != learns {
			t.Errorf("%d facts, %d entries: %s, %v", len(answers), s.table.Len(), r, err)
		}
	}
}

// If there are more sizes than entries, the largest are kept.
func TestSizesKeepTheLargest(t *testing.T) {
	s := newSizes(64)
	for n := 1; n <= 1000; n++ {
		s.set(tt.Mix(uint64(n)), n)
	}
	found := 0
	for n := 1; n <= 1000; n++ {
		if got, ok := s.find(tt.Mix(uint64(n))); ok {
			if found++; got != n || n < 500 {
				t.Errorf("size %d is remembered as %d", n, got)
			}
		}
	}
	if found != 64 {
		t.Errorf("%d sizes in room for 64", found)
	}
}

// Positions without joints do not count in the size of a proof.
func TestProofSizeCountsJoints(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	b := enginetest.Board(t, "3x3")
	s := New(Options{Threads: 1, TableBytes: 1 << 20})
	last := 0 // positions after which no joint is left
	for range 1000 {
		w, mask, err := s.open(t.Context(), b, Close(b, randomFree(r, b, 12)).Rest)
		testenv.OK(t, err)
		p := prover{ProofOptions: ProofOptions{Size: 1}, w: w.workers[0], sizes: newSizes(64), proofBounds: &proofBounds{proved: map[Key]Proved{}}}
		var y ply
		var child shape
		w.g.decompose(mask, &y.shape, 0)
		w.g.listMoves(&y, -infinity, 0)
		joints := 0
		for _, m := range y.moves[:y.n] {
			w.g.decompose(m.Child, &child, 0)
			joints += child.joints
		}
		if y.shape.joints > 0 && joints == 0 {
			last++
			boxes := y.shape.boxes
			for v := -boxes + 2; v <= boxes; v += 2 {
				if n := p.walk(0, mask, boxes, v); n != 1 {
					t.Errorf("%v, at least %d: %d positions", w.g.Set(mask), v, n)
				}
			}
		}
		w.end()
	}
	if last < 10 {
		t.Errorf("%d positions", last)
	}
}

// Prove returns exactly the positions with large proofs: a larger minimum size returns
// fewer of the same bounds, in the end only the bound of the empty board.
func TestProofKeepsLargePositions(t *testing.T) {
	b := enginetest.Board(t, "2x3")
	var before map[Key]Proved
	for _, size := range []int{1, 2, 3, 5, 10, 20, 50, 200, maxSize + 1} {
		answers, _, err := New(Options{Threads: 1, TableBytes: 1 << 20}).Prove(t.Context(), b, ProofOptions{Size: size})
		testenv.OK(t, err)
		now := map[Key]Proved{}
		for _, a := range answers {
			now[a.Key] = a
			if old, ok := before[a.Key]; size > 1 && (!ok || a.Lower > old.Lower || a.Upper < old.Upper) {
				t.Errorf("least size %d: %+v; with a smaller one %+v", size, a, old)
			}
		}
		switch {
		case size == 1 && len(now) < 100, size > maxSize && len(now) != 1:
			t.Errorf("least size %d: %d facts", size, len(now))
		case size == 20 && (len(now) == len(before) || len(now) < 2):
			t.Errorf("least size %d: %d facts, %d before", size, len(now), len(before))
		}
		before = now
	}
}

// Learned bounds outlive a search in a small table; if there are too many for the table,
// none are learned.
func TestLearnedFactsStay(t *testing.T) {
	b := enginetest.Board(t, "2x3")
	answers, _, err := New(Options{Threads: 1, TableBytes: 1 << 20}).Prove(t.Context(), b, ProofOptions{Size: 1})
	testenv.OK(t, err)
	there := func(s *Solver) (n int) {
		for _, a := range answers {
			if lo, hi := s.table.Probe(a.Key.Hi, a.Key.Lo, -100, 100); lo >= int(a.Lower) && hi <= int(a.Upper) {
				n++
			}
		}
		return n
	}
	small := Options{Threads: 1, TableBytes: 1 << 10}
	s := New(small)
	half := s.table.Len() / 2
	s.Learn(answers[:half+1])
	if n := there(s); n != 0 {
		t.Errorf("%d of %d facts for %d entries were learned", n, half+1, s.table.Len())
	}
	s.Learn(answers[:half])
	answers = answers[:half]
	first := there(s)
	other := enginetest.Board(t, "1x6") // a board with different positions
	if _, err := s.Value(t.Context(), other, other.All()); err != nil {
		t.Fatal(err)
	}
	if n := there(s); first < half/2 || n < first*7/8 { // a few share a bucket of eight
		t.Errorf("%d of %d facts were learned, %d are left after a search", first, half, n)
	}
}
