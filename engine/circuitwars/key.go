package circuitwars

import (
	"fmt"

	"endwise/engine"
	"endwise/engine/grid"
)

var (
	_ engine.Position = Position{}
	_ engine.Game     = Game{}
)

// BoardName returns the board size, for instance "7x7".
func (p Position) BoardName() string { return p.board.String() }

// CanonicalKey appends the board size and the canonical set of free segments, and returns
// the mapping of moves. The value of a position depends on nothing else: squares without a
// free segment are captured, all others are connected to the outside. The canonical set is
// defined in engine/grid; solvers identify more positions (solver/circuitwars/graph).
func (p Position) CanonicalKey(dst []byte) ([]byte, engine.Orientation) {
	return p.board.CanonicalKey(dst, p.free)
}

// Gain returns the number of squares captured by the move to next.
func (p Position) Gain(next engine.Position) int { return engine.Gained(p, next) }

// FromKey returns the position with exactly the key's segments free. Captured squares
// belong to player 1, who is to move unless nothing is captured and an odd number of
// segments is drawn.
func (Game) FromKey(key []byte) (engine.Position, error) {
	b, free, err := grid.FromKey(key)
	if err != nil {
		return nil, err
	}
	_, open := b.Live(free)
	closed := b.Squares() - open
	turn := engine.First
	if closed == 0 && (b.Segments()-free.Len())%2 != 0 {
		turn = engine.Second
	}
	p, err := FromDrawn(b, b.All().Minus(free), [2]int{closed, 0}, turn)
	if err != nil {
		return nil, err
	}
	if p.free != free {
		return nil, fmt.Errorf("key: free segments inside captured squares of a %s board", b)
	}
	return p, nil
}

// ProofScale returns 1: estimates, like proved scores, are in squares.
func (Game) ProofScale() int { return 1 }
