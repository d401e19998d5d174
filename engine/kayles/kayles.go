// Package kayles holds the rules of Kayles (Dudeney 1908): pins stand in rows;
// a move knocks down one pin, or two that stand side by side; who knocks down
// the last pin wins.
//
// It is the smallest game of the house and an example of what a new one has to
// provide: the rules with a notation (this file and notation.go), canonical
// keys (canonical.go) and a picture (picture.go). Everything else follows from
// those. Each run of pins is a game of its own, so by the theorem of Sprague
// and Grundy the values are known without any search (Guy and Smith 1956),
// which makes Kayles a test of the solvers.
package kayles

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"endwise/engine"
)

// Name is the game's word on the command line and in stores.
const Name = "kayles"

// UsualBoard is the board that Game.Start takes for "".
const UsualBoard = "12"

// Limits of a board.
const (
	MaxPins = 60 // of all rows together
	MaxRows = 12
)

// board is the sizes of the rows that a game begins with, in their order.
type board string

// parseBoard reads the sizes of rows like "12" or "5-7-3".
func parseBoard(text string) (board, error) {
	bad := fmt.Errorf("board %.40q: want the sizes of 1 to %d rows of at most %d pins together, for instance 12 or 5-7-3", text, MaxRows, MaxPins)
	sum := 0
	rows := strings.Split(text, "-")
	for _, r := range rows {
		n, err := strconv.Atoi(r)
		if err != nil || n < 1 || n > MaxPins || r != strconv.Itoa(n) {
			return "", bad
		}
		sum += n
	}
	if len(rows) > MaxRows || sum > MaxPins {
		return "", bad
	}
	return board(text), nil
}

// rows are the sizes of the rows.
func (b board) rows() []int {
	var out []int
	for r := range strings.SplitSeq(string(b), "-") {
		n, _ := strconv.Atoi(r) // parseBoard has looked at it
		out = append(out, n)
	}
	return out
}

// longest is the size of the longest row, pins that of all together.
func (b board) longest() int { return slices.Max(b.rows()) }

func (b board) pins() (n int) {
	for _, r := range b.rows() {
		n += r
	}
	return n
}

// How the pins of a position are written.
const (
	standing = 'I'
	fallen   = '.'
	gap      = '-' // between two rows
)

// Position is a position; equal ones are == equal.
type Position struct {
	board board
	pins  string // standing and fallen pins from left to right, gaps between rows
	turn  engine.Side
}

// New is the first position on a board like "5-7-3".
func New(size string) (Position, error) {
	b, err := parseBoard(size)
	if err != nil {
		return Position{}, err
	}
	var rows []string
	for _, n := range b.rows() {
		rows = append(rows, strings.Repeat(string(standing), n))
	}
	return Position{b, strings.Join(rows, string(gap)), engine.First}, nil
}

// Game implements engine.Position.
func (p Position) Game() string { return Name }

// Turn implements engine.Position. Who knocked down the last pin keeps it.
func (p Position) Turn() engine.Side { return p.turn }

// Over implements engine.Position.
func (p Position) Over() bool { return !strings.ContainsRune(p.pins, standing) }

// Score implements engine.Position: 1-0 or 0-1 for a finished game, in which
// the turn stays with who knocked down the last pin.
func (p Position) Score() (s [2]int) {
	if p.Over() {
		s[p.turn-1] = 1
	}
	return s
}

// A move is twice the place of its first pin in the row of letters, and one
// more where the next pin falls as well.

// Moves implements engine.Position: from left to right, one pin before two.
func (p Position) Moves() []engine.Move {
	var out []engine.Move
	for i := range p.pins {
		for m := engine.Move(2 * i); m <= engine.Move(2*i+1); m++ {
			if p.legal(m) {
				out = append(out, m)
			}
		}
	}
	return out
}

func (p Position) legal(m engine.Move) bool {
	i := int(m) / 2
	return m >= 0 && i < len(p.pins) && p.pins[i] == standing && (m%2 == 0 || i+1 < len(p.pins) && p.pins[i+1] == standing)
}

// Play implements engine.Position.
func (p Position) Play(m engine.Move) (engine.Position, error) {
	if !p.legal(m) {
		return nil, fmt.Errorf("%w: %s: no such pins stand", engine.ErrIllegalMove, p.MoveString(m))
	}
	pins := []byte(p.pins)
	pins[m/2] = fallen
	if m%2 == 1 {
		pins[m/2+1] = fallen
	}
	p.pins = string(pins)
	if !p.Over() {
		p.turn = p.turn.Other()
	}
	return p, nil
}

// number is a pin's number, from 1; there are numbers for all places.
func (p Position) number(place int) int {
	n := place + 1
	if place < len(p.pins) {
		n -= strings.Count(p.pins[:place], string(gap))
	}
	return n
}

// MoveString implements engine.Position: the number of a pin from the left,
// like 5, or of two neighbours, like 5-6.
func (p Position) MoveString(m engine.Move) string {
	if m < 0 {
		return strconv.Itoa(int(m))
	}
	n := p.number(int(m) / 2)
	if m%2 == 0 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d-%d", n, n+1)
}

// ParseMove implements engine.Position.
func (p Position) ParseMove(text string) (engine.Move, error) {
	text = strings.TrimSpace(text)
	first, second, pair := strings.Cut(text, "-")
	n, err := strconv.Atoi(first)
	if err == nil && pair {
		var next int
		if next, err = strconv.Atoi(second); err == nil && next != n+1 {
			err = strconv.ErrRange
		}
	}
	if err != nil || n < 0 {
		return 0, fmt.Errorf("move %.40q: want the number of a pin like 5, or of two neighbours like 5-6", text)
	}
	for i := range p.pins {
		if p.number(i) != n || p.pins[i] == gap {
			continue
		}
		m := engine.Move(2 * i)
		if pair {
			m++
		}
		if p.legal(m) {
			return m, nil
		}
	}
	return 0, fmt.Errorf("%w: %s: no such pins stand", engine.ErrIllegalMove, text)
}

// Draw implements engine.Position.
func (p Position) Draw(w io.Writer, style engine.DrawStyle) error {
	var pins, numbers strings.Builder
	for i, c := range p.pins {
		switch {
		case c == gap:
			pins.WriteString("    ")
			numbers.WriteString("    ")
			continue
		case style.Last != nil && (int(*style.Last)/2 == i || *style.Last%2 == 1 && int(*style.Last)/2 == i-1):
			pins.WriteString("  x")
		default:
			fmt.Fprintf(&pins, "  %c", c)
		}
		fmt.Fprintf(&numbers, "%3d", p.number(i))
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", pins.String(), numbers.String())
	return err
}
