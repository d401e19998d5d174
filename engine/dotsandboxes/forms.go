package dotsandboxes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

const littleGolemBoard = "5x5"

// trmphHost is a part of every link to the site trmph, trmphBoard of links to boards.
const trmphHost, trmphBoard = "trmph.com/", "trmph.com/dnb/board#"

// trmphMoves splits a link or a list like "5,f3h9" into the size, "" if there is none, and the moves.
func trmphMoves(text string) (size, moves string) {
	moves = strings.TrimPrefix(strings.ToLower(text), "#")
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

// nextName reads the name of a dot, box or line: a letter a to z and a number n of at most four digits
// without leading zeros. It skips blanks, commas, semicolons, full stops, tildes and turn numbers before
// the name; rest is the text after it. ok is false if something else follows: letter is 0 if that is no
// letter, and n is -1 if no number follows the letter. At the end of the text letter is 0 and ok is true.
func nextName(text string) (letter byte, n int, rest string, ok bool) {
	for {
		text = strings.TrimLeft(text, " \t\n,;.~")
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
	digits := text[1 : len(text)-len(rest)]
	return text[0], n, rest, n >= 0 && (len(digits) == 1 || digits[0] != '0')
}

func isLink(s source) bool { return strings.Contains(s.text, trmphHost) }

// isTrmph reports whether the text begins with the name of a line, dot or box or, after a
// size, a letter ("5,f").
func isTrmph(s source) bool {
	size, text := trmphMoves(s.text)
	letter, n, _, _ := nextName(text)
	return letter != 0 && (size != "" || n > 0)
}

// firstWord returns the first word of a text without move numbers, or the text if it has no such word.
func firstWord(text string) string {
	if words := moveWords(text); len(words) > 0 {
		return words[0]
	}
	return text
}

// readTrmph reads a link or a list of Little Golem. A line is a column letter and a row
// number, counted from the bottom left; columns and rows of dots alternate with columns and
// rows of boxes. So a1 is a dot, b1 a horizontal line, a2 a vertical line and b2 a box.
func readTrmph(s source) (*game, error) {
	if s.board == nil {
		s.board = s.completeBoard(readTrmph)
	}
	g, text, err := openTrmph(s)
	if err != nil {
		return nil, err
	}
	rows, cols := g.end.board.Rows, g.end.board.Cols
	for {
		letter, y, rest, ok := nextName(text)
		if ok && letter == 0 {
			return g, nil
		}
		if !ok {
			return nil, g.moveError(firstWord(text), errors.New("want a letter and a number, for instance f3"))
		}
		word := strings.TrimSpace(text[:len(text)-len(rest)])
		x := int(letter - 'a')
		switch betweenDots, inDotRow := x%2 == 1, y%2 == 1; {
		case x > 2*cols || y < 1 || y > 2*rows+1:
			err = g.moveError(word, fmt.Errorf("outside the %s board: want a letter from a to %c and a number from 1 to %d, the bottom row first%s",
				g.end.board, min('a'+2*cols, 'z'), 2*rows+1, g.sizeAdvice()))
		case betweenDots && inDotRow:
			err = g.drawAt(word, "h", rows-(y-1)/2, (x-1)/2)
		case !betweenDots && !inDotRow:
			err = g.drawAt(word, "v", rows-y/2, x/2)
		case inDotRow:
			err = g.moveError(word, errors.New("that is a dot; a line lies between two dots, for instance b1 or a2, or a1-b1 as Knox writes it"))
		default:
			err = g.moveError(word, errors.New("that is a box; a line lies between two dots, for instance b1 or a2"))
		}
		if err != nil {
			return nil, err
		}
		text = rest
	}
}

// openTrmph returns the game before the first move of a link or list, and the text of its moves.
func openTrmph(s source) (g *game, moves string, err error) {
	if before, _, link := strings.Cut(strings.ToLower(s.text), trmphBoard); link {
		address := before[strings.LastIndexAny(before, " \t\n")+1:]
		if other := strings.TrimSpace(strings.TrimSuffix(before, address)); other != "" {
			return nil, "", fmt.Errorf("%q before the link: want the link alone", engine.OneLine(other, 40))
		}
	}
	size, moves := trmphMoves(s.text)
	if size != "" {
		b, err := ParseBoard(size)
		if err != nil {
			return nil, "", err
		}
		if s.board != nil && s.board != b {
			return nil, "", fmt.Errorf("two sizes: %s in front and %s before the comma", s.board, b)
		}
		s.board = b
	}
	g, err = s.sized(littleGolemBoard)
	return g, moves, err
}

// knoxText returns the text in lower case, with hyphens for all dashes, and without a blank before or
// after each hyphen.
func knoxText(text string) string {
	text = strings.NewReplacer("–", "-", "—", "-").Replace(strings.ToLower(text))
	return strings.ReplaceAll(strings.ReplaceAll(text, " -", "-"), "- ", "-")
}

// isKnox reports whether the text begins with a pair of dots, such as e3-f3. The second number may be
// missing if another character follows.
func isKnox(s source) bool {
	_, _, rest, ok := nextName(knoxText(s.text))
	return ok && len(rest) > 2 && rest[0] == '-' && rest[1] >= 'a' && rest[1] <= 'z'
}

// knoxMarks are the characters that may stand between two pairs of dots.
const knoxMarks = " \t\n,;~.0123456789"

// readKnox reads Knox's pairs of dots, "e3-f3", each of which names the line between two
// neighbours. A letter is a column of dots, a number a row of dots from the bottom.
func readKnox(s source) (*game, error) {
	if s.board == nil {
		s.board = s.completeBoard(readKnox)
	}
	g, err := s.sized(littleGolemBoard)
	if err != nil {
		return nil, err
	}
	numbered := false
	again := false // the last line completed a box
	for text := knoxText(s.text); ; {
		pair, rest, ok := nextPair(text, g.end.board.Rows)
		switch {
		case ok && pair == nil:
			return g, nil
		case !ok:
			return nil, g.moveError(firstWord(text), errors.New("want two dots, for instance e3-f3"))
		}
		word := strings.TrimSpace(text[:len(text)-len(rest)])
		if strings.HasPrefix(rest, "/") {
			return nil, g.moveError(word+rest, errors.New("names two lines, want one of them"))
		}
		before := text[:len(text)-len(strings.TrimLeft(text, knoxMarks))]
		number := strings.ContainsAny(before, "0123456789")
		if numbered {
			if err := g.checkKnoxTurn(before, number, again); err != nil {
				return nil, g.moveError(word, err)
			}
		}
		mover := g.end.turn
		if err := g.drawPair(word, *pair); err != nil {
			return nil, err
		}
		text, numbered, again = rest, numbered || number, g.end.turn == mover
	}
}

// checkKnoxTurn returns an error if the text before a line contradicts the rules: a number begins a
// turn, and a comma continues it. number reports whether the text contains a number, and again
// whether the player of the last line moves again.
func (g *game) checkKnoxTurn(before string, number, again bool) error {
	switch {
	case number && again:
		return fmt.Errorf("a new turn, but %s took a box with the line before and moves again", g.end.turn)
	case !number && !again && strings.Contains(before, ","):
		return errors.New("the turn goes on after a line that took no box")
	}
	return nil
}

// dot is a column from the left, from 0, and a row from the bottom, from 1.
type dot struct{ col, row int }

// nextPair reads the next pair of dots on a board with the given number of rows of boxes. At the end
// of the text pair is nil and ok is true; ok is false if something else is next.
func nextPair(text string, rows int) (pair *[2]dot, rest string, ok bool) {
	if letter, _, _, ok := nextName(text); ok && letter == 0 {
		return nil, "", true
	}
	first, rest, ok := knoxDot(text, rows)
	if !ok || !strings.HasPrefix(rest, "-") {
		return nil, rest, false
	}
	second, rest, ok := knoxDot(rest[1:], rows)
	return &[2]dot{first, second}, rest, ok
}

// knoxDot reads the next dot. In some copies the space between a move and the next turn number is missing,
// "e3-f32. e4-f4". So if the board has at most nine rows of dots, the row is only the first digit.
func knoxDot(text string, rows int) (d dot, rest string, ok bool) {
	letter, row, rest, ok := nextName(text)
	if !ok || letter == 0 {
		return dot{}, rest, false
	}
	if rows+1 <= 9 && row > 9 {
		end := len(text) - len(rest)
		first := len(strings.TrimRight(text[:end], "0123456789"))
		row, rest = int(text[first]-'0'), text[first+1:]
	}
	return dot{int(letter) - 'a', row}, rest, true
}

// drawPair draws the line between two neighbouring dots; word is their text.
func (g *game) drawPair(word string, pair [2]dot) error {
	a, b := pair[0], pair[1]
	left, lower := min(a.col, b.col), min(a.row, b.row)
	right, upper := max(a.col, b.col), max(a.row, b.row)
	rows, cols := g.end.board.Rows, g.end.board.Cols
	switch {
	case right > cols || lower < 1 || upper > rows+1:
		return g.moveError(word, fmt.Errorf("outside the %s board: want dots from a1, bottom left, to %c%d%s", g.end.board, min('a'+cols, 'z'), rows+1, g.sizeAdvice()))
	case lower == upper && right == left+1:
		return g.drawAt(word, "h", rows+1-lower, left)
	case left == right && upper == lower+1:
		return g.drawAt(word, "v", rows-lower, left)
	}
	return g.moveError(word, errors.New("the dots are not neighbours"))
}

// actionWords returns OpenSpiel's actions at the beginning of a text, and the rest of the text. An
// action is a number without leading zeros, as in "0 6 2", or like P1(h,0,1).
func actionWords(text string) (words []string, rest string) {
	text = strings.Trim(text, "[] \t\n")
	for text != "" {
		end := actionEnd(text)
		if end == 0 {
			break
		}
		words = append(words, text[:end])
		text = strings.TrimLeft(text[end:], ", \t\n")
	}
	return words, text
}

// actionEnd returns the length of the action at the beginning of a text that is not empty, or 0.
func actionEnd(text string) int {
	if text[0] == 'P' || text[0] == 'p' {
		return strings.IndexByte(text, ')') + 1
	}
	n, rest := leadingNumber(text)
	end := len(text) - len(rest)
	switch {
	case n < 0, text[0] == '0' && end > 1:
		return 0
	case rest != "" && !strings.ContainsAny(rest[:1], ", \t\n"):
		return 0
	}
	return end
}

// isActions reports whether the text consists of OpenSpiel's actions. If a size precedes the
// text, only the first word must be an action.
func isActions(s source) bool {
	words, rest := actionWords(strings.Join(s.words, " "))
	_, afterFirst := actionWords(s.words[0])
	return len(words) > 0 && (rest == "" || s.board != nil && afterFirst == "")
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
			if err = g.draw(engine.Move(n)); err != nil {
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

// drawAction draws the line of an action like P1(h,0,1): player, orientation, row and column.
func (g *game) drawAction(w string) error {
	head, inside, ok := strings.Cut(strings.ToLower(strings.TrimSuffix(w, ")")), "(")
	player, more := leadingNumber(strings.TrimPrefix(head, "p"))
	f := strings.FieldsFunc(inside, func(c rune) bool { return c == ',' || c == ' ' })
	if !ok || player < 0 || more != "" || len(f) != 3 || !engine.IsNumber(f[1]) || !engine.IsNumber(f[2]) {
		return fmt.Errorf("%.40q: want one like P1(h,0,1)", w)
	}
	if err := g.checkTurn(w, player); err != nil {
		return err
	}
	r, _ := leadingNumber(f[1])
	c, _ := leadingNumber(f[2])
	return g.drawAt(w, f[0], r, c)
}

// isBits reports whether the text is a word of four or more digits 0 and 1, with at most a
// score and a player after it.
func isBits(s source) bool {
	var st engine.Standing
	return len(s.words[0]) >= 4 && strings.Trim(s.words[0], "01") == "" &&
		!slices.ContainsFunc(s.words[1:], func(w string) bool { return !st.ReadWord(w) })
}

// readBits reads a position as OpenSpiel writes it: a word with 1 for each drawn line and 0
// for each free one. Without a size, the length of the word must determine the board.
func readBits(s source) (*game, error) {
	bits := s.words[0]
	var st engine.Standing
	for _, w := range s.words[1:] {
		st.ReadWord(w)
	}
	if s.board != nil {
		return withBits(st, s.board, bits)
	}
	var boards []*grid.Board // with as many lines as there are digits
	var sizes []string
	for rows := 1; 3*rows+1 <= len(bits); rows++ {
		// A board has rows*(cols+1) + (rows+1)*cols lines.
		cols := (len(bits) - rows) / (2*rows + 1)
		if b, err := ParseBoard(fmt.Sprintf("%dx%d", rows, cols)); err == nil && b.Segments() == len(bits) {
			boards, sizes = append(boards, b), append(sizes, b.String())
		}
	}
	switch {
	case len(sizes) == 0:
		return nil, fmt.Errorf("%d digits: no board of a supported size has that number of lines", len(bits))
	case len(sizes) > 1:
		return nil, fmt.Errorf("%.40q can be %s: put the size in front", bits, strings.Join(sizes, " or "))
	}
	return withBits(st, boards[0], bits)
}

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

// boxSides are CodinGame's names of the sides of a box, indexed by [grid.Border].
const boxSides = "trbl"

// parseBox reads CodinGame's name of a box, a column letter and a row number from the bottom. The
// column x and the row y count from 0 at the top left.
func parseBox(b *grid.Board, w string) (x, y int, err error) {
	letter, n, rest, ok := nextName(strings.ToLower(w))
	x, y = int(letter)-'a', b.Rows-n
	if !ok || rest != "" || x < 0 || x >= b.Cols || y < 0 || y >= b.Rows {
		return 0, 0, fmt.Errorf("%.40q: want a box from A1, bottom left, to %c%d", w, min('A'+b.Cols-1, 'Z'), b.Rows)
	}
	return x, y, nil
}

func isBox(w string) bool {
	letter, _, rest, ok := nextName(strings.ToLower(w))
	return ok && letter != 0 && rest == ""
}

// sideWords returns the words of CodinGame's moves without messages.
func sideWords(s source) []string {
	var out []string
	for line := range strings.Lines(s.text) {
		line, _, _ = strings.Cut(line, "MSG")
		out = append(out, moveWords(line)...)
	}
	return out
}

func isSides(s source) bool {
	w := sideWords(s)
	return len(w) > 1 && isBox(w[0]) && len(w[1]) == 1 && !engine.IsNumber(w[1])
}

// readSides reads CodinGame's moves, two words each: a box and its side, "A1 L".
func readSides(s source) (*game, error) {
	g, err := s.sized("")
	if err != nil {
		return nil, err
	}
	b, w := g.end.board, sideWords(s)
	for i := 0; i < len(w); i += 2 {
		if i+1 == len(w) || len(w[i+1]) != 1 || !strings.Contains(boxSides, strings.ToLower(w[i+1])) {
			move := strings.Join(w[i:min(i+2, len(w))], " ")
			return nil, g.moveError(move, errors.New("want a box and a side of LTRB, for instance A1 L"))
		}
		x, y, err := parseBox(b, w[i])
		if err == nil {
			side := grid.Border(strings.Index(boxSides, strings.ToLower(w[i+1])))
			err = g.draw(engine.Move(b.Around(b.Square(x, y))[side]))
		}
		if err != nil {
			return nil, g.moveError(w[i]+" "+w[i+1], err)
		}
	}
	return g, nil
}

// isInput reports whether the words begin like the input of a turn in CodinGame: size, player A or
// B, the scores of this player and of the opponent, the number of open boxes, and the name and the
// free sides of each open box.
func isInput(s source) bool {
	if len(s.words) < 5 {
		return false
	}
	size, player, rest := s.words[0], strings.ToLower(s.words[1]), s.words[2:5]
	return engine.IsNumber(size) && (player == "a" || player == "b") &&
		!slices.ContainsFunc(rest, func(w string) bool { return !engine.IsNumber(w) })
}

// readInput reads the input of a turn, whose words isInput describes.
func readInput(s source) (*game, error) {
	size, player, own, other, open, pairs := s.words[0], s.words[1], s.words[2], s.words[3], s.words[4], s.words[5:]
	b, err := ParseBoard(size)
	if err != nil {
		return nil, err
	}
	if s.board != nil && s.board != b {
		return nil, fmt.Errorf("two sizes: %s in front and %s in the input", s.board, b)
	}
	st := engine.Standing{Turn: engine.First, Scored: true}
	if strings.EqualFold(player, "b") {
		st.Turn = engine.Second
	}
	for i, text := range []string{own, other} {
		score, _ := leadingNumber(text)
		if score < 0 {
			return nil, fmt.Errorf("score %.40q: want at most four digits", text)
		}
		st.Score[(int(st.Turn)-1+i)%2] = score
	}
	n, _ := leadingNumber(open)
	if n != len(pairs)/2 || len(pairs)%2 != 0 {
		return nil, fmt.Errorf("%.40s boxes: %d words follow, want a box and its free sides for each", open, len(pairs))
	}
	drawn, err := drawnSides(b, pairs)
	if err != nil {
		return nil, err
	}
	return withLines(st, b, drawn, [2]grid.Set{})
}

// drawnSides returns the lines that are not free. pairs contains, for each open box, its name and the
// letters of its free sides. A line between two boxes must be listed as free by both or by neither.
func drawnSides(b *grid.Board, pairs []string) (drawn grid.Set, err error) {
	drawn = b.All()
	free := make([]string, b.Squares())
	for i := 0; i < len(pairs); i += 2 {
		x, y, err := parseBox(b, pairs[i])
		if err != nil {
			return drawn, err
		}
		sq, sides := b.Square(x, y), strings.ToLower(pairs[i+1])
		if free[sq] != "" || strings.Trim(sides, boxSides) != "" {
			return drawn, fmt.Errorf("\"%.40s %.40s\": want every box once, with letters of LTRB", pairs[i], pairs[i+1])
		}
		free[sq] = sides
		for _, side := range sides {
			drawn.Remove(b.Around(sq)[strings.IndexRune(boxSides, side)])
		}
	}
	for sq, sides := range free {
		for side, line := range b.Around(sq) {
			letter := boxSides[side : side+1]
			if !drawn.Has(line) && !strings.Contains(sides, letter) {
				x, y := b.XY(sq)
				return drawn, fmt.Errorf("box %c%d: its side %s is free in the neighbour's list, but not in its own",
					'A'+x, b.Rows-y, strings.ToUpper(letter))
			}
		}
	}
	return drawn, nil
}

// actionPrefix is the beginning of a line in the log of a competition's driver.
const actionPrefix = "User action:"

func isDriver(s source) bool { return strings.Contains(s.text, actionPrefix) }

// loggedNumber returns the number after NAME= in a line, -1 if there is none.
func loggedNumber(line, name string) int {
	_, after, _ := strings.Cut(line, name+"=")
	n, _ := leadingNumber(after)
	return n
}

// loggedAction is an action in the driver's log.
type loggedAction struct {
	word             string
	orientation      string // "h" or "v"
	player, row, col int
}

// readLogged reads an action, for instance "player=1 - r=1 - c=2 - o=v".
func readLogged(text string) (loggedAction, error) {
	_, orientation, _ := strings.Cut(text, "o=")
	a := loggedAction{
		word: strings.TrimSpace(text), orientation: strings.TrimSpace(orientation),
		player: loggedNumber(text, "player"), row: loggedNumber(text, " r"), col: loggedNumber(text, " c"),
	}
	if min(a.row, a.col, a.player) < 0 || a.orientation != "h" && a.orientation != "v" {
		return a, fmt.Errorf("%.60q: want player=1 - r=1 - c=2 - o=v", a.word)
	}
	return a, nil
}

// isMoveList reports whether a line begins with two moves such as h0,1, or with a size and a move.
func isMoveList(line string) bool {
	words := strings.Fields(line)
	if len(words) < 2 {
		return false
	}
	_, first := lineParts(words[0])
	_, second := lineParts(words[1])
	_, _, err := grid.ParseSize(words[0])
	return second && (first || err == nil)
}

// loggedActions reads the actions in the driver's log. A line with other moves is an error.
func loggedActions(log string) (actions []loggedAction, err error) {
	for line := range strings.Lines(log) {
		_, text, ok := strings.Cut(line, actionPrefix)
		if !ok && isMoveList(line) {
			return nil, fmt.Errorf("%q beside the driver's log: want the log alone", engine.OneLine(strings.TrimSpace(line), 40))
		}
		if !ok {
			continue
		}
		a, err := readLogged(text)
		if err != nil {
			return nil, err
		}
		actions = append(actions, a)
	}
	return actions, nil
}

// readDriver reads the driver's log. Without a size, the board is the smallest one that contains all
// lines. readDriver skips actions that are illegal because the driver has refused them.
func readDriver(s source) (*game, error) {
	actions, err := loggedActions(s.text)
	if err != nil {
		return nil, err
	}
	rows, cols := 1, 1
	for _, a := range actions {
		if a.orientation == "h" {
			rows, cols = max(rows, a.row), max(cols, a.col+1)
		} else {
			rows, cols = max(rows, a.row+1), max(cols, a.col)
		}
	}
	g, err := s.sized(fmt.Sprintf("%dx%d", rows, cols))
	if err != nil {
		return nil, err
	}
	for _, a := range actions {
		err := g.checkTurn(a.word, a.player)
		if err == nil {
			err = g.drawAt(a.word, a.orientation, a.row, a.col)
		}
		if err != nil && !errors.Is(err, engine.ErrIllegalMove) {
			return nil, err
		}
	}
	if _, result, ok := strings.Cut(s.text, "Game ended:"); ok && g.end.Over() {
		logged, score := [2]int{loggedNumber(result, "points1"), loggedNumber(result, "points2")}, g.end.Score()
		if logged != score {
			return nil, fmt.Errorf("the log ends %d-%d, but its lines give %d-%d", logged[0], logged[1], score[0], score[1])
		}
	}
	return g, nil
}

// isTriples reports whether the text contains three numbers in parentheses.
func isTriples(s source) bool {
	_, rest, ok := strings.Cut(s.text, "(")
	for ; ok; _, rest, ok = strings.Cut(rest, "(") {
		inside, _, _ := strings.Cut(rest[:min(len(rest), 40)], ")")
		words := strings.Split(inside, ",")
		notNumber := func(w string) bool { return !engine.IsNumber(strings.TrimSpace(w)) }
		if len(words) == 3 && !slices.ContainsFunc(words, notNumber) {
			return true
		}
	}
	return false
}

func refuseTriples(source) (*game, error) {
	return nil, errors.New("records of (player,row,column) do not give the direction of a line, h or v: " +
		"no game can be read from them")
}
