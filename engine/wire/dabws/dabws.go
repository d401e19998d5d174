// Package dabws plays Dots and Boxes over websockets, in the protocol of the
// course competitions in which an agent is a websocket server and the game (a
// match driver or a page) connects to it. One text frame holds one JSON
// message; grid is [rows, cols] of boxes; h lines lie at row 0..rows and
// column 0..cols-1, v lines at row 0..rows-1 and column 0..cols.
//
//	game → agent   {"type":"start","player":1,"timelimit":0.5,"grid":[5,5],"game":"id"}
//	agent → game   {"type":"action","location":[r,c],"orientation":"v"}
//	game → agent   {"type":"action","game":"id","player":1,"nextplayer":2,
//	                "score":[0,0],"location":[r,c],"orientation":"v"}
//	game → agent   {"type":"end",…,"nextplayer":0,"winner":1}
//
// Every line is told to both players, the mover included; a player answers if
// and only if nextplayer is a player it was started as. The final line comes
// only inside end; winner is 0 on a tie. timelimit is in seconds.
//
// Agent is the server (agent.go); what comes over each of its sockets is read,
// thought about and answered in connection.go, by the clock of clock.go. It thinks
// in the opponents' time (ponder.go) and writes games down (transcript.go). Remote
// is the other end as an engine.Player (remote.go).
// Whatever comes in over a socket is hostile until proven friendly: it is
// logged where it makes no sense, and neither the connection nor the other
// games on it suffer.
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
