package dabws

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/engine/wire/lenient"
	"endwise/engine/wire/wiretest"
)

// reads returns the agent's next action.
func (c *client) reads() message {
	c.t.Helper()
	_, data, err := c.conn.Read(c.t.Context())
	testenv.OK(c.t, err)
	var m message
	testenv.OK(c.t, json.Unmarshal(data, &m))
	return m
}

// Spellings of numbers, missing, odd or additional fields, byte-order marks and kinds of
// frames change no line of the recorded game.
func TestSpellingsChangeNoLine(t *testing.T) {
	text := testenv.ReadFile(t, enginetest.Recorded(t, "transcripts", "dotsandboxes-compete.txt"))
	address := serveAgent(t, enginetest.PlayerFunc(enginetest.First))
	for role := 1; role <= 2; role++ {
		var want []string
		for seed := range uint64(15) {
			rng := rand.New(rand.NewPCG(seed, 0))
			c := connect(t, address)
			var got []string
			for line := range strings.Lines(string(text)) {
				_, body, ok := strings.Cut(line, "{")
				if !ok || !strings.Contains(line, fmt.Sprintf("A%d  game->agent FRAME TEXT", role)) {
					continue
				}
				data, kind := []byte("{"+strings.TrimSpace(body)), websocket.MessageText
				m, _, err := decode(data)
				testenv.OK(t, err)
				if seed > 0 {
					needed := []string{"location"}
					if m.Type == "start" {
						needed = []string{"player", "grid"}
					}
					data = wiretest.Respelled(t, rng, data, needed, []string{"type", "orientation", "game"})
					kind += websocket.MessageType(rng.IntN(2))
				}
				testenv.OK(t, c.conn.Write(t.Context(), kind, data))
				if m.Type == "start" && role == 1 || m.NextPlayer.Is(role) {
					answer := c.reads()
					got = append(got, fmt.Sprint(answer.Orientation, answer.Location))
				}
			}
			if seed == 0 {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("player %d, seed %d: lines %v, want %v", role, seed, got, want)
			}
			c.conn.CloseNow()
		}
		if len(want) < 12 {
			t.Errorf("player %d: only %d lines", role, len(want))
		}
	}
}

// If the driver counts an illegal line as a turn and waits for the next player, the line is
// ignored and the turn is answered once.
func TestIllegalLinesCountedAsTurns(t *testing.T) {
	address := serveAgent(t, enginetest.PlayerFunc(enginetest.First))
	for _, bad := range []string{
		`"location":[3,0],"orientation":"v","player":1,"nextplayer":2`,
		`"location":[0,3],"orientation":"h","player":1,"nextplayer":2`,
		`"location":[-1,0],"orientation":"h","nextplayer":"2"`,
		`"location":[0,0],"orientation":"d","nextplayer":2.0`,
		`"location":[0.5,0],"orientation":"h","player":1`,
		`"location":null,"nextplayer":2`,
		`"nextplayer":2,"score":"none"`,
		`"location":[0,0],"orientation":"h","player":1,"nextplayer":2`, // already drawn, by the agent
	} {
		c := connect(t, address)
		c.send(`{"type":"start","player":2,"grid":[3,3],"game":"x"}`)
		c.send(`{"type":"action","game":"x",` + bad + `}`)
		p := empty(t, 3, 3)
		if strings.Contains(bad, "[0,0]") && strings.Contains(bad, `"h"`) {
			p, _ = p.DrawLine(0)
		}
		line := c.answer(p)
		// The repeated message and the echo of the agent's line are not answered.
		c.send(`{"type":"action","game":"x",` + bad + `}`)
		c.send(fmt.Sprintf(`{"type":"action","game":"x","location":[%d,%d],"orientation":"h","player":2,"nextplayer":1}`, 0, line))
		c.send(`{"type":"action","game":"x",` + bad + `}`)
		p, _ = p.DrawLine(line)
		c.answer(p)
		c.conn.CloseNow()
	}
}

// An action without a game refers to the only one, and a game that is started again on
// another grid is played there.
func TestMessagesWithoutAGame(t *testing.T) {
	c := connect(t, serveAgent(t, enginetest.PlayerFunc(enginetest.First)))
	first := `"location":[1,0],"orientation":"h","player":1,"nextplayer":2}`
	c.send(`{"type":"start","player":2,"grid":[3,3],"game":7}`)
	c.send(`{"type":"action",` + first)
	c.answer(empty(t, 3, 3))
	c.send(`{"type":"start","player":1,"grid":[2,2],"game":"7"}`)
	c.answer(empty(t, 2, 2))
	c.send(`{"type":"start","player":2,"grid":[5,4],"game":7.0}`)
	c.send(`{"type":"action","game":null,"location":[5,3],"orientation":"h","nextplayer":2}`)
	c.answer(empty(t, 5, 4))
	c.send(`{"type":"end","winner":0}`)
	c.send(`{"type":"start","player":2,"grid":[3,3],"game":"a"}`)
	c.send(`{"type":"start","player":2,"grid":[100,100],"game":"a"}`) // ends the game
	c.send(`{"type":"action","game":"a",` + first)
	c.send(`{"type":"start","player":1,"grid":[1,1],"game":"b"}`)
	if l := c.answer(empty(t, 1, 1)); l != 0 {
		t.Errorf("line %d", l)
	}
}

// A line chosen without search is logged as a warning.
func TestLinesWithoutSearchAreLogged(t *testing.T) {
	var log strings.Builder
	player := enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
		d, err := enginetest.First(ctx, p, engine.Clock{})
		d.Source = heuristic
		return d, err
	})
	agent := &Agent{Player: player, Log: slog.New(slog.NewTextHandler(&log, nil))}
	c := connect(t, listen(t, agent))
	c.send(`{"type":"start","player":1,"grid":[1,1],"game":"a"}`)
	c.answer(empty(t, 1, 1))
	c.conn.Close(websocket.StatusNormalClosure, "")
	for agent.connections.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	if text := log.String(); !strings.Contains(text, `level=WARN msg="move without search"`) || !strings.Contains(text, "why=\"too little time; if other programs run, end them\"") {
		t.Errorf("the log says %s", log.String())
	}
}

// Boards too large for the solvers are played to the end, on either side, and still larger
// ones are refused with a log line.
func TestLargeBoards(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "log")
	testenv.OK(t, err)
	defer file.Close()
	address := listen(t, &Agent{Player: level(t, 1), Log: slog.New(slog.NewTextHandler(file, nil))})
	for _, size := range [][2]int{{10, 10}, {1, 64}, {12, 15}} {
		c := connect(t, address)
		b, err := newBoard(size[0], size[1])
		testenv.OK(t, err)
		for _, player := range []int{2, 1} {
			c.send(fmt.Sprintf(`{"type":"start","player":%d,"timelimit":0.5,"grid":[%d,%d],"game":"g"}`, player, size[0], size[1]))
		}
		for n := 0; !b.over(); n++ {
			answer := c.reads()
			mover := b.mover()
			b, err = answer.drawOn(b)
			testenv.OK(t, err)
			answer.Type, answer.Game = "action", "g"
			if n%2 == 0 { // as in the rules
				answer.Player, answer.NextPlayer = lenient.Of(mover), lenient.Of(b.mover())
			}
			c.send(sent(t, answer))
		}
		if b.score()[0]+b.score()[1] != size[0]*size[1] {
			t.Errorf("%v: the score is %v", size, b.score())
		}
	}
	c := connect(t, address)
	c.send(`{"type":"start","player":1,"grid":[65,3],"game":"g"}`)
	c.send(`{"type":"start","player":1,"grid":[1,1],"game":"h"}`)
	c.answer(empty(t, 1, 1))
	text := string(testenv.ReadFile(t, file.Name()))
	for _, want := range []string{"board 65x3: sides must be 1 to 64", "too large to search"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not say %q: %s", want, text)
		}
	}
}

// After a panic while a line is chosen, on a board of either kind, the first free line is
// drawn, and the agent and the game continue.
func TestPanicDrawsTheFirstFreeLine(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "log")
	testenv.OK(t, err)
	defer file.Close()
	log := slog.New(slog.NewTextHandler(file, nil))
	drawn, err := solvable{empty(t, 2, 2)}.draw("h", 0, 0)
	testenv.OK(t, err)
	for want, pos := range map[string]board{
		"h[0 2]": largeBoard{rows: 10, cols: 10, left: 1, turn: 1, lines: []bool{true, true, false}}, // fewer lines than its boxes need
		"h[0 1]": drawn,
	} {
		address := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, err := websocket.Accept(w, r, nil)
			testenv.OK(t, err)
			agent := &Agent{Player: level(t, 1)}
			agent.turns.games = []*turn{nil} // no game has this turn
			c := &connection{agent: agent, conn: conn, log: log}
			g := &game{id: "g", pos: pos, limit: time.Minute, stop: func() {}}
			c.think(r.Context(), g, time.Now())
			c.thinking.Wait()
		}))
		conn, _, err := websocket.Dial(t.Context(), address, nil)
		testenv.OK(t, err)
		_, data, err := conn.Read(t.Context())
		testenv.OK(t, err)
		m, _, err := decode(data)
		testenv.OK(t, err)
		conn.CloseNow()
		if got := fmt.Sprint(m.Orientation, m.Location); got != want {
			t.Errorf("board %s: line %s, want %s", pos.size(), got, want)
		}
	}
	if n := strings.Count(string(testenv.ReadFile(t, file.Name())), "drawing the first free one"); n != 2 {
		t.Errorf("%d panics are in the log", n)
	}
}

// A large board follows the rules of the game and its three rules of play, and accepts any
// line.
func TestLargeBoardAgreesWithTheRules(t *testing.T) {
	for range 200 {
		p, plain := empty(t, 3, 4), board(nil)
		b, err := newLargeBoard(3, 4)
		testenv.OK(t, err)
		for plain = b; !plain.over(); {
			large := plain.(largeBoard)
			line := large.chooseLine()
			captures, safe := 0, 0
			for _, m := range p.Moves() {
				captures = max(captures, p.Captures(m))
				if q, err := p.DrawLine(m); err == nil && p.Captures(m) == 0 && !canCapture(q) {
					safe++
				}
			}
			q, err := p.DrawLine(engine.Move(line))
			testenv.OK(t, err)
			if captures > 0 && p.Captures(engine.Move(line)) == 0 || captures == 0 && safe > 0 && canCapture(q) {
				t.Fatalf("%s: line %s", p, p.MoveString(engine.Move(line)))
			}
			if captures == 0 && safe == 0 {
				for _, m := range p.Moves() {
					if given(t, p, m) < given(t, p, engine.Move(line)) {
						t.Fatalf("%s: line %s opens more than %s", p, p.MoveString(engine.Move(line)), p.MoveString(m))
					}
				}
			}
			if rand.IntN(2) == 0 { // any line
				line = int(p.Moves()[rand.IntN(len(p.Moves()))])
				q, err = p.DrawLine(engine.Move(line))
				testenv.OK(t, err)
			}
			orientation, row, col := large.location(line)
			if plain, err = plain.draw(orientation, row, col); err != nil {
				t.Fatal(err)
			}
			if _, err := plain.draw(orientation, row, col); err == nil {
				t.Fatalf("%s is drawn twice", p.MoveString(engine.Move(line)))
			}
			p = q
			if plain.mover() != int(p.Turn()) && !p.Over() || plain.score() != p.Score() || plain.over() != p.Over() || plain.size() != "3x4" {
				t.Fatalf("%s: %v", p, plain)
			}
		}
	}
	for _, bad := range []struct {
		orientation string
		row, col    int
	}{{"h", 4, 0}, {"h", 0, 4}, {"v", 3, 0}, {"v", 0, 5}, {"h", -1, 0}, {"v", 0, -1}, {"x", 0, 0}} {
		b, err := newLargeBoard(3, 4)
		testenv.OK(t, err)
		if _, err := b.draw(bad.orientation, bad.row, bad.col); err == nil {
			t.Errorf("%v is drawn", bad)
		}
	}
}

// canCapture reports whether a box can be completed.
func canCapture(p dotsandboxes.Position) bool {
	return slices.ContainsFunc(p.Moves(), func(m engine.Move) bool { return p.Captures(m) > 0 })
}

// given returns the number of boxes that the opponent can take in sequence after a line.
func given(t *testing.T, p dotsandboxes.Position, m engine.Move) int {
	t.Helper()
	p, err := p.DrawLine(m)
	testenv.OK(t, err)
	before := p.Score()
	for i := 0; i < len(p.Moves()); i++ {
		if p.Captures(p.Moves()[i]) > 0 {
			p, err = p.DrawLine(p.Moves()[i])
			testenv.OK(t, err)
			i = -1
		}
	}
	return p.Score()[0] + p.Score()[1] - before[0] - before[1]
}

// The longest chains of the largest board take little time, because counting stops at the
// length of the shortest chain so far.
func BenchmarkLargeBoard(b *testing.B) {
	large, err := newLargeBoard(maxLargeSide, maxLargeSide)
	testenv.OK(b, err)
	for line := range (maxLargeSide + 1) * maxLargeSide { // all rows are chains
		large.lines[line] = true
		large.left--
	}
	for b.Loop() {
		large.chooseLine()
	}
}
