package dabws

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// serveLogged serves one connection and returns its address, its log, and a channel that is
// closed at the end of the connection, after which the log may be read.
func serveLogged(t *testing.T, p engine.Player) (address string, logged *bytes.Buffer, over chan struct{}) {
	t.Helper()
	logged, over = new(bytes.Buffer), make(chan struct{})
	a := &Agent{Player: p, Log: slog.New(slog.NewTextHandler(logged, nil))}
	return listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(over)
		a.ServeHTTP(w, r)
	})), logged, over
}

// If a game continues without the agent's line, its search ends and the line is never sent.
func TestGamesThatContinue(t *testing.T) {
	p := empty(t, 2, 2)
	ours := p.Moves()[len(p.Moves())-1]
	after, err := p.DrawLine(ours)
	testenv.OK(t, err)
	const start = `{"type":"start","player":%d,"timelimit":600,"grid":[%d,2],"game":"%v"}`
	first := fmt.Sprintf(start, 1, 2, "x")
	others := make([]string, maxGames)
	for i := range others {
		others[i] = fmt.Sprintf(start, 2, 2, i)
	}
	for name, messages := range map[string][]string{
		"the game plays for the agent": {sent(t, lineMessage("x", engine.First, ours, after))},
		"the game ends":                {`{"type":"end","game":"x"}`},
		"another size":                 {fmt.Sprintf(start, 2, 3, "x")},
		"a board that is none":         {fmt.Sprintf(start, 1, 0, "x")},
		"too many games":               others,
	} {
		begun, ended := make(chan bool), make(chan bool)
		searches := 0
		c := connect(t, serveAgent(t, enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
			if searches++; searches == 1 {
				close(begun)
				<-ctx.Done()
				defer close(ended)
				return engine.Decision{Move: p.MoveString(ours)}, nil
			}
			return engine.Decision{Move: p.MoveString(p.Moves()[0])}, nil
		})))
		c.send(first)
		<-begun
		for _, m := range messages {
			c.send(m)
		}
		<-ended
		c.send(strings.ReplaceAll(first, `"x"`, `"y"`))
		if l := c.answer(p); l == ours {
			t.Errorf("%s: the line comes late", name)
		}
		c.conn.CloseNow()
	}
}

// Beyond maxGames the oldest game of a connection is dropped.
func TestOldestGameIsDropped(t *testing.T) {
	address, logged, over := serveLogged(t, level(t, 1))
	c := connect(t, address)
	for i := range maxGames + 1 {
		c.send(fmt.Sprintf(`{"type":"start","player":2,"timelimit":0.5,"grid":[2,2],"game":"%d"}`, i))
	}
	p := empty(t, 2, 2)
	line := p.Moves()[0]
	p, err := p.DrawLine(line)
	testenv.OK(t, err)
	for _, game := range []int{0, 1, maxGames} {
		c.send(sent(t, lineMessage(fmt.Sprint(game), engine.First, line, p)))
	}
	c.answer(p)
	c.answer(p)
	c.conn.Close(websocket.StatusNormalClosure, "")
	<-over
	for said, want := range map[string]int{"oldest game dropped: too many games": 1, "no game": 1, `no game \"0\" on`: 1} {
		if n := strings.Count(logged.String(), said); n != want {
			t.Errorf("%s is logged %d times, want %d:\n%s", said, n, want, logged)
		}
	}
}

// A connection that breaks is logged, one that is closed is not.
func TestLostConnectionsAreLogged(t *testing.T) {
	for _, c := range []struct {
		how   string
		close func(*websocket.Conn)
		want  int
	}{
		{"broken", func(c *websocket.Conn) { c.CloseNow() }, 1},
		{"closed with an error", func(c *websocket.Conn) { c.Close(websocket.StatusInternalError, "") }, 1},
		{"closed", func(c *websocket.Conn) { c.Close(websocket.StatusNormalClosure, "") }, 0},
		{"left by a page", func(c *websocket.Conn) { c.Close(websocket.StatusGoingAway, "") }, 0},
	} {
		address, logged, over := serveLogged(t, level(t, 1))
		game := connect(t, address)
		game.send(`{"type":"start","player":1,"timelimit":0.5,"grid":[2,2],"game":"x"}`)
		game.answer(empty(t, 2, 2))
		c.close(game.conn)
		<-over
		if n := strings.Count(logged.String(), `msg="connection lost"`); n != c.want {
			t.Errorf("%s: logged %d times, want %d: %s", c.how, n, c.want, logged)
		}
	}
}

// A connection beyond the limit is refused until another one ends.
func TestTooManyConnections(t *testing.T) {
	a := &Agent{Player: level(t, 1)}
	a.connections.Store(maxConnections - 1)
	address := listen(t, a)
	last := connect(t, address)
	if _, resp, err := websocket.Dial(t.Context(), address, nil); err == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("beyond the limit: %v", err)
	}
	last.conn.Close(websocket.StatusNormalClosure, "")
	for range 60_000 { // the handler ends after the last message
		if a.connections.Load() < maxConnections {
			break
		}
		time.Sleep(time.Millisecond)
	}
	connect(t, address)
}

// Odd fields of an action are logged; missing ones are not.
func TestOddActionsAreLogged(t *testing.T) {
	const other, turn, score = "player is not the one to move", "nextplayer is unusable", "score differs from the rules"
	for fields, want := range map[string]string{
		``:                  "",
		`"player":1,`:       "",
		`"player":2,`:       other,
		`"player":7,`:       other,
		`"player":"first",`: other,
		`"nextplayer":2,`:   "",
		`"nextplayer":"x",`: turn,
		`"score":[0,0],`:    "",
		`"score":[0,1],`:    score,
		`"score":[0],`:      score,
	} {
		address, logged, over := serveLogged(t, level(t, 1))
		c := connect(t, address)
		c.send(`{"type":"start","player":2,"timelimit":0.5,"grid":[2,2],"game":"x"}`)
		c.send(`{"type":"action",` + fields + `"location":[0,0],"orientation":"h","game":"x"}`)
		c.answer(empty(t, 2, 2))
		c.conn.Close(websocket.StatusNormalClosure, "")
		<-over
		for _, said := range []string{other, turn, score} {
			if got := strings.Contains(logged.String(), said); got != (said == want) {
				t.Errorf("%s: logged %v, want %v: %s", fields, got, said == want, said)
			}
		}
	}
}

// The end of a game is logged from the agent's side.
func TestResultIsTheAgents(t *testing.T) {
	for _, c := range []struct {
		roles   [3]bool
		message string
		want    string
	}{
		{[3]bool{1: true}, `{"winner":1,"score":[3,1]}`, "game g: won 3–1"},
		{[3]bool{2: true}, `{"winner":1,"score":[3,1]}`, "game g: lost 1–3"},
		{[3]bool{2: true}, `{"winner":2,"score":[1,3]}`, "game g: won 3–1"},
		{[3]bool{1: true, 2: true}, `{"winner":2,"score":[1,3]}`, "game g: player 2 won 1–3"},
		{[3]bool{2: true}, `{"winner":0,"score":[2,2]}`, "game g: tied 2–2"},
		{[3]bool{1: true}, `{"reason":"b (player 2) lost by timeout at move 5:\nno move","winner":1,"score":[0,0]}`, "game g: won 0–0, b (player 2) lost by timeout at move 5: no move"},
		{[3]bool{1: true}, `{}`, "game g: ended"},
	} {
		m, _, err := decode([]byte(c.message))
		testenv.OK(t, err)
		if got := (&game{id: "g", roles: c.roles}).result(m); got != c.want {
			t.Errorf("%s for %v: %q, want %q", c.message, c.roles, got, c.want)
		}
	}
}
