package dotsandboxes

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

func (p Position) CanonicalKey(dst []byte) ([]byte, engine.Orientation) {
	return p.board.CanonicalKey(dst, p.Free())
}

func (p Position) Gain(next engine.Position) int { return engine.Gained(p, next) }

// FromKey returns the position in which exactly the lines of the key are free. If boxes are completed, they
// count for player 1, who is to move; otherwise the number of drawn lines determines the player to move.
func (Game) FromKey(key []byte) (engine.Position, error) {
	b, free, err := grid.FromKey(key)
	if err != nil {
		return nil, err
	}
	drawn := b.All().Minus(free)
	p := Position{board: b, drawn: drawn, turn: engine.First}
	complete := len(p.completed())
	if complete == 0 && drawn.Len()%2 != 0 {
		p.turn = engine.Second
	}
	q, err := FromLines(b, drawn, [2]int{complete, 0}, p.turn)
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	return q, nil
}

func (Game) ProofScale() int { return 1 }
