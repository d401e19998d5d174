package dotsandboxes

import (
	"errors"
	"fmt"
	"strings"

	"endwise/engine"
)

// writers write the moves of a game in the notations that have one text for each.
var writers = []struct {
	name string
	// line writes one line; join stands between two.
	line func(p Position, m engine.Move) string
	join string
}{
	{"moves", Position.MoveString, " "},
	{"trmph", trmphLine, ""},
	{"knox", nil, ""},
	{"openspiel", func(_ Position, m engine.Move) string { return fmt.Sprint(m) }, " "},
	{"codingame", sideLine, "\n"},
	{"driver", driverLine, "\n"},
}

// Notations implements engine.Game.
func (Game) Notations() []string {
	out := engine.Notations
	for _, w := range writers {
		out = append(out[:len(out):len(out)], w.name)
	}
	return append(out, "dbn")
}

// Write implements engine.Game. The size stands in front if the text alone would be read as
// something else.
func (g Game) Write(notation string, start engine.Position, moves []engine.Move) (string, error) {
	first, err := engine.As[Position](start)
	if err != nil {
		return "", err
	}
	if notation == "dbn" {
		end, err := engine.PlayAll(start, moves)
		if err != nil {
			return "", err
		}
		p := end.(Position)
		text := p.bits()
		if !readsAs(text, p) {
			text = p.board.String() + " " + text
		}
		if !readsAs(text, p) {
			text += fmt.Sprintf(" %d-%d %d", p.score[0], p.score[1], p.turn)
		}
		return text, nil
	}
	for _, w := range writers {
		if w.name != notation {
			continue
		}
		b := first.board
		switch {
		case first != New(b):
			return "", fmt.Errorf("notation %s is that of a game from the empty board: give the moves, for instance %s h0,1", notation, b)
		case len(moves) == 0:
			return "", errors.New("the board is empty: there is no move to write")
		case notation == "trmph" && (b.Rows != b.Cols || b.Rows > 12):
			return "", fmt.Errorf("trmph has square boards of up to 12x12, not %s", b)
		case notation == "knox" && b.Cols > 25, notation == "codingame" && b.Cols > 26:
			return "", fmt.Errorf("notation %s has no letters for %d columns", notation, b.Cols)
		}
		var out strings.Builder
		if notation == "trmph" {
			fmt.Fprintf(&out, "http://www.%s%d,", trmphBoard, b.Rows)
		}
		p, turn := first, 0
		for i, m := range moves {
			same := i > 0 && p.turn == engine.Side(1+(turn+1)%2)
			if !same {
				turn++
			}
			switch {
			case w.line != nil && i > 0:
				out.WriteString(w.join)
			case w.line == nil && same:
				out.WriteString(", ")
			case w.line == nil:
				fmt.Fprintf(&out, "%s%d. ", strings.Repeat(" ", min(i, 1)), turn)
			}
			if w.line == nil {
				out.WriteString(knoxLine(p, m))
			} else {
				out.WriteString(w.line(p, m))
			}
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
	return engine.Write(g, notation, start, moves)
}

// readsAs reports whether a text is read as a game that ends with the lines, the score and
// the turn of p.
func readsAs(text string, p Position) bool {
	g, err := read(text)
	return err == nil && g.end.board == p.board && g.end.drawn == p.drawn && g.end.score == p.score && g.end.turn == p.turn
}

// trmphLine returns a line in the notation of Little Golem and trmph.
func trmphLine(p Position, m engine.Move) string {
	r, c, horizontal := p.board.Line(int(m))
	x, y := 2*c, 2*(p.board.Rows-r)
	if horizontal {
		x, y = x+1, y+1
	}
	return fmt.Sprintf("%c%d", 'a'+x, y)
}

// knoxLine returns a line as Knox's pair of dots.
func knoxLine(p Position, m engine.Move) string {
	r, c, horizontal := p.board.Line(int(m))
	row := p.board.Rows + 1 - r
	if horizontal {
		return fmt.Sprintf("%c%d-%c%d", 'a'+c, row, 'a'+c+1, row)
	}
	return fmt.Sprintf("%c%d-%c%d", 'a'+c, row-1, 'a'+c, row)
}

// sideLine returns a line as CodinGame's box and side.
func sideLine(p Position, m engine.Move) string {
	b := p.board
	sq := b.Sides(int(m))[0]
	x, y := b.XY(sq)
	for side, line := range b.Around(sq) {
		if line == int(m) {
			return fmt.Sprintf("%c%d %c", 'A'+x, b.Rows-y, boxSides[side]-'a'+'A')
		}
	}
	return ""
}

// driverLine returns a line as an action of the driver's log.
func driverLine(p Position, m engine.Move) string {
	r, c, horizontal := p.board.Line(int(m))
	o := "v"
	if horizontal {
		o = "h"
	}
	return fmt.Sprintf("%s player=%d - r=%d - c=%d - o=%s", action, p.turn, r, c, o)
}

// bits writes a digit for every line, 1 if it is drawn.
func (p Position) bits() string {
	out := make([]byte, p.board.Segments())
	for i := range out {
		out[i] = '0'
		if p.drawn.Has(i) {
			out[i] = '1'
		}
	}
	return string(out)
}
