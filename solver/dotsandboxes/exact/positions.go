package exact

import "endwise/engine/grid"

// Positions provides keys and moves of the R-type positions of one board to algorithms with
// their own traversal. Positions are masks of the board's lines in search order. A Positions
// contains scratch memory for each ply and is used by one goroutine at a time.
type Positions struct {
	*graph
	plies [MaxEdges + 2]*ply // allocated when first used
	keys  keys
}

// NewPositions returns the Positions of a board. If the board has more than [MaxEdges]
// lines, the lines of a position must be in free. Errors wrap [ErrTooLarge].
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

// Decompose decomposes a position into the scratch memory of ply and returns its key and
// its number of joints. In the search of a position without joints, every position has at
// most three moves (T4).
func (p *Positions) Decompose(ply int, mask uint64) (k Key, joints int) {
	s := &p.at(ply).shape
	p.decompose(mask, s, 0)
	return p.keys.of(s), s.joints
}

// moves returns the moves, in search order, and the number of boxes of the position last
// decomposed at ply. Moves that cannot reach t are omitted; best is an upper bound of the
// omitted moves' values. The result is valid until the next call for the same ply.
func (p *Positions) moves(ply, t int) (moves []Move, boxes, best int) {
	y := p.at(ply)
	best = p.options(y, t, 0)
	return y.moves[:y.n], y.shape.boxes, best
}

// Every returns all moves of a position, including those that T4 and T5 omit, so that a
// traversal meets every position that play can reach.
func (p *Positions) Every(ply int, mask uint64) []Move {
	y := p.at(ply)
	p.decompose(mask, &y.shape, noDominance|noPairs)
	p.options(y, -infinity, noDominance|noPairs)
	return y.moves[:y.n]
}
