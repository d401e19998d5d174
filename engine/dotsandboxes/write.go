package dotsandboxes

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

// writer writes the moves of a game in a notation.
type writer struct {
	name string
	line func(p Position, m engine.Move) string // returns the text of a move in p
	join string                                 // stands between two moves
	// turns means that each turn begins with its number, and that commas separate the moves of a
	// turn; join stands between two turns.
	turns bool
}

var writers = []writer{
	{name: "moves", line: Position.MoveString, join: " "},
	{name: "trmph", line: trmphLine},
	{name: "knox", line: knoxLine, join: " ", turns: true},
	{name: "openspiel", line: func(_ Position, m engine.Move) string { return fmt.Sprint(m) }, join: " "},
	{name: "codingame", line: sideLine, join: "\n"},
	{name: "driver", line: driverLine, join: "\n"},
}

func (Game) Notations() []string {
	out := engine.Notations
	for _, w := range writers {
		out = append(out[:len(out):len(out)], w.name)
	}
	return append(out, "dbn")
}

// Write writes a game in one of Notations. The size precedes moves if [Game.ReadGame] needs it to
// read them correctly.
func (g Game) Write(notation string, start engine.Position, moves []engine.Move) (string, error) {
	first, err := engine.As[Position](start)
	if err != nil {
		return "", err
	}
	if notation == "dbn" {
		end, err := engine.PlayAll(first, moves)
		if err != nil {
			return "", err
		}
		return end.dbn(), nil
	}
	for _, w := range writers {
		if w.name == notation {
			return w.write(first, moves)
		}
	}
	return engine.Write(g, notation, start, moves)
}

// check returns an error if the notation cannot express the game.
func (w writer) check(start Position, moves []engine.Move) error {
	b := start.board
	switch {
	case start != New(b):
		return fmt.Errorf("notation %s needs a game from the empty board: give its moves, for instance %s h0,1", w.name, b)
	case len(moves) == 0:
		return errors.New("the board is empty: there is no move to write")
	case w.name == "trmph" && (b.Rows != b.Cols || b.Rows > 12):
		return fmt.Errorf("trmph has square boards of up to 12x12, not %s", b)
	case w.name == "knox" && b.Cols > 25, w.name == "codingame" && b.Cols > 26:
		return fmt.Errorf("notation %s has no letters for %d columns", w.name, b.Cols)
	}
	return nil
}

// write returns a game in the notation, with the size in front if read needs it.
func (w writer) write(start Position, moves []engine.Move) (string, error) {
	if err := w.check(start, moves); err != nil {
		return "", err
	}
	b := start.board
	var out strings.Builder
	if w.name == "trmph" {
		fmt.Fprintf(&out, "http://www.%s%d,", trmphBoard, b.Rows)
	}
	p, turn, mover := start, 0, engine.None
	for i, m := range moves {
		sameTurn := p.turn == mover
		switch {
		case w.turns && sameTurn:
			out.WriteString(", ")
		case i > 0:
			out.WriteString(w.join)
		}
		if !sameTurn {
			turn, mover = turn+1, p.turn
		}
		if w.turns && !sameTurn {
			fmt.Fprintf(&out, "%d. ", turn)
		}
		out.WriteString(w.line(p, m))
		var err error
		if p, err = p.DrawLine(m); err != nil {
			return "", err
		}
	}
	text := out.String()
	if !readsAs(text, p) {
		text = b.String() + " " + text
	}
	return text, nil
}

// dbn returns OpenSpiel's notation of a position: a digit for every line, 1 if it is drawn. The size
// stands in front of the digits unless they determine the position, and the score and the turn after
// them unless the size and the digits do.
func (p Position) dbn() string {
	digits := bytes.Repeat([]byte("0"), p.board.Segments())
	for _, s := range p.drawn.Segments() {
		digits[s] = '1'
	}
	text := string(digits)
	if !readsAs(text, p) {
		text = p.board.String() + " " + text
	}
	if !readsAs(text, p) {
		text += fmt.Sprintf(" %d-%d %d", p.score[0], p.score[1], p.turn)
	}
	return text
}

// readsAs reports whether a text is read as a game that ends in p, owners ignored.
func readsAs(text string, p Position) bool {
	g, err := read(text)
	if err != nil {
		return false
	}
	g.end.owned, p.owned = [2]grid.Set{}, [2]grid.Set{}
	return g.end == p
}

func trmphLine(p Position, m engine.Move) string {
	r, c, horizontal := p.board.Line(int(m))
	x, y := 2*c, 2*(p.board.Rows-r)
	if horizontal {
		x, y = x+1, y+1
	}
	return fmt.Sprintf("%c%d", 'a'+x, y)
}

func knoxLine(p Position, m engine.Move) string {
	r, c, horizontal := p.board.Line(int(m))
	row := p.board.Rows + 1 - r
	if horizontal {
		return fmt.Sprintf("%c%d-%c%d", 'a'+c, row, 'a'+c+1, row)
	}
	return fmt.Sprintf("%c%d-%c%d", 'a'+c, row-1, 'a'+c, row)
}

// sideLine returns a line such as "A1 L".
func sideLine(p Position, m engine.Move) string {
	x, y, side := p.board.Name(int(m))
	return fmt.Sprintf("%c%d %c", 'A'+x, p.board.Rows-y, boxSides[side]-'a'+'A')
}

func driverLine(p Position, m engine.Move) string {
	orientation, r, c := PlaceOf(p.board, m)
	return fmt.Sprintf("%s player=%d - r=%d - c=%d - o=%s", actionPrefix, p.turn, r, c, orientation)
}
