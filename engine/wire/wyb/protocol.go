// Package wyb connects programs that play Watch Your Back. It contains:
//
//   - the line protocol between a referee and programs in any language, with its two ends
//     [Process] (the referee's) and [Bot] (the player's);
//   - a [Referee];
//   - [NewPython], which runs a Python module with a class Player behind the line protocol;
//   - [Shim], a Python module that plays for this program under the real referee.
//
// # Line protocol
//
// One JSON object per line, in both directions, on the player's standard input and output.
// The referee sends requests, and the player answers each with one line. The player prints
// nothing else to standard output.
//
//	referee                                        player
//	{"type":"start","colour":"white"}              {"type":"ready"}
//	{"type":"action","turns":0}                    {"type":"action","action":[3,4]}
//	{"type":"update","action":[4,2]}               {"type":"ok"}
//	{"type":"action","turns":12}                   {"type":"action","action":[[3,4],[3,5]]}
//	{"type":"action","turns":13}                   {"type":"action","action":null}
//	{"type":"end","winner":"black"}
//
// start comes first; with "strict":true the game does not end by shuffling or mutual
// blocking. turns counts from 0 in each phase. An action is [x,y] while placing,
// [[xa,ya],[xb,yb]] while moving, and null to forfeit; x is the column and y the row,
// 0-based from the top left. update contains the opponent's action, also the last one of the
// game. winner is white, black or draw. After end the referee closes the player's standard input,
// and the player should exit.
//
// In place of an answer {"type":"error","text":"…"} forfeits the game, as does
// {"type":"invalid","text":"…"} for an action that this format cannot express. Before its
// answers a player may send up to 20 lines {"type":"note","text":"…"} per game; the referee
// shows these notes to people.
//
// Required are type in every message, colour in start, and action in update and in the
// answer to action, in any spelling of package lenient. Any other field may be missing or
// unusable. Both sides ignore a line that is not an object with a type, and show the line to
// people.
//
// Programs at the other end are treated as hostile: the size of their output is limited,
// their time and memory are measured from outside, and they and all their child processes
// are killed when the game is over.
package wyb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/lenient"
)

const (
	// maxLine is the maximum length of a line, in bytes.
	maxLine = 64 << 10
	// maxNotes is the maximum number of notes of a player per game.
	maxNotes = 20
	// maxStray is the maximum number of a player's lines per game that are not messages; the
	// first maxNotes of them are shown.
	maxStray = 10000
)

// Message is a line of the protocol. Type determines which fields are used.
type Message struct {
	Type   string         `json:"type"`
	Colour string         `json:"colour,omitempty"`
	Strict bool           `json:"strict,omitempty"`
	Turns  lenient.Number `json:"turns,omitzero"`
	Action Action         `json:"action,omitzero"`
	Winner string         `json:"winner,omitempty"`
	Text   string         `json:"text,omitempty"`

	badAction error // why Action cannot be read
}

// decode returns the message in a line. err is not nil if the line is not a message, that
// is, an object with a type. odd, if not nil, names a field that cannot be read.
func decode(line []byte) (m Message, odd, err error) {
	var raw struct {
		Message
		Action json.RawMessage `json:"action"`
	}
	odd, err = lenient.Unmarshal(line, &raw)
	m = raw.Message
	if err == nil && m.Type == "" {
		err = errors.New("no type")
	}
	if err == nil && raw.Action != nil {
		m.badAction = m.Action.UnmarshalJSON(raw.Action)
	}
	return m, odd, err
}

// Types of messages.
const (
	typeStart   = "start"
	typeAction  = "action"
	typeUpdate  = "update"
	typeEnd     = "end"
	typeReady   = "ready"
	typeOK      = "ok"
	typeError   = "error"
	typeInvalid = "invalid"
	typeNote    = "note"
)

// Action is an action as the protocol writes it: a placement (two coordinates), a step or
// jump (four), or a forfeit (none). It need not be legal. The zero value is no action.
type Action struct {
	given bool   // false in the zero value only
	n     int    // number of coordinates: 0, 2 or 4
	at    [4]int // x and y of the square, or of both squares
}

// ActionOf returns the action for a move.
func ActionOf(m engine.Move) Action {
	if m == watchyourback.Forfeit {
		return Action{given: true}
	}
	to := watchyourback.Square(m)
	if m == watchyourback.Place(to) {
		return Action{true, 2, [4]int{to % 8, to / 8}}
	}
	from := watchyourback.Origin(m)
	return Action{true, 4, [4]int{from % 8, from / 8, to % 8, to / 8}}
}

// Move returns the move for an action, or an error if a square is not on the 8x8 board.
func (a Action) Move() (engine.Move, error) {
	for _, v := range a.at[:a.n] {
		if v < 0 || v > 7 {
			return 0, fmt.Errorf("%s is not on the board", a)
		}
	}
	switch a.n {
	case 0:
		return watchyourback.Forfeit, nil
	case 2:
		return watchyourback.Place(8*a.at[1] + a.at[0]), nil
	}
	return watchyourback.Step(8*a.at[1]+a.at[0], 8*a.at[3]+a.at[2]), nil
}

// String returns the action as Python writes it: (x, y), ((xa, ya), (xb, yb)) or None.
func (a Action) String() string {
	switch a.n {
	case 0:
		return "None"
	case 2:
		return fmt.Sprintf("(%d, %d)", a.at[0], a.at[1])
	}
	return fmt.Sprintf("((%d, %d), (%d, %d))", a.at[0], a.at[1], a.at[2], a.at[3])
}

// MarshalJSON implements json.Marshaler.
func (a Action) MarshalJSON() ([]byte, error) {
	switch a.n {
	case 0:
		return []byte("null"), nil
	case 2:
		return json.Marshal(a.at[:2])
	}
	return json.Marshal([2][]int{a.at[:2], a.at[2:]})
}

// UnmarshalJSON implements json.Unmarshaler. Coordinates are whole numbers, in any spelling of package
// lenient, and need not be on the board.
func (a *Action) UnmarshalJSON(b []byte) error {
	*a = Action{}
	b = bytes.TrimSpace(b)
	if string(b) == "null" {
		a.given = true
		return nil
	}
	want := fmt.Errorf("action %s: want [x,y], [[xa,ya],[xb,yb]] or null", engine.OneLine(string(b), 60))
	var parts, coordinates []json.RawMessage // parts are the coordinates, or two squares of two coordinates
	if json.Unmarshal(b, &parts) != nil || len(parts) != 2 {
		return want
	}
	if parts[0][0] != '[' && parts[1][0] != '[' {
		coordinates = parts
	} else {
		for _, p := range parts {
			var square []json.RawMessage
			if json.Unmarshal(p, &square) != nil || len(square) != 2 {
				return want
			}
			coordinates = append(coordinates, square...)
		}
	}
	for i, text := range coordinates {
		var n lenient.Number
		_ = n.UnmarshalJSON(text) // never fails
		v, ok := n.Whole()
		if !ok || v < math.MinInt32 || v > math.MaxInt32 {
			return fmt.Errorf("action %s: %s is not a whole number",
				engine.OneLine(string(b), 60), engine.OneLine(string(text), 60))
		}
		a.at[i] = v
	}
	a.given, a.n = true, len(coordinates)
	return nil
}

// Colour returns "white" for engine.First and "black" for engine.Second.
func Colour(s engine.Side) string {
	if s == engine.First {
		return "white"
	}
	return "black"
}
