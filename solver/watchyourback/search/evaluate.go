package search

import (
	"math/bits"

	wyb "endwise/engine/watchyourback"
)

// Scores are for the side to move. A static evaluation is in hundredths of a piece and far below
// decided. A win has the score W, a loss -W:
//
//	W = winScore - plies from the root to the end of the game
//	W = tableScore - plies from the root to the position, if an [Oracle] proves the win
//	    without its distance
const (
	winScore   = 1_000_000
	tableScore = 500_000
	decided    = 400_000 // smaller than the score of every win
	infinity   = 2_000_000
)

// Terms of the static evaluation. Each is a number of the side to move minus that of its opponent.
// Term i < orbits is the number of pieces on orbit[i].
const (
	Freedom  = orbits + iota // free squares next to a piece
	Pairs                    // pairs of neighbouring pieces
	Threats                  // free squares on which a piece would capture
	Material                 // 10 * pieces / (pieces of both sides + 1)
	terms
)

const orbits = 9 // squares are in one orbit if a symmetry of the 8x8 board maps them to each other

// orbit contains the squares of each orbit: from the outer ring to the inner one, and in a ring
// from the corner to the middle of a side. The corners of the 8x8 board are in no orbit.
var orbit = func() (c [orbits]uint64) {
	for s := range 64 {
		x, y := min(s%8, 7-s%8), min(s/8, 7-s/8)
		ring, along := min(x, y), max(x, y)
		if along > 0 {
			c[[4]int{-1, 2, 4, 5}[ring]+along] |= 1 << s
		}
	}
	return c
}()

// Evaluation contains the weights of all terms, in 1/weightUnit hundredths of a piece, for every
// turn of the game before the second shrink. After the shrink, the last ones are used.
type Evaluation [wyb.PlacingTurns + wyb.SecondShrink][terms]int

const weightUnit = 256

// fitted contains the weights at some turns, in hundredths of a piece; between them the weights
// change linearly. They come from a logistic regression on games between random weights.
var fitted = []struct {
	turn    int // since the start of the game
	weights [terms]int
}{
	//               outer ring  ring of 6x6 4x4 board     Freedom, Pairs, Threats, Material
	{0, [terms]int{60, 60, 60, 65, 65, 65, 115, 147, 197, 4, 6, 12, 54}},
	{23, [terms]int{60, 60, 60, 65, 65, 65, 115, 147, 197, 4, 6, 12, 54}},
	{24, [terms]int{60, 60, 60, 65, 65, 65, 75, 107, 157, 4, 6, 12, 54}},
	{105, [terms]int{60, 60, 60, 65, 65, 65, 75, 107, 157, 4, 6, 12, 54}},
	{151, [terms]int{-6, -6, -6, -1, 65, 65, 75, 107, 157, 4, 6, 12, 54}},
	{152, [terms]int{0, 0, 0, 0, 73, 73, 97, 99, 127, 10, 6, 12, 54}},
	{197, [terms]int{0, 0, 0, 0, 73, 73, 97, 99, 127, 10, 6, 12, 54}},
	{215, [terms]int{0, 0, 0, 0, -17, -17, 46, 138, 166, 10, 6, 12, 54}},
}

// DefaultEvaluation is the evaluation of a new [Searcher]. It must not be changed.
var DefaultEvaluation = func() (e Evaluation) {
	for i, to := range fitted[1:] {
		from := fitted[i]
		for turn := from.turn; turn <= to.turn; turn++ {
			for t := range terms {
				sum := from.weights[t]*(to.turn-turn) + to.weights[t]*(turn-from.turn)
				e[turn][t] = weightUnit * sum / (to.turn - from.turn)
			}
		}
	}
	return e
}()

// evaluate returns the static evaluation of n for the side to move.
func (e *Evaluation) evaluate(n node) int {
	own, opp, w := n.own, n.opp, &e[min(int(n.gameTurns()), len(e)-1)]
	count := bits.OnesCount64
	score := 0
	for i, squares := range orbit {
		score += w[i] * (count(own&squares) - count(opp&squares))
	}
	free := wyb.Playable(n.stage) &^ (own | opp)
	score += w[Freedom] * (count(spread(own)&free) - count(spread(opp)&free))
	score += w[Pairs] * (pairs(own) - pairs(opp))
	threats := count(captureSquares(own, opp, n.stage)) - count(captureSquares(opp, own, n.stage))
	score += w[Threats] * threats
	score += w[Material] * 10 * (count(own) - count(opp)) / (count(own|opp) + 1)
	return score / weightUnit
}

func spread(s uint64) uint64 {
	return s<<8 | s>>8 | s<<1&notLeft | s>>1&notRight
}

func pairs(s uint64) int {
	return bits.OnesCount64(s&(s<<8)) + bits.OnesCount64(s&(s<<1)&notLeft)
}
