package arena

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func near(a, b, eps float64) bool {
	return a == b || math.Abs(a-b) <= eps
}

func TestEloOfKnownScores(t *testing.T) {
	// The values come from the logistic definition, with two decimals.
	for score, want := range map[float64]float64{0.5: 0, 0.75: 190.85, 0.25: -190.85, 0.64: 99.95, 0.9: 381.70, 0.99: 798.25, 10.0 / 11: 400} {
		if got := EloOf(score); !near(got, want, 0.005) {
			t.Errorf("EloOf(%v) = %v, want %v", score, got, want)
		}
		if got := ScoreOf(EloOf(score)); !near(got, score, 1e-12) {
			t.Errorf("ScoreOf(EloOf(%v)) = %v", score, got)
		}
	}
	if !math.IsInf(EloOf(1), 1) || !math.IsInf(EloOf(0), -1) {
		t.Errorf("EloOf(1), EloOf(0) = %v, %v", EloOf(1), EloOf(0))
	}
}

// Mean and variance (E[a²] - mean²) of each case are calculated by hand.
func TestEloErrorOfPairs(t *testing.T) {
	for _, c := range []struct {
		pairs      Pairs
		mean, vari float64
	}{
		// mean (2·¼+10·½+4·¾+3)/20 = 11.5/20; E[a²] = (2/16+10/4+4·9/16+3)/20 = 7.875/20
		{Pairs{1, 2, 10, 4, 3}, 0.575, 0.39375 - 0.330625},
		// two outcomes only: a fair coin of 0 and 1
		{Pairs{50, 0, 0, 0, 50}, 0.5, 0.25},
		// ½ half of the time, else ¾: mean 0.625, variance (1/8)²
		{Pairs{0, 0, 30, 30, 0}, 0.625, 1.0 / 64},
	} {
		n := float64(c.pairs.N())
		e := 1.959964 * math.Sqrt(c.vari/n)
		elo := func(s float64) float64 { return 400 * math.Log10(s/(1-s)) }
		got := c.pairs.Elo()
		if !near(got.Value, elo(c.mean), 1e-6) || !near(got.Low, elo(c.mean-e), 1e-3) || !near(got.High, elo(c.mean+e), 1e-3) {
			t.Errorf("%v: %+v, want %v in %v..%v", c.pairs, got, elo(c.mean), elo(c.mean-e), elo(c.mean+e))
		}
	}
	// 100 fair pairs of 0 and 1: score 0.5 ± 0.098, which is ±68.96 Elo.
	if got := (Pairs{50, 0, 0, 0, 50}).Elo(); !near(got.Error(), 68.99, 0.05) || !near(got.Value, 0, 1e-9) {
		t.Errorf("100 fair pairs: %+v", got)
	}
}

// If all pairs have the same result, the interval still contains the likely scores.
func TestEloOfEqualPairs(t *testing.T) {
	for n := 1; n <= 400; n *= 2 {
		won := Pairs{4: n}.scoreInterval()
		// A player that wins a share Low of all pairs and loses the others wins n in a row
		// with probability 2.5 %.
		if p := math.Pow(won.Low, float64(n)); won.High != 1 || !near(p, 0.025, 1e-9) {
			t.Errorf("%d pairs won: %+v, probability %v", n, won, p)
		}
		level := Pairs{2: n}.scoreInterval()
		if level.Value != 0.5 || level.Low >= 0.5 || level.High <= 0.5 || !near(level.High-0.5, 0.5-level.Low, 1e-12) {
			t.Errorf("%d pairs level: %+v", n, level)
		}
	}
	if got := (Pairs{}).scoreInterval(); got != (Interval{0.5, 0, 1}) {
		t.Errorf("no pairs: %+v", got)
	}
}

// draw returns a random pair result.
func draw(rng *rand.Rand, dist [5]float64) int {
	x := rng.Float64()
	for k, p := range dist {
		if x -= p; x < 0 {
			return k
		}
	}
	return 4
}

// In about 95 % of many simulated matches the true value is inside the error bars.
func TestErrorBarsContainTheTrueValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	dist := [5]float64{0.05, 0.15, 0.35, 0.25, 0.2}
	truth := 0.0
	for k, p := range dist {
		truth += p * float64(k) / 4
	}
	const matches = 3000
	inside := 0
	for range matches {
		var p Pairs
		for range 150 {
			p[draw(rng, dist)]++
		}
		if e := p.Elo(); e.Low <= EloOf(truth) && EloOf(truth) <= e.High {
			inside++
		}
	}
	// Three standard errors of a share of 0.95 in 3000 are 0.012.
	if share := float64(inside) / matches; share < 0.935 || share > 0.965 {
		t.Errorf("%.3f of the intervals contain the true value, want 0.95", share)
	}
}

// An Elo difference comes with its error, and only if there are games enough for it.
func TestEloText(t *testing.T) {
	const tooFew = "an Elo difference needs 20 games, or 12 all won or all lost"
	for _, c := range []struct {
		pairs Pairs
		want  string
	}{
		{Pairs{}, tooFew},
		{Pairs{0, 0, 1, 0, 0}, tooFew},
		{Pairs{1, 0, 2, 0, 1}, tooFew},
		{Pairs{0, 0, 9, 0, 0}, tooFew},
		{Pairs{0, 0, 0, 0, 5}, tooFew},
		{Pairs{0, 0, 0, 0, 6}, "Elo above +28.4 (95 %), every pair won"},
		{Pairs{6, 0, 0, 0, 0}, "Elo below -28.4 (95 %), every pair lost"},
		{Pairs{4, 0, 0, 0, 16}, "Elo +240.8, at least +88.5 (95 %)"},
		{Pairs{16, 0, 0, 0, 4}, "Elo -240.8, at most -88.5 (95 %)"},
		{Pairs{0, 0, 10, 0, 0}, "Elo +0.0 ± "},
		{Pairs{5, 20, 50, 20, 5}, "Elo +0.0 ± 3"},
		{Pairs{0, 0, 0, 0, 60}, "Elo above +"},
		{Pairs{60, 0, 0, 0, 0}, "Elo below -"},
	} {
		if got := c.pairs.Text(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %q, want %q", c.pairs, got, c.want)
		}
	}
}
