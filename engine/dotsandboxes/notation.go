package dotsandboxes

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

// MoveString returns a line such as "h2,0", in row 2 of dots at column 0.
func (p Position) MoveString(m engine.Move) string {
	if m < 0 || int(m) >= p.board.Segments() {
		return fmt.Sprintf("line(%d)", m)
	}
	orientation, r, c := PlaceOf(p.board, m)
	return fmt.Sprintf("%s%d,%d", orientation, r, c)
}

// PlaceOf returns the orientation, "h" or "v", the row and the column of a line; see [LineAt].
func PlaceOf(b *grid.Board, line engine.Move) (orientation string, r, c int) {
	r, c, horizontal := b.Line(int(line))
	if horizontal {
		return "h", r, c
	}
	return "v", r, c
}

// LineAt returns the line with an orientation, "h" or "v", in row r and column c, counted from
// 0 at the top left. It returns an error for another orientation and for a line outside the board.
func LineAt(b *grid.Board, orientation string, r, c int) (engine.Move, error) {
	rows, cols, line := b.Rows, b.Cols-1, b.H
	switch orientation {
	case "h":
	case "v":
		rows, cols, line = b.Rows-1, b.Cols, b.V
	default:
		return 0, fmt.Errorf("orientation %.20q: want \"h\" or \"v\"", orientation)
	}
	if r < 0 || r > rows || c < 0 || c > cols {
		return 0, fmt.Errorf("line %s%d,%d is outside the %s board: rows are 0 to %d, columns 0 to %d",
			orientation, r, c, b, rows, cols)
	}
	return engine.Move(line(r, c)), nil
}

// ParseMove reads "h2,0" and the other forms of [lineParts], and a move in another notation of
// [Game.ReadGame], such as Little Golem's b1, Knox's a1-b1 and CodinGame's A1 B. It does not read
// OpenSpiel's numbers without brackets.
func (p Position) ParseMove(text string) (engine.Move, error) {
	if m, err := parseLine(p.board, text); err == nil && strings.Contains(text, ",") {
		_, err = p.DrawLine(m)
		return m, err
	}
	s := source{board: p.board, from: &p, text: text, words: moveWords(text)}
	if len(s.words) == 0 || len(s.words) == 1 && engine.IsNumber(s.words[0]) {
		return 0, noLine(text)
	}
	g, err := s.readForms()
	switch {
	case errors.Is(err, engine.ErrNotation), err == nil && len(g.moves) != 1:
		return 0, noLine(text)
	case err == nil:
		return g.moves[0], nil
	}
	if strings.ContainsAny(text[:1], "hHvV") { // taken for an orientation, not for a column
		if _, err := parseLine(p.board, text); err != nil {
			return 0, err
		}
	}
	// Remove the number of the move.
	if inner := errors.Unwrap(err); inner != nil && !errors.Is(err, errTwoReadings) {
		err = inner
	}
	return 0, err
}

func noLine(text string) error {
	return fmt.Errorf("line %.40q: want h or v with row and column, for instance h2,0", text)
}

// lineParts splits the text of a line, "h2,0", "2,0,h", "h 2 0", "h(2,0)", "h2.0" or, with
// single digits, "h20", into row, column and orientation. ok reports whether row and column
// are numbers and the orientation is "h" or "v".
func lineParts(text string) (f []string, ok bool) {
	f = strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(",.() \t", r) })
	if len(f) > 0 && (f[0][0] == 'h' || f[0][0] == 'v') {
		o := f[0][:1]
		if rest := f[0][1:]; rest != "" {
			f = append([]string{rest}, f[1:]...)
		} else {
			f = f[1:]
		}
		f = append(f, o)
	}
	if len(f) == 2 && len(f[0]) == 2 {
		f = []string{f[0][:1], f[0][1:], f[1]}
	}
	return f, len(f) == 3 && engine.IsNumber(f[0]) && engine.IsNumber(f[1]) && (f[2] == "h" || f[2] == "v")
}

func parseLine(b *grid.Board, text string) (engine.Move, error) {
	f, ok := lineParts(text)
	if !ok {
		return 0, noLine(text)
	}
	r, err1 := strconv.Atoi(f[0])
	c, err2 := strconv.Atoi(f[1])
	if err1 != nil || err2 != nil {
		return 0, noLine(text)
	}
	return LineAt(b, f[2], r, c)
}

// String returns the size, the drawn h lines and v lines row by row (1 drawn, 0 free), the score, the
// player to move, and if boxes have owners the owners row by row ('.' for none):
//
//	2x2 h00/11/00 v010/000 0-0 2
//	1x2 h11/11 v110 1-0 1 o1.
func (p Position) String() string {
	var w strings.Builder
	rows := func(rows, cols int, at func(r, c int) byte) {
		for r := range rows {
			if r > 0 {
				w.WriteByte('/')
			}
			for c := range cols {
				w.WriteByte(at(r, c))
			}
		}
	}
	drawn := func(line func(r, c int) int) func(r, c int) byte {
		return func(r, c int) byte {
			if p.drawn.Has(line(r, c)) {
				return '1'
			}
			return '0'
		}
	}
	w.WriteString(p.board.String() + " h")
	rows(p.board.Rows+1, p.board.Cols, drawn(p.board.H))
	w.WriteString(" v")
	rows(p.board.Rows, p.board.Cols+1, drawn(p.board.V))
	fmt.Fprintf(&w, " %d-%d %d", p.score[0], p.score[1], p.turn)
	if p.owned != [2]grid.Set{} {
		w.WriteString(" o")
		rows(p.board.Rows, p.board.Cols, func(r, c int) byte { return ".12"[p.Owner(p.board.Square(c, r))] })
	}
	return w.String()
}

// fields are parts of the one-line notation.
type fields struct {
	drawn    grid.Set
	standing engine.Standing
	owners   string
	seen     map[string]bool
}

// parseFields reads the words after the size in the one-line notation.
func parseFields(b *grid.Board, words []string) (*game, error) {
	f := fields{seen: map[string]bool{}}
	for _, w := range words {
		if err := f.read(b, w); err != nil {
			return nil, err
		}
	}
	if !f.seen["h lines"] || !f.seen["v lines"] {
		return nil, errors.New("the h lines and the v lines are both needed, for instance 1x1 h0/0 v00 0-0 1")
	}
	owned, err := parseOwners(b, f.drawn, f.owners)
	if err != nil {
		return nil, err
	}
	return withLines(f.standing, b, f.drawn, owned)
}

// addPart records that a part of the notation was read. A second such part is an error.
func (f *fields) addPart(part string) error {
	if f.seen[part] {
		return fmt.Errorf("%s given twice", part)
	}
	f.seen[part] = true
	return nil
}

// read reads a word, which must not be empty.
func (f *fields) read(b *grid.Board, w string) error {
	switch {
	case w[0] == 'h':
		return f.readLines("h lines", w, b.Rows+1, b.Cols, b.H)
	case w[0] == 'v':
		return f.readLines("v lines", w, b.Rows, b.Cols+1, b.V)
	case w[0] == 'o':
		f.owners = w
		return f.addPart("owners")
	case w == "1" || w == "2":
		f.standing.Turn = engine.Side(w[0] - '0')
		return f.addPart("turn")
	}
	l, r, ok := strings.Cut(w, "-")
	s1, err1 := strconv.Atoi(l)
	s2, err2 := strconv.Atoi(r)
	if !ok || err1 != nil || err2 != nil || s1 < 0 || s2 < 0 || s1 > 127 || s2 > 127 {
		return fmt.Errorf("field %.40q: want h…, v…, a score like 3-1, the player to move (1 or 2) or o…", w)
	}
	f.standing.Score, f.standing.Scored = [2]int{s1, s2}, true
	return f.addPart("score")
}

// readLines reads the word w of the part "h lines" or "v lines".
func (f *fields) readLines(part, w string, rows, cols int, line func(r, c int) int) error {
	if err := f.addPart(part); err != nil {
		return err
	}
	return parseRows(w, rows, cols, "01", func(r, c int, ch byte) {
		if ch == '1' {
			f.drawn.Add(line(r, c))
		}
	})
}

// parseOwners reads the owners of the boxes from a word like "o1./.2"; "" contains no owners.
func parseOwners(b *grid.Board, drawn grid.Set, w string) (owned [2]grid.Set, err error) {
	if w == "" {
		return owned, nil
	}
	p := Position{board: b, drawn: drawn}
	var bad error
	err = parseRows(w, b.Rows, b.Cols, ".12", func(r, c int, ch byte) {
		box := b.Square(c, r)
		switch complete := p.Completed(box); {
		case ch != '.' && !complete:
			bad = fmt.Errorf("owner of row %d column %d: the box is open", r, c)
		case ch != '.':
			owned[ch-'1'].Add(box)
		}
	})
	return owned, cmp.Or(err, bad)
}

// checkOwners returns an error if a player owns more boxes than the score says.
func (p Position) checkOwners() error {
	owned, score := [2]int{p.owned[0].Len(), p.owned[1].Len()}, p.Score()
	if owned[0] > score[0] || owned[1] > score[1] {
		return fmt.Errorf("score %d-%d: the owners have %d-%d boxes", score[0], score[1], owned[0], owned[1])
	}
	return nil
}

// parseRows reads a word of a letter and rows of allowed characters, separated by slashes, and calls put
// with each character and its place. The word must not be empty.
func parseRows(word string, rows, cols int, allowed string, put func(r, c int, ch byte)) error {
	letter, list := word[0], strings.Split(word[1:], "/")
	if len(list) != rows {
		return fmt.Errorf("%c: %d rows, the board has %d", letter, len(list), rows)
	}
	for r, row := range list {
		if len(row) != cols {
			return fmt.Errorf("%c, row %d: %d lines, the board has %d", letter, r, len(row), cols)
		}
		for c := range len(row) {
			if !strings.Contains(allowed, row[c:c+1]) {
				return fmt.Errorf("%c, row %d, column %d is %q: write %s", letter, r, c, row[c], strings.Join(strings.Split(allowed, ""), " or "))
			}
			put(r, c, row[c])
		}
	}
	return nil
}
