package watchyourback

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"endwise/engine"
)

// Letters of a board.
const (
	whiteLetter   = 'O'
	blackLetter   = '@'
	cornerLetter  = 'X'
	emptyLetter   = '-'
	removedLetter = '.'
)

func squareString(s int) string { return fmt.Sprintf("(%d,%d)", s%8, s/8) }

func moveString(m engine.Move) string {
	switch {
	case m == Forfeit:
		return "None"
	case m&placeFlag != 0:
		return squareString(Square(m))
	}
	return squareString(Origin(m)) + "->" + squareString(Square(m))
}

// MoveString returns "(x,y)" for a placement, "(xa,ya)->(xb,yb)" for a step or jump, and "None" for a
// forfeited turn.
func (p Position) MoveString(m engine.Move) string { return moveString(m) }

// ReadMove parses a move in the notation of [Position.MoveString], in any case and also without
// brackets and commas: 2,3 or 2.3 or 2 3 4 3. It also parses a step as the referee prints it,
// ((2,3),(4,3)). The move need not be legal.
func ReadMove(text string) (engine.Move, error) {
	t := refereeStep.Replace(tight(text))
	if strings.EqualFold(t, "None") {
		return Forfeit, nil
	}
	f := coordinates(t)
	if len(f) != 2 && len(f) != 4 {
		return 0, fmt.Errorf("action %.40q: want (x,y), (xa,ya)->(xb,yb) or None", text)
	}
	var v [4]int
	for i, s := range f {
		var err error
		if v[i], err = strconv.Atoi(s); err != nil || v[i] > 7 {
			return 0, fmt.Errorf("action %.40q: a coordinate is 0 to 7, not %.40s", strings.TrimSpace(text), s)
		}
	}
	if len(f) == 2 {
		return Place(sq(v[0], v[1])), nil
	}
	return Step(sq(v[0], v[1]), sq(v[2], v[3])), nil
}

// refereeStep changes the step "((2,3),(4,3))" to "(2,3)->(4,3)".
var refereeStep = strings.NewReplacer("((", "(", "))", ")", "),(", ")->(")

// coordinates returns the two or four coordinates of the squares in a move, as words of digits, or
// nil. A hyphen or an arrow may stand once, between two squares.
func coordinates(text string) []string {
	from, to, _ := strings.Cut(text, "-")
	text = from + " " + strings.TrimPrefix(to, ">")
	separates := func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("(,.)", c) }
	f := strings.FieldsFunc(text, separates)
	switch {
	case to != "" && len(f) != 4:
	case strings.Count(text, ",") > len(f)/2, strings.HasSuffix(strings.TrimSpace(text), ","):
	case slices.ContainsFunc(f, func(w string) bool { return !engine.IsNumber(w) }):
	default:
		return f
	}
	return nil
}

func (p Position) ParseMove(text string) (engine.Move, error) {
	m, err := ReadMove(text)
	if err != nil {
		return 0, err
	}
	if why := p.illegal(m); why != "" {
		return 0, fmt.Errorf("%w: %s", engine.ErrIllegalMove, why)
	}
	return m, nil
}

func (p Position) letter(s int) byte {
	switch bit := uint64(1) << s; {
	case p.sides[0]&bit != 0:
		return whiteLetter
	case p.sides[1]&bit != 0:
		return blackLetter
	case onBoard[p.stage]&bit == 0:
		return removedLetter
	case corners[p.stage]&bit != 0:
		return cornerLetter
	}
	return emptyLetter
}

// String returns a line without blanks or characters special to a shell:
//
//	X------X/O-------/…/X------X:moving:17
//
// ROWS:PHASE:TURNS[:quiet=N][:strict]. ROWS are eight rows from the top, left to right: O
// White, @ Black, X corner, - empty, . removed. TURNS is the number of turns in the phase,
// quiet the number of turns without an elimination on the 4x4 board.
func (p Position) String() string {
	var b strings.Builder
	for y := range 8 {
		if y > 0 {
			b.WriteByte('/')
		}
		for x := range 8 {
			b.WriteByte(p.letter(sq(x, y)))
		}
	}
	fmt.Fprintf(&b, ":%s:%d", p.phase, p.turns)
	if p.quiet > 0 {
		fmt.Fprintf(&b, ":quiet=%d", p.quiet)
	}
	if p.strict {
		b.WriteString(":strict")
	}
	return b.String()
}

// Board returns the board as the referee prints it: eight lines of letters separated by
// blanks, with a blank for every removed square.
func (p Position) Board() string {
	b := make([]byte, 0, 128)
	for y := range 8 {
		for x := range 8 {
			if x > 0 {
				b = append(b, ' ')
			}
			c := p.letter(sq(x, y))
			if c == removedLetter {
				c = ' '
			}
			b = append(b, c)
		}
		b = append(b, '\n')
	}
	return string(b)
}

// TurnsLine returns "N turns into the placing phase" or "N turns into the moving phase".
func (p Position) TurnsLine() string {
	return fmt.Sprintf("%d turns into the %s phase", p.turns, p.phase)
}

// TurnsLine parses the line "N turns into the placing phase", "N turns into the moving phase", "N turns
// after the first shrink" or "second shrink", "placing:N" or "moving:N". It returns the number of turns
// since the beginning of the phase and the phase; ok is false for other lines.
func TurnsLine(line string) (turns, phase string, ok bool) {
	for shrink, after := range map[string]int{"first": FirstShrink, "second": SecondShrink} {
		n, found := strings.CutSuffix(line, " turns after the "+shrink+" shrink")
		if count, err := strconv.Atoi(n); found && err == nil && engine.IsNumber(n) {
			return strconv.Itoa(after + count), "moving", true
		}
	}
	turns, rest, _ := strings.Cut(line, " turns into the ")
	if phase, ok = strings.CutSuffix(rest, " phase"); !ok {
		phase, turns, ok = strings.Cut(line, ":")
	}
	return turns, phase, ok && engine.IsNumber(turns) && (phase == "placing" || phase == "moving")
}

// Parse reads a position, or the last one of a game, as [Game.ReadGame] does.
func Parse(text string) (Position, error) { return parse(text, false) }

func parse(text string, strict bool) (Position, error) {
	p, moves, err := read(text, strict, true)
	if err == nil {
		p, err = engine.PlayAll(p, moves)
	}
	if err != nil {
		return Position{}, fmt.Errorf("parse position: %w", err)
	}
	return p, nil
}

// ReadGame reads:
//
//   - the one-line notation of [Position.String];
//   - a board as the referee or query prints it, with the line "N turns into the
//     placing|moving phase" below it, and perhaps "White to move"; missing and extra blanks do
//     not matter, and of several boards the last is read;
//   - the output of query;
//   - a list of moves from the start;
//   - the plain format of all games, see [engine.SplitRecord].
func (g Game) ReadGame(text string) (engine.Position, []engine.Move, error) {
	start, moves, err := read(text, g.Strict, true)
	if err != nil {
		return nil, nil, fmt.Errorf("parse position: %w", err)
	}
	return start, moves, nil
}

// read reads a text in any notation of [Game.ReadGame]. strict selects the strict rules; a one-line
// position can select them too. outer allows the output of the command query: read then calls itself
// for the line with the position.
func read(text string, strict, outer bool) (p Position, moves []engine.Move, err error) {
	size, text := cutSize(strings.TrimSpace(engine.CleanText(text)))
	if engine.IsRecord(text) {
		return engine.ReadRecord[Position](Game{strict}, text)
	}
	list, err := engine.StripComments(text)
	if err != nil {
		return p, nil, err
	}
	if list = engine.StripResult(list); isMoveList(list) {
		p = New(strict)
		moves, err := readMoveList(p, list)
		return p, moves, err
	}
	board, err := readBoard(text)
	if err != nil {
		return p, nil, err
	}
	if line, ok := engine.PositionLine(text); ok && outer {
		p, moves, err = read(line, strict, false)
		rows, _, _ := strings.Cut(p.String(), ":")
		if err == nil && board.rows != nil && strings.Join(board.rows, "/") != rows {
			err = fmt.Errorf("the drawing contradicts position %s: give only one of them", p)
		}
		return p, moves, err
	}
	p = New(strict)
	if board.rows == nil {
		if board, err = p.split(text); err != nil {
			return p, nil, err
		}
	}
	return p, nil, p.setBoard(board, size)
}

// boardSizes contains the size of the board of each stage.
var boardSizes = [...]string{"8x8", "6x6", "4x4"}

// cutSize cuts the size of a board off the beginning of a text. size is "" if there is none.
func cutSize(text string) (size, rest string) {
	end := strings.IndexAny(text+" ", " \n")
	if !slices.Contains(boardSizes[:], text[:end]) {
		return "", text
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// setBoard sets the position from a board; size is the size that the text gives, or "". A shrunk board
// without a number of turns is the one right after the shrink or, if Black is to move, a turn later.
func (p *Position) setBoard(board positionText, size string) error {
	stage := drawnStage(board.rows)
	if board.phase == "" && stage > Full {
		if board.unread != "" {
			return fmt.Errorf("%q is not understood: want below the board \"150 turns into the moving phase\", "+
				"\"Black to move\" or a comment that begins with #", engine.OneLine(board.unread, 40))
		}
		turns := FirstShrink + int(stage-Middle)*(SecondShrink-FirstShrink)
		if board.turn == engine.Second {
			turns++
		}
		board.phase, board.turns = "moving", strconv.Itoa(turns)
	}
	// 8x8 may also be the size of the whole board.
	if drawn := boardSizes[stage]; size != "" && size != "8x8" && drawn != size {
		return fmt.Errorf("two sizes: %s in front and a board of %s", size, drawn)
	}
	if board.phase == "" || board.turns == "" {
		return errors.New("add below the board how far the game is, " +
			"for instance \"17 turns into the moving phase\"")
	}
	if err := p.fill(board.rows, board.phase, board.turns); err != nil {
		return err
	}
	if board.turn != engine.None && board.turn != p.Turn() {
		return fmt.Errorf("after %d turns of the %s phase %s is to move, not %s: correct one of them",
			p.turns, p.phase, sideNames[p.Turn()-1], sideNames[board.turn-1])
	}
	return nil
}

// positionText contains eight rows of eight letters, nil without a board, the words for the phase and the
// number of turns, "" if they are missing, and the side to move, None if it is missing.
type positionText struct {
	rows         []string
	phase, turns string
	turn         engine.Side
	unread       string // the first line outside the board that readStatus does not understand completely
}

// readStatus reads a line with one or more of a [TurnsLine], "White to move" and "pieces 3-4", separated
// by commas. It sets only what is missing. Another line, unless it is a comment, column numbers or a
// line that query prints, becomes t.unread if that is empty.
func (t *positionText) readStatus(line string) {
	for part := range strings.SplitSeq(line, ",") {
		part = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(part)), " to play", " to move")
		turns, phase, isTurns := TurnsLine(part)
		side := slices.Index(sideNames[:], strings.TrimSuffix(part, " to move"))
		switch {
		case isTurns:
			if t.phase == "" {
				t.phase, t.turns = phase, turns
			}
		case side >= 0 && strings.HasSuffix(part, " to move"):
			if t.turn == engine.None {
				t.turn = engine.First + engine.Side(side)
			}
		case engine.IsComment(line) || strings.Trim(line, "01234567 ") == "" || strings.HasPrefix(line, "O is White, "):
			return
		case t.unread == "" && !strings.HasPrefix(part, "pieces "):
			t.unread = line
		}
	}
}

// readAbove completes the status of the only board of a text from the lines above it. They may give the
// side to move. What else they say about turns becomes t.unread; other titles are ignored. A [TurnsLine]
// above a board may belong to an earlier board that the text does not contain.
func (t *positionText) readAbove(lines []string) {
	for _, line := range lines {
		var above positionText
		above.readStatus(line)
		if t.turn == engine.None {
			t.turn = above.turn
		}
		words := strings.ToLower(above.unread)
		if t.unread == "" && (above.phase != "" || strings.Contains(words, "turn") || strings.Contains(words, "move") || strings.Contains(words, "shr")) {
			t.unread = line
		}
	}
}

// readBoard returns the last complete board in a text of several lines, with the phase and turns of the
// first [TurnsLine] after it, and the side to move. It ignores blanks and skips other text. Besides the
// errors of readLine, it returns an error for rows that form no complete board.
func readBoard(text string) (last positionText, err error) {
	if !strings.Contains(text, "\n") {
		return last, nil
	}
	var r boardReader
	for line := range strings.Lines(text) {
		r.n++
		if err := r.readLine(strings.TrimSpace(line)); err != nil {
			return r.last, err
		}
	}
	if r.boards == 1 {
		r.last.readAbove(r.above)
	}
	if r.last.rows == nil && r.letters != nil {
		err = r.incomplete()
	}
	if r.last.rows == nil && r.odd != nil {
		err = r.odd
	}
	return r.last, err
}

// boardReader reads the boards in a text line by line.
type boardReader struct {
	n       int          // number of the line, from 1
	letters []string     // the rows so far of an incomplete board, each of one length
	last    positionText // the last complete board
	boards  int          // the number of complete boards
	above   []string     // the lines above the first board
	odd     error        // describes the first skipped line of letters
}

// readLine reads a trimmed line. It returns an error for a wrong letter in the first board of the text,
// for a [TurnsLine] within a board, and that of addRow.
func (r *boardReader) readLine(line string) error {
	var status positionText
	if status.readStatus(line); status.phase != "" && len(r.letters) > 2 {
		return cmp.Or(r.odd, r.incomplete())
	}
	if r.boards == 0 {
		r.above = append(r.above, line)
	} else {
		r.last.readStatus(line)
	}
	row := strings.TrimLeft(line, "0123456789") // a row number
	row = strings.NewReplacer(" ", "", "\t", "", "(", "", ")", "", string(removedLetter), "").Replace(strings.ToUpper(row))
	switch wrong := strings.Trim(row, "OX@-"); {
	case row == "":
	case wrong == "":
		return r.addRow(row)
	case r.letters != nil && len(row) == len(r.letters[0]) && r.last.rows == nil:
		return fmt.Errorf("line %d: %.1q in the board: want O, @, X or -", r.n, wrong)
	default:
		r.letters = nil
	}
	return nil
}

// addRow adds a line of letters to the incomplete board, or begins a board with it. A line of another
// length discards the incomplete board. This is an error if that board has two or more rows and no
// complete board with its turns precedes it.
func (r *boardReader) addRow(row string) error {
	isSide := len(row) == 8 || len(row) == 6 || len(row) == 4
	r.letters = append(r.letters, row)
	side := len(r.letters[0])
	if len(row) == side && isSide {
		if len(r.letters) == side {
			r.last, r.letters = positionText{rows: withRemoved(r.letters)}, nil
			r.boards++
		}
		return nil
	}
	want := fmt.Sprint(side)
	if len(r.letters) == 1 {
		want = "8, 6 or 4"
	}
	err := fmt.Errorf("line %d: %d squares, want %s", r.n, len(row), want)
	if r.last.phase == "" && len(r.letters) > 2 {
		return err
	}
	r.odd, r.letters = cmp.Or(r.odd, err), nil
	if isSide {
		r.letters = []string{row}
	}
	return nil
}

func (r *boardReader) incomplete() error {
	return fmt.Errorf("line %d: the board ends after %d rows, want %d", r.n, len(r.letters), len(r.letters[0]))
}

// withRemoved adds the removed squares around the letters of a board.
func withRemoved(letters []string) []string {
	edge := (8 - len(letters)) / 2
	removed := strings.Repeat(string(removedLetter), 8)
	rows := slices.Repeat([]string{removed}, edge)
	for _, l := range letters {
		rows = append(rows, removed[:edge]+l+removed[:edge])
	}
	return append(rows, slices.Repeat([]string{removed}, edge)...)
}

// split splits the one-line notation into its fields. It sets p.quiet and p.strict from the
// optional fields and returns the others. Six rows of six letters are the board after the first
// shrink, four rows of four that after the second.
func (p *Position) split(text string) (out positionText, err error) {
	board, after, _ := strings.Cut(text, " ")
	if out.readStatus(after); out.phase != "" {
		text = board + ":" + out.phase + ":" + out.turns
	} else if out.turn != engine.None {
		text = strings.TrimSuffix(board, ",")
	}
	fields := strings.Split(strings.TrimSpace(text), ":")
	rows := strings.Split(fields[0], "/")
	shrunk := len(rows) == 6 || len(rows) == 4
	fields = append(fields, "", "")[:max(len(fields), 3)]
	out.phase, out.turns = fields[1], fields[2]
	isPhase := out.phase == "placing" || out.phase == "moving" || out.phase == ""
	switch {
	case !shrunk && out.turns == "", len(rows) != 8 && !isPhase:
		return out, fmt.Errorf("%w: write the rows of the board, the phase and the turn, as in "+
			"X------X/--------/--------/--------/--------/--------/--------/X------X:placing:0, "+
			"or the squares of a game like (2,3) (4,4)", engine.ErrNotation)
	case !shrunk && len(rows) != 8:
		return out, fmt.Errorf("%d rows: want 8, or after a shrink 6 or 4", len(rows))
	}
	for y, row := range rows {
		if shrunk && len(row) != len(rows) {
			return out, fmt.Errorf("row %d has %d squares, the board has %d in a row", y, len(row), len(rows))
		}
	}
	if shrunk {
		rows = withRemoved(rows)
	}
	out.rows = rows
	return out, p.readOptions(fields[3:])
}

// readOptions sets p.quiet and p.strict from the optional fields of the one-line notation.
func (p *Position) readOptions(fields []string) error {
	for _, f := range fields {
		n, isQuiet := strings.CutPrefix(f, "quiet=")
		switch {
		case isQuiet:
			q, err := strconv.Atoi(n)
			if err != nil || q < 0 || q > QuietLimit {
				return fmt.Errorf("field %.40q: want quiet=0 to quiet=%d", f, QuietLimit)
			}
			p.quiet = uint8(q)
		case f == "strict":
			p.strict = true
		default:
			return fmt.Errorf("field %.40q: want quiet=N or strict", f)
		}
	}
	return nil
}

// fill sets the position from the rows of a board and the words for phase and turns, and returns an
// error if the position is impossible ([Position.check]).
func (p *Position) fill(rows []string, phase, turns string) error {
	switch phase {
	case "placing":
	case "moving":
		p.phase = Moving
	default:
		return fmt.Errorf("the phase is placing or moving, not %.40q", phase)
	}
	n, err := strconv.Atoi(turns)
	if err != nil || n < 0 || n > 1<<30 {
		return fmt.Errorf("turns %.40q: want a count from 0", turns)
	}
	if p.phase == Placing && n >= PlacingTurns {
		return fmt.Errorf("turns %d: the placing phase has turns 0 to %d", n, PlacingTurns-1)
	}
	p.turns, p.stage = int32(n), stageAfter(p.phase, n)
	// A game won on turn 128 or 192 ends before the shrink, on the larger board.
	if (n == FirstShrink || n == SecondShrink) && p.phase == Moving && drawnStage(rows) < p.stage {
		p.stage--
	}
	if drawn := drawnStage(rows); drawn > p.stage {
		return fmt.Errorf("turns %d of the %s phase: the board has shrunk, which happens on moving turns %d and %d",
			n, p.phase, FirstShrink, SecondShrink)
	}
	for y, row := range rows {
		if len(row) != 8 {
			return fmt.Errorf("row %d has %d squares, the board has 8 in a row", y, len(row))
		}
		for x := range 8 {
			if err := p.put(sq(x, y), row[x]); err != nil {
				return err
			}
		}
	}
	return p.check()
}

// drawnStage returns the stage of a board of eight rows by its removed squares.
func drawnStage(rows []string) Stage {
	for s := range Final {
		// (3, s) is on the outer ring of stage s and not a corner.
		if len(rows[s]) == 8 && rows[s][3] != removedLetter {
			return s
		}
	}
	return Final
}

// put sets square s to the letter c. It returns an error if c is impossible on the square.
func (p *Position) put(s int, c byte) error {
	bit := uint64(1) << s
	want := ""
	switch {
	case onBoard[p.stage]&bit == 0:
		if c != removedLetter {
			want = fmt.Sprintf("write %c, the square is removed", removedLetter)
		}
	case corners[p.stage]&bit != 0:
		if c != cornerLetter {
			want = fmt.Sprintf("write %c, the square is a corner", cornerLetter)
		}
	case c == whiteLetter:
		p.sides[0] |= bit
	case c == blackLetter:
		p.sides[1] |= bit
	case c != emptyLetter:
		want = fmt.Sprintf("write %c, %c or %c", whiteLetter, blackLetter, emptyLetter)
	}
	if want != "" {
		return fmt.Errorf("square %s is %q: %s", squareString(s), c, want)
	}
	return nil
}

// check returns an error for most positions that cannot arise in a game: those with a surrounded piece, a
// piece outside its zone, too many pieces or quiet turns, or a board that should have shrunk. In the
// moving phase it sets over and winner.
func (p *Position) check() error {
	if s := Surrounded(p.sides[0], p.sides[1], p.stage); s != 0 {
		f := bits.TrailingZeros64(s)
		return fmt.Errorf("square %s: the piece is surrounded and would have been eliminated", squareString(f))
	}
	for i, name := range sideNames {
		limit := MaxPieces
		if p.phase == Placing {
			limit = (int(p.turns) + 1 - i) / 2
			if out := p.sides[i] &^ zone[i]; out != 0 {
				return fmt.Errorf("square %s: outside the zone where %s places", squareString(bits.TrailingZeros64(out)), name)
			}
		}
		if n := bits.OnesCount64(p.sides[i]); n > limit {
			extra := p.sides[i] // becomes the pieces after the first limit ones
			for range limit {
				extra &= extra - 1
			}
			return fmt.Errorf("square %s: %s has %d pieces, at most %d are possible after %d turns of the %s phase",
				squareString(bits.TrailingZeros64(extra)), name, n, limit, p.turns, p.phase)
		}
	}
	maxQuiet := 0
	if p.stage == Final && !p.strict {
		maxQuiet = int(p.turns) - SecondShrink
	}
	if int(p.quiet) > maxQuiet {
		return fmt.Errorf("quiet=%d: at most %d is possible here, "+
			"it counts turns on the 4x4 board and not in strict games", p.quiet, maxQuiet)
	}
	if p.phase == Moving {
		p.checkPieces()
		unshrunk := p.turns == FirstShrink && p.stage == Full || p.turns == SecondShrink && p.stage == Middle
		if unshrunk && !p.over {
			return fmt.Errorf("square %s: %q, the board has shrunk after %d turns unless the game was won",
				squareString(sq(3, int(p.stage))), p.letter(sq(3, int(p.stage))), p.turns)
		}
		p.checkEndless()
	}
	return nil
}

// Worth returns a decision's score in words; see [engine.Decision]. distance is the number of turns to
// the end of a win or loss, 0 if unknown.
func (p Position) Worth(score int, proof engine.Proof, distance int) string {
	if proof == engine.Estimate {
		return fmt.Sprintf("about %+.2f pieces, an estimate", float64(score)/100)
	}
	what := "a tie"
	switch {
	case score > 0:
		what = "a win"
	case score < 0:
		what = "a loss"
	}
	switch {
	case distance == 1:
		what += " in one turn"
	case distance > 1:
		what += fmt.Sprintf(" in %d turns", distance)
	}
	switch proof {
	case engine.Lower:
		return "at least " + what + ", proved"
	case engine.Upper:
		return "at most " + what + ", proved"
	}
	return what + ", proved"
}
