package circuitwars

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"endwise/engine"
	"endwise/engine/grid"
)

const Name = "circuitwars"

type Game struct{}

func (Game) Name() string { return Name }

func (Game) Title() string { return "Circuit Wars" }

func (Game) RulesVersion() int { return RulesVersion }

func (Game) Unit() (one, more string) { return "square", "squares" }

func (Game) Boards() []string { return []string{UsualBoard, "5x5", "3x5", "4x4", "3x4", "3x3"} }

// Start returns the empty board of the size ROWSxCOLS.
func (Game) Start(board string) (engine.Position, error) {
	if board == "" {
		board = UsualBoard
	}
	rows, cols, err := grid.ParseSize(board)
	if err != nil {
		return nil, err
	}
	return New(rows, cols)
}

func (Game) Parse(text string) (engine.Position, error) { return Parse(text) }

// Parse reads a position, or the last one of a game, as [Game.ReadGame] does.
func Parse(text string) (Position, error) {
	start, moves, err := read(text)
	if err != nil {
		return Position{}, err
	}
	return engine.PlayAll(start, moves)
}

// ReadGame reads one of these notations, perhaps with a board size before it:
//
//   - the one-line notation of [Position.String];
//   - a list of moves, "0,0,top 3,2,right", with or without move numbers;
//   - the server's status object, see [ParseStatus];
//   - a log of a championship, see [Log], or its beginning; without a size, [Judge] finds the board of
//     a complete log;
//   - the plain format of all games, see [engine.SplitRecord];
//   - a drawing, see [grid.ReadDrawing], with score and turn in the lines around it;
//   - the output of query.
func (Game) ReadGame(text string) (engine.Position, []engine.Move, error) {
	start, moves, err := read(text)
	if err != nil {
		return nil, nil, err
	}
	return start, moves, nil
}

// read reads a text in any notation of [Game.ReadGame].
func read(text string) (start Position, moves []engine.Move, err error) {
	text = engine.CleanText(text)
	if strings.Contains(text, "/move/") && !strings.Contains(text, "\n----") { // the beginning of a log
		text = moveListOf(text)
	}
	trimmed := strings.TrimSpace(text)
	if engine.IsRecord(trimmed) || IsLog(trimmed) {
		return readUnsized(trimmed)
	}
	if i := strings.IndexAny(trimmed, " \t\n"); i > 0 && IsLog(trimmed[i:]) {
		return readLog(trimmed[i:], trimmed[:i])
	}
	b := sizeInFront(trimmed)
	if b == nil {
		return readOutput(text)
	}
	// The text after the size also determines a size.
	if start, moves, err = readOutput(trimmed[len(b.String()):]); err == nil && start.board != b {
		err = fmt.Errorf("the position is on a %s board, not %s", start.board, b)
	}
	return start, moves, err
}

// moveListOf returns the beginning of a log as a list of moves: without /move/ and the names of teams.
func moveListOf(log string) string {
	words := strings.Fields(log)
	for i, w := range words {
		if move, ok := strings.CutPrefix(w, "/move/"); ok {
			_, words[i], _ = strings.Cut(move, "/")
		}
	}
	return strings.Join(words, " ")
}

// readOutput reads a text with a position line, as query prints it; other texts it passes to readUnsized.
// It returns an error if the text also contains a drawing of another position.
func readOutput(text string) (start Position, moves []engine.Move, err error) {
	line, ok := engine.PositionLine(text)
	if !ok {
		return readUnsized(text)
	}
	if start, moves, err = readUnsized(line); err == nil {
		err = checkDrawing(text, start)
	}
	return start, moves, err
}

// isObject reports whether text begins like a JSON object and not like a comment in braces.
func isObject(text string) bool {
	inside, ok := strings.CutPrefix(text, "{")
	inside = strings.TrimLeft(inside, " \t\n")
	return ok && (inside == "" || strings.ContainsRune("\"'}", rune(inside[0])))
}

// readUnsized reads a text in one of the notations, except the output of query. Only a list of moves
// may have a size in front.
func readUnsized(text string) (start Position, moves []engine.Move, err error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return start, nil, errors.New("position: empty; want a position string, a move list or the server's status JSON")
	case engine.IsRecord(trimmed):
		return engine.ReadRecord[Position](Game{}, trimmed)
	case IsLog(trimmed):
		return readLog(trimmed, "")
	}
	if d, ok, err := grid.ReadDrawing(text); ok {
		if err == nil {
			start, err = fromDrawing(d)
		}
		return start, nil, err
	}
	if isObject(trimmed) {
		st, err := ParseStatus([]byte(trimmed))
		if err == nil && len(st.Odd) > 0 {
			err = fmt.Errorf("parse status: %s", st.Odd[0])
		}
		return st.Position, nil, err
	}
	if trimmed, err = engine.StripComments(trimmed); err != nil {
		return start, nil, err
	}
	trimmed = strings.TrimSpace(trimmed)
	switch {
	case trimmed == "":
		return start, nil, errors.New("position: nothing but comments; want a position string or a move list")
	case strings.Contains(trimmed, ":"):
		start, err = parseString(trimmed)
		return start, nil, err
	}
	return readMoves(engine.StripResult(trimmed))
}

// sizeInFront returns the board whose size is the first word of a text. It returns nil if there is no
// size, or if nothing, a list of moves, a comment in braces or a second size follows.
func sizeInFront(text string) *grid.Board {
	words := strings.Fields(text[:min(len(text), 100)])
	if len(words) < 2 || beginsMove(words[1:]) {
		return nil
	}
	if rest := strings.TrimSpace(text[len(words[0]):]); strings.ContainsAny(words[1], ",{") && !isObject(rest) {
		return nil
	}
	b, err := grid.Parse(words[0])
	if err != nil || b.String() != strings.ToLower(words[0]) {
		return nil
	}
	if _, err := grid.Parse(words[1]); err == nil {
		return nil
	}
	return b
}

// readLog reads a log of a game on a board of the given size, "" if it is unknown.
func readLog(text, size string) (start Position, moves []engine.Move, err error) {
	var rows, cols int
	if size != "" {
		p, err := Game{}.Start(size)
		if err != nil {
			return start, nil, err
		}
		b := p.(Position).board
		rows, cols = b.Rows, b.Cols
	}
	g, err := ReadLog(strings.NewReader(text))
	if err != nil {
		return start, nil, err
	}
	v, err := Judge(g, rows, cols)
	if err != nil {
		return start, nil, err
	}
	for _, s := range v.Played {
		moves = append(moves, engine.Move(s))
	}
	return v.Positions[0], moves, nil
}

// fromDrawing returns the position of a drawing, with the score and turn in the lines around
// it. The score may be missing if all owners are known, and the turn if nothing is captured.
func fromDrawing(d grid.Drawing) (p Position, err error) {
	st, err := engine.ReadStanding(d.Rest)
	if err != nil {
		return p, err
	}
	owner := make([]engine.Side, d.Board.Squares())
	unknown := false
	for sq := range d.Text {
		if owner[sq], err = ownerOf(d, sq); err != nil {
			return p, err
		}
		unknown = unknown || owner[sq] == unknownOwner
	}
	if !unknown && !st.Scored {
		st.Score, st.Scored = countOwners(owner), true
	}
	if st.Turn == engine.None {
		// The number of turns is unknown after a capture.
		if slices.ContainsFunc(owner, func(o engine.Side) bool { return o != engine.None }) {
			return p, errors.New("drawing: add the score and the player to move, for instance 3-1 2")
		}
		st.Turn = engine.First + engine.Side(d.Drawn.Len()%2)
	}
	switch {
	case !st.Scored:
		return p, errors.New("drawing: add the score, for instance 3-1")
	case unknown:
		return FromDrawn(d.Board, d.Drawn, st.Score, st.Turn)
	}
	return fromOwners(d.Board, d.Drawn, owner, st.Score, st.Turn)
}

// ownerOf returns the owner of a square in a drawing: None, First, Second or unknownOwner.
func ownerOf(d grid.Drawing, sq int) (engine.Side, error) {
	owner, ok := d.Owner(sq)
	if !ok {
		x, y := d.Board.XY(sq)
		return engine.None, fmt.Errorf("drawing: square %d,%d has %.20q inside: "+
			"want its owner, 1 or 2, or A or B, or # if the owner is unknown", x, y, d.Text[sq])
	}
	return engine.Side(owner), nil
}

// checkDrawing returns an error if the text contains a drawing that is not of position p or cannot be read.
func checkDrawing(text string, p Position) error {
	d, ok, err := grid.ReadDrawing(text)
	if !ok || err != nil {
		return err
	}
	same := d.Board == p.board && d.Drawn == p.drawn
	for sq := range d.Text {
		owner, err := ownerOf(d, sq)
		same = same && err == nil && owner == p.owner[sq]
	}
	if !same {
		return fmt.Errorf("the drawing contradicts position %s: give only one of them", p)
	}
	return nil
}

// String returns the one-line notation
//
//	SIZE:SEGMENTS:SCORES:TURN[:OWNERS]
//
// for instance 2x2:800:0-0:2. SEGMENTS has one hexadecimal digit for four segments, the
// lowest-numbered segment in the highest bit; a set bit is a drawn segment. OWNERS has one
// character per square, row by row: 1, 2, or a dot for an open square. OWNERS is omitted if
// nothing is captured or if an owner is unknown.
func (p Position) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%s:%d-%d:%d", p.board, hexSegments(p.board, p.drawn), p.score[0], p.score[1], p.turn)
	known, captured := true, false
	for _, o := range p.owner {
		captured = captured || o != engine.None
		known = known && o != unknownOwner
	}
	if captured && known {
		b.WriteByte(':')
		for _, o := range p.owner {
			b.WriteByte(".12"[o])
		}
	}
	return b.String()
}

// hexSegments returns a set of segments as SEGMENTS of the one-line notation.
func hexSegments(b *grid.Board, s grid.Set) string {
	out := make([]byte, (b.Segments()+3)/4)
	for i := range out {
		d := 0
		for k := range 4 {
			if j := 4*i + k; j < b.Segments() && s.Has(j) {
				d |= 8 >> k
			}
		}
		out[i] = "0123456789abcdef"[d]
	}
	return string(out)
}

// parseHexSegments is the inverse of hexSegments.
func parseHexSegments(b *grid.Board, text string) (grid.Set, error) {
	var s grid.Set
	if want := (b.Segments() + 3) / 4; len(text) != want {
		return s, fmt.Errorf("segments: %d characters, a %s board needs %d", len(text), b, want)
	}
	for i := range len(text) {
		d, err := strconv.ParseUint(text[i:i+1], 16, 4)
		if err != nil {
			return s, fmt.Errorf("segments: character %d is %q: write only 0 to 9 and a to f", i+1, text[i])
		}
		for k := range 4 {
			if d&(8>>k) == 0 {
				continue
			}
			if 4*i+k >= b.Segments() {
				return s, fmt.Errorf("segments: digit %d sets segment %d, a %s board has segments 0..%d",
					i+1, 4*i+k, b, b.Segments()-1)
			}
			s.Add(4*i + k)
		}
	}
	return s, nil
}

// parseString is the inverse of [Position.String]. The error wraps [engine.ErrNotation] if the text does
// not begin with a size and a colon.
func parseString(text string) (Position, error) {
	fail := func(err error) (Position, error) { return Position{}, fmt.Errorf("parse position: %w", err) }
	f := strings.Split(text, ":")
	rows, cols, err := grid.ParseSize(f[0])
	if err != nil {
		return fail(fmt.Errorf("%w: %w", engine.ErrNotation, err))
	}
	if len(f) != 4 && len(f) != 5 {
		return fail(fmt.Errorf("%d fields, want SIZE:SEGMENTS:SCORES:TURN "+
			"or SIZE:SEGMENTS:SCORES:TURN:OWNERS", len(f)))
	}
	segments, scores, side := f[1], f[2], f[3]
	p, err := New(rows, cols)
	if err != nil {
		return fail(err)
	}
	b := p.board
	drawn, err := parseHexSegments(b, segments)
	if err != nil {
		return fail(err)
	}
	first, second, two := strings.Cut(scores, "-")
	score1, err1 := strconv.Atoi(first)
	score2, err2 := strconv.Atoi(second)
	if !two || err1 != nil || err2 != nil {
		return fail(fmt.Errorf("scores %.40q: want two numbers like 12-5", scores))
	}
	if side != "1" && side != "2" {
		return fail(fmt.Errorf("turn %.40q: want 1 or 2", side))
	}
	score, turn := [2]int{score1, score2}, engine.Side(side[0]-'0')
	if len(f) == 4 {
		p, err = FromDrawn(b, drawn, score, turn)
	} else {
		var owner []engine.Side
		if owner, err = parseOwners(b, f[4]); err == nil {
			p, err = fromOwners(b, drawn, owner, score, turn)
		}
	}
	if err != nil {
		return fail(err)
	}
	return p, nil
}

// parseOwners is the inverse of OWNERS in the one-line notation.
func parseOwners(b *grid.Board, text string) ([]engine.Side, error) {
	if len(text) != b.Squares() {
		return nil, fmt.Errorf("owners: %d squares, a %s board has %d", len(text), b, b.Squares())
	}
	owner := make([]engine.Side, len(text))
	for sq := range owner {
		switch c := text[sq]; c {
		case '.':
		case '1', '2':
			owner[sq] = engine.Side(c - '0')
		default:
			x, y := b.XY(sq)
			return nil, fmt.Errorf("owners: square %d,%d is %q: write 1, 2 or, for a free square, a dot", x, y, c)
		}
	}
	return owner, nil
}

// MoveString returns a segment as "x,y,border" by its lower-numbered square.
func (p Position) MoveString(m engine.Move) string {
	if m < 0 || int(m) >= p.board.Segments() {
		return fmt.Sprintf("segment %d", m)
	}
	x, y, side := p.board.Name(int(m))
	return fmt.Sprintf("%d,%d,%s", x, y, side)
}

// ParseSegment parses "x,y,border": x and y are decimal numbers without signs, blanks and leading
// zeros, and border is top, right, bottom or left. Both names of an inner segment are valid.
func ParseSegment(b *grid.Board, text string) (int, error) {
	f := strings.Split(text, ",")
	if len(f) != 3 {
		return 0, fmt.Errorf("move %.40q: want x,y,border, for instance 3,2,right", text)
	}
	var xy [2]int
	for i := range xy {
		n, err := strconv.Atoi(f[i])
		if err != nil || n < 0 || n > 999 || f[i] != strconv.Itoa(n) {
			return 0, fmt.Errorf("move %.40q: %.40q: want a number from 0 to 999 without sign and leading zeros", text, f[i])
		}
		xy[i] = n
	}
	side, err := grid.ParseBorder(f[2])
	if err != nil {
		return 0, fmt.Errorf("move %.40q: %w", text, err)
	}
	s, err := b.Segment(xy[0], xy[1], side)
	if err != nil {
		return 0, fmt.Errorf("move %.40q: %w", text, err)
	}
	return s, nil
}

func moveFields(text string) []string {
	separates := func(r rune) bool { return strings.ContainsRune(",.()", r) || unicode.IsSpace(r) }
	return strings.FieldsFunc(strings.ToLower(text), separates)
}

// ParseMove parses "x,y,border". Unlike [ParseSegment] it checks that the segment is free, and accepts
// white space, dots and parentheses between the parts, any case, and the first letter of the border.
func (p Position) ParseMove(text string) (engine.Move, error) {
	fields := moveFields(text)
	if len(fields) == 3 {
		for border := grid.Top; border <= grid.Left; border++ {
			if name := border.String(); fields[2] == name[:1] {
				fields[2] = name
			}
		}
	}
	s, err := ParseSegment(p.board, strings.Join(fields, ","))
	if err != nil {
		return 0, err
	}
	if _, err := p.Occupy(s); err != nil {
		return 0, err
	}
	return engine.Move(s), nil
}

// readMoves reads a list of moves from the empty board: an optional size, by default UsualBoard, and the
// moves, separated by white space or semicolons. A number and a dot may precede a move. The error wraps
// engine.ErrNotation if the text does not look like a list of moves.
func readMoves(text string) (start Position, moves []engine.Move, err error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n;", r) })
	words = slices.DeleteFunc(words, func(w string) bool { return w == "(" || w == ")" })
	board := UsualBoard
	if len(words) > 0 && !beginsMove(words) {
		board, words = words[0], words[1:]
	}
	first, err := Game{}.Start(board)
	if err != nil {
		return start, nil, fmt.Errorf("%w: %w", engine.ErrNotation, err)
	}
	start = first.(Position)
	isDotted := func(w string) bool { return len(moveFields(w)) == 3 } // "2.2.b"
	if err := engine.CheckNumbers(strings.Join(slices.DeleteFunc(slices.Clone(words), isDotted), " ")); err != nil {
		return start, nil, err
	}
	p := start
	for len(words) > 0 {
		var move string
		move, words = nextMove(words)
		f := moveFields(move)
		if len(f) == 0 {
			break
		}
		m, err := p.ParseMove(move)
		if err == nil {
			p, err = p.Occupy(int(m))
		} else if len(f) != 3 || strings.Trim(f[2], "abcdefghijklmnopqrstuvwxyz") != "" {
			// Three parts that end in a word are a wrong move. Other text is not a list of moves.
			err = fmt.Errorf("%w: %w", engine.ErrNotation, err)
		}
		if err != nil {
			return start, nil, fmt.Errorf("move %d: %w", len(moves)+1, err)
		}
		moves = append(moves, m)
	}
	return start, moves, nil
}

// nextMove joins words, without move numbers, until they have the three parts of a move or no word
// is left. It returns the move and the other words.
func nextMove(words []string) (move string, rest []string) {
	for len(words) > 0 && len(moveFields(move)) < 3 {
		w := words[0]
		words = words[1:]
		// "2.2.b" is a move. "1.2,2,b", "1.2" and "1." begin with a move number.
		if number, after, ok := strings.Cut(w, "."); ok && engine.IsNumber(number) && len(moveFields(w)) != 3 {
			w = strings.TrimLeft(after, ".")
		}
		move = strings.TrimSpace(move + " " + strings.TrimSuffix(w, ","))
	}
	return move, words
}

// beginsMove reports whether the words begin with a move or its number, and not with a size.
// A number is the size of a square board if no other number follows.
func beginsMove(words []string) bool {
	word := strings.TrimLeft(words[0], "(")
	rest := strings.TrimLeft(word, "0123456789")
	if rest == "" {
		return len(words) > 1 && engine.IsNumber(words[1])
	}
	return rest != word && (rest[0] == ',' || rest[0] == '.')
}

func (Game) Notations() []string {
	return append(engine.Notations[:len(engine.Notations):len(engine.Notations)], "moves")
}

// Write writes a game. The notation moves needs a game from the empty board, whose moves it does not check.
func (g Game) Write(notation string, start engine.Position, moves []engine.Move) (string, error) {
	if notation != "moves" {
		return engine.Write(g, notation, start, moves)
	}
	first, err := engine.As[Position](start)
	if err != nil {
		return "", err
	}
	if first.drawn != (grid.Set{}) {
		return "", errors.New("notation moves needs a game from the empty board: give its moves")
	}
	words := []string{first.board.String()}
	for _, m := range moves {
		words = append(words, start.MoveString(m))
	}
	return strings.Join(words, " "), nil
}
