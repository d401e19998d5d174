package analysis

import (
	"bytes"
	"cmp"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// ReadDotsAndBoxes reads a record that consists of the messages of the agents' protocol: the start,
// the actions and the end. Each message may occur twice, once per player.
func ReadDotsAndBoxes(name string, data []byte) (Record, error) {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) || !bytes.Contains(data, []byte(`"start"`)) {
		return Record{}, errOtherFormat
	}
	r := Record{Name: name}
	winner := engine.None // of a forfeited game
	_, err := dotsandboxes.ReadMessages(string(data), func(m dotsandboxes.Message, p dotsandboxes.Position) error {
		switch {
		case m.Type == "start":
			r.Positions = []engine.Position{p}
			if player, _ := m.Player.Whole(); player == 1 || player == 2 {
				r.Players[player-1] = engine.OneLine(m.Name, maxQuoted)
			}
		case m.Location == nil:
			r.Fault = cmp.Or(engine.OneLine(m.Reason, maxReason), "the game was forfeited")
			if w, _ := m.Winner.Whole(); w == 1 || w == 2 {
				winner = engine.Side(w)
			}
		default:
			line, err := m.Line(p.Board())
			if err != nil {
				return err
			}
			r.Moves, r.Positions = append(r.Moves, line), append(r.Positions, p)
		}
		return nil
	})
	if err != nil {
		return Record{}, err
	}
	r.Score, r.Winner = r.Final().Score(), engine.Winner(r.Final())
	switch {
	case r.Fault != "":
		r.Winner = winner
	case !r.Final().Over():
		r.Fault = "the messages stop before the end of the game"
	}
	r.namePlayers(dotsandboxes.Game{})
	return r, nil
}
