// Package circuitwars implements the rules of Circuit Wars. Two players alternately draw a
// free segment. A player who closes an area scores its squares, and the free segments
// inside it are removed. The turn always passes.
//
// [Position] is immutable. [Game] implements [engine.Game].
package circuitwars

import (
	"fmt"
	"slices"

	"endwise/engine"
	"endwise/engine/grid"
)

// MaxSegments is the maximum number of segments of a board.
const MaxSegments = 127

const UsualBoard = "7x7"

const RulesVersion = 1

// unknownOwner is the owner of a captured square if only the total score is known.
const unknownOwner = engine.Side(grid.UnknownOwner)

// Position is a position of Circuit Wars. The zero value is not valid.
type Position struct {
	board *grid.Board
	drawn grid.Set
	free  grid.Set      // segments that may still be drawn
	owner []engine.Side // by square; copied before a change
	score [2]int
	turn  engine.Side
}

// New returns the empty board of rows x cols squares with player 1 to move. It returns an error
// for sides below 1 or beyond grid.MaxSide, and for more than MaxSegments segments.
func New(rows, cols int) (Position, error) {
	if err := fits(rows, cols); err != nil {
		return Position{}, err
	}
	b, err := grid.New(rows, cols)
	if err != nil {
		return Position{}, err
	}
	return Position{board: b, free: b.All(), owner: make([]engine.Side, b.Squares()), turn: engine.First}, nil
}

// fits returns an error for the sizes that New refuses.
func fits(rows, cols int) error {
	if min(rows, cols) < 1 || max(rows, cols) > grid.MaxSide {
		return fmt.Errorf("board %dx%d: sides must be 1 to %d, and segments at most %d",
			rows, cols, grid.MaxSide, MaxSegments)
	}
	if n := rows*(cols+1) + (rows+1)*cols; n > MaxSegments {
		return fmt.Errorf("board %dx%d has %d segments, at most %d are possible", rows, cols, n, MaxSegments)
	}
	return nil
}

// FromDrawn returns the position with the given drawn segments, which must be on the board. Squares
// without a path to the outside are closed, and their owners are unknown. FromDrawn returns an error
// unless the scores add up to the number of closed squares and turn is First or Second.
func FromDrawn(b *grid.Board, drawn grid.Set, score [2]int, turn engine.Side) (Position, error) {
	owner := make([]engine.Side, b.Squares())
	closed := 0
	for sq, grounded := range b.Grounded(b.All().Minus(drawn)) {
		if !grounded {
			owner[sq] = unknownOwner
			closed++
		}
	}
	if score[0] < 0 || score[1] < 0 || score[0]+score[1] != closed {
		which := ""
		if first := slices.Index(owner, unknownOwner); first >= 0 {
			x, y := b.XY(first)
			which = fmt.Sprintf(" (the first of them is %d,%d)", x, y)
		}
		return Position{}, fmt.Errorf("scores %d-%d: want two numbers from 0 on with the sum %d, "+
			"the number of closed squares%s", score[0], score[1], closed, which)
	}
	return assemble(b, drawn, owner, score, turn)
}

// fromOwners returns the position with the given drawn segments and the owner of every square: None, First or
// Second. The caller must not change owner afterwards. fromOwners returns an error unless exactly the closed
// squares have owners, each closed area has one owner, the scores are the owners' numbers of squares, turn is
// First or Second, and the board is not too large.
func fromOwners(b *grid.Board, drawn grid.Set, owner []engine.Side, score [2]int, turn engine.Side) (Position, error) {
	for sq, grounded := range b.Grounded(b.All().Minus(drawn)) {
		x, y := b.XY(sq)
		switch {
		case grounded && owner[sq] != engine.None:
			return Position{}, fmt.Errorf("square %d,%d: has an owner but is open to the border", x, y)
		case !grounded && owner[sq] == engine.None:
			return Position{}, fmt.Errorf("square %d,%d: closed off from the border but without an owner, 1 or 2", x, y)
		}
	}
	// Squares with an undrawn segment between them are in one area.
	for s := range b.Segments() {
		sides := b.Sides(s)
		if drawn.Has(s) || sides[1] == grid.Outside || owner[sides[0]] == owner[sides[1]] {
			continue
		}
		x, y := b.XY(sides[0])
		x2, y2 := b.XY(sides[1])
		return Position{}, fmt.Errorf("squares %d,%d and %d,%d: one area, but owned by %s and %s",
			x, y, x2, y2, owner[sides[0]], owner[sides[1]])
	}
	if count := countOwners(owner); count != score {
		return Position{}, fmt.Errorf("scores %d-%d: impossible, the owners have %d-%d squares",
			score[0], score[1], count[0], count[1])
	}
	return assemble(b, drawn, owner, score, turn)
}

// assemble returns the position with the given contents. It returns an error if the board is too
// large or the turn is neither First nor Second.
func assemble(b *grid.Board, drawn grid.Set, owner []engine.Side, score [2]int, turn engine.Side) (Position, error) {
	if err := fits(b.Rows, b.Cols); err != nil {
		return Position{}, err
	}
	if turn != engine.First && turn != engine.Second {
		return Position{}, fmt.Errorf("turn %d: want 1 or 2", turn)
	}
	p := Position{board: b, drawn: drawn, owner: owner, score: score, turn: turn}
	p.setFree()
	return p, nil
}

// countOwners returns the number of squares of each player. All owners must be known.
func countOwners(owner []engine.Side) [2]int {
	var n [2]int
	for _, o := range owner {
		if o != engine.None {
			n[o-1]++
		}
	}
	return n
}

// setFree sets free to the segments that are neither drawn nor next to a captured square.
func (p *Position) setFree() {
	p.free = grid.Set{}
	for s := range p.board.Segments() {
		if !p.drawn.Has(s) && !p.nextToOwned(s) {
			p.free.Add(s)
		}
	}
}

func (p *Position) nextToOwned(s int) bool {
	for _, sq := range p.board.Sides(s) {
		if sq != grid.Outside && p.owner[sq] != engine.None {
			return true
		}
	}
	return false
}

func (p Position) Game() string { return Name }

func (p Position) Board() *grid.Board { return p.board }

func (p Position) Free() grid.Set { return p.free }

// Drawn returns the drawn segments. Segments removed inside a captured area are in neither Drawn nor Free.
func (p Position) Drawn() grid.Set { return p.drawn }

// Owner returns the owner of a square, [engine.None] while it is open. known is false if the
// owner of a captured square is unknown; owner is then None.
func (p Position) Owner(square int) (owner engine.Side, known bool) {
	if o := p.owner[square]; o != unknownOwner {
		return o, true
	}
	return engine.None, false
}

func (p Position) Turn() engine.Side { return p.turn }

func (p Position) Score() [2]int { return p.score }

func (p Position) Over() bool { return p.free == grid.Set{} }

func (p Position) Left() int { return p.board.Squares() - p.score[0] - p.score[1] }

func (p Position) Moves() []engine.Move { return p.free.Moves() }

func (p Position) Play(m engine.Move) (engine.Position, error) {
	return p.Occupy(int(m))
}

// Occupy returns the position after segment s is drawn. If s is not free, the error wraps
// [engine.ErrIllegalMove].
func (p Position) Occupy(s int) (Position, error) {
	if n := p.board.Segments(); s < 0 || s >= n {
		return p, fmt.Errorf("%w: segment %d: the %s board has segments 0..%d", engine.ErrIllegalMove, s, p.board, n-1)
	}
	if !p.free.Has(s) {
		why := "drawn already"
		if !p.drawn.Has(s) {
			why = "inside a captured area"
		}
		return p, fmt.Errorf("%w: segment %s is %s", engine.ErrIllegalMove, p.MoveString(engine.Move(s)), why)
	}
	p.drawn.Add(s)
	p.free.Remove(s)
	captured := false
	for sq, grounded := range p.board.Grounded(p.free) {
		if grounded || p.owner[sq] != engine.None {
			continue
		}
		if !captured {
			p.owner, captured = slices.Clone(p.owner), true
		}
		p.owner[sq] = p.turn
		p.score[p.turn-1]++
	}
	if captured {
		p.setFree()
	}
	p.turn = p.turn.Other()
	return p, nil
}
