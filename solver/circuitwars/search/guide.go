package search

import (
	"cmp"
	"slices"

	"endwise/engine/circuitwars"
	"endwise/engine/grid"
)

// Reply is a move that an opponent may choose, with how likely it looks.
type Reply struct {
	Segment int
	Weight  float64 // above 0; the sum over all replies is 1
}

// Guide guesses what an opponent may play. It is for any number of goroutines.
type Guide struct{ g *geometry }

// NewGuide makes a guide for one board.
func NewGuide(b *grid.Board) *Guide { return &Guide{newGeometry(b)} }

// unlikely is the factor by which a move loses weight for each square that it
// is worse at first sight.
const unlikely = 0.1

// Replies lists the different moves of a position, the likeliest first; moves
// of one weight keep the order of the segments. It guesses what an opponent
// plays who looks at what a move captures and at what it lets the other side
// capture next, as most programs do at least. That says nothing about the
// value of a move: it only tells likely mistakes from those nobody makes.
func (u *Guide) Replies(p circuitwars.Position) []Reply {
	g := u.g
	st := g.start(p)
	var out []Reply
	var looks []int
	best := -infinity
	for _, s := range p.Free().Segments() {
		if g.twin(&st, s) {
			continue
		}
		child := st
		look := g.play(&child, s)
		look -= g.greediest(&child)
		best = max(best, look)
		out, looks = append(out, Reply{Segment: s}), append(looks, look)
	}
	sum := 0.0
	for i := range out {
		w := 1.0
		for range best - looks[i] {
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

// greediest is the most that one move captures.
func (g *geometry) greediest(st *state) int {
	most := 0
	for _, s := range (grid.Set{st.free[0], st.free[1]}).Segments() {
		child := *st
		most = max(most, g.play(&child, s))
	}
	return most
}
