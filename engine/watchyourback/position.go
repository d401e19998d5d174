package watchyourback

import (
	"fmt"
	"math/bits"

	"endwise/engine"
)

type Phase uint8

const (
	Placing Phase = iota
	Moving
)

func (p Phase) String() string {
	if p == Placing {
		return "placing"
	}
	return "moving"
}

// Moves as [engine.Move]: a placement is placeFlag | square, a step is from<<6 | to.
const (
	placeFlag              = 1 << 12
	Forfeit    engine.Move = 1 << 13
	squareMask             = 63
)

func Place(square int) engine.Move { return engine.Move(placeFlag | square) }

// Step returns a step or jump.
func Step(from, to int) engine.Move { return engine.Move(from<<6 | to) }

// Origin returns the square left by a step.
func Origin(m engine.Move) int { return int(m >> 6 & squareMask) }

// Square returns the square entered by a placement or step.
func Square(m engine.Move) int { return int(m & squareMask) }

// Position is a position of Watch Your Back. The zero value is the empty board before the first placement.
type Position struct {
	sides  [2]uint64 // White (engine.First), Black (engine.Second)
	turns  int32
	quiet  uint8
	phase  Phase
	stage  Stage
	strict bool
	over   bool
	winner engine.Side
}

// New returns the empty board before the first placement. With strict, a game on the 4x4
// board never ends because of blocking or a limit of turns.
func New(strict bool) Position { return Position{strict: strict} }

// Sides returns the squares of White and of Black.
func (p Position) Sides() (white, black uint64) { return p.sides[0], p.sides[1] }

// OwnOpp returns the squares of the side to move and of its opponent.
func (p Position) OwnOpp() (own, opp uint64) {
	i := p.turns & 1
	return p.sides[i], p.sides[i^1]
}

func (p Position) Phase() Phase { return p.phase }

func (p Position) Stage() Stage { return p.stage }

// Turns returns the number of turns played in the phase.
func (p Position) Turns() int { return int(p.turns) }

// Quiet returns the number of turns on the 4x4 board since the last elimination or the shrink; 0
// in strict games.
func (p Position) Quiet() int { return int(p.quiet) }

func (p Position) Strict() bool { return p.strict }

// ToShrink returns the number of turns to the next shrink, including the rest of the
// placing phase; 0 on the 4x4 board.
func (p Position) ToShrink() int {
	switch {
	case p.phase == Placing:
		return PlacingTurns - int(p.turns) + FirstShrink
	case p.stage == Full:
		return FirstShrink - int(p.turns)
	case p.stage == Middle:
		return SecondShrink - int(p.turns)
	}
	return 0
}

func (p Position) Game() string { return Name }

// Turn returns the side to move: White on even turns of each phase.
func (p Position) Turn() engine.Side {
	if p.turns&1 == 0 {
		return engine.First
	}
	return engine.Second
}

func (p Position) Over() bool { return p.over }

// Winner returns the winner, [engine.None] for a tie or an unfinished game.
func (p Position) Winner() engine.Side { return p.winner }

func (p Position) Score() [2]int {
	return [2]int{bits.OnesCount64(p.sides[0]), bits.OnesCount64(p.sides[1])}
}

// Moves returns the legal moves: none if the game is over, only Forfeit if the side to move is blocked.
func (p Position) Moves() []engine.Move {
	if p.over {
		return nil
	}
	own, opp := p.OwnOpp()
	if p.phase == Placing {
		free := zone[p.turns&1] &^ (own | opp)
		out := make([]engine.Move, 0, bits.OnesCount64(free))
		for ; free != 0; free &= free - 1 {
			out = append(out, Place(bits.TrailingZeros64(free)))
		}
		return out
	}
	steps := AppendSteps(make([]engine.Move, 0, 4*MaxPieces), own, opp, p.stage)
	if len(steps) == 0 {
		return []engine.Move{Forfeit}
	}
	return steps
}

func (p Position) Play(m engine.Move) (engine.Position, error) {
	return p.PlayMove(m)
}

// PlayMove returns the position after a move. If the move is illegal, the error wraps [engine.ErrIllegalMove].
func (p Position) PlayMove(m engine.Move) (Position, error) {
	if why := p.illegal(m); why != "" {
		return Position{}, fmt.Errorf("%w: %s", engine.ErrIllegalMove, why)
	}
	return p.Next(m), nil
}

// illegal returns the reason why a move is illegal, "" if it is legal.
func (p Position) illegal(m engine.Move) string {
	if p.over {
		return "the game is over"
	}
	own, opp := p.OwnOpp()
	side := sideNames[p.turns&1]
	if m == Forfeit {
		if p.phase == Placing {
			return side + " must place a piece"
		}
		if !Blocked(own, opp, p.stage) {
			return side + " has a move and must not forfeit"
		}
		return ""
	}
	if p.phase == Placing {
		return p.illegalPlacement(m)
	}
	return p.illegalStep(m)
}

// illegalPlacement is illegal for a move of the placing phase, except Forfeit.
func (p Position) illegalPlacement(m engine.Move) string {
	if m&^squareMask != placeFlag {
		return fmt.Sprintf("%s in the placing phase: want one square (x,y)", moveString(m))
	}
	s := Square(m)
	switch bit := uint64(1) << s; {
	case corners[Full]&bit != 0:
		return fmt.Sprintf("%s is a corner", squareString(s))
	case (p.sides[0]|p.sides[1])&bit != 0:
		return fmt.Sprintf("%s is occupied", squareString(s))
	case zone[p.turns&1]&bit == 0:
		rows := "rows 0 to 5"
		if p.Turn() == engine.Second {
			rows = "rows 2 to 7"
		}
		return fmt.Sprintf("%s is outside %s's zone, %s", squareString(s), sideNames[p.turns&1], rows)
	}
	return ""
}

// illegalStep is illegal for a move of the moving phase, except Forfeit.
func (p Position) illegalStep(m engine.Move) string {
	if m < 0 || m >= placeFlag {
		return fmt.Sprintf("%s in the moving phase: want (xa,ya)->(xb,yb)", moveString(m))
	}
	own, opp := p.OwnOpp()
	from, to := Origin(m), Square(m)
	if own>>from&1 == 0 {
		return fmt.Sprintf("%s has no piece on %s", sideNames[p.turns&1], squareString(from))
	}
	switch bit := uint64(1) << to; {
	case onBoard[p.stage]&bit == 0:
		return fmt.Sprintf("%s is no longer on the board", squareString(to))
	case corners[p.stage]&bit != 0:
		return fmt.Sprintf("%s is a corner", squareString(to))
	case (own|opp)&bit != 0:
		return fmt.Sprintf("%s is occupied", squareString(to))
	}
	for d := range 4 {
		if next[from][d] == 1<<to {
			return ""
		}
		if beyond[from][d] == 1<<to {
			if next[from][d]&(own|opp) == 0 {
				return fmt.Sprintf("no piece to jump over between %s and %s", squareString(from), squareString(to))
			}
			return ""
		}
	}
	return fmt.Sprintf("%s is neither a step nor a jump away from %s", squareString(to), squareString(from))
}

// Next returns the position after a legal move. It does not check m.
func (p Position) Next(m engine.Move) Position {
	me := p.turns & 1
	own, opp := p.sides[me], p.sides[me^1]
	before := own | opp
	if p.phase == Placing {
		s := Square(m)
		own, opp = Enter(own|1<<s, opp, s, Full)
	} else if m != Forfeit {
		own, opp = MoveStep(own, opp, m, p.stage)
	}
	p.sides[me], p.sides[me^1] = own, opp
	p.turns++
	if p.phase == Placing {
		if p.turns == PlacingTurns {
			p.phase, p.turns = Moving, 0
			p.checkPieces()
		}
		return p
	}
	p.checkPieces()
	if p.over { // before a shrink
		return p
	}
	switch {
	case p.turns == FirstShrink || p.turns == SecondShrink:
		p.stage++
		p.sides[0], p.sides[1] = Shrink(p.sides[0], p.sides[1], p.stage)
		p.checkPieces()
	case p.stage != Final:
	case bits.OnesCount64(own|opp) < bits.OnesCount64(before):
		p.quiet = 0
	case !p.strict: // strict games do not count
		p.quiet++
	}
	p.checkEndless()
	return p
}

// checkPieces ends the game if a side has fewer than two pieces. It must be called in the moving phase.
func (p *Position) checkPieces() {
	var value int // for White
	value, p.over = Result(p.sides[0], p.sides[1])
	switch value {
	case 1:
		p.winner = engine.First
	case -1:
		p.winner = engine.Second
	}
}

// checkEndless ends a game on the 4x4 board in a tie if both sides are blocked, or after QuietLimit
// turns without an elimination.
func (p *Position) checkEndless() {
	if p.over || p.strict || p.stage != Final {
		return
	}
	p.over = p.quiet >= QuietLimit ||
		Blocked(p.sides[0], p.sides[1], Final) && Blocked(p.sides[1], p.sides[0], Final)
}

var sideNames = [2]string{"white", "black"}
