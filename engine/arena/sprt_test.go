package arena

import (
	"math"
	"math/rand/v2"
	"testing"

	"endwise/engine/testenv"
)

// fitSlowly computes fit by another method: it starts with the binomial distribution of the
// given mean and climbs the likelihood along the directions (1,-2,1) on three neighbouring
// outcomes, which preserve sum and mean, until it converges.
func fitSlowly(counts [5]float64, mean float64) [5]float64 {
	var p [5]float64
	for k, binomial := range [5]float64{1, 4, 6, 4, 1} {
		p[k] = binomial * math.Pow(mean, float64(k)) * math.Pow(1-mean, float64(4-k))
	}
	for range 20000 {
		moved := 0.0
		for k := range 3 {
			// p[k]+x, p[k+1]-2x, p[k+2]+x stay positive for x in (lo, hi).
			lo, hi := -min(p[k], p[k+2]), p[k+1]/2
			at := func(x float64) float64 {
				return counts[k]/(p[k]+x) - 2*counts[k+1]/(p[k+1]-2*x) + counts[k+2]/(p[k+2]+x)
			}
			for range 100 {
				if mid := (lo + hi) / 2; at(mid) > 0 {
					lo = mid
				} else {
					hi = mid
				}
			}
			x := (lo + hi) / 2
			p[k], p[k+1], p[k+2] = p[k]+x, p[k+1]-2*x, p[k+2]+x
			moved = max(moved, math.Abs(x))
		}
		if moved < 1e-13 {
			break
		}
	}
	return p
}

func TestLLRAgainstDirectMaximisation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 60 {
		var pairs Pairs
		var counts [5]float64
		for k := range pairs {
			pairs[k] = 1 + rng.IntN(60)
			counts[k] = float64(pairs[k])
		}
		elo0 := float64(rng.IntN(100) - 50)
		test := SPRT{Elo0: elo0, Elo1: elo0 + float64(1+rng.IntN(40))}
		p0, p1 := fitSlowly(counts, ScoreOf(test.Elo0)), fitSlowly(counts, ScoreOf(test.Elo1))
		want := 0.0
		for k, c := range counts {
			want += c * math.Log(p1[k]/p0[k])
		}
		if got := test.LLR(pairs); !near(got, want, 1e-6*(1+math.Abs(want))) {
			t.Errorf("case %d: %v, %+v: LLR %v, want %v", i, pairs, test, got, want)
		}
	}
}

func TestFitHasSumAndMean(t *testing.T) {
	for _, counts := range [][5]float64{{1, 2, 3, 4, 5}, {unseen, unseen, unseen, unseen, 90}, {40, unseen, unseen, unseen, 1}} {
		for _, mean := range []float64{0.05, 0.5, 0.507, 0.95} {
			p := fit(counts, mean)
			sum, m := 0.0, 0.0
			for k, v := range p {
				if v <= 0 {
					t.Errorf("%v at %v: outcome %d has probability %v", counts, mean, k, v)
				}
				sum += v
				m += v * float64(k) / 4
			}
			if !near(sum, 1, 1e-6) || !near(m, mean, 1e-6) {
				t.Errorf("%v at %v: sum %v, mean %v", counts, mean, sum, m)
			}
		}
	}
}

func TestSPRTBoundsAndSymmetry(t *testing.T) {
	test, err := NewSPRT(-10, 10)
	testenv.OK(t, err)
	if !near(sprtBound, math.Log(19), 1e-12) {
		t.Errorf("bound %v, want ln 19", sprtBound)
	}
	// Swapping the players changes the sign of a symmetric test.
	a, b := test.LLR(Pairs{5, 20, 40, 30, 8}), test.LLR(Pairs{8, 30, 40, 20, 5})
	if !near(a, -b, 1e-9) || a <= 0 {
		t.Errorf("LLR %v and swapped %v", a, b)
	}
	if test.Judge(Pairs{}) != Undecided || test.LLR(Pairs{}) != 0 {
		t.Error("decided without pairs")
	}
	for _, c := range [][2]float64{{10, 10}, {10, 0}, {0, math.NaN()}, {0, 5000}} {
		if _, err := NewSPRT(c[0], c[1]); err == nil {
			t.Errorf("NewSPRT(%v): no error", c)
		}
	}
}

// In simulated matches at both hypotheses, a test at 5 % errs in about 5 % of them; three
// standard errors are allowed.
func TestSPRTErrorRates(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	test := SPRT{Elo0: 0, Elo1: 50}
	const matches = 500
	accepts := func(elo float64) (h1 float64, meanPairs int) {
		// A plausible distribution of pair results, moved to the given mean.
		dist := fit([5]float64{1, 3, 5, 3, 1}, ScoreOf(elo))
		total := 0
		for range matches {
			var p Pairs
			v := Undecided
			for v == Undecided {
				p[draw(rng, dist)]++
				total++
				v = test.Judge(p)
			}
			if v == AcceptH1 {
				h1++
			}
		}
		return h1 / matches, total / matches
	}
	const allowed = 0.05 + 0.03
	if wrong, pairs := accepts(0); wrong > allowed || wrong == 0 {
		t.Errorf("at H0 %.3f of the tests accept H1 (%d pairs on average)", wrong, pairs)
	}
	if right, pairs := accepts(50); right < 1-allowed || right == 1 {
		t.Errorf("at H1 %.3f of the tests accept H1 (%d pairs on average)", right, pairs)
	}
}
