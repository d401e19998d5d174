package arena

import (
	"fmt"
	"math"
)

// SPRT is a sequential probability ratio test of two hypotheses about a match: the first player is
// stronger by Elo0, or by Elo1. It is the generalised test over pairs (the pentanomial model). For each
// hypothesis it uses the most likely distribution of pair results with the hypothesis's mean, and
// compares their log-likelihoods (Michel Van den Bergh, "A practical introduction to the GSPRT").
type SPRT struct {
	Elo0, Elo1 float64 // Elo0 < Elo1
}

const errorRate = 0.05

// sprtBound is the log-likelihood ratio at which the test accepts Elo1; -sprtBound accepts Elo0.
var sprtBound = math.Log((1 - errorRate) / errorRate)

// NewSPRT returns the test of elo0 against elo1. It returns an error unless both are within
// ±1000 and elo0 is less than elo1.
func NewSPRT(elo0, elo1 float64) (SPRT, error) {
	if !(elo0 < elo1) || math.Abs(elo0) > 1000 || math.Abs(elo1) > 1000 {
		return SPRT{}, fmt.Errorf("sprt %g,%g: want two Elo differences within ±1000, the smaller first", elo0, elo1)
	}
	return SPRT{elo0, elo1}, nil
}

// Verdict is the result of a test.
type Verdict string

// Verdicts of a test.
const (
	Undecided Verdict = "undecided"
	AcceptH0  Verdict = "H0" // not stronger than Elo0
	AcceptH1  Verdict = "H1" // at least as strong as Elo1
)

// Judge returns the verdict for the pairs so far.
func (t SPRT) Judge(p Pairs) Verdict {
	switch llr := t.LLR(p); {
	case llr <= -sprtBound:
		return AcceptH0
	case llr >= sprtBound:
		return AcceptH1
	}
	return Undecided
}

// unseen is the count used for a pair result that has not occurred, so that both hypotheses are
// possible after the first pairs.
const unseen = 1e-3

// LLR returns the log-likelihood ratio of Elo1 to Elo0, positive if Elo1 is more likely; 0 without pairs.
func (t SPRT) LLR(p Pairs) float64 {
	if p.N() == 0 {
		return 0
	}
	var c [5]float64
	for k, n := range p {
		c[k] = max(float64(n), unseen)
	}
	p0 := fit(c, ScoreOf(t.Elo0))
	p1 := fit(c, ScoreOf(t.Elo1))
	llr := 0.0
	for k := range c {
		llr += c[k] * math.Log(p1[k]/p0[k])
	}
	return llr
}

// fit returns the distribution over 0, ¼, … 1 with the given mean that maximises the likelihood of the
// counts, which must be positive. With Lagrange multipliers it is p_k = f_k / (1 + x (a_k - mean)). f
// contains the observed frequencies, a the outcomes, and x is the root of Σ f_k (a_k - mean) / (1 + x
// (a_k - mean)), which decreases from +Inf to -Inf between the poles.
func fit(counts [5]float64, mean float64) [5]float64 {
	n := 0.0
	for _, c := range counts {
		n += c
	}
	slope := func(x float64) float64 {
		s := 0.0
		for k, c := range counts {
			d := float64(k)/4 - mean
			s += c * d / (1 + x*d)
		}
		return s
	}
	lo, hi := -1/(1-mean), 1/mean
	for range 200 {
		mid := (lo + hi) / 2
		if mid == lo || mid == hi {
			break
		}
		if slope(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	x := (lo + hi) / 2
	var p [5]float64
	for k, c := range counts {
		p[k] = c / n / (1 + x*(float64(k)/4-mean))
	}
	return p
}
