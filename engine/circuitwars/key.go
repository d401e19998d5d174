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

func (p Position) BoardName() string { return p.board.String() }

// CanonicalKey appends the canonical key of the free segments ([grid.Board.CanonicalKey]), which
// determine the value of a position: squares without a free segment are captured, and all others are
// connected to the outside.
func (p Position) CanonicalKey(dst []byte) ([]byte, engine.Orientation) {
	return p.board.CanonicalKey(dst, p.free)
}

func (p Position) Gain(next engine.Position) int { return engine.Gained(p, next) }

// FromKey returns the position in which exactly the segments of the key are free. If squares are
// captured, player 1 has captured them and is to move; otherwise the number of drawn segments
// determines the player to move. FromKey returns an error if a captured square has a free segment.
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

func (Game) ProofScale() int { return 1 }
