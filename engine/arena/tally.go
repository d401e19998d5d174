package arena

import (
	"math"

	"endwise/engine"
)

// Tally is the state of a match between two players, from the first one's
// view.
type Tally struct {
	// Wins, Ties and Losses count games; index 0 those in which the first
	// player moved first, index 1 the others.
	Wins, Ties, Losses [2]int
	// Pairs counts complete pairs of games.
	Pairs Pairs
	// Forfeits counts games lost by rule by the first and the second player.
	Forfeits [2]int

	margins []float64 // of complete pairs, per game
	Time    [2]TimeUse
}

// Games is the number of games.
func (t *Tally) Games() int {
	n := 0
	for i := range 2 {
		n += t.Wins[i] + t.Ties[i] + t.Losses[i]
	}
	return n
}

// addGame counts a game; side is the first player's.
func (t *Tally) addGame(r Result, side engine.Side) {
	i := side - 1
	switch {
	case r.Winner == side:
		t.Wins[i]++
	case r.Winner == engine.None:
		t.Ties[i]++
	default:
		t.Losses[i]++
	}
	for k, s := range []engine.Side{side, side.Other()} {
		if r.Forfeited() && r.Winner != s {
			t.Forfeits[k]++
		}
		t.Time[k].merge(r.Time[s-1])
	}
}

// addPair counts a complete pair: first is the game in which the match's
// first player moved first.
func (t *Tally) addPair(first, second Result) {
	t.Pairs[halves(first, engine.First)+halves(second, engine.Second)]++
	t.margins = append(t.margins, float64(first.Score[0]-first.Score[1]+second.Score[1]-second.Score[0])/2)
}

// halves is Points, but counts a game that both sides lost as a tie: a match
// compares its two players, and neither did better.
func halves(r Result, s engine.Side) int {
	if r.Winner == engine.None {
		return 1
	}
	return r.Points(s)
}

// Margin is the mean score difference of a game in complete pairs, with its
// 95 % confidence interval (normal over pairs; infinite for a single pair).
func (t *Tally) Margin() Interval {
	n := float64(len(t.margins))
	if n == 0 {
		return Interval{}
	}
	mean, v := 0.0, 0.0
	for _, m := range t.margins {
		mean += m
	}
	mean /= n
	for _, m := range t.margins {
		v += (m - mean) * (m - mean)
	}
	e := math.Inf(1) // one pair says nothing about the spread
	if n > 1 {
		e = z95 * math.Sqrt(v/(n-1)/n)
	}
	return Interval{mean, mean - e, mean + e}
}
