package circuitwars

import (
	"errors"
	"fmt"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
	"endwise/engine/wire/lenient"
)

// Cell bits of the server's board array. The four borders are 1<<[grid.Border].
const (
	cellOwner1 = 16
	cellOwner2 = 32
	cellMax    = 63
)

// Code is the server's status code.
type Code int

// The status codes, with those about player 1.
const (
	WaitingForBoth   Code = 100
	WaitingForSecond Code = 101
	TurnOf1          Code = 201
	WonBy1           Code = 301
	IllegalBy1       Code = 401
	TimeoutBy1       Code = 501
)

// For returns the code of the same kind about side s, First or Second.
func (c Code) For(s engine.Side) Code { return c/100*100 + Code(s) }

// Kinds of status codes.
const (
	KindWaiting Code = 100
	KindTurn    Code = 200
	KindWon     Code = 300
	KindIllegal Code = 400
	KindTimeout Code = 500
)

func (c Code) Kind() Code { return c / 100 * 100 }

// Side returns the player that the code is about, or [engine.None].
func (c Code) Side() engine.Side {
	if s := engine.Side(c % 100); c >= 200 && (s == engine.First || s == engine.Second) {
		return s
	}
	return engine.None
}

func (c Code) Over() bool { return c >= 300 }

// Winner returns the winner of a finished game, otherwise None.
func (c Code) Winner() engine.Side {
	switch {
	case c.Kind() == KindWon:
		return c.Side()
	case c.Over() && c.Side() != engine.None:
		return c.Side().Other()
	}
	return engine.None
}

// Text returns the sentence that the server sends with the code.
func (c Code) Text() string {
	switch c.Kind() {
	case KindWaiting:
		if c == WaitingForBoth {
			return "The game has not started yet (waiting for both players)"
		}
		return "The game has not started yet (waiting for the second player)"
	case KindTurn:
		return fmt.Sprintf("It's Player %d's turn", c.Side())
	case KindWon:
		return fmt.Sprintf("The game has finished, Player %d won", c.Side())
	case KindIllegal:
		return fmt.Sprintf("The game has ended because of an illegal move by Player %d", c.Side())
	case KindTimeout:
		return fmt.Sprintf("The game has ended because of time-out by Player %d", c.Side())
	}
	return fmt.Sprintf("status %d", int(c))
}

// EndCode returns the status code of a finished position: 302 for a tie.
func (p Position) EndCode() Code {
	if engine.Winner(p) == engine.First {
		return WonBy1
	}
	return WonBy1.For(engine.Second)
}

func (c Code) valid() bool {
	if c == WaitingForBoth || c == WaitingForSecond {
		return true
	}
	return c < 600 && c.Side() != engine.None
}

// Status is the server's status object.
type Status struct {
	Code Code
	// Position has the side to move of the codes 201 and 202; otherwise the number of drawn segments
	// determines the side.
	Position Position
	TimeLeft float64 // milliseconds; 0 and negative numbers mean no limit
	LastMove int     // the segment drawn last; -1 if there is none or it cannot be read
	// Odd describes faults that do not prevent reading the position.
	Odd []string
}

// Score returns the score of the position or, after a forfeit, [ForfeitScore].
func (s Status) Score() [2]int {
	if w := s.Code.Winner(); w != engine.None && s.Code.Kind() != KindWon {
		return ForfeitScore(s.Position.board, w)
	}
	return s.Position.score
}

// statusObject is the status object in JSON. StatusCode and Board are required.
type statusObject struct {
	StatusCode lenient.Number     `json:"status_code"`
	Board      [][]lenient.Number `json:"board"`
	Score1     lenient.Number     `json:"score_1"`
	Score2     lenient.Number     `json:"score_2"`
	BoardSize  lenient.Number     `json:"board_size"`
	TimeLeft   lenient.Number     `json:"time_left"`
	LastMove   string             `json:"last_move"`
}

// ParseStatus parses the server's status object. It returns an error if status_code or board is
// missing or invalid. The board must be rectangular with cells in 0..63. Neighbouring cells must
// agree about their common border. Borders inside a captured area may be unset. A closed area must
// have one owner, an open square none. Faults of other fields are described in Status.Odd.
func ParseStatus(data []byte) (Status, error) {
	var raw statusObject
	odd, err := lenient.Unmarshal(data, &raw)
	if err != nil {
		return Status{}, fmt.Errorf("parse status: %w", err)
	}
	st, err := raw.status()
	if err != nil {
		return Status{}, fmt.Errorf("parse status: %w", err)
	}
	if odd != nil {
		st.Odd = append(st.Odd, odd.Error())
	}
	return st, nil
}

// status returns the Status of the object. Its errors are those of [ParseStatus].
func (raw statusObject) status() (Status, error) {
	st := Status{LastMove: -1}
	code, ok := raw.StatusCode.Whole()
	if st.Code = Code(code); !ok || !st.Code.valid() {
		return st, fmt.Errorf("status_code %.40s: want 100, 101, 201, 202, 301, 302, 401, 402, 501 or 502",
			raw.StatusCode)
	}
	b, err := boardOf(raw.Board)
	if err != nil {
		return st, err
	}
	drawn, owner, err := parseCells(b, raw.Board)
	if err != nil {
		return st, err
	}
	turn := st.Code.Side()
	if st.Code.Kind() != KindTurn {
		turn = engine.First + engine.Side(drawn.Len()%2)
	}
	if st.Position, err = fromOwners(b, drawn, owner, countOwners(owner), turn); err != nil {
		return st, err
	}
	raw.readOptional(&st)
	return st, nil
}

// readOptional sets TimeLeft and LastMove. It adds to st.Odd the optional fields that are unusable, and
// the fields, status_code among them, that contradict the position.
func (raw statusObject) readOptional(st *Status) {
	odd := func(format string, args ...any) { st.Odd = append(st.Odd, fmt.Sprintf(format, args...)) }
	p := st.Position
	if n := raw.TimeLeft; !n.IsZero() {
		var ok bool
		if st.TimeLeft, ok = n.Float(); !ok {
			odd("time_left %.40s: want a number of milliseconds", n)
		}
	}
	if last := strings.TrimSpace(raw.LastMove); last != "" {
		s, err := ParseSegment(p.board, last)
		if err != nil {
			odd("last_move: %v", err)
		} else {
			st.LastMove = s
		}
	}
	if n := raw.BoardSize; !n.IsZero() && !n.Is(p.board.Rows) && !n.Is(p.board.Cols) {
		odd("board_size %.40s: the board is %s", n, p.board)
	}
	if st.Code.Kind() == KindWon && !p.Over() {
		odd("status_code %d: the game is finished, but %d segments are free", st.Code, p.free.Len())
	}
	// After a forfeit, the scores may be those of the position.
	shows := func(score [2]int) bool { return raw.Score1.Is(score[0]) && raw.Score2.Is(score[1]) }
	if !shows(p.score) && !shows(st.Score()) {
		odd("scores %.40s-%.40s: impossible, the owners have %d-%d squares",
			raw.Score1, raw.Score2, p.score[0], p.score[1])
	}
}

// boardOf returns the board of the size of a board array, or an error if the array is not rectangular.
func boardOf(cells [][]lenient.Number) (*grid.Board, error) {
	if len(cells) == 0 {
		return nil, errors.New("board: missing or empty")
	}
	for y, row := range cells {
		if len(row) != len(cells[0]) {
			return nil, fmt.Errorf("board: row %d has %d cells, row 0 has %d", y, len(row), len(cells[0]))
		}
	}
	p, err := New(len(cells), len(cells[0]))
	return p.board, err
}

// parseCells returns the drawn segments and the owners encoded in the cells, which have the size of b.
func parseCells(b *grid.Board, cells [][]lenient.Number) (drawn grid.Set, owner []engine.Side, err error) {
	owner = make([]engine.Side, b.Squares())
	for sq := range owner {
		x, y := b.XY(sq)
		c, ok := cells[y][x].Whole()
		if !ok || c < 0 || c > cellMax {
			return drawn, nil, fmt.Errorf("board: cell %d,%d is %.40s, want 0..%d", x, y, cells[y][x], cellMax)
		}
		switch c & (cellOwner1 | cellOwner2) {
		case cellOwner1 | cellOwner2:
			return drawn, nil, fmt.Errorf("board: cell %d,%d is %d: owned by both players", x, y, c)
		case cellOwner1:
			owner[sq] = engine.First
		case cellOwner2:
			owner[sq] = engine.Second
		}
		for side, s := range b.Around(sq) {
			set := c>>side&1 != 0
			// The cell above or to the left determines whether this segment is drawn.
			if other := b.Sides(s)[0]; other != sq && drawn.Has(s) != set {
				x2, y2 := b.XY(other)
				return drawn, nil, fmt.Errorf("board: cells %d,%d and %d,%d contradict each other "+
					"about the border between them", x2, y2, x, y)
			}
			if set {
				drawn.Add(s)
			}
		}
	}
	return drawn, owner, nil
}

// Cells returns the server's board array: rows of cells, each with the bits of its drawn borders and of
// its owner, if known.
func (p Position) Cells() [][]int {
	out := make([][]int, p.board.Rows)
	for y := range out {
		out[y] = make([]int, p.board.Cols)
		for x := range out[y] {
			sq := p.board.Square(x, y)
			for side, s := range p.board.Around(sq) {
				if p.drawn.Has(s) {
					out[y][x] |= 1 << side
				}
			}
			switch p.owner[sq] {
			case engine.First:
				out[y][x] |= cellOwner1
			case engine.Second:
				out[y][x] |= cellOwner2
			}
		}
	}
	return out
}
