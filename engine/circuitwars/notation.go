package circuitwars

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

// Name is the game's name on the command line and in stores.
const Name = "circuitwars"

// Game implements [engine.Game].
type Game struct{}

// Name implements [engine.Game].
func (Game) Name() string { return Name }

// Title implements [engine.Game].
func (Game) Title() string { return "Circuit Wars" }

// RulesVersion implements [engine.Game].
func (Game) RulesVersion() int { return RulesVersion }

// Unit implements [engine.Counted].
func (Game) Unit() (one, more string) { return "square", "squares" }

// Boards implements [engine.Game].
func (Game) Boards() []string { return []string{UsualBoard, "5x5", "3x5", "4x4", "3x4", "3x3"} }

// Start implements [engine.Game]; board is ROWSxCOLS.
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

// Parse implements [engine.Game]; see the function [Parse].
func (Game) Parse(text string) (engine.Position, error) { return Parse(text) }

// Parse parses a position in any notation: the server's status JSON, a position string
// (see [Position.String]), or a move list (see [ParseMoves]).
func Parse(text string) (Position, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return Position{}, errors.New("position: empty; want a position string, a move list or the server's status JSON")
	case text[0] == '{':
		st, err := ParseStatus([]byte(text))
		if err == nil && len(st.Odd) > 0 {
			err = fmt.Errorf("parse status: %s", st.Odd[0])
		}
		return st.Position, err
	case strings.Contains(text, ":"):
		return parseString(text)
	}
	return ParseMoves(text)
}

// String returns the one-line position string
//
//	SIZE:SEGMENTS:SCORES:TURN[:OWNERS]
//
// for instance 2x2:800:0-0:2. SEGMENTS has one hexadecimal digit for four segments, the
// lowest-numbered segment in the highest bit; a set bit is a drawn segment. OWNERS has one
// character per square, row by row: 1, 2, or a dot for an open square. It is omitted if
// nothing is captured or if the owners are unknown.
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

const hexDigits = "0123456789abcdef"

func hexSegments(b *grid.Board, s grid.Set) string {
	out := make([]byte, (b.Segments()+3)/4)
	for i := range out {
		d := 0
		for k := range 4 {
			if j := 4*i + k; j < b.Segments() && s.Has(j) {
				d |= 8 >> k
			}
		}
		out[i] = hexDigits[d]
	}
	return string(out)
}

func parseHexSegments(b *grid.Board, text string) (grid.Set, error) {
	var s grid.Set
	if want := (b.Segments() + 3) / 4; len(text) != want {
		return s, fmt.Errorf("segments: %d digits, a %s board has %d", len(text), b, want)
	}
	for i := range len(text) {
		d := strings.IndexByte(hexDigits, text[i]|0x20)
		if d < 0 || text[i] < '0' {
			return s, fmt.Errorf("segments: character %d is %q, want a hexadecimal digit", i+1, text[i])
		}
		for k := range 4 {
			if d&(8>>k) == 0 {
				continue
			}
			if 4*i+k >= b.Segments() {
				return s, fmt.Errorf("segments: digit %d sets segment %d, a %s board has segments 0..%d", i+1, 4*i+k, b, b.Segments()-1)
			}
			s.Add(4*i + k)
		}
	}
	return s, nil
}

func parseString(text string) (Position, error) {
	fail := func(err error) (Position, error) { return Position{}, fmt.Errorf("parse position: %w", err) }
	f := strings.Split(text, ":")
	if len(f) != 4 && len(f) != 5 {
		return fail(fmt.Errorf("%d fields, want SIZE:SEGMENTS:SCORES:TURN or SIZE:SEGMENTS:SCORES:TURN:OWNERS", len(f)))
	}
	b, err := grid.Parse(f[0])
	if err != nil {
		return fail(err)
	}
	drawn, err := parseHexSegments(b, f[1])
	if err != nil {
		return fail(err)
	}
	a1, a2, two := strings.Cut(f[2], "-")
	s1, err1 := strconv.Atoi(a1)
	s2, err2 := strconv.Atoi(a2)
	if !two || err1 != nil || err2 != nil {
		return fail(fmt.Errorf("scores %.40q: want two numbers like 12-5", f[2]))
	}
	if f[3] != "1" && f[3] != "2" {
		return fail(fmt.Errorf("turn %.40q: want 1 or 2", f[3]))
	}
	score, turn := [2]int{s1, s2}, engine.Side(f[3][0]-'0')
	var p Position
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

// parseOwners parses the owners, one character per square.
func parseOwners(b *grid.Board, text string) ([]engine.Side, error) {
	if len(text) != b.Squares() {
		return nil, fmt.Errorf("owners: %d characters, a %s board has %d squares", len(text), b, b.Squares())
	}
	owner := make([]engine.Side, len(text))
	for sq := range owner {
		switch c := text[sq]; c {
		case '.':
		case '1', '2':
			owner[sq] = engine.Side(c - '0')
		default:
			x, y := b.XY(sq)
			return nil, fmt.Errorf("owners: square %d,%d is %q, want 1, 2 or a dot", x, y, c)
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

// ParseSegment parses "x,y,border"; both names of an inner segment are valid. x and y are
// plain decimal integers.
func ParseSegment(b *grid.Board, text string) (int, error) {
	f := strings.Split(text, ",")
	if len(f) != 3 {
		return 0, fmt.Errorf("move %.40q: want x,y,border, for instance 3,2,right", text)
	}
	var xy [2]int
	for i := range xy {
		n, err := strconv.Atoi(f[i])
		if err != nil || n < 0 || n > 999 || f[i] != strconv.Itoa(n) {
			return 0, fmt.Errorf("move %.40q: %.40q is not a plain decimal number", text, f[i])
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

// ParseMove parses "x,y,border" and checks that the segment is free.
func (p Position) ParseMove(text string) (engine.Move, error) {
	s, err := ParseSegment(p.board, strings.TrimSpace(text))
	if err != nil {
		return 0, err
	}
	if _, err := p.Occupy(s); err != nil {
		return 0, err
	}
	return engine.Move(s), nil
}

// ParseMoves plays a list of moves from the empty board. The list begins with an optional
// size like 3x4, 7x7 by default; the moves, x,y,border, are separated by white space or
// semicolons. A size alone means the empty board.
func ParseMoves(text string) (Position, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == ';' })
	board := UsualBoard
	if len(fields) > 0 && !strings.Contains(fields[0], ",") {
		board, fields = fields[0], fields[1:]
	}
	start, err := Game{}.Start(board)
	if err != nil {
		return Position{}, fmt.Errorf("parse moves: %w", err)
	}
	p, err := engine.PlayMoves(start.(Position), fields)
	if err != nil {
		return Position{}, fmt.Errorf("parse moves: %w", err)
	}
	return p, nil
}
