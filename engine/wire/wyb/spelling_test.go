package wyb

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/wiretest"
)

// No action of a game changes with the spelling of a number, a missing, odd or additional
// field, a byte order mark or an additional line of text.
func TestSpellingsChangeNoAction(t *testing.T) {
	for _, side := range []engine.Side{engine.First, engine.Second} {
		messages := []Message{{Type: typeStart, Colour: Colour(side)}}
		p := watchyourback.New(false)
		for !p.Over() {
			d, err := enginetest.First(t.Context(), p, engine.Clock{})
			testenv.OK(t, err)
			m, err := p.ParseMove(d.Move)
			testenv.OK(t, err)
			if p.Turn() == side {
				messages = append(messages, Message{Type: typeAction})
			} else {
				messages = append(messages, Message{Type: typeUpdate, Action: ActionOf(m)})
			}
			p = p.Next(m)
		}
		var want []string
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 0))
			var in, out bytes.Buffer
			for _, m := range messages {
				line, err := json.Marshal(m)
				testenv.OK(t, err)
				if seed > 0 {
					needed := []string{"type", "colour"}
					if m.Type == typeUpdate {
						needed = append(needed, "action")
					}
					line = wiretest.Respelled(t, rng, line, needed, []string{"type", "colour"})
					in.WriteString([]string{"", "\n", "INFO referee.py: next\n", "[1]\n", "{\n", "{\"turns\":1}\n"}[rng.IntN(6)])
				}
				in.Write(append(line, '\n'))
			}
			testenv.OK(t, (&Bot{Player: enginetest.PlayerFunc(enginetest.First)}).Serve(t.Context(), &in, &out))
			got := slices.Collect(strings.Lines(out.String()))
			if seed == 0 {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("%s, seed %d: %q, want %q", Colour(side), seed, got, want)
			}
		}
		if len(want) != len(messages) || slices.ContainsFunc(want, func(s string) bool { return strings.Contains(s, typeError) }) {
			t.Errorf("%s: %q", Colour(side), want)
		}
	}
}

// A program may print other lines and spell an action in any way.
func TestTalkativePrograms(t *testing.T) {
	var log bytes.Buffer
	const program = `echo Loading; echo '{"type":"ready","turns":"?"}'; read x
		echo thinking; echo '[3,3]'; echo '{"type":"action","colour":7,"action":["3",2.0]}'; read x; echo; echo bye; read x`
	p, err := NewCommand("read x; "+program, Limits{Answer: 30 * time.Second}, &log)
	testenv.OK(t, err)
	start := watchyourback.New(false)
	testenv.OK(t, p.Start(t.Context(), arena.Setup{Side: engine.First, Start: start}))
	d, err := p.Choose(t.Context(), start, engine.Clock{})
	if err != nil || d.Move != start.MoveString(watchyourback.Place(2*8+3)) {
		t.Errorf("the action is %v, %v", d.Move, err)
	}
	testenv.OK(t, p.Close())
	if said := log.String(); !strings.Contains(said, `wrote "thinking", which is not a line of the protocol`) {
		t.Errorf("shown: %q", said)
	}
}
