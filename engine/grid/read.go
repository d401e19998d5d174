package grid

import (
	"fmt"
	"strings"
	"unicode"
)

// Drawing is the contents of a board that is drawn in a text.
type Drawing struct {
	Board *Board
	Drawn Set
	Text  []string // the text inside each square
	Rest  []string // the lines before and after the drawing
}

// Characters for dots and segments in drawings, including bold and double lines.
const (
	dotMarks        = "+*oO.#•"
	horizontalMarks = "-=—–_─═"
	verticalMarks   = "|#│║"
)

// ReadDrawing reads a drawing of a board, for instance
//
//	+---+   +
//	| 1 |
//	+---+---+
//
// Horizontal segments are drawn between equally spaced dots. Between two rows of dots there
// are one or more lines with the vertical segments, below dots, and perhaps owners inside
// the squares. Numbers may precede a line, and lines may be cut off at their right end. ok
// is false if the text has no two rows of dots. Errors name the line, from 1.
func ReadDrawing(text string) (d Drawing, ok bool, err error) {
	if len(text) > 1<<20 || !strings.Contains(text, "\n") {
		return d, false, nil
	}
	var lines [][]rune
	for line := range strings.Lines(text) {
		lines = append(lines, []rune(strings.TrimRight(strings.ReplaceAll(line, "\t", "        "), "\n")))
	}
	g, first, step := findDots(lines)
	if step == 0 {
		return d, false, nil
	}
	rows := 1
	for first+(rows+1)*step < len(lines) && g.beginsRow(lines[first+(rows+1)*step]) {
		rows++
	}
	if d.Board, err = New(rows, g.cols); err != nil {
		return d, true, err
	}
	for _, line := range append(lines[:first:first], lines[first+rows*step+1:]...) {
		d.Rest = append(d.Rest, string(line))
	}
	d.Text = make([]string, d.Board.Squares())
	for r := range rows + 1 {
		at := first + r*step
		if !g.isRow(lines[at]) {
			return d, true, fmt.Errorf("line %d: the dots are not below those of line %d: blanks are missing or extra", at+1, first+1)
		}
		for c := range g.cols {
			if marked(g.between(lines[at], c), horizontalMarks) {
				d.Drawn.Add(d.Board.H(r, c))
			}
		}
		for i := at + 1; i < at+step && r < rows; i++ {
			if err := g.readSquares(&d, r, lines[i]); err != nil {
				return d, true, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
	}
	return d, true, nil
}

// findDots returns the places of the dots of a drawing, the index of its first row of dots,
// and the number of lines from a row to the next, 0 if there is no drawing. Blanks that are
// missing before the first row, as in a copy of the text, are added in lines.
func findDots(lines [][]rune) (g lattice, first, step int) {
	for ; first < len(lines); first++ {
		if g = latticeOf(lines[first]); g.cols > 0 && first+1 < len(lines) {
			break
		}
	}
	for second := first + 1; second < len(lines); second++ {
		if g.beginsRow(lines[second]) {
			return g, first, second - first
		}
		indented := latticeOf(lines[second])
		alike := indented.dot == g.dot && indented.pitch == g.pitch && indented.cols == g.cols
		if alike && len(trimLabel(lines[first])) == len(lines[first]) { // the first row begins with a dot
			lines[first] = append([]rune(strings.Repeat(" ", indented.offset)), lines[first]...)
			return indented, first, second - first
		}
	}
	return lattice{}, 0, 0
}

// lattice describes the places of the dots in a row: cols+1 dots, the first in column
// offset of the text, each pitch columns after the one before.
type lattice struct {
	dot                 rune
	offset, pitch, cols int
}

// trimLabel returns a line without blanks and a number at its beginning.
func trimLabel(line []rune) []rune {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] >= '0' && line[i] <= '9') {
		i++
	}
	return line[i:]
}

// latticeOf returns the places of the dots in a line; cols is 0 if it is no row of dots.
func latticeOf(line []rune) lattice {
	rest := trimLabel(line)
	if len(rest) < 3 || !strings.ContainsRune(dotMarks, rest[0]) {
		return lattice{}
	}
	g := lattice{dot: rest[0], offset: len(line) - len(rest)}
	for i := 1; i < len(rest) && g.pitch == 0; i++ {
		if rest[i] == g.dot {
			g.pitch = i
		}
	}
	if g.pitch < 2 {
		return lattice{}
	}
	end := len([]rune(strings.TrimRight(string(rest), " ")))
	g.cols = (end - 1) / g.pitch
	if g.cols > MaxSide || end != g.cols*g.pitch+1 || !g.isRow(line) {
		return lattice{}
	}
	return g
}

// at returns the character in a column of a line, a blank beyond its end.
func at(line []rune, i int) rune {
	if i < len(line) {
		return line[i]
	}
	return ' '
}

// beginsRow reports whether a line begins like a row of dots with the first dot at g.offset.
func (g lattice) beginsRow(line []rune) bool {
	rest := trimLabel(line)
	return len(line)-len(rest) == g.offset && len(rest) > 1 && rest[0] == g.dot && strings.Count(string(rest), string(g.dot)) > g.cols/2
}

// isRow reports whether a line has all its dots, and only segments, numbers and blanks
// between them.
func (g lattice) isRow(line []rune) bool {
	for c := range g.cols + 1 {
		if at(line, g.offset+c*g.pitch) != g.dot {
			return false
		}
	}
	for c := range g.cols {
		for _, ch := range g.between(line, c) {
			if !strings.ContainsRune(horizontalMarks+" ·", ch) && !unicode.IsDigit(ch) {
				return false
			}
		}
	}
	return strings.TrimSpace(string(line[min(len(line), g.offset+g.cols*g.pitch+1):])) == ""
}

// between returns the characters between the dots c and c+1 of a line; in a line of squares,
// those inside square c.
func (g lattice) between(line []rune, c int) []rune {
	from := g.offset + c*g.pitch + 1
	return line[min(len(line), from):min(len(line), from+g.pitch-1)]
}

// marked reports whether a segment is drawn in a place. A place with a number shows the
// value of a move instead.
func marked(place []rune, marks string) bool {
	return strings.ContainsAny(string(place), marks) && !strings.ContainsAny(string(place), "0123456789")
}

// readSquares adds to d the vertical segments and the texts of a line in row r of squares.
func (g lattice) readSquares(d *Drawing, r int, line []rune) error {
	width := g.offset + g.cols*g.pitch + 1
	body := []rune(strings.TrimRight(string(line[min(len(line), g.offset):]), " "))
	inner := strings.TrimSpace(string(body))
	if len(line) < width && g.pitch == 2 && strings.Contains(inner, " ") && !strings.Contains(string(body), "  ") {
		return fmt.Errorf("%d characters, want %d: blanks seem to be missing", len(body), width-g.offset)
	}
	for c := range g.cols + 1 {
		if marked([]rune{at(line, g.offset+c*g.pitch)}, verticalMarks) {
			d.Drawn.Add(d.Board.V(r, c))
		}
		if c == g.cols {
			break
		}
		inside := strings.Trim(string(g.between(line, c)), " ·")
		if strings.ContainsAny(inside, "|│║") {
			return fmt.Errorf("a vertical line is not below a dot: blanks are missing or extra")
		}
		d.Text[d.Board.Square(c, r)] += inside
	}
	return nil
}
