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

// CanonicalKey appends the board size and the canonical set of free segments; see
// [grid.Board.CanonicalKey]. The free segments determine the value of a position: squares without
// a free segment are captured, and all others are connected to the outside. Solvers treat more
// positions as equal (solver/circuitwars/graph).
func (p Position) CanonicalKey(dst []byte) ([]byte, engine.Orientation) {
	return p.board.CanonicalKey(dst, p.free)
}

// Gain returns the number of squares captured by the move to next.
func (p Position) Gain(next engine.Position) int { return engine.Gained(p, next) }

// FromKey returns the position in which exactly the segments of the key are free. A key contains
// neither score nor turn. If squares are captured, player 1 has captured them and is to move;
// otherwise the number of drawn segments determines the player to move. FromKey returns an error
// if a captured square has a free segment.
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
