package dabws

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/coder/websocket"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/wire/lenient"
)

const (
	maxMessage = 64 << 10 // bytes; a longer message is ignored
	maxIgnored = 16 << 20 // bytes; a longer message ends the connection
	maxGameID  = 256      // bytes
)

// message is any message of the protocol, in either direction.
type message struct {
	Type        string           `json:"type"`
	Game        lenient.Text     `json:"game,omitempty"`
	Player      lenient.Number   `json:"player,omitzero"`
	TimeLimit   lenient.Number   `json:"timelimit,omitzero"` // seconds
	Grid        []lenient.Number `json:"grid,omitempty"`
	NextPlayer  lenient.Number   `json:"nextplayer,omitzero"`
	Score       []lenient.Number `json:"score,omitempty"`
	Location    []lenient.Number `json:"location,omitempty"`
	Orientation string           `json:"orientation,omitempty"`
	Winner      lenient.Number   `json:"winner,omitzero"`
	Reason      string           `json:"reason,omitempty"` // for a forfeit
}

var errLong = fmt.Errorf("message: longer than %d bytes", maxMessage)

// readMessage returns the next message on a socket. For a message of more than maxMessage bytes it
// returns the beginning and errLong; the connection is then still usable.
func readMessage(ctx context.Context, conn *websocket.Conn) ([]byte, error) {
	_, r, err := conn.Reader(ctx)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxMessage+1))
	if err != nil || len(data) <= maxMessage {
		return data, err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, err
	}
	return data[:shownBytes], errLong
}

// send writes a message within writeLimit.
func send(ctx context.Context, conn *websocket.Conn, m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, data)
}

// decode decodes one message. err means that the message is unusable, odd that a field of a usable
// message is invalid.
func decode(data []byte) (m message, odd, err error) {
	odd, err = lenient.Unmarshal(data, &m)
	if err != nil {
		return m, nil, fmt.Errorf("message: %s", engine.OneLine(err.Error(), shownBytes))
	}
	if len(m.Game) > maxGameID {
		return m, nil, fmt.Errorf("message: game id of %d bytes: want at most %d", len(m.Game), maxGameID)
	}
	m.Type, m.Orientation = plain(m.Type), plain(m.Orientation)
	return m, odd, nil
}

// plain returns a word in lower case without blanks at its ends.
func plain(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

func numbers(values ...int) []lenient.Number {
	out := make([]lenient.Number, len(values))
	for i, v := range values {
		out[i] = lenient.Of(v)
	}
	return out
}

func (m message) place() (row, col int, err error) {
	row, col, ok := lenient.Pair(m.Location)
	if !ok {
		return 0, 0, fmt.Errorf("location %s: want [row, column]", engine.OneLine(fmt.Sprint(m.Location), 40))
	}
	return row, col, nil
}

// drawOn returns the position after the line of the message is drawn on b, or an error as board.draw.
func (m message) drawOn(b board) (board, error) {
	row, col, err := m.place()
	if err != nil {
		return nil, err
	}
	return b.draw(m.Orientation, row, col)
}

// line returns the line of an action or end message. It returns an error if the message has no line
// on the board of p; if the line is drawn already, the error wraps engine.ErrIllegalMove.
func (m message) line(p dotsandboxes.Position) (engine.Move, error) {
	row, col, err := m.place()
	if err != nil {
		return 0, err
	}
	l, err := dotsandboxes.LineAt(p.Board(), m.Orientation, row, col)
	if err == nil {
		_, err = p.DrawLine(l)
	}
	return l, err
}

// at returns m with the location and orientation of the line l on the board of p.
func (m message) at(p dotsandboxes.Position, l engine.Move) message {
	orientation, r, c := dotsandboxes.PlaceOf(p.Board(), l)
	m.Location, m.Orientation = numbers(r, c), orientation
	return m
}

// lineMessage returns the message about the line that led to p.
func lineMessage(game string, by engine.Side, l engine.Move, p dotsandboxes.Position) message {
	s := p.Score()
	m := message{
		Type: "action", Game: lenient.Text(game), Player: lenient.Of(int(by)),
		NextPlayer: lenient.Of(int(p.Turn())), Score: numbers(s[:]...),
	}.at(p, l)
	if p.Over() {
		m.Type, m.NextPlayer, m.Winner = "end", lenient.Of(0), lenient.Of(int(engine.Winner(p)))
	}
	return m
}
