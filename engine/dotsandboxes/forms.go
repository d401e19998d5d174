package dotsandboxes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

// littleGolemBoard is the board size of Little Golem, whose players omit it.
const littleGolemBoard = "5x5"

// trmphHost and trmphBoard are the beginnings of links to boards.
const trmphHost, trmphBoard = "trmph.com/", "trmph.com/dnb/board#"

// trmphMoves splits a link or a list like "5,f3h9" into the size before the comma, "" if
// there is none, and the moves.
func trmphMoves(text string) (size, moves string) {
	moves = strings.ToLower(text)
	if _, after, ok := strings.Cut(moves, trmphBoard); ok {
		if moves = after; engine.IsNumber(moves) {
			return moves, ""
		}
	}
	if before, after, ok := strings.Cut(moves, ","); ok && (engine.IsNumber(before) || before == "") {
		return before, after
	}
	return "", moves
}

// nextDot reads the next letter and number of a text, after blanks, commas, tildes and turn
// numbers. At the end of the text letter is 0 and ok is true; ok is false if something else
// is next.
func nextDot(text string) (letter byte, n int, rest string, ok bool) {
	for {
		text = strings.TrimLeft(text, " \t\n,;~")
		number, rest := leadingNumber(text)
		if number < 0 || !strings.HasPrefix(rest, ".") {
			break
		}
		text = strings.TrimLeft(rest, ".")
	}
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return 0, 0, text, text == ""
	}
	n, rest = leadingNumber(text[1:])
	return text[0], n, rest, n >= 0
}

// isTrmph reports whether the text is a trmph link, a list of dots (letters and numbers), or
// begins like "5,f" or with two dots as in "f3h9".
func isTrmph(s source) bool {
	size, text := trmphMoves(s.text)
	if strings.Contains(s.text, trmphHost) {
		return true
	}
	for found := false; ; found = true {
		letter, _, rest, ok := nextDot(text)
		if size != "" && letter != 0 {
			return true
		}
		if !ok || letter == 0 {
			return ok && found
		}
		if next, n, _, _ := nextDot(rest); next != 0 && n >= 0 && rest[0] == next {
			return true
		}
		text = rest
	}
}

// readTrmph reads a link or a list of Little Golem. A line is a column letter and a row
// number, counted from the bottom left; columns and rows of dots alternate with those of
// boxes. So a1 is a dot, b1 a horizontal line, a2 a vertical one and b2 a box.
func readTrmph(s source) (*game, error) {
	size, text := trmphMoves(s.text)
	usual := littleGolemBoard
	if size != "" {
		usual = size
		if b, err := ParseBoard(size); err != nil {
			return nil, err
		} else if s.board != nil && s.board != b {
			return nil, fmt.Errorf("two sizes: %s in front and %s before the comma", s.board, b)
		}
	}
	g, err := s.sized(usual)
	if err != nil {
		return nil, err
	}
	rows := g.end.board.Rows
	for {
		letter, y, rest, ok := nextDot(text)
		word := strings.TrimSpace(text[:len(text)-len(rest)])
		x := int(letter - 'a')
		switch {
		case !ok:
			return nil, fmt.Errorf("move %d, %.40q: want a letter and a number, for instance f3", len(g.moves)+1, strings.TrimSpace(text))
		case letter == 0:
			return g, nil
		case x%2 == 1 && y%2 == 1:
			err = g.line(word, "h", rows-(y-1)/2, (x-1)/2)
		case x%2 == 0 && y%2 == 0:
			err = g.line(word, "v", rows-y/2, x/2)
		case x%2 == 0:
			err = fmt.Errorf("move %d, %.40q: that is a dot, not a line", len(g.moves)+1, word)
		default:
			err = fmt.Errorf("move %d, %.40q: that is a box, not a line", len(g.moves)+1, word)
		}
		if err != nil {
			return nil, err
		}
		text = rest
	}
}

// knoxText returns the text with hyphens for all dashes and no blanks around them.
func knoxText(text string) string {
	text = strings.NewReplacer("–", "-", "—", "-").Replace(strings.ToLower(text))
	return strings.ReplaceAll(strings.ReplaceAll(text, " -", "-"), "- ", "-")
}

// isKnox reports whether the text begins with a pair of dots.
func isKnox(s source) bool {
	_, _, rest, ok := nextDot(knoxText(s.text))
	return ok && len(rest) > 2 && rest[0] == '-' && rest[1] >= 'a' && rest[1] <= 'z'
}

// readKnox reads Knox's pairs of dots.
func readKnox(s source) (*game, error) {
	g, err := s.sized(littleGolemBoard)
	if err != nil {
		return nil, err
	}
	b, text := g.end.board, knoxText(s.text)
	// dot reads a dot. In some copies the space between a move and the next number is missing,
	// "e3-f32. e4-f4", so with at most nine rows of dots a row is one digit.
	dot := func(text string) (col, row int, rest string, ok bool) {
		letter, row, rest, ok := nextDot(text)
		if ok && letter != 0 && b.Rows < 9 && row > 9 {
			end := len(text) - len(rest)
			start := len(strings.TrimRight(text[:end], "0123456789"))
			row, rest = int(text[start]-'0'), text[start+1:]
		}
		return int(letter) - 'a', row, rest, ok
	}
	for {
		c1, r1, rest, ok := dot(text)
		if ok && c1 < 0 {
			return g, nil
		}
		c2, r2 := 0, 0
		if ok = ok && strings.HasPrefix(rest, "-"); ok {
			c2, r2, rest, ok = dot(rest[1:])
		}
		if !ok || c2 < 0 {
			return nil, fmt.Errorf("move %d, %.40q: want two dots, for instance e3-f3", len(g.moves)+1, strings.TrimSpace(text))
		}
		word := strings.TrimSpace(text[:len(text)-len(rest)])
		switch {
		case strings.HasPrefix(rest, "/"):
			err = fmt.Errorf("move %d, %.40q: names two lines, want one of them", len(g.moves)+1, word+rest)
		case r1 == r2 && max(c1, c2)-min(c1, c2) == 1:
			err = g.line(word, "h", b.Rows+1-r1, min(c1, c2))
		case c1 == c2 && max(r1, r2)-min(r1, r2) == 1:
			err = g.line(word, "v", b.Rows-min(r1, r2), c1)
		default:
			err = fmt.Errorf("move %d, %.40q: the dots are not neighbours", len(g.moves)+1, word)
		}
		if err != nil {
			return nil, err
		}
		text = rest
	}
}

// actionWords returns the words of OpenSpiel's actions, "0 6 2" or "P1(h,0,1) P2(v,0,0)", at
// the beginning of a text, and the rest after them.
func actionWords(text string) (out []string, _ string) {
	for text = strings.Trim(text, "[] \t\n"); text != ""; text = strings.TrimLeft(text, ", \t\n") {
		n, rest := leadingNumber(text)
		switch {
		case n > 0 && text[0] != '0', n == 0 && len(text)-len(rest) == 1: // without leading zeros
		case text[0] == 'P' || text[0] == 'p':
			if i := strings.IndexByte(text, ')'); i > 0 {
				rest = text[i+1:]
				break
			}
			return out, text
		default:
			return out, text
		}
		if rest != "" && !strings.ContainsAny(rest[:1], ", \t\n") && text[0] != 'P' && text[0] != 'p' {
			return out, text
		}
		out = append(out, text[:len(text)-len(rest)])
		text = rest
	}
	return out, ""
}

// isActions reports whether the text is a list of OpenSpiel's actions, or after a size begins
// with one.
func isActions(s source) bool {
	words, rest := actionWords(strings.Join(s.words, " "))
	_, more := actionWords(s.words[0])
	return len(words) > 0 && (rest == "" || s.board != nil && more == "")
}

// readActions reads OpenSpiel's actions.
func readActions(s source) (*game, error) {
	g, err := s.sized("")
	if err != nil {
		return nil, err
	}
	words, rest := actionWords(strings.Join(s.words, " "))
	for _, w := range words {
		if engine.IsNumber(w) {
			n, _ := leadingNumber(w)
			if err = g.draw(engine.Move(n)); err != nil { // OpenSpiel numbers lines as grid does
				err = fmt.Errorf("action %d, %.40q: %w", len(g.moves)+1, w, err)
			}
		} else if err = g.drawAction(w); err != nil {
			err = fmt.Errorf("action %d: %w", len(g.moves)+1, err)
		}
		if err != nil {
			return nil, err
		}
	}
	if rest != "" {
		return nil, fmt.Errorf("action %d, %.40q: want a number or one like P1(h,0,1)", len(g.moves)+1, rest)
	}
	return g, nil
}

// drawAction draws the line of an action like P1(h,0,1), whose player must be to move.
func (g *game) drawAction(w string) error {
	head, inside, ok := strings.Cut(strings.ToLower(strings.TrimSuffix(w, ")")), "(")
	player, more := leadingNumber(strings.TrimPrefix(head, "p"))
	f := strings.FieldsFunc(inside, func(c rune) bool { return c == ',' || c == ' ' })
	if !ok || player < 0 || more != "" || len(f) != 3 || !engine.IsNumber(f[1]) || !engine.IsNumber(f[2]) {
		return fmt.Errorf("%.40q: want one like P1(h,0,1)", w)
	}
	if err := g.player(w, player); err != nil {
		return err
	}
	r, _ := leadingNumber(f[1])
	c, _ := leadingNumber(f[2])
	return g.line(w, f[0], r, c)
}

// isBits reports whether the text is one word of 0 and 1 for all lines, optionally with
// score and player.
func isBits(s source) bool {
	var st engine.Standing
	return len(s.words[0]) >= 4 && strings.Trim(s.words[0], "01") == "" &&
		!slices.ContainsFunc(s.words[1:], func(w string) bool { return !st.ReadWord(w) })
}

// readBits reads a position as OpenSpiel writes it: a word with 0 or 1 for each line. A
// score and a player may follow. Without a size, the length of the word must determine the
// board.
func readBits(s source) (*game, error) {
	bits := s.words[0]
	var st engine.Standing
	for _, w := range s.words[1:] {
		st.ReadWord(w)
	}
	if s.board != nil {
		return withBits(st, s.board, bits)
	}
	var boards []*grid.Board
	var sizes []string
	for rows := 1; 3*rows+1 <= len(bits); rows++ {
		// rows*(cols+1) + (rows+1)*cols lines
		cols := (len(bits) - rows) / (2*rows + 1)
		if b, err := ParseBoard(fmt.Sprintf("%dx%d", rows, cols)); err == nil && b.Segments() == len(bits) {
			boards, sizes = append(boards, b), append(sizes, b.String())
		}
	}
	switch {
	case len(sizes) == 0:
		return nil, fmt.Errorf("%d digits: no board has that number of lines", len(bits))
	case len(sizes) > 1:
		return nil, fmt.Errorf("%.40q can be %s: put the size in front", bits, strings.Join(sizes, " or "))
	}
	return withBits(st, boards[0], bits)
}

// withBits returns the position with a line drawn for every 1; see [withLines].
func withBits(st engine.Standing, b *grid.Board, bits string) (*game, error) {
	if len(bits) != b.Segments() {
		return nil, fmt.Errorf("%d digits: the %s board has %d lines", len(bits), b, b.Segments())
	}
	var drawn grid.Set
	for i, c := range bits {
		if c == '1' {
			drawn.Add(i)
		}
	}
	return withLines(st, b, drawn, [2]grid.Set{})
}

// boxSides are CodinGame's letters in the order of grid.Border.
const boxSides = "trbl"

// box reads CodinGame's name of a box, a column letter and a row number from the bottom. It
// returns the column and row in our numbering, from the top left.
func box(b *grid.Board, w string) (x, y int, err error) {
	letter, n, rest, ok := nextDot(strings.ToLower(w))
	x, y = int(letter)-'a', b.Rows-n
	if !ok || rest != "" || x < 0 || x >= b.Cols || y < 0 || y >= b.Rows {
		return 0, 0, fmt.Errorf("%.40q: want a box from A1, bottom left, to %c%d", w, 'A'+b.Cols-1, b.Rows)
	}
	return x, y, nil
}

// isBox reports whether a word is a letter and a number.
func isBox(w string) bool {
	letter, _, rest, ok := nextDot(strings.ToLower(w))
	return ok && letter != 0 && rest == ""
}

// sideWords returns the words of CodinGame's moves without the messages after MSG.
func sideWords(s source) []string {
	var out []string
	for line := range strings.Lines(s.text) {
		line, _, _ = strings.Cut(line, "MSG")
		out = append(out, moveWords(line)...)
	}
	return out
}

// isSide reports whether a word is a letter of boxSides.
func isSide(w string) bool { return len(w) == 1 && strings.Contains(boxSides, strings.ToLower(w)) }

// isSides reports whether the words begin with one of CodinGame's boxes and its side.
func isSides(s source) bool {
	w := sideWords(s)
	return len(w) > 1 && isBox(w[0]) && isSide(w[1])
}

// readSides reads CodinGame's moves.
func readSides(s source) (*game, error) {
	g, err := s.sized("")
	if err != nil {
		return nil, err
	}
	b, w := g.end.board, sideWords(s)
	for i := 0; i < len(w); i += 2 {
		if i+1 == len(w) || !isSide(w[i+1]) {
			return nil, fmt.Errorf("move %d, %.40q: want a box and a side of LTRB, for instance A1 L", len(g.moves)+1, strings.Join(w[i:min(i+2, len(w))], " "))
		}
		x, y, err := box(b, w[i])
		if err == nil {
			side := grid.Border(strings.Index(boxSides, strings.ToLower(w[i+1])))
			err = g.draw(engine.Move(b.Around(b.Square(x, y))[side]))
		}
		if err != nil {
			return nil, fmt.Errorf("move %d, \"%s %s\": %w", len(g.moves)+1, w[i], w[i+1], err)
		}
	}
	return g, nil
}

// isInput reports whether the words are the input of a turn in CodinGame: size, player A or
// B, both scores, the number of open boxes, and the free sides of each.
func isInput(s source) bool {
	if len(s.words) < 5 {
		return false
	}
	size, player, rest := s.words[0], strings.ToLower(s.words[1]), s.words[2:5]
	return engine.IsNumber(size) && (player == "a" || player == "b") &&
		!slices.ContainsFunc(rest, func(w string) bool { return !engine.IsNumber(w) })
}

// readInput reads the input of a turn in CodinGame.
func readInput(s source) (*game, error) {
	w := s.words
	b, err := ParseBoard(w[0])
	if err != nil {
		return nil, err
	}
	if s.board != nil && s.board != b {
		return nil, fmt.Errorf("two sizes: %s in front and %s in the input", s.board, b)
	}
	st := engine.Standing{Turn: engine.First, Scored: true}
	if strings.EqualFold(w[1], "b") {
		st.Turn = engine.Second
	}
	st.Score[st.Turn-1], _ = leadingNumber(w[2])
	st.Score[st.Turn.Other()-1], _ = leadingNumber(w[3])
	n, _ := leadingNumber(w[4])
	pairs := w[5:]
	if n != len(pairs)/2 || len(pairs)%2 != 0 {
		return nil, fmt.Errorf("%.40s boxes: %d words follow, want a box and its free sides for each", w[4], len(pairs))
	}
	drawn := b.All()
	listed := make([]string, b.Squares())
	for i := 0; i < len(pairs); i += 2 {
		x, y, err := box(b, pairs[i])
		if err != nil {
			return nil, err
		}
		sq, sides := b.Square(x, y), strings.ToLower(pairs[i+1])
		if listed[sq] != "" || strings.Trim(sides, boxSides) != "" {
			return nil, fmt.Errorf("\"%.40s %.40s\": want every box once, with letters of LTRB", pairs[i], pairs[i+1])
		}
		listed[sq] = sides
		for _, side := range sides {
			drawn.Remove(b.Around(sq)[strings.IndexRune(boxSides, side)])
		}
	}
	for sq, sides := range listed {
		for side, line := range b.Around(sq) {
			if !drawn.Has(line) && !strings.Contains(sides, boxSides[side:side+1]) {
				x, y := b.XY(sq)
				return nil, fmt.Errorf("box %c%d: the neighbour's list says that its side %c is free", 'A'+x, b.Rows-y, boxSides[side]-'a'+'A')
			}
		}
	}
	return withLines(st, b, drawn, [2]grid.Set{})
}

// action is the beginning of a line in the log of a competition's driver.
const action = "User action:"

// isDriver reports whether the text contains an action of the driver's log.
func isDriver(s source) bool { return strings.Contains(s.text, action) }

// logged returns the value of a name in a line of the driver's log, -1 if it has none.
func logged(line, name string) int {
	_, after, _ := strings.Cut(line, name+"=")
	n, _ := leadingNumber(after)
	return n
}

// readDriver reads the driver's log. Without a size, the board is the smallest one that contains
// all lines. The driver also logs a line that it then refuses because it is drawn already; the
// same player moves again after it.
func readDriver(s source) (*game, error) {
	type line struct {
		word, orientation string
		player, r, c      int
	}
	var all []line
	rows, cols := 1, 1
	for text := range strings.Lines(s.text) {
		if _, found, ok := strings.Cut(text, action); ok {
			_, o, _ := strings.Cut(found, "o=")
			l := line{strings.TrimSpace(found), strings.TrimSpace(o), logged(found, "player"), logged(found, " r"), logged(found, " c")}
			across, down := 0, 0
			switch {
			case l.r < 0 || l.c < 0 || l.player < 0 || l.orientation != "h" && l.orientation != "v":
				return nil, fmt.Errorf("%.60q: want player=1 - r=1 - c=2 - o=v", l.word)
			case l.orientation == "h":
				across = 1
			default:
				down = 1
			}
			rows, cols = max(rows, l.r+down), max(cols, l.c+across)
			all = append(all, l)
		}
	}
	g, err := s.sized(fmt.Sprintf("%dx%d", rows, cols))
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		err := g.player(l.word, l.player)
		if err == nil {
			err = g.line(l.word, l.orientation, l.r, l.c)
		}
		if err != nil && !errors.Is(err, engine.ErrIllegalMove) {
			return nil, err
		}
	}
	if _, result, ok := strings.Cut(s.text, "Game ended:"); ok && g.end.Over() {
		if score := [2]int{logged(result, "points1"), logged(result, "points2")}; score != g.end.Score() {
			return nil, fmt.Errorf("the log ends %d-%d, but its lines give %d-%d", score[0], score[1], g.end.score[0], g.end.score[1])
		}
	}
	return g, nil
}

// isTriples reports whether the text contains a triple (player,row,column).
func isTriples(s source) bool {
	for rest := s.text; ; {
		_, after, ok := strings.Cut(rest, "(")
		if !ok {
			return false
		}
		inside, _, _ := strings.Cut(after[:min(len(after), 40)], ")")
		f := strings.Split(inside, ",")
		if len(f) == 3 && !slices.ContainsFunc(f, func(w string) bool { return !engine.IsNumber(strings.TrimSpace(w)) }) {
			return true
		}
		rest = after
	}
}

// refuseTriples returns an error: records of (player,row,column) are ambiguous.
func refuseTriples(source) (*game, error) {
	return nil, errors.New("records of (player,row,column) do not give the direction of a line, h or v: no game can be read from them")
}
