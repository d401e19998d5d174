package dabws

import (
	"encoding/json"
	"io"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/engine/wire/lenient"
)

// logged is a message with additional fields for readers of a log.
type logged struct {
	message
	Name   string `json:"name,omitempty"`   // in start: the player's name
	Reason string `json:"reason,omitempty"` // in end: the reason for a forfeit
}

// WriteLog writes a finished game as messages of the protocol, one per line: a start for
// each player, with its name, every line as it is sent to the players, and the end. The end
// of a forfeited game contains no line. start is the game's first position; if lines are
// drawn in it, WriteLog uses [arena.WriteLog]. [dotsandboxes.ReadMessages] reads the log.
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
	for _, moves := range [][]string{r.Opening, r.Moves} {
		for _, text := range moves {
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
	}
	if p.Over() {
		return nil
	}
	return enc.Encode(logged{message: ended(r.ID, r), Reason: r.Fault})
}

// ended returns the end message of a forfeited game.
func ended(game string, r arena.Result) message {
	return message{
		Type: "end", Game: lenient.Text(game), NextPlayer: lenient.Of(0),
		Score: numbers(r.Score[:]...), Winner: lenient.Of(int(r.Winner)),
	}
}
