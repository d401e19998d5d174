package wyb

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"endwise/engine/levels"
	"endwise/engine/testenv"
)

// Any lines are answered with one message of the protocol each, in order, until an "end"
// message or the end of the input.
func FuzzBot(f *testing.F) {
	f.Add(`{"type":"start","colour":"white"}
{"type":"action","turns":0}
{"type":"update","action":[4,2]}
{"type":"action","turns":2}
{"type":"end","winner":"draw"}`)
	f.Add(`{"type":"start","colour":"black","strict":true}
{"type":"update","action":[3,4]}
{"type":"action","turns":1}
{"type":"update","action":[[0,1],[0,2]]}
{"type":"update","action":null}
{"type":"update"}`)
	f.Add(`{"type":"action"}
{"type":"start","colour":"red"}
{"type":"start","colour":"white"}
{"type":"action","turns":99999999999999999999}
nonsense`)
	f.Fuzz(func(t *testing.T, text string) {
		player, err := levels.NewWatchYourBack("random", 1)
		testenv.OK(t, err)
		bot := &Bot{Player: player}
		var out bytes.Buffer
		err = bot.Serve(t.Context(), strings.NewReader(text), &out)
		if err != nil && !errors.Is(err, errLongLine) {
			t.Fatal(err)
		}
		answers := 0
		for line := range strings.Lines(out.String()) {
			var m Message
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			switch m.Type {
			case typeReady, typeAction, typeOK, typeError:
			default:
				t.Fatalf("%q is no answer", line)
			}
			answers++
		}
		if n := strings.Count(text, "\n") + 1; answers > n {
			t.Fatalf("%d answers to %d lines", answers, n)
		}
	})
}

// An action that was read is written in a form that reads as the same action.
func FuzzAction(f *testing.F) {
	for _, s := range []string{"null", "[3,4]", "[[3,4],[3,5]]", "[3.0,4]", "[1e9,-1]", "[[1,2],[3]]", "[[[]]]", `"x"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var a, b Action
		if json.Unmarshal([]byte(text), &a) != nil {
			return
		}
		data, err := json.Marshal(a)
		testenv.OK(t, err)
		if err := json.Unmarshal(data, &b); err != nil || a != b {
			t.Fatalf("%s is read as %v, written as %s and read as %v, %v", text, a, data, b, err)
		}
		if m, err := a.Move(); err == nil && ActionOf(m) != a {
			t.Fatalf("%s is the move %d, which is %v", text, m, ActionOf(m))
		}
	})
}
