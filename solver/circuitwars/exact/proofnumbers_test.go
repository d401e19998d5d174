package exact

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/graph"
)

// proofSolver returns a solver that uses proof-number search for positions of any size.
func proofSolver(o Options, try uint64) *Solver {
	s := New(small(o))
	s.opt.proofEdges, s.opt.proofTry = 1, try
	return s
}

// Proof-number search agrees with plain minimax, for the value and for every need around
// it, with a cold and with a warm table.
func TestProofNumberSearchEqualsMinimax(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	solvers := map[string]*Solver{
		"no tries":                   proofSolver(Options{}, 0),
		"tries of three nodes":       proofSolver(Options{}, 3),
		"two threads":                proofSolver(Options{Threads: 2}, 2),
		"no mirror":                  proofSolver(Options{NoMirror: true}, 0),
		"no simplification":          proofSolver(Options{NoReduce: true, NoPairs: true}, 0),
		"a table of sixteen entries": tinyTable(proofSolver(Options{}, 0)),
		"disabled":                   New(small(Options{NoProof: true})),
		"default":                    New(small(Options{})),
	}
	for round := range 60 {
		b := enginetest.Board(t, []string{"2x4", "3x3", "3x5", "4x4", "5x5", "7x7"}[rng.IntN(6)])
		free := enginetest.Live(b, rng, 8+rng.IntN(9))
		v := plainValue(t, b, free)
		for name, s := range solvers {
			if round%2 == 0 {
				s.Clear()
			}
			if r := solve(t, s, b, free); !r.Exact() || r.Lower != v {
				t.Errorf("%s %v, %s: value %d, bounds %d..%d", b, free.Segments(), name, v, r.Lower, r.Upper)
			}
			if round%3 == 0 {
				s.Clear()
			}
			for need := v - 5; need <= v+5; need++ {
				r, err := s.AtLeast(context.Background(), b, free, need)
				testenv.OK(t, err)
				if r.Lower > v || r.Upper < v || r.Lower < need && r.Upper >= need {
					t.Errorf("%s %v, %s: value %d, need %d: bounds %d..%d", b, free.Segments(), name, v, need, r.Lower, r.Upper)
				}
			}
		}
	}
}

func tinyTable(s *Solver) *Solver {
	s.opt.TableBytes = 4 * 64
	return s
}

// Proof-number search agrees with the null-window search on positions of the size for
// which it is used by default.
func TestProofNumberSearchEqualsNullWindowSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	with, without := New(small(Options{})), New(small(Options{NoProof: true}))
	pair := New(small(Options{Threads: 2}))
	for range 12 {
		b := enginetest.Board(t, "7x7")
		free := enginetest.Live(b, rng, 36)
		for _, need := range []int{-12, -4, 1, 6, 14} {
			var answers []bool
			for _, s := range []*Solver{with, without, pair} {
				r, err := s.AtLeast(context.Background(), b, free, need)
				if err != nil || r.Lower < need && r.Upper >= need {
					t.Fatalf("%v, need %d: bounds %d..%d, %v", free.Segments(), need, r.Lower, r.Upper, err)
				}
				answers = append(answers, r.Lower >= need)
			}
			if answers[0] != answers[1] || answers[0] != answers[2] {
				t.Errorf("%v, need %d: won %v with proof numbers, %v without, %v with two threads", free.Segments(), need, answers[0], answers[1], answers[2])
			}
		}
	}
}

// If proofs are interrupted repeatedly, the bounds hold at all times, and the table leads
// to the result in the end.
func TestInterruptedProofsResumeFromTheTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for range 20 {
		b := enginetest.Board(t, "5x5")
		free := enginetest.Live(b, rng, 16)
		v := plainValue(t, b, free)
		s := proofSolver(Options{NodeLimit: 40}, 0)
		answered := false
		for range 5000 {
			r, err := s.AtLeast(context.Background(), b, free, v)
			if err != nil || r.Lower > v || r.Upper < v {
				t.Fatalf("%v: value %d, bounds %d..%d, %v", free.Segments(), v, r.Lower, r.Upper, err)
			}
			if answered = r.Lower == v; answered {
				break
			}
		}
		if !answered {
			t.Errorf("%v: not decided by many short runs", free.Segments())
		}
	}
}

// Marks left on positions, as by collisions and other threads, may redirect the search but
// never stop its progress. This requires the limit on what a mark adds to delta.
func TestStaleMarksDoNotBlockProofs(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for range 12 {
		b := enginetest.Board(t, "7x7")
		free := enginetest.Live(b, rng, 26)
		exact, err := New(small(Options{})).Value(context.Background(), b, free)
		testenv.OK(t, err)
		v := exact.Lower
		s := proofSolver(Options{Threads: 2}, 5)
		s.opt.proofEdges = 10
		for i := range uint64(1 << 12) {
			s.shared.marks.At(i).Store(int32(rng.IntN(2)))
		}
		for need := v - 2; need <= v+2; need++ {
			r, err := s.AtLeast(context.Background(), b, free, need)
			if err != nil || r.Lower > v || r.Upper < v || r.Lower < need && r.Upper >= need {
				t.Fatalf("%v: value %d, need %d: bounds %d..%d, %v", free.Segments(), v, need, r.Lower, r.Upper, err)
			}
		}
	}
}

// With one thread, node counts are reproducible.
func TestProofNodeCountsAreReproducible(t *testing.T) {
	b := enginetest.Board(t, "7x7")
	free := enginetest.Live(b, rand.New(rand.NewPCG(37, 38)), 40)
	var counts []string
	for range 2 {
		r, err := New(small(Options{NodeLimit: 20_000})).AtLeast(context.Background(), b, free, 8)
		testenv.OK(t, err)
		counts = append(counts, fmt.Sprint(r.Lower, r.Upper, r.Nodes))
	}
	if counts[0] != counts[1] {
		t.Errorf("bounds and nodes %s, then %s", counts[0], counts[1])
	}
}

func TestProofNumbersRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	for range 1000 {
		n := numbers{phi: rng.Uint32N(unproved + 1), delta: rng.Uint32N(unproved + 1)}
		if got := unpackNumbers(n.pack()); got != n {
			t.Fatalf("%+v packed and unpacked: %+v", n, got)
		}
	}
	k := graph.Key{Hi: 1, Lo: 2}
	if numbersKey(k, 4) == numbersKey(k, 6) || numbersKey(k, 4) == k {
		t.Error("numbers for different betas share a key")
	}
}
