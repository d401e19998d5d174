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

// BoardName is the size, for instance "7x7".
func (p Position) BoardName() string { return p.board.String() }

// CanonicalKey appends the board's size and the canonical set of free
// segments. Nothing else counts: a square without a free segment is captured,
// every other one hangs on the ground, and the value is about future squares.
// The canonical set is grid's (engine/grid/canonical.go); solvers go further, to
// components up to isomorphism (solver/circuitwars/graph).
func (p Position) CanonicalKey(dst []byte) ([]byte, engine.Orientation) {
	return p.board.CanonicalKey(dst, p.free)
}

// Gain counts the squares that the move to next captured.
func (p Position) Gain(next engine.Position) int { return engine.Gained(p, next) }

// FromKey is the position with exactly the key's segments free. The captured
// squares count for player 1; it is player 1's turn unless nothing is captured
// and an odd number of segments is drawn.
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

// ProofScale is 1: estimates are squares, as proved scores are.
func (Game) ProofScale() int { return 1 }
