package watchyourback

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"endwise/engine"
)

var (
	_ engine.Position = Position{}
	_ engine.Game     = Game{}
)

// keyBytes is the length of a key: flags (1 byte), turns (4), quiet turns (1), and the squares of
// White and of Black (8 each), big-endian.
const keyBytes = 1 + 4 + 1 + 8 + 8

const (
	keyMoving = 1 << iota
	keyStrict
)

func (p Position) BoardName() string { return "8x8" }

// CanonicalKey appends the key of the position, which is its own canonical position: the
// order of the corners in a [Shrink] breaks the symmetries of the board, and the zones of
// the placing phase break the symmetry of the colours.
func (p Position) CanonicalKey(dst []byte) ([]byte, engine.Orientation) {
	var flags byte
	if p.phase == Moving {
		flags |= keyMoving
	}
	if p.strict {
		flags |= keyStrict
	}
	dst = append(dst, flags)
	dst = binary.BigEndian.AppendUint32(dst, uint32(p.turns))
	dst = append(dst, p.quiet)
	dst = binary.BigEndian.AppendUint64(dst, p.sides[0])
	return binary.BigEndian.AppendUint64(dst, p.sides[1]), orientation{p}
}

type orientation struct{ p Position }

func (orientation) ToCanonical(m engine.Move) engine.Move { return m }

func (o orientation) FromCanonical(m engine.Move) (engine.Move, bool) {
	return m, o.p.illegal(m) == ""
}

// Gain returns 1 if the move to next wins the game, -1 if it loses, else 0.
func (p Position) Gain(next engine.Position) int { return engine.Outcome(next, p.Turn()) }

// FromKey returns the position of a key. It cannot read the key of a game that was won on the turn of a
// shrink if a piece is on a square that the shrink would have removed.
func (g Game) FromKey(key []byte) (engine.Position, error) {
	if len(key) != keyBytes {
		return nil, fmt.Errorf("key: %d bytes, want %d", len(key), keyBytes)
	}
	if key[0]&^(keyMoving|keyStrict) != 0 {
		return nil, fmt.Errorf("key: unknown flags %#x", key[0])
	}
	turns := binary.BigEndian.Uint32(key[1:])
	p := New(key[0]&keyStrict != 0)
	p.quiet = key[5]
	p.sides = [2]uint64{binary.BigEndian.Uint64(key[6:]), binary.BigEndian.Uint64(key[14:])}
	if key[0]&keyMoving != 0 {
		p.phase = Moving
	}
	if turns > 1<<30 || p.phase == Placing && turns >= PlacingTurns {
		return nil, fmt.Errorf("key: %d turns of the %s phase", turns, p.phase)
	}
	p.turns, p.stage = int32(turns), stageAfter(p.phase, int(turns))
	if out := (p.sides[0] | p.sides[1]) &^ playable[p.stage]; out != 0 {
		return nil, fmt.Errorf("key: a piece on %s, which is not in play", squareString(bits.TrailingZeros64(out)))
	}
	if both := p.sides[0] & p.sides[1]; both != 0 {
		return nil, fmt.Errorf("key: two pieces on %s", squareString(bits.TrailingZeros64(both)))
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	return p, nil
}

// ProofScale returns more than any estimate, which is in hundredths of a piece.
func (Game) ProofScale() int { return 10000 }
