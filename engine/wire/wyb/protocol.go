// Package wyb connects programs that play Watch Your Back: [Process] and [Bot] are the two ends of a
// line protocol between a referee and programs in any language, [Referee] plays a game, [NewPython]
// runs a Python module with a class Player, and [Shim] is a Python module that plays for this program
// under the real referee.
//
// # Line protocol
//
// One JSON object per line, in both directions, on the player's standard input and output.
// The player answers each request of the referee except end.
//
//	referee                                        player
//	{"type":"start","colour":"white"}              {"type":"ready"}
//	{"type":"action","turns":0}                    {"type":"action","action":[3,4]}
//	{"type":"update","action":[4,2]}               {"type":"ok"}
//	{"type":"action","turns":12}                   {"type":"action","action":[[3,4],[3,5]]}
//	{"type":"action","turns":13}                   {"type":"action","action":null}
//	{"type":"end","winner":"black"}
//
// start comes first; with "strict":true the game does not end because both sides are blocked or
// no piece is eliminated. turns counts from 0 in each phase. An action is [x,y] while placing,
// [[xa,ya],[xb,yb]] while moving, and null to forfeit; x is the column and y the row,
// 0-based from the top left. update contains the opponent's action, also the last one of the
// game. winner is white, black or draw. After end the player should exit.
//
// A player forfeits the game by the answer {"type":"error","text":"…"}, or by
// {"type":"invalid","text":"…"} for an action that this format cannot express. Before its answers a
// player may send up to 20 lines {"type":"note","text":"…"} per game, which the referee shows.
//
// Required are type in every message, colour in start, and action in update and in the
// answer to action. Package lenient defines the accepted spellings. Any other field may be missing
// or unusable. Both sides log and ignore a line that is not an object with a type.
//
// The referee measures a player's time and memory from outside, and kills it with all its child
// processes when the game is over.
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
	maxLine  = 64 << 10 // bytes of a line
	maxNotes = 20       // notes of a player per game
	// maxStray is the maximum number of a player's lines per game that are not messages; the
	// first maxNotes of them are shown.
	maxStray = 10000
)

// Message is a line of the protocol.
type Message struct {
	Type   string         `json:"type"`
	Colour string         `json:"colour,omitempty"`
	Strict bool           `json:"strict,omitempty"`
	Turns  lenient.Number `json:"turns,omitzero"`
	Action Action         `json:"action,omitzero"`
	Winner string         `json:"winner,omitempty"`
	Text   string         `json:"text,omitempty"`

	badAction error // fault of the field action
}

// decode returns the message in a line. err means that the line is not an object with a type, odd
// that a field of a message is invalid.
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

// Action is a placement (two coordinates), a step or jump (four), or a forfeit (none). It need not be
// legal. The zero value is a missing action.
type Action struct {
	given bool // false only in the zero value
	n     int  // of coordinates: 0, 2 or 4
	xy    [4]int
}

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

// Move returns the move for an action, or an error if a square is not on the board.
func (a Action) Move() (engine.Move, error) {
	for _, v := range a.xy[:a.n] {
		if v < 0 || v > 7 {
			return 0, fmt.Errorf("%s is not on the board", a)
		}
	}
	switch a.n {
	case 0:
		return watchyourback.Forfeit, nil
	case 2:
		return watchyourback.Place(8*a.xy[1] + a.xy[0]), nil
	}
	return watchyourback.Step(8*a.xy[1]+a.xy[0], 8*a.xy[3]+a.xy[2]), nil
}

// String returns the action as Python writes it: (x, y), ((xa, ya), (xb, yb)) or None.
func (a Action) String() string {
	switch a.n {
	case 0:
		return "None"
	case 2:
		return fmt.Sprintf("(%d, %d)", a.xy[0], a.xy[1])
	}
	return fmt.Sprintf("((%d, %d), (%d, %d))", a.xy[0], a.xy[1], a.xy[2], a.xy[3])
}

func (a Action) MarshalJSON() ([]byte, error) {
	switch a.n {
	case 0:
		return []byte("null"), nil
	case 2:
		return json.Marshal(a.xy[:2])
	}
	return json.Marshal([2][]int{a.xy[:2], a.xy[2:]})
}

// UnmarshalJSON reads [x,y], [[xa,ya],[xb,yb]] or null. The coordinates, in any spelling of package
// lenient, need not be on the board.
func (a *Action) UnmarshalJSON(b []byte) error {
	*a = Action{}
	b = bytes.TrimSpace(b)
	if string(b) == "null" {
		a.given = true
		return nil
	}
	want := fmt.Errorf("action %s: want [x,y], [[xa,ya],[xb,yb]] or null", engine.OneLine(string(b), 60))
	var parts []json.RawMessage // the coordinates, or two squares
	if json.Unmarshal(b, &parts) != nil || len(parts) != 2 {
		return want
	}
	var coordinates []json.RawMessage
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
		_ = n.UnmarshalJSON(text)
		v, ok := n.Whole()
		if !ok || v < math.MinInt32 || v > math.MaxInt32 {
			return fmt.Errorf("action %s: %s is not a whole number",
				engine.OneLine(string(b), 60), engine.OneLine(string(text), 60))
		}
		a.xy[i] = v
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
