package dotsandboxes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
	"endwise/engine/wire/lenient"
)

// Message is a message of the agents' protocol (package wire/dabws) in a recorded game. A
// recording needs the type, the grid of a start, and the location and orientation of a line.
type Message struct {
	Type        string           `json:"type"`
	Name        string           `json:"name"` // a player's name, in logs of the arena
	Grid        []lenient.Number `json:"grid"`
	Player      lenient.Number   `json:"player"`
	NextPlayer  lenient.Number   `json:"nextplayer"`
	Score       []lenient.Number `json:"score"`
	Location    []lenient.Number `json:"location"`
	Orientation string           `json:"orientation"`
	Winner      lenient.Number   `json:"winner"`
	Reason      string           `json:"reason"` // for a forfeit
}

// Line returns the line of b that Location and Orientation name, or an error if there is none.
func (m Message) Line(b *grid.Board) (engine.Move, error) {
	row, col, ok := lenient.Pair(m.Location)
	if !ok {
		return 0, errors.New("location: want [row, column]")
	}
	return LineAt(b, m.Orientation, row, col)
}

// ReadMessages reads a start message and the following action and end messages, and returns the last
// position. It skips copies of the previous message, and agents' actions, which have no nextplayer. It
// calls visit with every other message and the position after it; an error of visit ends the reading.
func ReadMessages(text string, visit func(m Message, p Position) error) (Position, error) {
	var p Position
	var last []byte
	d := json.NewDecoder(strings.NewReader(text))
	for n := 1; ; n++ {
		var m Message
		var raw json.RawMessage
		err := d.Decode(&raw)
		if err == io.EOF {
			break
		}
		if err == nil {
			var odd error
			odd, err = lenient.Unmarshal(raw, &m)
			err = cmp.Or(err, odd)
		} else {
			err = fmt.Errorf("not JSON: %w", err)
		}
		fromAgent := m.Type == "action" && m.NextPlayer.IsZero()
		if err == nil && !fromAgent && !bytes.Equal(raw, last) {
			last = raw
			if p, err = p.after(m); err == nil {
				err = visit(m, p)
			}
		}
		if err != nil {
			return Position{}, fmt.Errorf("message %d: %w", n, err)
		}
	}
	if p.board == nil {
		return Position{}, errors.New("position: no start message")
	}
	return p, nil
}

// after returns the position after a message. p is the position before it, without a board before the
// start message.
func (p Position) after(m Message) (Position, error) {
	switch m.Type {
	case "start":
		return p.afterStart(m)
	case "action", "end":
		if p.board == nil {
			return p, fmt.Errorf("%s before start", m.Type)
		}
		if m.Type == "end" && m.Location == nil {
			return p, nil // a forfeit
		}
		return p.afterLine(m)
	}
	return p, fmt.Errorf("type %.20q: want start, action or end", m.Type)
}

// afterStart returns the position before the first move. It ignores another start message before the
// first line.
func (p Position) afterStart(m Message) (Position, error) {
	if p.board != nil {
		if p.drawn == (grid.Set{}) {
			return p, nil
		}
		return p, errors.New("a second start after the first line was drawn")
	}
	rows, cols, ok := lenient.Pair(m.Grid)
	if !ok {
		return p, errors.New("grid: want [rows, cols]")
	}
	b, err := newBoard(rows, cols)
	if err != nil {
		return p, err
	}
	return New(b), nil
}

// afterLine draws the line of a message and returns an error if other fields contradict the position.
func (p Position) afterLine(m Message) (Position, error) {
	l, err := m.Line(p.board)
	if err != nil {
		return p, err
	}
	if p.Over() {
		return p, errors.New("the game is over already")
	}
	if !m.Player.IsZero() && !m.Player.Is(int(p.turn)) {
		return p, fmt.Errorf("player %.40s moves, but it is %s's turn", m.Player, p.turn)
	}
	if p, err = p.DrawLine(l); err != nil {
		return p, err
	}
	next := int(p.turn)
	if p.Over() {
		next = 0
	}
	if !m.NextPlayer.IsZero() && !m.NextPlayer.Is(next) {
		return p, fmt.Errorf("nextplayer %.40s, want %d", m.NextPlayer, next)
	}
	if a, b, ok := lenient.Pair(m.Score); ok && p.Score() != [2]int{a, b} {
		return p, fmt.Errorf("score %v, want %v", m.Score, p.Score())
	}
	return p, nil
}

// newBoard returns the board of a size, or an error that mentions the bot if the size is too large.
func newBoard(rows, cols int) (*grid.Board, error) {
	b, err := grid.New(rows, cols)
	if err != nil && rows > 0 && cols > 0 {
		return nil, fmt.Errorf("%w; a larger board cannot be solved, "+
			"and endwise bot dotsandboxes plays boards of up to 64x64 by simple rules", err)
	}
	return b, err
}

// ParseBoard returns the board of a size like "5x5".
func ParseBoard(size string) (*grid.Board, error) {
	rows, cols, err := grid.ParseSize(size)
	if err != nil {
		return nil, err
	}
	return newBoard(rows, cols)
}
