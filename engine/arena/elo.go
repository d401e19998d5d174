package arena

import (
	"fmt"
	"math"
)

// Pairs counts pairs of games with the sides swapped. Pairs[k] is the number of pairs in which the
// first player of the match scored k half points, from 0 (both games lost) to 4 (both won). The two
// games of a pair have the same opening, so they are not independent.
type Pairs [5]int

func (p Pairs) N() int {
	n := 0
	for _, c := range p {
		n += c
	}
	return n
}

// Score returns the mean score of a game, 0 to 1; ½ without pairs.
func (p Pairs) Score() float64 {
	n := p.N()
	if n == 0 {
		return 0.5
	}
	s := 0.0
	for k, c := range p {
		s += float64(c) * float64(k) / 4
	}
	return s / float64(n)
}

// variance returns the variance of the mean score in a pair, 0 without pairs.
func (p Pairs) variance() float64 {
	n := float64(p.N())
	if n == 0 {
		return 0
	}
	mean, v := p.Score(), 0.0
	for k, c := range p {
		d := float64(k)/4 - mean
		v += float64(c) * d * d
	}
	return v / n
}

// z95 is the two-sided 95 % quantile of the normal distribution.
const z95 = 1.959963984540054

// Interval is an estimate with its 95 % confidence interval. Low may be -Inf and High +Inf.
type Interval struct {
	Value, Low, High float64
}

// Error returns half the width of the interval; +Inf if a bound is infinite.
func (i Interval) Error() float64 { return (i.High - i.Low) / 2 }

// scoreInterval returns the mean score of a game with its 95 % confidence interval from the normal
// distribution.
//
// If all n pairs have the same result, the variance is 0. The interval then contains the means that
// are possible if a share q of all pairs has other results. q is the largest share for which n equal
// results have a probability of at least 2.5 %: (1-q)^n = 0.025.
func (p Pairs) scoreInterval() Interval {
	n, mean := float64(p.N()), p.Score()
	if n == 0 {
		return Interval{0.5, 0, 1}
	}
	if v := p.variance(); v > 0 {
		e := z95 * math.Sqrt(v/n)
		return Interval{mean, max(0, mean-e), min(1, mean+e)}
	}
	q := 1 - math.Pow(0.025, 1/n)
	return Interval{mean, mean * (1 - q), mean + (1-mean)*q}
}

// Elo returns the difference in playing strength with its 95 % confidence interval. It is positive
// if the first player is stronger, and infinite if one player won all games.
func (p Pairs) Elo() Interval {
	s := p.scoreInterval()
	return Interval{EloOf(s.Value), EloOf(s.Low), EloOf(s.High)}
}

// EloOf returns the Elo difference for the mean score s, ±Inf at 1 and 0.
func EloOf(s float64) float64 {
	switch {
	case s <= 0:
		return math.Inf(-1)
	case s >= 1:
		return math.Inf(1)
	}
	return 400 * math.Log10(s/(1-s))
}

// ScoreOf is the inverse of [EloOf].
func ScoreOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// Mean returns the mean of numbers with its 95 % confidence interval from the normal
// distribution. The interval of a single number is infinite; the mean of none is 0.
func Mean(numbers []float64) Interval {
	n := float64(len(numbers))
	if n == 0 {
		return Interval{}
	}
	mean, v := 0.0, 0.0
	for _, x := range numbers {
		mean += x
	}
	mean /= n
	for _, x := range numbers {
		v += (x - mean) * (x - mean)
	}
	e := math.Inf(1)
	if n > 1 {
		e = z95 * math.Sqrt(v/(n-1)/n)
	}
	return Interval{mean, mean - e, mean + e}
}

const (
	maxEloError = 200 // the maximum of [Interval.Error] for which Text returns both bounds
	minEloPairs = 10  // the minimum number of pairs for an Elo difference
	minAllPairs = 6   // the same if one side won all pairs: fewer are likely enough between equal players
)

// Text returns the Elo difference with its 95 % confidence interval, for instance
// "Elo +35.0 ± 20.0 (95 %: +15.0 to +55.0)", or a sentence if there are too few games.
func (p Pairs) Text() string {
	e := p.Elo()
	wide := e.Error() > maxEloError
	switch n := p.N(); {
	case n >= minAllPairs && math.IsInf(e.Value, 1):
		return fmt.Sprintf("Elo above %+.1f (95 %%), every pair won", e.Low)
	case n >= minAllPairs && math.IsInf(e.Value, -1):
		return fmt.Sprintf("Elo below %+.1f (95 %%), every pair lost", e.High)
	case n < minEloPairs:
		return fmt.Sprintf("an Elo difference needs %d games, or %d all won or all lost", 2*minEloPairs, 2*minAllPairs)
	case wide && e.Value < 0:
		return fmt.Sprintf("Elo %+.1f, at most %+.1f (95 %%)", e.Value, e.High)
	case wide:
		return fmt.Sprintf("Elo %+.1f, at least %+.1f (95 %%)", e.Value, e.Low)
	}
	return fmt.Sprintf("Elo %+.1f ± %.1f (95 %%: %+.1f to %+.1f)", e.Value, e.Error(), e.Low, e.High)
}
