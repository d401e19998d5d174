package dabws

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

const (
	// maxMessage is the longest message that is read, in bytes.
	maxMessage = 16 << 10
	// maxGameID is the longest game id that is taken.
	maxGameID = 256
)

// message is any message of the protocol, in either direction. Fields that a
// type does not have stay nil or zero.
type message struct {
	Type        string          `json:"type"`
	Game        string          `json:"game,omitempty"`
	Player      int             `json:"player,omitempty"`
	TimeLimit   json.RawMessage `json:"timelimit,omitempty"` // seconds
	Grid        []int           `json:"grid,omitempty"`
	NextPlayer  *int            `json:"nextplayer,omitempty"`
	Score       []int           `json:"score,omitempty"`
	Location    []int           `json:"location,omitempty"`
	Orientation string          `json:"orientation,omitempty"`
	Winner      *int            `json:"winner,omitempty"`
}

// decode reads one message; the error is one line.
func decode(data []byte) (message, error) {
	var m message
	if !json.Valid(data) {
		return m, errors.New("message: not JSON")
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("message: %s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if len(m.Game) > maxGameID {
		return m, fmt.Errorf("message: game id of %d bytes, at most %d are taken", len(m.Game), maxGameID)
	}
	return m, nil
}

// line finds the line of an action or end message on the board of p.
func (m message) line(p dotsandboxes.Position) (engine.Move, error) {
	if len(m.Location) != 2 {
		return 0, fmt.Errorf("location %v: want [row, column]", m.Location)
	}
	l, err := dotsandboxes.LineAt(p.Board(), m.Orientation, m.Location[0], m.Location[1])
	if err != nil {
		return 0, err
	}
	if p.Drawn().Has(int(l)) {
		return 0, fmt.Errorf("%w: line %s is drawn already", engine.ErrIllegalMove, p.MoveString(l))
	}
	return l, nil
}

// at fills in the line of a message.
func (m message) at(p dotsandboxes.Position, l engine.Move) message {
	r, c, horizontal := p.Board().Line(int(l))
	m.Location, m.Orientation = []int{r, c}, "v"
	if horizontal {
		m.Orientation = "h"
	}
	return m
}

// told is the message that tells players of the line that led to p.
func told(game string, by engine.Side, l engine.Move, p dotsandboxes.Position) message {
	s := p.Score()
	next := int(p.Turn())
	m := message{Type: "action", Game: game, Player: int(by), NextPlayer: &next, Score: s[:]}.at(p, l)
	if p.Over() {
		winner := int(engine.Winner(p))
		next = 0
		m.Type, m.Winner = "end", &winner
	}
	return m
}
