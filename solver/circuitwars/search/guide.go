package search

import (
	"cmp"
	"slices"

	"endwise/engine/circuitwars"
	"endwise/engine/grid"
)

// Reply is a move with the estimated probability that an opponent chooses it.
type Reply struct {
	Segment int
	Weight  float64 // positive; the sum of all replies is 1
}

// Guide estimates which moves an opponent chooses. It is immutable.
type Guide struct{ g *geometry }

// NewGuide returns a guide for a board.
func NewGuide(b *grid.Board) *Guide { return &Guide{newGeometry(b)} }

// unlikely is the factor of Reply.Weight for each square that the move scores below the best one.
const unlikely = 0.1

// Replies returns the moves of a position by descending weight, moves with equal weights in the
// order of their segments, and only one of equivalent border segments of a corner. The weights model
// an opponent who scores a move by what it captures minus the most that the next move can capture.
func (u *Guide) Replies(p circuitwars.Position) []Reply {
	g := u.g
	st := g.start(p)
	var out []Reply
	var scores []int
	best := -infinity
	for _, s := range p.Free().Segments() {
		if g.twin(&st, s) {
			continue
		}
		child := st
		score := g.play(&child, s) - g.mostCaptured(&child)
		best = max(best, score)
		out, scores = append(out, Reply{Segment: s}), append(scores, score)
	}
	sum := 0.0
	for i := range out {
		w := 1.0
		for range best - scores[i] {
			w *= unlikely
		}
		out[i].Weight = w
		sum += w
	}
	for i := range out {
		out[i].Weight /= sum
	}
	slices.SortStableFunc(out, func(a, b Reply) int { return cmp.Compare(b.Weight, a.Weight) })
	return out
}

// mostCaptured returns the maximum number of squares that one move captures.
func (g *geometry) mostCaptured(st *state) int {
	most := 0
	for _, s := range (grid.Set{st.free[0], st.free[1]}).Segments() {
		child := *st
		most = max(most, g.play(&child, s))
	}
	return most
}
