package grid

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Drawing is a board with its drawn segments, as [ReadDrawing] reads it.
type Drawing struct {
	Board *Board
	Drawn Set
	Text  []string // inside each square
	Rest  []string // the other lines

	initials bool // squares contain letters other than A, B and R
}

// UnknownOwner is returned by [Drawing.Owner] for a square whose owner the drawing does not name.
const UnknownOwner = 3

// Owner returns the owner that a drawing gives a square: 1 for 1, A and R, 2 for 2 and B, 0 if nothing
// is inside, and UnknownOwner for * and #. If any square contains another letter, such as the initial
// of a name, all letters are UnknownOwner. ok is false for other texts.
func (d Drawing) Owner(sq int) (owner int, ok bool) {
	text := strings.ToUpper(d.Text[sq])
	if d.initials && isInitial(text) {
		return UnknownOwner, true
	}
	switch text {
	case "":
		return 0, true
	case "1", "A", "R":
		return 1, true
	case "2", "B":
		return 2, true
	case "*", "#":
		return UnknownOwner, true
	}
	return 0, false
}

func isInitial(text string) bool {
	letter, size := utf8.DecodeRuneInString(text)
	return size == len(text) && unicode.IsLetter(letter)
}

const maxDrawing = 1 << 20

// Characters for dots and segments in drawings, and for places without a segment.
const (
	dotMarks        = "+*oOxX.#•"
	horizontalMarks = "-=—–_─━═"
	verticalMarks   = "|#│┃║¦"
	blankMarks      = " ·."
)

// ReadDrawing reads a drawing of a board, for instance
//
//	+---+   +
//	| 1 |
//	+---+---+
//
// Horizontal segments are drawn between equally spaced dots. Between two rows of dots there
// are one or more lines with the vertical segments, below dots, and perhaps owners inside
// the squares. Corners and crossings of box-drawing characters are dots. Numbers may precede
// a line, and blanks may be missing at its right end.
//
// A tab ends at a multiple of eight columns or of four, if both give the same drawing or only one of
// them gives any.
//
// ok is false, and err is nil, for a text without a drawing, for a single line, and for a text
// longer than maxDrawing. For a drawing with a fault ok is true; an error about a character contains its
// line and column, from 1.
func ReadDrawing(text string) (d Drawing, ok bool, err error) {
	if len(text) > maxDrawing || !strings.Contains(text, "\n") {
		return d, false, nil
	}
	if strings.Contains(text, "\t") {
		wide, isWide, errWide := readDrawing(expandTabs(text, 8))
		narrow, isNarrow, errNarrow := readDrawing(expandTabs(text, 4))
		isWide, isNarrow = isWide && errWide == nil, isNarrow && errNarrow == nil
		same := wide.Board == narrow.Board && wide.Drawn == narrow.Drawn && slices.Equal(wide.Text, narrow.Text)
		switch {
		case isWide && (!isNarrow || same):
			return wide, true, nil
		case isNarrow && !isWide:
			return narrow, true, nil
		}
	}
	return readDrawing(text)
}

// expandTabs replaces each tab by blanks up to the next multiple of width in its line.
func expandTabs(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, c := range text {
		switch c {
		case '\t':
			b.WriteString(strings.Repeat(" ", width-column%width))
			column += width - column%width
			continue
		case '\n':
			column = -1 // the next character is in column 0
		}
		b.WriteRune(c)
		column++
	}
	return b.String()
}

// readDrawing is ReadDrawing for a text in which a tab counts as one column.
func readDrawing(text string) (d Drawing, ok bool, err error) {
	var lines [][]rune
	for line := range strings.Lines(text) {
		lines = append(lines, []rune(strings.Map(boxDots, strings.TrimRight(line, "\t\n"))))
	}
	g, first, step := findDots(lines)
	if step == 0 {
		if slices.ContainsFunc(lines, looksDrawn) {
			err = errors.New("drawing: no two rows of dots: want one of + * o x . # for every dot, " +
				"at equal distances in every row")
		}
		return d, err != nil, err
	}
	for i := first + 1; i < len(lines) && g.dot != '#'; i++ { // # may also be a segment
		if g.beginsRow(lines[i-1]) && g.beginsRow(lines[i]) {
			return d, true, fmt.Errorf("drawing: line %d: a row of dots right below another: the row of squares between them is missing", i+1)
		}
	}
	rows := 1
	for first+(rows+1)*step < len(lines) && g.beginsRow(lines[first+(rows+1)*step]) {
		rows++
	}
	if d.Board, err = New(rows, g.cols); err != nil {
		return d, true, err
	}
	last := first + rows*step
	if below := last + 1; below < len(lines) && slices.ContainsFunc(lines[below], isVertical) {
		return d, true, fmt.Errorf("drawing: line %d: squares below the last row of dots: add the row of dots that ends them", below+1)
	}
	for _, line := range append(lines[:first:first], lines[last+1:]...) {
		d.Rest = append(d.Rest, string(line))
	}
	d.Text = make([]string, d.Board.Squares())
	for r := range rows + 1 {
		i, places := first+r*step, g
		if r == 0 {
			places = latticeOf(lines[i]) // only this row may lack the blanks at its beginning
		}
		err := places.readDots(&d, r, lines[i], i+1)
		if err == nil && r < rows {
			err = g.readSquares(&d, r, lines[i+1:i+step], i+2)
		}
		if err != nil {
			return d, true, err
		}
	}
	d.initials = slices.ContainsFunc(d.Text, func(text string) bool {
		return isInitial(text) && !strings.ContainsAny(text, "AaBbRr")
	})
	return d, true, nil
}

// boxDots returns + for a corner or crossing of box-drawing characters, otherwise c.
func boxDots(c rune) rune {
	if c >= '┌' && c <= '╋' || c >= '╒' && c <= '╰' {
		return '+'
	}
	return c
}

// isVertical reports whether a character is only a vertical segment in drawings.
func isVertical(c rune) bool { return c != '#' && strings.ContainsRune(verticalMarks, c) }

// looksDrawn reports whether a line consists of characters of drawings, with a vertical
// segment or a horizontal one of at least two characters.
func looksDrawn(line []rune) bool {
	text := string(line)
	const marks = "ABab0123456789\t" + dotMarks + horizontalMarks + verticalMarks + blankMarks
	foreign := func(c rune) bool { return !strings.ContainsRune(marks, c) }
	long := func(c rune) bool { return strings.Contains(text, strings.Repeat(string(c), 2)) }
	return !slices.ContainsFunc(line, foreign) && (slices.ContainsFunc(line, isVertical) || strings.ContainsFunc(horizontalMarks, long))
}

// findDots returns the places of the dots of a drawing, the index of its first row of dots,
// and the number of lines from a row of dots to the next, 0 if there is no drawing. If the blanks
// before the first row are missing, the places are those of the second row.
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
		if alike && g.offset == 0 {
			return indented, first, second - first
		}
	}
	return lattice{}, 0, 0
}

// lattice contains the places of the dots in a row: cols+1 dots, the first in column offset, from 0, and
// each pitch columns after the previous one.
type lattice struct {
	dot                 rune
	offset, pitch, cols int
}

// trimLabel returns a line without blanks and digits at its beginning.
func trimLabel(line []rune) []rune {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || unicode.IsDigit(line[i])) {
		i++
	}
	return line[i:]
}

// latticeOf returns the places of the dots in a line; cols is 0 if the line is not a row of dots.
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

func at(line []rune, i int) rune {
	if i < len(line) {
		return line[i]
	}
	return ' '
}

// beginsRow reports whether a line seems to be a row of dots, perhaps with faults.
func (g lattice) beginsRow(line []rune) bool {
	rest := trimLabel(line)
	if len(line)-len(rest) != g.offset || len(rest) < 2 || rest[0] != g.dot {
		return false
	}
	return strings.Count(string(rest), string(g.dot)) > g.cols/2
}

// isRow reports whether a line has all its dots, and only segments, numbers and blanks between them.
func (g lattice) isRow(line []rune) bool {
	if g.missingDot(line) >= 0 {
		return false
	}
	for c := range g.cols {
		for _, ch := range g.between(line, c) {
			if !strings.ContainsRune(horizontalMarks+blankMarks+"\t", ch) && !unicode.IsDigit(ch) {
				return false
			}
		}
	}
	return true
}

// missingDot returns the first column, from 0, in which a line lacks a dot, or -1.
func (g lattice) missingDot(line []rune) int {
	for c := range g.cols + 1 {
		if column := g.offset + c*g.pitch; at(line, column) != g.dot {
			return column
		}
	}
	return -1
}

// between returns the characters between the dots c and c+1 of a line.
func (g lattice) between(line []rune, c int) []rune {
	from := g.offset + c*g.pitch + 1
	return line[min(len(line), from):min(len(line), from+g.pitch-1)]
}

// wrongMark returns the error for the wrong character ch at a line and column, from 1. want describes
// the right characters.
func wrongMark(line, column int, ch rune, want string) error {
	switch ch {
	case '\t':
		return fmt.Errorf("drawing: line %d, column %d: a tab, whose width is unknown: want blanks instead", line, column)
	case ' ', '·':
		return fmt.Errorf("drawing: line %d, column %d: a blank in a line that is drawn in part: want all of it or nothing", line, column)
	}
	return fmt.Errorf("drawing: line %d, column %d: %q: want %s", line, column, string(ch), want)
}

// readPlace reports whether a segment is drawn at its place, the characters between two dots. The place
// contains blanks and characters of marks, symmetrically as in " - ", or the value of a move. wrong is
// -1 or the index of a fault: the first character that is neither a mark nor a blank or, without
// symmetry, the first blank.
func readPlace(place []rune, marks string) (drawn bool, wrong int) {
	if isValue(place) {
		return false, -1
	}
	n := len(place)
	for i, ch := range place {
		switch {
		case strings.ContainsRune(marks, ch):
			drawn = true
		case !strings.ContainsRune(blankMarks, ch):
			return false, i
		}
	}
	isBlank := func(ch rune) bool { return !strings.ContainsRune(marks, ch) }
	for i, ch := range place {
		if isBlank(ch) != isBlank(place[n-1-i]) {
			return false, slices.IndexFunc(place, isBlank)
		}
	}
	return drawn, -1
}

// isValue reports whether the place of a segment shows the value of a move between blanks.
func isValue(place []rune) bool {
	number := strings.TrimLeft(strings.Trim(string(place), " "), "+-")
	n := len(place)
	return n > 2 && place[0] == ' ' && place[n-1] == ' ' && number != "" && strings.Trim(number, "0123456789") == ""
}

// checkMargins returns an error for a tab in a line, for a character before the first dot that is
// neither a digit nor a blank, and for one after the last dot that is not a blank. n is the number of
// the line, from 1.
func (g lattice) checkMargins(line []rune, n int) error {
	width := g.offset + g.cols*g.pitch + 1
	for i, ch := range line {
		switch {
		case ch == '\t':
			return wrongMark(n, i+1, ch, "blanks")
		case ch == ' ':
		case i < g.offset && !unicode.IsDigit(ch):
			return wrongMark(n, i+1, ch, "a row number or a blank")
		case i >= width:
			return wrongMark(n, i+1, ch, "nothing to the right of the last dot")
		}
	}
	return nil
}

// readDots adds the horizontal segments in row r of the dots to d. n is the number of the line, from 1.
func (g lattice) readDots(d *Drawing, r int, line []rune, n int) error {
	if column := g.missingDot(line); column >= 0 {
		return fmt.Errorf("drawing: line %d, column %d: want a dot, %c, below one of the first row; "+
			"a dot or blanks may be missing before it", n, column+1, g.dot)
	}
	if err := g.checkMargins(line, n); err != nil {
		return err
	}
	for c := range g.cols {
		place := g.between(line, c)
		drawn, wrong := readPlace(place, horizontalMarks)
		if wrong >= 0 {
			return wrongMark(n, g.offset+c*g.pitch+wrong+2, place[wrong], "- or a blank")
		}
		if drawn {
			d.Drawn.Add(d.Board.H(r, c))
		}
	}
	return nil
}

// readSquares adds the vertical segments and the texts in row r of the squares to d. n is the number of
// the first line, from 1.
func (g lattice) readSquares(d *Drawing, r int, lines [][]rune, n int) error {
	width := g.offset + g.cols*g.pitch + 1
	for i, line := range lines {
		// If every square has one character, a line that is too short and has only single blanks
		// is probably a copy without the repeated blanks.
		body := strings.TrimRight(string(line[min(len(line), g.offset):]), " ")
		short := g.pitch == 2 && len(line) < width
		if short && strings.Contains(strings.TrimSpace(body), " ") && !strings.Contains(body, "  ") {
			return fmt.Errorf("drawing: line %d: %d characters, want %d: blanks seem to be missing",
				n+i, len([]rune(body)), width-g.offset)
		}
		if err := g.checkMargins(line, n+i); err != nil {
			return err
		}
	}
	for c := range g.cols + 1 {
		column := g.offset + c*g.pitch
		place := make([]rune, len(lines))
		for i, line := range lines {
			place[i] = at(line, column)
		}
		drawn, wrong := readPlace(place, verticalMarks)
		if wrong >= 0 {
			return wrongMark(n+wrong, column+1, place[wrong], "| or a blank")
		}
		if drawn {
			d.Drawn.Add(d.Board.V(r, c))
		}
	}
	for i, line := range lines {
		for c := range g.cols {
			inside := g.between(line, c)
			if k := slices.IndexFunc(inside, isVertical); k >= 0 {
				return wrongMark(n+i, g.offset+c*g.pitch+k+2, inside[k], "vertical lines below dots; blanks are missing or extra")
			}
			d.Text[d.Board.Square(c, r)] += strings.Trim(string(inside), blankMarks)
		}
	}
	return nil
}
