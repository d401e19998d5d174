package dotsandboxes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

// game is a game or, without moves, a position.
type game struct {
	start, end Position // before and after the moves
	moves      []engine.Move
	assumed    bool // the text does not give the size, and [source.sized] assumes one
}

func newGame(start Position) *game { return &game{start: start, end: start} }

// Parse reads a position, or the last one of a game, in any notation; see [Game.ReadGame].
func Parse(text string) (Position, error) {
	g, err := read(text)
	if err != nil {
		return Position{}, err
	}
	return g.end, nil
}

// ReadGame reads a game. A board size and a named start may precede the text, which is in one of
// these notations:
//
//   - the line that String writes, and the output of query;
//   - lines, "3x3 h0,1 v2,2", with or without move numbers;
//   - JSON messages of the agents' protocol, and the log of its driver;
//   - the plain format of all games, see engine.ReadRecord;
//   - moves and links of Little Golem and trmph, "5,f3h9k8";
//   - Knox's pairs of dots, "1. e3-f3 2. e4-f4";
//   - OpenSpiel's actions, "0 6 2" or "P1(h,0,1)", and its positions of 0 and 1;
//   - CodinGame's moves, "A1 L", and the input of a turn;
//   - drawings, see grid.ReadDrawing.
//
// Moves of Little Golem, trmph and Knox without a size are read on the board on which they are a
// complete game or, if there is none, on 5x5. A size alone is the first position. Except in JSON,
// drawings and records, text in braces and lines that begin with # are comments
// ([engine.StripComments]). If a text of 0 and 1 fits several sizes, the error names them.
func (Game) ReadGame(text string) (engine.Position, []engine.Move, error) {
	g, err := read(text)
	if err != nil {
		return nil, nil, err
	}
	return g.start, g.moves, nil
}

// source is a text in parts.
type source struct {
	board *grid.Board // nil if it is not known yet
	from  *Position   // the position in which the text continues a game; nil for a whole game
	start string      // the name of the start; "" if the text has none
	text  string      // without size, start and comments
	words []string    // the words of text, without move numbers
}

// form is a notation made of words. is reports whether a text looks like the notation.
type form struct {
	is   func(source) bool
	read func(source) (*game, error)
}

// Positions are tried before games. The first form that recognises a text reads it.
var (
	positions = []form{{isBits, readBits}, {isFields, readFields}, {isInput, readInput}}
	games     = []form{
		{isDriver, readDriver}, {isLink, readTrmph}, {isLines, readLines}, {isActions, readActions},
		{isKnox, readKnox}, {isSides, readSides}, {isTrmph, readTrmph}, {isTriples, refuseTriples},
	}
)

// read reads a text in any notation of [Game.ReadGame].
func read(text string) (*game, error) {
	text = engine.CleanText(text)
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return nil, errors.New("position: empty; want a size and moves, for instance 3x3 h0,1")
	case engine.IsRecord(trimmed):
		return readRecord(trimmed)
	}
	if line, ok := engine.PositionLine(text); ok { // the output of query
		g, err := read(line)
		if err == nil {
			err = checkDrawing(text, g.end)
		}
		return g, err
	}
	s, err := openSource(text)
	if err != nil {
		return nil, err
	}
	if d, ok, err := grid.ReadDrawing(s.text); err != nil {
		return nil, err
	} else if ok {
		return readDrawing(s, d)
	}
	if s.text = strings.TrimSpace(s.text); isMessages(s.text) {
		return readMessages(s)
	}
	if s.text, err = engine.StripComments(s.text); err != nil {
		return nil, err
	}
	s.words = moveWords(s.text)
	switch {
	case len(s.words) == 0 && s.board == nil:
		return nil, errors.New("position: nothing but comments; want a size and moves, for instance 3x3 h0,1")
	case len(s.words) == 0:
		return s.first(s.board)
	}
	return s.readForms()
}

// errTwoReadings is wrapped by the error for a text that can be read as two positions.
var errTwoReadings = errors.New("has two meanings")

// readForms reads a text with words. The error wraps engine.ErrNotation if no form recognises the text.
func (s source) readForms() (*game, error) {
	for _, f := range positions {
		if f.is(s) {
			if err := s.withoutStart(); err != nil {
				return nil, err
			}
			return f.read(s)
		}
	}
	s.text = engine.StripResult(s.text)
	s.words = moveWords(s.text)
	for _, f := range games {
		if f.is(s) {
			if err := engine.CheckNumbers(s.text); err != nil {
				return nil, err
			}
			return f.read(s)
		}
	}
	first := s.words[0]
	_, err := ParseBoard(first)
	switch {
	case s.board != nil && isName(first):
		err = unknownStart(first)
	case s.board != nil:
		_, err = s.lines()
	case err == nil:
		err = errors.New("want a size like 3x3, then moves, for instance 3x3 h0,1")
	case strings.Trim(first[:1], "0123456789") != "":
		err = fmt.Errorf("word 1, %.40q: want a size, for instance 3x3, or a move, for instance h0,1, f3 or e3-f3", first)
	}
	return nil, fmt.Errorf("%w: %w", engine.ErrNotation, err)
}

// openSource returns a source with the size and the named start at the beginning of a text, if there are
// any, and with the rest of the text, but without words. An impossible size is an error.
func openSource(text string) (source, error) {
	s := source{text: text}
	word, rest := cutWord(text)
	if isStart(word) { // move it behind the size
		size, after := cutWord(rest)
		word, rest = size, word+"\n"+after
	}
	rows, cols, two := strings.Cut(strings.ToLower(strings.TrimSuffix(word, ":")), "x")
	next, _ := cutWord(rest)
	if !engine.IsNumber(rows) || two && !engine.IsNumber(cols) {
		return s, nil
	}
	// A single number is a size only if a word with a comma, such as h0,1, a named start or nothing
	// follows. Other numbers are actions, or the input of a turn.
	if !two && (len(rows) > 2 || next != "" && !strings.Contains(next, ",") && !isStart(next)) {
		return s, nil
	}
	var err error
	if s.board, err = ParseBoard(strings.TrimSuffix(word, ":")); err != nil {
		return s, fmt.Errorf("position: %w", err)
	}
	s.text = rest
	if isStart(next) {
		s.start = strings.ToLower(next)
		_, s.text = cutWord(rest)
	}
	return s, nil
}

// cutWord returns the first word of a text and the rest. If only blanks follow the word on its
// line, the rest begins with the next line.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t\n")
	i := strings.IndexAny(text, " \t\n")
	if i < 0 {
		return text, ""
	}
	word, rest = text[:i], text[i:]
	if line, after, ok := strings.Cut(rest, "\n"); ok && strings.TrimSpace(line) == "" {
		return word, after
	}
	return word, rest
}

// moveWords returns the words of a text, separated by blanks and semicolons, without move
// numbers, "12." and "12...", and without a comma at the end.
func moveWords(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n;", c) }) {
		if digits, rest, ok := strings.Cut(w, "."); ok && engine.IsNumber(digits) {
			w = strings.TrimLeft(rest, ".")
		}
		if w = strings.TrimSuffix(w, ","); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// leadingNumber cuts the decimal digits off the beginning of a text; n is -1 if there are
// none or more than four.
func leadingNumber(text string) (n int, rest string) {
	rest = strings.TrimLeft(text, "0123456789")
	digits := text[:len(text)-len(rest)]
	n, err := strconv.Atoi(digits)
	if err != nil || len(digits) > 4 {
		n = -1
	}
	return n, rest
}

// withoutStart returns an error if a named start precedes the text.
func (s source) withoutStart() error {
	if s.start == "" {
		return nil
	}
	return fmt.Errorf("%s names the start of a game, but the text has its own start: leave out one of them", s.start)
}

// first returns a game without moves from s.from or, if that is nil, from the named start on b.
func (s source) first(b *grid.Board) (*game, error) {
	if s.from != nil {
		return newGame(*s.from), nil
	}
	p, err := startOf(b, s.start)
	return newGame(p), err
}

// sized returns a game without moves, as first does, on s.board. If s.board is nil, it uses the board
// usual and sets assumed, or returns an error if usual is "".
func (s source) sized(usual string) (*game, error) {
	switch {
	case s.board != nil:
		return s.first(s.board)
	case usual == "":
		return nil, s.noSize()
	}
	b, err := ParseBoard(usual)
	if err != nil {
		return nil, err
	}
	g, err := s.first(b)
	if err == nil {
		g.assumed = true
	}
	return g, err
}

// completeBoard returns the board on which read reads a complete game, nil if there is none.
func (s source) completeBoard(read func(source) (*game, error)) *grid.Board {
	for rows := 1; rows <= grid.MaxSide; rows++ {
		for cols := 1; cols <= grid.MaxSide; cols++ {
			var err error
			if s.board, err = newBoard(rows, cols); err != nil {
				break // too many lines
			}
			if g, err := read(s); err == nil && g.end.Over() {
				return s.board
			}
		}
	}
	return nil
}

// AssumedSize returns the size of the board that [Game.ReadGame] assumes for a text, "" if the text
// gives it or is a complete game.
func AssumedSize(text string) string {
	g, err := read(text)
	if err != nil || !g.assumed || g.end.Over() {
		return ""
	}
	return g.start.board.String()
}

// sizeAdvice returns the end of an error, the advice to give another size, if the size is assumed,
// otherwise "".
func (g *game) sizeAdvice() string {
	if !g.assumed {
		return ""
	}
	return "; if the board has another size, put it in front, as in 7x7 f13"
}

func (s source) noSize() error {
	return fmt.Errorf("position: the size of the board is missing: put it in front, as in %q",
		"3x3 "+engine.OneLine(s.text, 40))
}

// drawAt draws the line at a place ([LineAt]); word is its text.
func (g *game) drawAt(word, orientation string, r, c int) error {
	m, err := LineAt(g.end.board, orientation, r, c)
	if err == nil {
		err = g.draw(m)
	}
	if err != nil {
		return g.moveError(word, err)
	}
	return nil
}

// moveError adds the number and the text of the next move to an error.
func (g *game) moveError(word string, err error) error {
	return fmt.Errorf("move %d, %.40q: %w", len(g.moves)+1, strings.Trim(word, " \t\n,;"), err)
}

func (g *game) draw(m engine.Move) error {
	p, err := g.end.DrawLine(m)
	if err == nil {
		g.end, g.moves = p, append(g.moves, m)
	}
	return err
}

// checkTurn returns an error unless the given player is to move. word is the text of the move.
func (g *game) checkTurn(word string, player int) error {
	if player != int(g.end.turn) {
		return g.moveError(word, fmt.Errorf("it is %s's turn", g.end.turn))
	}
	return nil
}

func readRecord(text string) (*game, error) {
	start, moves, err := engine.ReadRecord[Position](Game{}, text)
	if err != nil {
		return nil, err
	}
	end, err := engine.PlayAll(start, moves)
	return &game{start: start, end: end, moves: moves}, err
}

// isMessages reports whether a text begins like JSON messages and not like a comment in braces.
func isMessages(text string) bool {
	rest, ok := strings.CutPrefix(text, "{")
	return ok && (rest == "" || strings.HasPrefix(strings.TrimSpace(rest), `"`))
}

func readMessages(s source) (*game, error) {
	if err := s.withoutStart(); err != nil {
		return nil, err
	}
	g := &game{}
	_, err := ReadMessages(s.text, func(m Message, p Position) error {
		if m.Location != nil {
			line, err := m.Line(p.board)
			if err != nil {
				return err
			}
			g.moves = append(g.moves, line)
		} else if m.Type == "start" {
			g.start = p
		}
		g.end = p
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.board != nil && s.board != g.end.board {
		return nil, fmt.Errorf("the messages are of a %s board, not %s", g.end.board, s.board)
	}
	return g, nil
}

// lineTexts joins words into the texts of lines, in the forms of [lineParts]. rest contains the first
// words, at most three, that do not form a line.
func lineTexts(words []string) (lines []string, rest string) {
	joined := 0
	for _, w := range words {
		rest, joined = strings.TrimSpace(rest+" "+w), joined+1
		if _, ok := lineParts(rest); ok {
			lines, rest, joined = append(lines, rest), "", 0
		}
		if joined == 3 { // the maximum for a line
			break
		}
	}
	return lines, rest
}

// isLines reports whether the words are lines, or begin with a line that has a comma, such as h0,1.
func isLines(s source) bool {
	lines, rest := lineTexts(s.words)
	return rest == "" || len(lines) > 0 && strings.Contains(lines[0], ",")
}

// readLines reads lines. It returns an error if the text, for instance h11, can also be read as
// moves of Little Golem that lead to another position.
func readLines(s source) (*game, error) {
	if s.board == nil {
		return nil, s.noSize()
	}
	g, err := s.lines()
	if err != nil {
		return nil, err
	}
	if other, err := readTrmph(s); err == nil && other.end != g.end {
		k := 0 // the first move that differs
		for k+1 < min(len(g.moves), len(other.moves)) && g.moves[k] == other.moves[k] {
			k++
		}
		return nil, fmt.Errorf("%.40q %w: %s, or %s as Little Golem writes it; write h or v, row, comma, column",
			s.words[min(k, len(s.words)-1)], errTwoReadings, g.end.MoveString(g.moves[k]), g.end.MoveString(other.moves[k]))
	}
	return g, nil
}

func (s source) lines() (*game, error) {
	g, err := s.first(s.board)
	if err != nil {
		return nil, err
	}
	lines, rest := lineTexts(s.words)
	if rest != "" {
		first, _ := cutWord(rest)
		lines = append(lines, first)
	}
	for i, text := range lines {
		m, err := parseLine(s.board, text)
		if err == nil {
			err = g.draw(m)
		}
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	return g, nil
}

// isFields reports whether a word looks like the h lines or v lines of the one-line notation, with a slash.
func isFields(s source) bool {
	return slices.ContainsFunc(s.words, func(w string) bool {
		return (w[0] == 'h' || w[0] == 'v') && strings.Contains(w, "/") && strings.Trim(w[1:], "01/xX") == ""
	})
}

func readFields(s source) (*game, error) {
	if s.board == nil {
		return nil, s.noSize()
	}
	g, err := parseFields(s.board, s.words)
	if err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	return g, nil
}

// withLines returns a game without moves from the position on b with the given lines drawn and owners of
// boxes. st may omit the score if the owners of all completed boxes are known, and the player to move if
// no box is completed or the game is over.
func withLines(st engine.Standing, b *grid.Board, drawn grid.Set, owned [2]grid.Set) (*game, error) {
	p := Position{board: b, drawn: drawn}
	boxes := p.completed()
	complete := len(boxes)
	if owners := owned[0].Len() + owned[1].Len(); owners == complete && !st.Scored {
		st.Score, st.Scored = [2]int{owned[0].Len(), owned[1].Len()}, true
	}
	if complete == 0 && st.Turn == engine.None {
		st.Turn = engine.First + engine.Side(drawn.Len()%2)
	}
	switch {
	case !st.Scored:
		text := "complete boxes"
		if owned != [2]grid.Set{} {
			text += " without an owner"
			boxes = slices.DeleteFunc(boxes, func(box int) bool { return owned[0].Has(box) || owned[1].Has(box) })
		}
		return nil, fmt.Errorf("%s: %d%s; add the score and the player to move, "+
			"for instance %d-0 1", text, len(boxes), p.places(boxes), complete)
	case st.Turn == engine.None && complete == b.Squares():
		st.Turn = engine.First
	case st.Turn == engine.None:
		return nil, fmt.Errorf("complete boxes: %d%s; add the player to move, 1 or 2", complete, p.places(boxes))
	}
	p, err := FromLines(b, drawn, st.Score, st.Turn)
	if err == nil {
		p.owned = owned
		err = p.checkOwners()
	}
	return newGame(p), err
}

// readDrawing returns the position of a drawing and of the lines of text around it.
func readDrawing(s source, d grid.Drawing) (*game, error) {
	if err := s.withoutStart(); err != nil {
		return nil, err
	}
	if s.board != nil && s.board != d.Board {
		return nil, fmt.Errorf("the drawing is of a %s board, not %s", d.Board, s.board)
	}
	owned, err := owners(d)
	if err != nil {
		return nil, err
	}
	st, err := engine.ReadStanding(d.Rest)
	if err != nil {
		return nil, err
	}
	return withLines(st, d.Board, d.Drawn, owned)
}

// owners returns the boxes of both players in a drawing, without those of an unknown owner.
func owners(d grid.Drawing) (owned [2]grid.Set, err error) {
	p := Position{board: d.Board, drawn: d.Drawn}
	for box, text := range d.Text {
		x, y := d.Board.XY(box)
		owner, ok := d.Owner(box)
		switch {
		case text == "":
		case !p.Completed(box):
			return owned, fmt.Errorf("the box in row %d, column %d has %.20q inside, but it is open", y, x, text)
		case !ok:
			return owned, fmt.Errorf("the box in row %d, column %d has %.20q inside: "+
				"want its owner, 1 or 2, or A or B, or * if the owner is unknown", y, x, text)
		case owner != grid.UnknownOwner:
			owned[owner-1].Add(box)
		}
	}
	return owned, nil
}

// checkDrawing returns an error if the text contains a drawing that is not of position p or cannot be read.
func checkDrawing(text string, p Position) error {
	d, ok, err := grid.ReadDrawing(text)
	if err != nil || !ok {
		return err
	}
	owned, err := owners(d)
	if err == nil && (d.Drawn != p.drawn || d.Board != p.board || owned != p.owned) {
		err = fmt.Errorf("the drawing contradicts position %s: give only one of them", p)
	}
	return err
}
