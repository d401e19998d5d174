package arena

import (
	"fmt"

	"endwise/engine"
)

// Counts are wins, ties and losses.
type Counts [3]int

func (c Counts) Games() int { return c[0] + c[1] + c[2] }

// String returns wins, ties and losses, for instance "3 won, 0 tied, 1 lost".
func (c Counts) String() string { return fmt.Sprintf("%d won, %d tied, %d lost", c[0], c[1], c[2]) }

// Tally is the state of a match between two players, from the first player's view.
type Tally struct {
	// BySide counts games: index 0 the games in which the first player moved first, index 1 the
	// games in which the second player moved first.
	BySide   [2]Counts
	Pairs    Pairs
	Forfeits [2]int // of the first and of the second player
	Time     [2]TimeUse

	differences []float64 // mean score difference of a game, for each complete pair
}

func (t *Tally) All() (all Counts) {
	for i := range all {
		all[i] = t.BySide[0][i] + t.BySide[1][i]
	}
	return all
}

// addGame counts a game that the first player of the match played as side.
func (t *Tally) addGame(r Result, side engine.Side) {
	t.BySide[side-1][2-halves(r, side)]++ // 2 half points are a win, the first count
	for k, s := range []engine.Side{side, side.Other()} {
		if r.Forfeited() && r.Winner != s {
			t.Forfeits[k]++
		}
		t.Time[k].Merge(r.Time[s-1])
	}
}

// addPair counts a pair: game, in which the first player of the match moved first, and swapped.
func (t *Tally) addPair(game, swapped Result) {
	t.Pairs[halves(game, engine.First)+halves(swapped, engine.Second)]++
	t.differences = append(t.differences, float64(game.Score[0]-game.Score[1]+swapped.Score[1]-swapped.Score[0])/2)
}

// halves returns the half points of side s. A game that both sides lost counts as a tie.
func halves(r Result, s engine.Side) int {
	if r.Winner == engine.None {
		return 1
	}
	return r.Points(s)
}

// Difference returns the mean score difference of a game in complete pairs, with its 95 %
// confidence interval over pairs.
func (t *Tally) Difference() Interval { return Mean(t.differences) }
