package search

import (
	"math/bits"

	wyb "endwise/engine/watchyourback"
)

// Scores are in hundredths of a piece for the side to move. Scores of results exceed those
// of any evaluation: a win at the end of a line is winScore minus the number of plies to it,
// a win in a table without distance tableScore minus the plies to the probe.
const (
	winScore   = 1_000_000
	tableScore = 500_000
	decided    = 400_000 // greater scores are proved results
	infinity   = 2_000_000
)

// Terms of the static evaluation. Each is a number for the side to move minus that for its
// opponent. The terms before Freedom count the pieces on one class of squares.
const (
	Freedom  = classes + iota // free squares next to pieces
	Pairs                     // pairs of neighbouring pieces
	Threats                   // squares on which a piece would capture
	Material                  // ten times the number of pieces, divided by that of both sides plus 1
	terms
)

// class contains the squares that the symmetries of the 8x8 board map to each other: ring by
// ring from outside, each from the corner to the middle of a side. The corners of the 8x8
// board are in none.
const classes = 9

var class = func() (c [classes]uint64) {
	for s := range 64 {
		x, y := min(s%8, 7-s%8), min(s/8, 7-s/8)
		ring, along := min(x, y), max(x, y)
		if along > 0 {
			c[[4]int{-1, 2, 4, 5}[ring]+along] |= 1 << s
		}
	}
	return c
}()

// Evaluation contains the weight of every term at every turn before the second shrink, the
// turns of the placing phase first, in 1/weightUnit of a hundredth of a piece. The weights
// of the last turn also apply on the 4x4 board.
type Evaluation [wyb.PlacingTurns + wyb.SecondShrink][terms]int

const weightUnit = 256

// fitted contains the weights at some turns in hundredths of a piece; between two of them
// they change linearly. They come from games of this search against itself in which both
// sides had random weights, by a logistic regression of the result on the weights.
var fitted = []struct {
	turn    int
	weights [terms]int
}{
	//        outer ring  ring of 6x6  4x4 board
	{0, [terms]int{60, 60, 60, 65, 65, 65, 115, 147, 197, 4, 6, 12, 54}},
	{23, [terms]int{60, 60, 60, 65, 65, 65, 115, 147, 197, 4, 6, 12, 54}},
	{24, [terms]int{60, 60, 60, 65, 65, 65, 75, 107, 157, 4, 6, 12, 54}},
	{105, [terms]int{60, 60, 60, 65, 65, 65, 75, 107, 157, 4, 6, 12, 54}},
	{151, [terms]int{-6, -6, -6, -1, 65, 65, 75, 107, 157, 4, 6, 12, 54}},
	{152, [terms]int{0, 0, 0, 0, 73, 73, 97, 99, 127, 10, 6, 12, 54}},
	{197, [terms]int{0, 0, 0, 0, 73, 73, 97, 99, 127, 10, 6, 12, 54}},
	{215, [terms]int{0, 0, 0, 0, -17, -17, 46, 138, 166, 10, 6, 12, 54}},
}

// DefaultEvaluation is the evaluation of a new [Searcher].
var DefaultEvaluation = func() (e Evaluation) {
	for i, to := range fitted[1:] {
		from := fitted[i]
		for turn := from.turn; turn <= to.turn; turn++ {
			for t := range terms {
				e[turn][t] = weightUnit * (from.weights[t]*(to.turn-turn) + to.weights[t]*(turn-from.turn)) / (to.turn - from.turn)
			}
		}
	}
	return e
}()

// evaluate returns the static evaluation of a node for the side to move.
func (e *Evaluation) evaluate(n node) int {
	own, opp, w := n.own, n.opp, &e[min(int(n.stamp()), len(e)-1)]
	count := bits.OnesCount64
	score := 0
	for i, c := range class {
		score += w[i] * (count(own&c) - count(opp&c))
	}
	free := wyb.Playable(n.stage) &^ (own | opp)
	score += w[Freedom] * (count(spread(own)&free) - count(spread(opp)&free))
	score += w[Pairs] * (pairs(own) - pairs(opp))
	score += w[Threats] * (count(captureSquares(own, opp, n.stage)) - count(captureSquares(opp, own, n.stage)))
	score += w[Material] * 10 * (count(own) - count(opp)) / (count(own|opp) + 1)
	return score / weightUnit
}

// spread returns the squares next to the squares of a set.
func spread(s uint64) uint64 {
	return s<<8 | s>>8 | s<<1&notLeft | s>>1&notRight
}

// pairs returns the number of pairs of neighbouring squares in a set.
func pairs(s uint64) int {
	return bits.OnesCount64(s&(s<<8)) + bits.OnesCount64(s&(s<<1)&notLeft)
}
