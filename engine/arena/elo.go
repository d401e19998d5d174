package arena

import (
	"fmt"
	"math"
)

// Pairs counts pairs of games with the sides swapped by what the first player
// of the match made of them: Pairs[k] pairs brought k half points, from 0
// (both lost) to 4 (both won). Counting pairs and not games is what makes the
// error bars right: the two games of a pair start from the same position, so
// their results depend on each other.
type Pairs [5]int

// N is the number of pairs.
func (p Pairs) N() int {
	n := 0
	for _, c := range p {
		n += c
	}
	return n
}

// Score is the mean score of a game, 0 to 1; ½ without pairs.
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

// variance is that of one pair's mean score.
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

// Interval is an estimate with the ends of its 95 % confidence interval. Low
// may be -Inf and High +Inf.
type Interval struct {
	Value, Low, High float64
}

// Error is half the width of the interval, the number behind the ±.
func (i Interval) Error() float64 { return (i.High - i.Low) / 2 }

// scoreInterval is the mean score of a game with its 95 % confidence
// interval: normal with the variance of the pairs.
//
// When all n pairs went the same way the variance is 0 and proves nothing.
// Then the interval takes what 95 % can exclude: pairs that go another way
// are at most a share q of all, (1-q)^n = 0.025, and may lie at either end.
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

// Elo is the difference in playing strength, positive where the first player
// is stronger, with its 95 % confidence interval: the interval of the score
// through the logistic curve. The value is ±Inf when every game was won or
// lost.
func (p Pairs) Elo() Interval {
	s := p.scoreInterval()
	return Interval{EloOf(s.Value), EloOf(s.Low), EloOf(s.High)}
}

// EloOf is the Elo difference that gives the mean score s on the logistic
// curve, ±Inf at 1 and 0.
func EloOf(s float64) float64 {
	switch {
	case s <= 0:
		return math.Inf(-1)
	case s >= 1:
		return math.Inf(1)
	}
	return 400 * math.Log10(s/(1-s))
}

// ScoreOf is the mean score that an Elo difference gives; the inverse of
// EloOf.
func ScoreOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// Mean is the mean of numbers with its 95 % confidence interval: normal, so infinite for
// a single one. It is 0 without any.
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
	e := math.Inf(1) // one number says nothing about the spread
	if n > 1 {
		e = z95 * math.Sqrt(v/(n-1)/n)
	}
	return Interval{mean, mean - e, mean + e}
}

// Text writes the Elo difference with its 95 % error bars; where every game
// went the same way only one end is known.
func (p Pairs) Text() string {
	e := p.Elo()
	low, high := math.IsInf(e.Low, -1), math.IsInf(e.High, 1)
	switch {
	case p.N() == 0:
		return "Elo unknown, no pair is complete"
	case math.IsInf(e.Value, 1) && e.Low <= 0:
		return "Elo unknown, every pair won but they are too few"
	case math.IsInf(e.Value, -1) && e.High >= 0:
		return "Elo unknown, every pair lost but they are too few"
	case math.IsInf(e.Value, 1):
		return fmt.Sprintf("Elo above %+.1f (95 %%), every pair won", e.Low)
	case math.IsInf(e.Value, -1):
		return fmt.Sprintf("Elo below %+.1f (95 %%), every pair lost", e.High)
	case low && high:
		return fmt.Sprintf("Elo %+.1f, with no bounds at 95 %% yet", e.Value)
	case low:
		return fmt.Sprintf("Elo %+.1f, at most %+.1f (95 %%)", e.Value, e.High)
	case high:
		return fmt.Sprintf("Elo %+.1f, at least %+.1f (95 %%)", e.Value, e.Low)
	}
	return fmt.Sprintf("Elo %+.1f ± %.1f (95 %%: %+.1f to %+.1f)", e.Value, e.Error(), e.Low, e.High)
}
