package exact

import "endwise/engine/grid"

// Positions takes R-type positions of one board apart for those who go through them in a
// way of their own: masks of its lines in the order of the search. It holds scratch
// memory for each ply; one goroutine at a time may use it.
type Positions struct {
	*graph
	plies  [MaxEdges + 2]*ply // made when they are met
	labels labels
}

// NewPositions is for positions that have none but these free lines of a board, or where
// a word holds all lines of it for all its positions. It wraps ErrTooLarge.
func NewPositions(b *grid.Board, free grid.Set) (*Positions, error) {
	var g *graph
	var err error
	if b.Segments() > MaxEdges {
		g, err = newGraph(b, free)
	} else {
		g, err = newBoardGraph(b)
	}
	return &Positions{graph: g}, err
}

func (p *Positions) at(depth int) *ply {
	if p.plies[depth] == nil {
		p.plies[depth] = new(ply)
	}
	return p.plies[depth]
}

// Take takes a position apart: its key, and how many joints it has (chains.go); without
// any it is an ending of two moves.
func (p *Positions) Take(ply int, mask uint64) (k Key, joints int) {
	s := &p.at(ply).shape
	p.take(mask, s, 0)
	return p.labels.key(s), s.joints
}

// moves returns the moves of the position that was taken apart at a ply, in search order:
// boxes are those open in it, best bounds the worth of moves left out, which do not reach t.
// They stay until the next call for the ply.
func (p *Positions) moves(ply, t int) (moves []Move, boxes, best int) {
	y := p.at(ply)
	best = p.options(y, t, 0)
	return y.moves[:y.n], y.shape.boxes, best
}

// Every are all moves of a position, those too that others dominate (T4, T5), so that
// every class is met that play can reach.
func (p *Positions) Every(ply int, mask uint64) []Move {
	y := p.at(ply)
	p.take(mask, &y.shape, noDominance|noPairs)
	p.options(y, -infinity, noDominance|noPairs)
	return y.moves[:y.n]
}
