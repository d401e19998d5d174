package dabws

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// waiting is a Player that answers when it is released; with deaf it ignores the end of the
// context.
type waiting struct {
	asked chan struct{}
	letGo chan struct{}
	deaf  bool
}

func (w waiting) Name() string { return "waiting" }

func (w waiting) Choose(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
	select {
	case w.asked <- struct{}{}:
	default:
	}
	done := ctx.Done()
	if w.deaf {
		done = nil
	}
	select {
	case <-w.letGo:
	case <-done:
	}
	moves := p.Moves()
	return engine.Decision{Move: p.MoveString(moves[len(moves)-1])}, nil
}

func level(t testing.TB, n int) engine.Player {
	t.Helper()
	l, err := levels.New(n, 1)
	testenv.OK(t, err)
	return l
}

// serveAgent starts an agent and returns its address.
func serveAgent(t testing.TB, p engine.Player) string { return listen(t, &Agent{Player: p}) }

// listen starts a server that ends with the test and returns its address.
func listen(t testing.TB, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

// client is the game's end of a socket.
type client struct {
	t    testing.TB
	conn *websocket.Conn
}

func connect(t testing.TB, address string) *client {
	t.Helper()
	conn, resp, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{
		HTTPHeader:      http.Header{"Origin": {"null"}},
		CompressionMode: websocket.CompressionContextTakeover,
	})
	testenv.OK(t, err)
	if ext := resp.Header.Get("Sec-Websocket-Extensions"); !strings.HasPrefix(ext, "permessage-deflate") {
		t.Errorf("extensions %q: want permessage-deflate", ext)
	}
	t.Cleanup(func() { conn.CloseNow() })
	return &client{t, conn}
}

func (c *client) send(text string) {
	c.t.Helper()
	testenv.OK(c.t, c.conn.Write(c.t.Context(), websocket.MessageText, []byte(text)))
}

// answer waits for an action and checks that it is legal in p.
func (c *client) answer(p dotsandboxes.Position) engine.Move {
	c.t.Helper()
	_, data, err := c.conn.Read(c.t.Context())
	testenv.OK(c.t, err)
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		c.t.Fatalf("%s: %v", data, err)
	}
	if m.Type != "action" {
		c.t.Fatalf("%s: want an action", data)
	}
	l, err := m.line(p)
	if err != nil {
		c.t.Fatalf("%s: %v", data, err)
	}
	return l
}

func empty(t testing.TB, rows, cols int) dotsandboxes.Position {
	t.Helper()
	b, err := grid.New(rows, cols)
	testenv.OK(t, err)
	return dotsandboxes.New(b)
}

func sent(t testing.TB, m message) string {
	t.Helper()
	data, err := json.Marshal(m)
	testenv.OK(t, err)
	return string(data)
}

// The recorded game is sent to the agent in either role: it answers exactly in its turns,
// always with a legal line, although another line than its own is drawn each time.
func TestRecordedGame(t *testing.T) {
	text, err := os.ReadFile(enginetest.Recorded(t, "transcripts", "dotsandboxes-compete.txt"))
	testenv.OK(t, err)
	address := serveAgent(t, level(t, 2))
	for role, label := range map[int]string{1: "A1", 2: "A2"} {
		c := connect(t, address)
		p := empty(t, 3, 4)
		answers := 0
		for line := range strings.Lines(string(text)) {
			_, body, ok := strings.Cut(line, "{")
			if !ok || !strings.Contains(line, label+"  game->agent FRAME TEXT") {
				continue
			}
			body = "{" + strings.TrimSpace(body)
			m, _, err := decode([]byte(body))
			testenv.OK(t, err)
			c.send(body)
			next := 0
			switch m.Type {
			case "start":
				next = 1
			case "action", "end":
				l, err := m.line(p)
				testenv.OK(t, err)
				p, err = p.DrawLine(l)
				testenv.OK(t, err)
				next, _ = m.NextPlayer.Whole()
			}
			if next == role {
				c.answer(p)
				answers++
			}
		}
		if !p.Over() || answers < 12 {
			t.Errorf("player %d: %d answers, the game ends in %s", role, answers, p)
		}
		c.conn.Close(websocket.StatusNormalClosure, "")
	}
}

// Unusable messages end neither the connection nor the game.
func TestHostileMessages(t *testing.T) {
	address := serveAgent(t, level(t, 1))
	c := connect(t, address)
	p := empty(t, 2, 2)
	c.send(`{"type":"start","player":2,"timelimit":0.5,"grid":[2,2],"game":"G"}`)
	for _, m := range []string{
		``, `{`, `null`, `[]`, `"start"`, `{"type":7}`, `{}`, `{"type":"dance"}`,
		`{"type":"start"}`, `{"type":"start","player":3,"grid":[2,2]}`,
		`{"type":"start","player":2,"grid":[2]}`, `{"type":"start","player":2,"grid":[0,-1]}`,
		`{"type":"start","player":2,"grid":[100000,100000]}`, `{"type":"start","player":2,"grid":["a","b"]}`,
		`{"type":"start","player":2,"grid":[2,2],"timelimit":-5,"game":"other"}`,
		`{"type":"start","player":2,"grid":[2,2],"timelimit":1e300,"game":"other"}`,
		`{"type":"start","player":2,"grid":[2,2],"game":"` + strings.Repeat("x", 1000) + `"}`,
		`{"type":"action"}`, `{"type":"action","game":"unknown","location":[0,0],"orientation":"h","nextplayer":2}`,
		`{"type":"action","game":"G","location":[9,9],"orientation":"h","nextplayer":1}`,
		`{"type":"action","game":"G","location":[-1,0],"orientation":"v","nextplayer":1}`,
		`{"type":"action","game":"G","location":[0],"orientation":"v","nextplayer":1}`,
		`{"type":"action","game":"G","location":[0,0],"orientation":"diagonal","nextplayer":1}`,
		`{"type":"action","game":"G","location":[0.5,0],"orientation":"h","nextplayer":1}`,
		`{"type":"end","game":"unknown"}`,
	} {
		c.send(m)
	}
	testenv.OK(t, c.conn.Write(t.Context(), websocket.MessageBinary, []byte{1, 2, 3}))
	first, err := p.ParseMove("h0,0")
	testenv.OK(t, err)
	p, err = p.DrawLine(first)
	testenv.OK(t, err)
	c.send(sent(t, lineMessage("G", engine.First, first, p)))
	l := c.answer(p)
	// A line that is already drawn is not answered.
	c.send(sent(t, lineMessage("G", engine.First, first, p)))
	p, err = p.DrawLine(l)
	testenv.OK(t, err)
	c.send(sent(t, lineMessage("G", engine.Second, l, p)))
	if l = p.QuickMove(); l < 0 {
		t.Fatal("no line left")
	}
	p, err = p.DrawLine(l)
	testenv.OK(t, err)
	c.send(sent(t, lineMessage("G", engine.First, l, p)))
	c.answer(p)
}

// A long message is ignored; an endless one closes its connection.
func TestLongMessages(t *testing.T) {
	address := serveAgent(t, level(t, 1))
	c := connect(t, address)
	c.send(`{"type":"start","player":2,"timelimit":0.5,"grid":[1,1],"game":"x"}`)
	p := empty(t, 1, 1)
	for i, long := range []int{20 << 10, 2 * maxMessage} {
		c.send(`{"type":"dance","with":"` + strings.Repeat("x", long) + `"}`)
		line := p.Moves()[0]
		var err error
		p, err = p.DrawLine(line)
		testenv.OK(t, err)
		m := sent(t, lineMessage("x", engine.First, line, p))
		if i == 0 {
			m = strings.Replace(m, "{", `{"padding":"`+strings.Repeat("x", long)+`",`, 1)
		}
		c.send(m)
		line = c.answer(p)
		p, err = p.DrawLine(line)
		testenv.OK(t, err)
		c.send(sent(t, lineMessage("x", engine.Second, line, p)))
	}
	c.send(`{"type":"` + strings.Repeat("x", 2*maxIgnored) + `"}`)
	if _, _, err := c.conn.Read(t.Context()); err == nil {
		t.Error("the connection is still open")
	}
}

// Both roles of one game at one address, on two connections or on one; player 2's start may
// come first, and the agent's own echo is not answered.
func TestBothRoles(t *testing.T) {
	address := serveAgent(t, level(t, 2))
	for _, connections := range []int{1, 2} {
		one := connect(t, address)
		two := one
		if connections == 2 {
			two = connect(t, address)
		}
		id := "0D2B7A9C-BEDB-47F6-8CE0-2C998091A498"
		two.send(`{"type":"start","player":2,"timelimit":0.5,"grid":[2,3],"game":"` + id + `"}`)
		one.send(`{"type":"start","player":1,"timelimit":0.5,"grid":[2,3],"game":"` + id + `"}`)
		p := empty(t, 2, 3)
		for !p.Over() {
			by := p.Turn()
			mover := one
			if by == engine.Second {
				mover = two
			}
			l := mover.answer(p)
			var err error
			p, err = p.DrawLine(l)
			testenv.OK(t, err)
			m := sent(t, lineMessage(id, by, l, p))
			one.send(m)
			two.send(m)
		}
	}
}

// Pages open new sockets at each restart and never close the old ones.
func TestRestartsThatLeaveSocketsOpen(t *testing.T) {
	address := serveAgent(t, level(t, 1))
	p := empty(t, 3, 3)
	for range 30 {
		c := connect(t, address)
		c.send(`{"type":"start","player":1,"timelimit":0.5,"grid":[3,3],"game":"same"}`)
		c.answer(p)
	}
	// A restart on the same socket also starts a new game.
	c := connect(t, address)
	for range 5 {
		c.send(`{"type":"start","player":1,"timelimit":0.5,"grid":[3,3],"game":"same"}`)
		l := c.answer(p)
		q, err := p.DrawLine(l)
		testenv.OK(t, err)
		c.send(sent(t, lineMessage("same", engine.First, l, q)))
	}
}

func TestPingsAreAnsweredWhileThinking(t *testing.T) {
	w := waiting{asked: make(chan struct{}, 1), letGo: make(chan struct{})}
	c := connect(t, serveAgent(t, w))
	c.send(`{"type":"start","player":1,"timelimit":60,"grid":[2,2],"game":"x"}`)
	<-w.asked
	answered := make(chan engine.Move, 1)
	go func() { answered <- c.answer(empty(t, 2, 2)) }()
	if err := c.conn.Ping(t.Context()); err != nil {
		t.Fatalf("ping while thinking: %v", err)
	}
	select {
	case <-answered:
		t.Fatal("answered before the player had chosen")
	default:
	}
	close(w.letGo)
	<-answered
}

// If a player hangs or panics, the agent answers for it, and another game on the same
// connection continues.
func TestFallbackForAStuckPlayer(t *testing.T) {
	w := waiting{asked: make(chan struct{}, 1), letGo: make(chan struct{}), deaf: true}
	defer close(w.letGo)
	var asked atomic.Int32
	panics := enginetest.PlayerFunc(func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
		asked.Add(1)
		panic("out of luck")
	})
	for limit, player := range map[string]engine.Player{"0.1": w, "5": panics} {
		c := connect(t, serveAgent(t, player))
		for n, id := range []string{"x", "y"} {
			c.send(fmt.Sprintf(`{"type":"start","player":1,"timelimit":%s,"grid":[%d,%d],"game":%q}`, limit, n+2, n+2, id))
			c.answer(empty(t, n+2, n+2))
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the one that panics was asked %d times for two lines", n)
	}
}

// A connection ends after every player that thought for it has returned.
func TestConnectionWaitsForItsPlayers(t *testing.T) {
	w := waiting{asked: make(chan struct{}, 1), letGo: make(chan struct{}), deaf: true}
	a, over := &Agent{Player: w}, make(chan struct{})
	c := connect(t, listen(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		defer close(over)
		a.ServeHTTP(rw, r)
	})))
	c.send(`{"type":"start","player":1,"timelimit":0.05,"grid":[2,2],"game":"x"}`)
	<-w.asked
	c.answer(empty(t, 2, 2)) // the agent's fallback
	c.conn.CloseNow()
	select {
	case <-over:
		t.Error("the connection is over while its player thinks")
	case <-time.After(50 * time.Millisecond):
	}
	close(w.letGo)
	<-over
}

// All pages may connect unless Origins lists some.
func TestOrigins(t *testing.T) {
	const page = "https://dotsandboxes.example"
	for _, c := range []struct {
		allowed []string
		origins map[string]bool
	}{
		{nil, map[string]bool{"": true, "null": true, "http://localhost:8080": true, "file://": true, page: true, "%%": true}},
		{[]string{page, "http://x"}, map[string]bool{"": true, "null": false, "http://localhost:8080": false, page: true, strings.ToUpper(page): true, page + ".evil": false}},
	} {
		address := listen(t, &Agent{Player: level(t, 1), Origins: c.allowed})
		for origin, want := range c.origins {
			h := http.Header{}
			if origin != "" {
				h.Set("Origin", origin)
			}
			conn, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPHeader: h})
			if (err == nil) != want {
				t.Errorf("origin %q, allowed %v: %v", origin, c.allowed, err)
			}
			if conn != nil {
				conn.CloseNow()
			}
		}
	}
}

// pipeListener returns connections without sockets.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error   { close(l.done); return nil }
func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{} }

// A connection that does not become a websocket is closed after a while; a websocket stays
// open.
func TestIdleConnectionsAreClosed(t *testing.T) {
	const websocketRequest = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	for request, stays := range map[string]bool{
		"": false, "GET / HTT": false, "GET / HTTP/1.1\r\nHost: x\r\n\r\n": false,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf": false,
		websocketRequest: true,
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			ln := pipeListener{make(chan net.Conn), make(chan struct{})}
			served := make(chan error, 1)
			go func() { served <- Serve(ctx, ln, &Agent{Player: level(t, 1)}) }()
			ours, theirs := net.Pipe()
			ln.conns <- theirs
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				_, _ = io.Copy(io.Discard, ours)
			}()
			if _, err := io.WriteString(ours, request); err != nil {
				t.Error(err)
			}
			select {
			case <-closed:
				if stays {
					t.Errorf("%.20q: closed", request)
				}
			case <-time.After(time.Hour):
				if !stays {
					t.Errorf("%.20q: open after an hour", request)
				}
			}
			cancel()
			ours.Close()
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}

// With an unusable time limit the agent answers within the default time and logs it once
// per game.
func TestOddTimeLimits(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	testenv.OK(t, err)
	defer file.Close()
	c := connect(t, listen(t, &Agent{Player: level(t, 1), Log: slog.New(slog.NewTextHandler(file, nil))}))
	limits := []struct{ field, said string }{
		{``, "the start message has no time limit"},
		{`"timelimit":null,`, "the start message has no time limit"},
		{`"timelimit":0,`, "timelimit 0: want more than 0 and at most 600 seconds"},
		{`"timelimit":-1,`, "timelimit -1: want more than 0 and at most 600 seconds"},
		{`"timelimit":1e9,`, "timelimit 1e9: want more than 0 and at most 600 seconds"},
		{`"timelimit":"NaN",`, `timelimit "NaN": want a number of seconds`},
		{`"timelimit":1e999,`, "timelimit 1e999: want a number of seconds"},
		{`"timelimit":"soon",`, `timelimit "soon": want a number of seconds`},
		{`"timelimit":[1],`, "timelimit [1]: want a number of seconds"},
		{`"timelimit":0.5,`, ""},
		{`"timelimit":"0.5",`, ""},
	}
	for i, l := range limits {
		for _, player := range []int{2, 1} {
			c.send(fmt.Sprintf(`{"type":"start","player":%d,%s"grid":[1,1],"game":"%d"}`, player, l.field, i))
		}
		c.answer(empty(t, 1, 1))
		var m message
		testenv.OK(t, json.Unmarshal([]byte(`{`+l.field+`"type":"start"}`), &m))
		if d, said := m.limit(); d != DefaultTime || said != l.said {
			t.Errorf("%s: %v, %q, want %q", l.field, d, said, l.said)
		}
	}
	text, err := os.ReadFile(file.Name())
	testenv.OK(t, err)
	for i, l := range limits {
		want := 1
		if l.said == "" {
			want = 0
		}
		if n := strings.Count(string(text), fmt.Sprintf(" cause=%q game=%d limit=500ms\n", l.said, i)); n != want {
			t.Errorf("%s: said %d times, want %d", l.field, n, want)
		}
	}
}
