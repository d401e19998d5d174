package dabws

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/arena"
)

// The agent answers no message with an illegal line, and after any messages it plays
// another game on the same connection.
func FuzzAgent(f *testing.F) {
	f.Add(`{"type":"start","player":1,"timelimit":0.1,"grid":[1,2],"game":"a"}
{"type":"action","game":"a","player":1,"nextplayer":2,"score":[0,0],"location":[0,0],"orientation":"h"}`)
	f.Add(`{"type":"start","player":2,"grid":[2,1],"game":""}
{"type":"action","game":"","nextplayer":2,"location":[0,0],"orientation":"v"}
{"type":"end","game":"","winner":0}`)
	f.Add(`{"type":"start","player":1,"timelimit":-1,"grid":[0,99999999],"game":"x"}
[]
{"type":"action","location":[-1,1e9],"orientation":"z"}`)
	address := serveAgent(f, level(f, 1))
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4*maxMessage {
			return
		}
		c := connect(t, address)
		n := 0
		for line := range strings.Lines(text) {
			if len(line) <= maxMessage && n < 20 {
				c.send(line)
				n++
			}
		}
		// Answers to the earlier messages may come first.
		const id = "the game after"
		c.send(`{"type":"start","player":1,"timelimit":60,"grid":[1,1],"game":"` + id + `"}`)
		for range n + 1 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			_, data, err := c.conn.Read(ctx)
			cancel()
			if err != nil {
				t.Fatalf("the connection did not survive: %v", err)
			}
			var m message
			if err := json.Unmarshal(data, &m); err != nil || m.Type != "action" || len(m.Location) != 2 {
				t.Fatalf("%s is no line", data)
			}
			if _, err := m.line(empty(t, 1, 1)); err == nil {
				return
			}
		}
	})
}

// For any message of an agent, its line is legal or it loses the game.
func FuzzRemote(f *testing.F) {
	f.Add(`{"type":"action","location":[0,0],"orientation":"h"}`)
	f.Add(`{"type":"action","location":[0,0],"orientation":"h","extra":{"a":[1,2,{}]}}
{"type":"action"}`)
	f.Add("null\n\n{\"type\":7}\nclose")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxMessage {
			return
		}
		p := empty(t, 1, 2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, err := Join(ctx, scripted(t, append(strings.Split(text, "\n"), "close")...), arena.Setup{Game: "g", Side: 1, Start: p, Time: time.Second, Forfeit: func(arena.Fault) {}}, nil)
		if err != nil {
			return
		}
		defer r.Close()
		d, err := r.Choose(ctx, p, engine.ClockFor(time.Second))
		if err != nil {
			return
		}
		if _, err := p.ParseMove(d.Move); err != nil {
			t.Errorf("the agent draws %q: %v", d.Move, err)
		}
	})
}
