package exact

import "endwise/engine/grid"

// Positions provides keys and moves of the R-type positions of one board, masks of its lines in
// search order, to algorithms with their own traversal. It is not safe for concurrent use.
type Positions struct {
	*graph
	plies [MaxEdges + 2]*ply // by depth, allocated when first used
	keys  keys
}

// NewPositions returns the Positions of a board. If the board has more than [MaxEdges] lines, masks
// contain only lines in free; otherwise free is ignored. Errors wrap [ErrTooLarge].
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

// Decompose decomposes a position into memory for depth, and returns its key and number of joints.
func (p *Positions) Decompose(depth int, mask uint64) (k Key, joints int) {
	s := &p.at(depth).shape
	p.decompose(mask, s, 0)
	return p.keys.keyOf(s), s.joints
}

// moves returns the moves, in search order, and the number of boxes of the position last decomposed
// at a depth. It omits moves that cannot reach t; best is an upper bound of their values. moves is
// valid until the next call of a method for the same depth.
func (p *Positions) moves(depth, t int) (moves []Move, boxes, best int) {
	y := p.at(depth)
	best = p.listMoves(y, t, 0)
	return y.moves[:y.n], y.shape.boxes, best
}

// AllMoves returns the moves of a position, including those that T4 and T5 omit. The result is valid
// until the next call of a method for the same depth.
func (p *Positions) AllMoves(depth int, mask uint64) []Move {
	y := p.at(depth)
	p.decompose(mask, &y.shape, noDominance|noPairs)
	p.listMoves(y, -infinity, noDominance|noPairs)
	return y.moves[:y.n]
}
