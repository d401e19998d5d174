package book

import (
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
)

// mirrorMove is a move that makes a Circuit Wars position symmetric for the
// opponent, with what it guarantees.
type mirrorMove struct {
	segment   int
	guarantee int // proved lower bound of the move's value for the mover
	symmetry  string
}

// mirrorMoves finds the moves after which some involution of the board maps
// the free segments to themselves and fixes none of them. By the mirror
// theorem the opponent's value is then at most minus the number of open
// squares that the involution fixes, because every move can be answered with
// its image; so the move is worth at least what it captures plus that number.
// The best guarantee comes first; an empty list means that the theorem says
// nothing here.
func mirrorMoves(p circuitwars.Position) []mirrorMove {
	b := p.Board()
	var out []mirrorMove
	for _, y := range b.Symmetries() {
		if !involution(y) {
			continue
		}
		// A move can only heal a position in which all but one free segment
		// has its image free, or whose captures remove what has not. Count
		// first: most positions are out at once.
		unpaired := 0
		for _, s := range p.Free().Segments() {
			if i := y.Segment[s]; i == s || !p.Free().Has(i) {
				unpaired++
			}
		}
		if unpaired == 0 {
			continue // symmetric already: any move breaks it or needs its own image
		}
		for _, s := range p.Free().Segments() {
			q, err := p.Occupy(s)
			if err != nil {
				continue
			}
			if fixed, ok := symmetricSquares(q, y); ok {
				out = append(out, mirrorMove{s, p.Left() - q.Left() + fixed, y.Name})
			}
		}
	}
	best := 0
	for i := range out {
		if out[i].guarantee > out[best].guarantee {
			best = i
		}
	}
	if len(out) > 0 {
		out[0], out[best] = out[best], out[0]
	}
	return out
}

// symmetricSquares says whether y maps the free segments of q to themselves
// without fixing one, and counts the open squares that it fixes.
func symmetricSquares(q circuitwars.Position, y grid.Symmetry) (fixed int, ok bool) {
	free := q.Free()
	for _, s := range free.Segments() {
		if i := y.Segment[s]; i == s || !free.Has(i) {
			return 0, false
		}
	}
	for sq, to := range y.Square {
		if sq == to && !q.Captured(sq) {
			fixed++
		}
	}
	return fixed, true
}

func involution(y grid.Symmetry) bool {
	identity := true
	for s, to := range y.Segment {
		if y.Segment[to] != s {
			return false
		}
		identity = identity && to == s
	}
	return !identity
}
