package dabws

import (
	"encoding/json"
	"io"
	"slices"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/engine/wire/lenient"
)

// logged is a message in a log.
type logged struct {
	message
	Name string `json:"name,omitempty"` // in start: the player's name
}

// WriteLog writes a finished game that began in the position start, in the form that
// [dotsandboxes.ReadMessages] reads: the start message of each player, and the messages about the
// lines and the end. If start is not an empty board, WriteLog uses [arena.WriteLog].
func WriteLog(w io.Writer, start engine.Position, r arena.Result) error {
	p, err := engine.As[dotsandboxes.Position](start)
	if err != nil {
		return err
	}
	if p.Drawn() != (grid.Set{}) { // the messages begin at the empty board
		return arena.WriteLog(w, start, r)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i, name := range r.Players {
		m := message{
			Type: "start", Player: lenient.Of(i + 1), Game: lenient.Text(r.ID),
			Grid: numbers(p.Board().Rows, p.Board().Cols),
		}
		if err := enc.Encode(logged{message: m, Name: name}); err != nil {
			return err
		}
	}
	for _, text := range slices.Concat(r.Opening, r.Moves) {
		l, err := p.ParseMove(text)
		if err != nil {
			return err
		}
		by := p.Turn()
		if p, err = p.DrawLine(l); err != nil {
			return err
		}
		if err := enc.Encode(lineMessage(r.ID, by, l, p)); err != nil {
			return err
		}
	}
	if p.Over() {
		return nil
	}
	return enc.Encode(ended(r.ID, r))
}

// ended returns the end message of a game that was not played to its end.
func ended(game string, r arena.Result) message {
	return message{
		Type: "end", Game: lenient.Text(game), NextPlayer: lenient.Of(0),
		Score: numbers(r.Score[:]...), Winner: lenient.Of(int(r.Winner)), Reason: r.Fault,
	}
}
