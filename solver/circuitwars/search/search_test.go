package search

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
	"endwise/solver/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// randomPosition plays random moves until at most left segments are free.
func randomPosition(t *testing.T, rng *rand.Rand, rows, cols, left int) circuitwars.Position {
	t.Helper()
	p, err := circuitwars.New(rows, cols)
	testenv.OK(t, err)
	for free := p.Free().Segments(); len(free) > left; free = p.Free().Segments() {
		p, err = p.Occupy(free[rng.IntN(len(free))])
		testenv.OK(t, err)
	}
	return p
}

// minimax returns the value of a position by plain minimax.
func minimax(t *testing.T, p circuitwars.Position) int {
	t.Helper()
	v, err := plain.CircuitWarsValue(p.Board().String(), p.Free().Segments())
	testenv.OK(t, err)
	return v
}

func TestBitboardsAgreeWithRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		rows, cols := 1+rng.IntN(7), 1+rng.IntN(8)
		p, err := circuitwars.New(rows, cols)
		testenv.OK(t, err)
		g := newGeometry(p.Board())
		st := g.start(p)
		for !p.Over() {
			free := p.Free().Segments()
			s := free[rng.IntN(len(free))]
			q, err := p.Occupy(s)
			testenv.OK(t, err)
			gain := g.play(&st, s)
			if left := bits.OnesCount64(g.flood(&st, st.ground)); gain != p.Left()-q.Left() || left != q.Left() {
				t.Fatalf("%s, segment %d: captured %d and left %d, want %d and %d", p, s, gain, left, p.Left()-q.Left(), q.Left())
			}
			if want := g.start(q); want != st {
				t.Fatalf("%s, segment %d: state %+v, want %+v", p, s, st, want)
			}
			p = q
		}
	}
}

// peel removes the same squares as repeatedly removing a square with one free segment.
func TestPeelRemovesSquaresWithOneSegment(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	some := 0
	for range 300 {
		p := randomPosition(t, rng, 1+rng.IntN(7), 1+rng.IntN(8), 15+rng.IntN(40))
		g := newGeometry(p.Board())
		st := g.start(p)
		free := map[int]bool{}
		for _, s := range p.Free().Segments() {
			free[s] = true
		}
		var want uint64
		for again := true; again; {
			again = false
			for sq := range p.Board().Squares() {
				last, n := 0, 0
				for s := range free {
					if sides := p.Board().Sides(s); sides[0] == sq || sides[1] == sq {
						last, n = s, n+1
					}
				}
				if n == 1 {
					delete(free, last)
					want |= 1 << sq
					again = true
				}
			}
		}
		if got := g.peel(&st); got != want {
			t.Fatalf("%s: peeled %x, want %x", p, got, want)
		}
		some += bits.OnesCount64(want)
	}
	if some < 300 {
		t.Errorf("only %d squares peeled", some)
	}
}

// In a forest, the evaluation is the value.
func TestEvaluationOfTreesIsTheValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	forests := 0
	for range 400 {
		p := randomPosition(t, rng, 2+rng.IntN(4), 2+rng.IntN(4), 5+rng.IntN(7))
		if p.Over() || p.Free().Len() != p.Left() {
			continue // a forest has one segment per grounded square
		}
		forests++
		g := newGeometry(p.Board())
		st := g.start(p)
		if v, want := g.evaluate(&st), unit*minimax(t, p); v != want {
			t.Errorf("%s: evaluated at %d, want %d", p, v, want)
		}
	}
	if forests < 20 {
		t.Errorf("only %d forests", forests)
	}
}

// A search to the end of the game finds the values of all root moves by plain minimax.
func TestSearchedToTheEndIsMinimax(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 150 {
		p := randomPosition(t, rng, 2+rng.IntN(6), 2+rng.IntN(6), 9)
		if p.Over() {
			continue
		}
		c, err := New(p.Board(), 1<<20)
		testenv.OK(t, err)
		res := c.Search(context.Background(), p, time.Time{}, 0, true)
		for _, m := range res.Moves {
			q, err := p.Occupy(m.Segment)
			testenv.OK(t, err)
			if want := p.Left() - q.Left() - minimax(t, q); m.Score != want {
				t.Fatalf("%s, segment %d: score %d, minimax %d", p, m.Segment, m.Score, want)
			}
		}
		quick, err := New(p.Board(), 1<<20)
		testenv.OK(t, err)
		if best := quick.Search(context.Background(), p, time.Time{}, 0, false).Moves[0].Score; best != res.Moves[0].Score {
			t.Fatalf("%s: best %d with null windows, %d without", p, best, res.Moves[0].Score)
		}
	}
}

// Replies weigh moves by captures minus the most that can be captured next, and list
// equivalent moves once.
func TestRepliesWeighCaptures(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		p := randomPosition(t, rng, 2+rng.IntN(4), 2+rng.IntN(4), 12)
		if p.Over() {
			continue
		}
		// most returns the maximum number of squares captured by one move.
		most := func(p circuitwars.Position) int {
			n := 0
			for _, s := range p.Free().Segments() {
				q, err := p.Occupy(s)
				testenv.OK(t, err)
				n = max(n, p.Left()-q.Left())
			}
			return n
		}
		score := func(s int) int {
			q, err := p.Occupy(s)
			testenv.OK(t, err)
			return p.Left() - q.Left() - most(q)
		}
		best := -infinity
		for _, s := range p.Free().Segments() {
			best = max(best, score(s))
		}
		sum, last := 0.0, 1.0
		replies := NewGuide(p.Board()).Replies(p)
		seen := map[int]bool{}
		for _, r := range replies {
			if r.Weight <= 0 || r.Weight > last || seen[r.Segment] {
				t.Fatalf("%s: segment %d has weight %v after %v", p, r.Segment, r.Weight, last)
			}
			if likely := score(r.Segment) == best; likely != (r.Weight == replies[0].Weight) {
				t.Errorf("%s: segment %d with score %d, best %d, has weight %v", p, r.Segment, score(r.Segment), best, r.Weight)
			}
			seen[r.Segment], last, sum = true, r.Weight, sum+r.Weight
		}
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("%s: the weights add up to %v", p, sum)
		}
	}
}

func TestCancelledSearchCompletesOnePly(t *testing.T) {
	p, err := circuitwars.New(7, 7)
	testenv.OK(t, err)
	c, err := New(p.Board(), 1<<20)
	testenv.OK(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if res := c.Search(ctx, p, time.Time{}, 0, false); len(res.Moves) != 112 || res.Depth != 1 {
		t.Errorf("cancelled search: %d moves at depth %d", len(res.Moves), res.Depth)
	}
}
