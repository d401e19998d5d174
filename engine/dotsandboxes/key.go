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

// BoardName returns the size in boxes, for instance "5x5".
func (p Position) BoardName() string { return p.board.String() }

// CanonicalKey appends the board's size and the canonical set of free lines; see
// [grid.Board.CanonicalKey]. Owners and score do not matter, because the value counts only
// boxes that are still open.
func (p Position) CanonicalKey(dst []byte) ([]byte, engine.Orientation) {
	return p.board.CanonicalKey(dst, p.Free())
}

// Gain returns the number of boxes that the move to next completed.
func (p Position) Gain(next engine.Position) int { return engine.Gained(p, next) }

// FromKey returns the position in which exactly the lines of the key are free. A key contains
// neither score nor turn. If boxes are completed, they count for player 1, who is to move;
// otherwise the number of drawn lines determines the player to move.
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

// ProofScale returns 1: estimates are boxes, as proved scores are.
func (Game) ProofScale() int { return 1 }
