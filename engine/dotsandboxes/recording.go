package dotsandboxes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"endwise/engine/grid"
)

// message is one of a game's messages, as far as the position needs it.
type message struct {
	Type        string `json:"type"`
	Grid        []int  `json:"grid"`
	Player      *int   `json:"player"`
	NextPlayer  *int   `json:"nextplayer"`
	Score       []int  `json:"score"`
	Location    []int  `json:"location"`
	Orientation string `json:"orientation"`
}

// ReadMessages reads a start message and the action and end messages after
// it, and tells each of every one with the position that it leads to. Repeated
// messages (both players are told of every line) are taken once when they come
// one right after the other.
func ReadMessages(text string, each func(m json.RawMessage, p Position) error) (Position, error) {
	var p Position // without a board until a start message has come
	var last []byte
	d := json.NewDecoder(strings.NewReader(text))
	for n := 1; ; n++ {
		var m message
		var raw json.RawMessage
		err := d.Decode(&raw)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = json.Unmarshal(raw, &m)
		} else {
			err = fmt.Errorf("not JSON: %w", err)
		}
		wish := m.Type == "action" && m.NextPlayer == nil // an agent's own; the echo with the score follows it
		if err == nil && !wish && !bytes.Equal(raw, last) {
			last = raw
			if p, err = p.after(m); err == nil {
				err = each(raw, p)
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

// after is the position that a message leads to.
func (p Position) after(m message) (Position, error) {
	switch m.Type {
	case "start":
		return p.afterStart(m)
	case "action", "end":
		if p.board == nil {
			return p, fmt.Errorf("%s before start", m.Type)
		}
		if m.Type == "end" && m.Location == nil {
			return p, nil // the game was lost by rule; the board stays as it is
		}
		return p.afterLine(m)
	}
	return p, fmt.Errorf("type %.20q: want start, action or end", m.Type)
}

// afterStart begins the game.
func (p Position) afterStart(m message) (Position, error) {
	if p.board != nil {
		if p.drawn == (grid.Set{}) {
			return p, nil // the other player's start
		}
		return p, errors.New("a second start after the first line was drawn")
	}
	if len(m.Grid) != 2 {
		return p, errors.New("grid: want [rows, cols]")
	}
	b, err := grid.New(m.Grid[0], m.Grid[1])
	if err != nil {
		return p, err
	}
	return New(b), nil
}

// afterLine draws a line, and compares what else the message says.
func (p Position) afterLine(m message) (Position, error) {
	if len(m.Location) != 2 {
		return p, errors.New("location: want [row, column]")
	}
	l, err := LineAt(p.board, m.Orientation, m.Location[0], m.Location[1])
	if err != nil {
		return p, err
	}
	if p.Over() {
		return p, errors.New("the game is over already")
	}
	if m.Player != nil && *m.Player != int(p.turn) {
		return p, fmt.Errorf("player %d moves, but it is %s's turn", *m.Player, p.turn)
	}
	if p, err = p.DrawLine(l); err != nil {
		return p, err
	}
	next := int(p.turn)
	if p.Over() {
		next = 0
	}
	if m.NextPlayer != nil && *m.NextPlayer != next {
		return p, fmt.Errorf("nextplayer %d, want %d", *m.NextPlayer, next)
	}
	if len(m.Score) == 2 && p.Score() != [2]int{m.Score[0], m.Score[1]} {
		return p, fmt.Errorf("score %v, want %v", m.Score, p.Score())
	}
	return p, nil
}
