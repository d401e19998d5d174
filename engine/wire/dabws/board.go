package dabws

import (
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
)

// board is the position of a game in progress: [solvable] or [largeBoard].
type board interface {
	mover() int
	// draw returns the position after the player to move has drawn a line, or an error if the
	// board has no such line or the line is drawn already.
	draw(orientation string, row, col int) (board, error)
	// movedBy returns the position with the given player to move.
	movedBy(player int) (board, error)
	over() bool
	empty() bool
	score() [2]int
	// firstFree returns the action that draws the first free line.
	firstFree() message
	size() string
}

// solvable is a position that the agent's player accepts.
type solvable struct{ dotsandboxes.Position }

// newBoard returns an empty board, or an error if a side is not 1 to maxLargeSide.
func newBoard(rows, cols int) (board, error) {
	b, err := grid.New(rows, cols)
	if err != nil {
		return newLargeBoard(rows, cols)
	}
	return solvable{dotsandboxes.New(b)}, nil
}

func (p solvable) draw(orientation string, row, col int) (board, error) {
	l, err := dotsandboxes.LineAt(p.Board(), orientation, row, col)
	if err != nil {
		return nil, err
	}
	next, err := p.DrawLine(l)
	return solvable{next}, err
}

func (p solvable) movedBy(player int) (board, error) {
	q, err := dotsandboxes.FromLines(p.Board(), p.Drawn(), p.Score(), engine.Side(player))
	return solvable{q}, err
}

func (p solvable) mover() int { return int(p.Turn()) }

func (p solvable) over() bool { return p.Over() }

func (p solvable) empty() bool { return p.Position == dotsandboxes.New(p.Board()) }

func (p solvable) score() [2]int { return p.Score() }

func (p solvable) size() string { return p.Board().String() }

func (p solvable) firstFree() message {
	return message{Type: "action"}.at(p.Position, p.Moves()[0])
}
