// Package dotsandboxes contains the rules of Dots and Boxes and the notations that players use. Players
// draw lines on a grid of boxes. A player who completes a box owns the box and moves again; otherwise the
// turn passes. One line may complete two boxes. The game is over when every line is drawn.
//
// A line is h or v with a row and a column: h lines lie at row 0..rows and column 0..cols-1, v lines at
// row 0..rows-1 and column 0..cols. As an [engine.Move] a line is its segment number on the [grid.Board].
package dotsandboxes

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

const Name = "dotsandboxes"

const RulesVersion = 1

const UsualBoard = "5x5"

// Position is a position with the boxes that each player owns. Positions can be compared
// with ==. The zero value has no board and is not valid.
type Position struct {
	board *grid.Board
	drawn grid.Set
	owned [2]grid.Set // completed boxes whose owner is known
	score [2]int8
	turn  engine.Side
}

func New(b *grid.Board) Position {
	return Position{board: b, turn: engine.First}
}

// FromLines returns the position with the given lines drawn and without owners. It returns an error
// if the side to move is neither First nor Second, if a line is not on the board, or if the scores do
// not add up to the number of completed boxes.
func FromLines(b *grid.Board, drawn grid.Set, score [2]int, turn engine.Side) (Position, error) {
	p := Position{board: b, drawn: drawn, score: [2]int8{int8(score[0]), int8(score[1])}, turn: turn}
	if turn != engine.First && turn != engine.Second {
		return Position{}, fmt.Errorf("turn %d: want 1 or 2", turn)
	}
	for _, s := range drawn.Segments() {
		if s >= b.Segments() {
			return Position{}, fmt.Errorf("line %d: the %s board has %d lines", s, b, b.Segments())
		}
	}
	if n := len(p.completed()); score[0] < 0 || score[1] < 0 || score[0]+score[1] != n {
		return Position{}, fmt.Errorf("score %d-%d: must add up to %d, the boxes that are completed%s",
			score[0], score[1], n, p.places(p.completed()))
	}
	return p, nil
}

func (p Position) completed() []int {
	var out []int
	for box := range p.board.Squares() {
		if p.Completed(box) {
			out = append(out, box)
		}
	}
	return out
}

// places returns the places of at most four boxes in brackets, for errors; "" for no boxes.
func (p Position) places(boxes []int) string {
	const limit = 4
	var places []string
	for i, box := range boxes {
		x, y := p.board.XY(box)
		places = append(places, fmt.Sprintf("row %d column %d", y, x))
		if i == limit {
			places[i] = "…"
			break
		}
	}
	if places == nil {
		return ""
	}
	return " (" + strings.Join(places, ", ") + ")"
}

// missing returns the number of free lines around a box.
func (p Position) missing(box int) int {
	n := 0
	for _, s := range p.board.Around(box) {
		if !p.drawn.Has(s) {
			n++
		}
	}
	return n
}

func (p Position) Board() *grid.Board { return p.board }

func (p Position) Free() grid.Set { return p.board.All().Minus(p.drawn) }

func (p Position) Drawn() grid.Set { return p.drawn }

// Owner returns the owner of a box: engine.None if the box is open, or if it is completed
// but the position was given without owners.
func (p Position) Owner(box int) engine.Side {
	switch {
	case p.owned[0].Has(box):
		return engine.First
	case p.owned[1].Has(box):
		return engine.Second
	}
	return engine.None
}

func (p Position) Completed(box int) bool { return p.missing(box) == 0 }

func (p Position) Game() string { return Name }

func (p Position) Turn() engine.Side { return p.turn }

func (p Position) Over() bool { return int(p.score[0])+int(p.score[1]) == p.board.Squares() }

func (p Position) Score() [2]int { return [2]int{int(p.score[0]), int(p.score[1])} }

// Moves returns the free lines, h before v, row by row.
func (p Position) Moves() []engine.Move {
	if p.Over() {
		return nil
	}
	return p.Free().Moves()
}

// Captures returns the number of boxes that drawing a line would complete. It is 0 for a line that is
// drawn already or does not exist.
func (p Position) Captures(m engine.Move) int {
	if m < 0 || int(m) >= p.board.Segments() || p.drawn.Has(int(m)) {
		return 0
	}
	n := 0
	for _, box := range p.board.Sides(int(m)) {
		if box != grid.Outside && p.missing(box) == 1 {
			n++
		}
	}
	return n
}

func (p Position) Play(m engine.Move) (engine.Position, error) { return p.DrawLine(m) }

// DrawLine returns the position after line m is drawn. If m is drawn already or does not exist, the
// error wraps [engine.ErrIllegalMove].
func (p Position) DrawLine(m engine.Move) (Position, error) {
	if n := p.board.Segments(); m < 0 || int(m) >= n {
		return p, fmt.Errorf("%w: line %d: the %s board has lines 0..%d", engine.ErrIllegalMove, m, p.board, n-1)
	}
	if p.drawn.Has(int(m)) {
		return p, fmt.Errorf("%w: line %s is drawn already", engine.ErrIllegalMove, p.MoveString(m))
	}
	p.drawn.Add(int(m))
	captured := false
	for _, box := range p.board.Sides(int(m)) {
		if box != grid.Outside && p.missing(box) == 0 {
			captured = true
			p.owned[p.turn-1].Add(box)
			p.score[p.turn-1]++
		}
	}
	if !captured {
		p.turn = p.turn.Other()
	}
	return p, nil
}

// Safe reports whether every box next to the free line m keeps at least two free lines when m is drawn.
func (p Position) Safe(m engine.Move) bool {
	for _, box := range p.board.Sides(int(m)) {
		if box != grid.Outside && p.missing(box) <= 2 {
			return false
		}
	}
	return true
}

// QuickMove returns a line that completes the most boxes, otherwise a safe one, otherwise one after
// which the opponent can take the fewest boxes. Ties are broken at random. QuickMove returns -1 if
// the game is over.
func (p Position) QuickMove() engine.Move {
	best, rank, equal := engine.Move(-1), math.MinInt, 0
	for _, m := range p.Moves() {
		var r int
		switch captures := p.Captures(m); {
		case captures > 0:
			r = 2 * captures
		case p.Safe(m):
			r = 1
		default:
			r = -p.givesAway(m)
		}
		if r > rank {
			rank, equal = r, 0
		}
		if r == rank {
			// Taking the newest of equal lines with probability 1/equal makes all of them equally likely.
			if equal++; rand.IntN(equal) == 0 {
				best = m
			}
		}
	}
	return best
}

// givesAway returns the number of boxes that the opponent can take in one turn after line m,
// which must be free and complete no box.
func (p Position) givesAway(m engine.Move) int {
	q, err := p.DrawLine(m)
	if err != nil {
		return 0
	}
	before, opponent := q.Score(), q.Turn()
	for again := true; again; {
		again = false
		for _, l := range q.Moves() {
			if q.Captures(l) > 0 {
				q, _ = q.DrawLine(l)
				again = true
			}
		}
	}
	return q.Score()[opponent-1] - before[opponent-1]
}

// SafeMovesLeft draws the safe lines one after the other, in the order of Moves, until none is left,
// and returns their number.
func (p Position) SafeMovesLeft() int {
	n := 0
	for _, s := range p.Free().Segments() {
		if p.Safe(engine.Move(s)) {
			p.drawn.Add(s)
			n++
		}
	}
	return n
}

type Game struct{}

func (Game) Name() string { return Name }

func (Game) Title() string { return "Dots and Boxes" }

func (Game) RulesVersion() int { return RulesVersion }

func (Game) Unit() (one, more string) { return "box", "boxes" }

func (Game) Boards() []string {
	return []string{UsualBoard, "7x7", "6x6", "4x4", "2x5", "3x3", "5x5 swedish", "5x5 icelandic"}
}

// Start returns the first position on a board: a size ROWSxCOLS in boxes, a named start (american,
// icelandic or swedish), both in any order ("5x5 swedish"), or empty. A missing size means
// UsualBoard, a missing name a board without drawn lines.
func (Game) Start(board string) (engine.Position, error) {
	size, name, _ := strings.Cut(strings.TrimSpace(board), " ")
	if isName(size) {
		size, name = strings.TrimSpace(name), size
	}
	if name = strings.TrimSpace(name); name != "" && !isStart(name) {
		return nil, unknownStart(name)
	}
	b, err := ParseBoard(cmp.Or(size, UsualBoard))
	if err != nil {
		return nil, err
	}
	return startOf(b, strings.ToLower(name))
}

func (Game) Parse(text string) (engine.Position, error) { return Parse(text) }
