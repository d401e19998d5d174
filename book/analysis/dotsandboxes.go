package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// DotsAndBoxes reads the messages of the agents' protocol: the start, the
// actions that tell both players of a line, and the end. Messages that both
// players got may be there twice.
func DotsAndBoxes(name string, data []byte) (Record, error) {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) || !bytes.Contains(data, []byte(`"start"`)) {
		return Record{}, errOtherFormat
	}
	// The rules' own reader says what is wrong and where.
	if _, err := dotsandboxes.Parse(string(data)); err != nil {
		return Record{}, err
	}
	r := Record{Name: name}
	var last json.RawMessage
	winner := engine.None // of a game lost by rule
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var raw json.RawMessage
		if err := d.Decode(&raw); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return Record{}, err
		}
		var m struct {
			Type        string
			Player      int
			Name        string // in logs of the arena
			Grid        []int
			NextPlayer  *int
			Location    []int
			Orientation string
			Winner      *int
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			return Record{}, err
		}
		if m.Type == "start" && (m.Player == 1 || m.Player == 2) {
			r.Players[m.Player-1] = clip(m.Name)
		}
		switch {
		case bytes.Equal(raw, last) || m.Type == "action" && m.NextPlayer == nil:
			continue
		case m.Type == "start" && r.Positions == nil:
			p, err := dotsandboxes.Game{}.Start(fmt.Sprintf("%dx%d", m.Grid[0], m.Grid[1]))
			if err != nil {
				return Record{}, err
			}
			r.Positions = []engine.Position{p}
		case m.Type == "end" && m.Location == nil:
			r.Fault = "the game was lost by rule"
			if m.Winner != nil && (*m.Winner == 1 || *m.Winner == 2) {
				winner = engine.Side(*m.Winner)
			}
		case m.Type == "action" || m.Type == "end":
			if err := r.add(fmt.Sprintf("%s%d,%d", m.Orientation, m.Location[0], m.Location[1])); err != nil {
				return Record{}, fmt.Errorf("line %d: %w", len(r.Moves)+1, err)
			}
		}
		last = raw
	}
	r.Score, r.Winner = r.Final().Score(), engine.Winner(r.Final())
	switch {
	case r.Fault != "":
		r.Winner = winner
	case !r.Final().Over():
		r.Fault = "the messages stop before the end of the game"
	}
	r.nameless()
	return r, nil
}
