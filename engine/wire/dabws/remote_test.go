package dabws

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

// agentParticipant returns a participant played by the agent at an address.
func agentParticipant(name, address string) arena.Participant {
	return arena.Participant{Name: name, Open: func(ctx context.Context, s arena.Setup) (engine.Player, error) {
		return Join(ctx, address, s, nil)
	}}
}

func levelParticipant(t testing.TB, n int) arena.Participant {
	return arena.Participant{Name: "level", Open: func(context.Context, arena.Setup) (engine.Player, error) { return level(t, n), nil }}
}

func play(t *testing.T, a, b arena.Participant, limit time.Duration, opening []engine.Move) arena.Result {
	t.Helper()
	h := arena.Config{Rules: arena.Rules{Game: dotsandboxes.Game{}}, First: empty(t, 3, 3), Time: limit}
	r, err := h.Play(t.Context(), arena.Fixture{ID: "g1", Players: [2]arena.Participant{a, b}, Opening: opening})
	testenv.OK(t, err)
	return r
}

// The agent plays whole games against itself and against a level, on either side, also
// after an opening that is played over the socket.
func TestGamesOverSockets(t *testing.T) {
	address := serveAgent(t, level(t, 2))
	us := agentParticipant("agent", address)
	p := empty(t, 3, 3)
	for i, opening := range [][]engine.Move{nil, {p.Moves()[0], p.Moves()[5], p.Moves()[11]}} {
		for _, pair := range [][2]arena.Participant{{us, us}, {us, levelParticipant(t, 1)}, {levelParticipant(t, 1), us}} {
			r := play(t, pair[0], pair[1], time.Minute, opening)
			if r.End != arena.Played || r.Score[0]+r.Score[1] != 9 {
				t.Errorf("opening %d, %s against %s: %+v", i, pair[0].Name, pair[1].Name, r)
			}
		}
	}
}

// Dialling waits for an agent that is starting until the limit, and then returns an [arena.Unreachable];
// an invalid address is an error immediately.
func TestDialWaitsForAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			address       string
			limit, waited time.Duration
		}{
			{"ws://127.0.0.1:0", connectLimit, connectLimit}, // no process can listen there
			{"ws://127.0.0.1:0", restartLimit, restartLimit},
			{"refused://127.0.0.1", connectLimit, 0},
		} {
			begin := time.Now()
			waits := 0
			_, err := dial(t.Context(), c.address, c.limit, func(time.Duration) {
				if waits++; time.Since(begin) < time.Second {
					t.Errorf("%s: a notice after %v", c.address, time.Since(begin))
				}
			})
			if waits != min(1, int(c.waited)) {
				t.Errorf("%s: %d notices", c.address, waits)
			}
			if waited := time.Since(begin); waited != c.waited || errors.As(err, new(*arena.Unreachable)) != (waited > 0) {
				t.Errorf("%s: %v after %v", c.address, err, waited)
			}
		}
	})
}

// Errors of dialling have one sentence without the words of the libraries.
func TestDialErrors(t *testing.T) {
	for want, cause := range map[string]error{
		"no agent answers at ADDRESS: connection refused":                                 &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		"no agent answers at ADDRESS: lookup ADDRESS: no such host":                       &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "ADDRESS"}},
		"no agent answers at ADDRESS within 20s":                                          context.DeadlineExceeded,
		"no agent answers at ADDRESS: the other side closed it without a closing message": io.EOF,
	} {
		raw := fmt.Errorf("failed to WebSocket dial: %w", &url.Error{Op: "Get", URL: "http://ADDRESS", Err: cause})
		if err := dialError("ADDRESS", raw); err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The error for a server without websockets names its answer and what is expected.
func TestNoWebsocket(t *testing.T) {
	address := listen(t, http.NotFoundHandler())
	want := fmt.Sprintf(`no agent answers at %s: the server answers "404 Not Found" in place of a websocket: want the address of an agent, for instance ws://127.0.0.1:8089`, address)
	if err := Reach(t.Context(), address, nil); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// scripted is an agent that answers every start with fixed messages.
func scripted(t *testing.T, messages ...string) string {
	return listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
		if err != nil {
			return
		}
		defer conn.CloseNow()
		if _, _, err := conn.Read(r.Context()); err != nil {
			return
		}
		for _, m := range messages {
			if m == "close" {
				return
			}
			if err := conn.Write(r.Context(), websocket.MessageText, []byte(m)); err != nil {
				return
			}
		}
		for {
			if _, _, err := conn.Read(r.Context()); err != nil {
				return
			}
		}
	}))
}

// A connection that does not answer pings is closed, with one warning.
func TestPingClosesADeadConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ours, theirs := net.Pipe()
		ln := pipeListener{make(chan net.Conn, 1), make(chan struct{})}
		ln.conns <- theirs
		ended := make(chan struct{})
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, err := websocket.Accept(w, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			<-ctx.Done() // it reads nothing, so it answers no ping
			conn.CloseNow()
		})}
		go func() {
			defer close(ended)
			_ = srv.Serve(ln) // until Close
		}()
		dialer := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return ours, nil }}
		conn, _, err := websocket.Dial(ctx, "ws://agent", &websocket.DialOptions{HTTPClient: &http.Client{Transport: dialer}})
		testenv.OK(t, err)
		var log bytes.Buffer
		r := &Remote{address: "ws://agent", conn: conn, log: slog.New(slog.NewTextHandler(&log, nil)), lost: make(chan error, 1)}
		go r.receive(ctx)
		pinging := make(chan struct{})
		go func() {
			defer close(pinging)
			r.ping(ctx)
		}()
		time.Sleep(time.Hour)
		select {
		case <-r.lost:
		default:
			t.Error("the connection is still open")
		}
		cancel()
		<-pinging
		if n := strings.Count(log.String(), "does not answer pings"); n != 1 {
			t.Errorf("%d warnings:\n%s", n, log.String())
		}
		srv.Close()
		<-ended
	})
}

// Additional messages and unusual spellings of an agent do not lose the game.
func TestTalkativeAgents(t *testing.T) {
	for _, line := range []string{`{"type":"action","location":["7",7.0],"orientation":"h"}`, `{"location":[7,7e0],"orientation":" H","player":"me"}`} {
		address := scripted(t, "connected", `{"type":"hello"}`, "{", `{"padding":"`+strings.Repeat("x", 2*maxMessage)+`"}`, "\xef\xbb\xbf"+line)
		r := play(t, agentParticipant("talks", address), levelParticipant(t, 1), time.Minute, nil)
		if r.End != arena.Illegal || r.BadMove != "h[7 7]" && !strings.Contains(r.Fault, "line h7,7 is outside") {
			t.Errorf("%s: end %s, %q, %s", line, r.End, r.Fault, r.BadMove)
		}
	}
}

// An agent loses by a late, illegal or missing answer, and none of them blocks the driver.
func TestBadAgentsLose(t *testing.T) {
	for _, c := range []struct {
		name, address string
		limit         time.Duration
		want          arena.Ending
		why           string
	}{
		{"late", scripted(t), 50 * time.Millisecond, arena.Timeout, "at move 1: no move within 50ms"},
		{"illegal", scripted(t, `{"type":"action","location":[7,7],"orientation":"h"}`), time.Minute, arena.Illegal, "outside"},
		{"orientation", scripted(t, `{"type":"action","location":[0,0],"orientation":"x"}`), time.Minute, arena.Illegal, "orientation"},
		{"no location", scripted(t, `{"type":"action"}`), time.Minute, arena.Illegal, "location"},
		{"nonsense", scripted(t, `what?`), 50 * time.Millisecond, arena.Timeout, "at move 1: no move within 50ms"},
		{"closes", scripted(t, "close"), time.Minute, arena.Crash, "closing message; the agent's terminal may show why"},
		{"talks, then is silent", scripted(t, `{"type":"hello"}`), 50 * time.Millisecond, arena.Timeout, "at move 1: no move within 50ms"},
		{"no websocket", listen(t, http.NotFoundHandler()), time.Minute, arena.Crash, "404"},
	} {
		r := play(t, agentParticipant("bad", c.address), levelParticipant(t, 1), c.limit, nil)
		if r.End != c.want || r.Winner != engine.Second || !strings.Contains(r.Fault, c.why) {
			t.Errorf("%s: end %s, winner %s, %q; want %s and %q", c.name, r.End, r.Winner, r.Fault, c.want, c.why)
		}
	}
}

// An agent that moves in its opponent's turn loses immediately: the second player before
// the first move, the first player after its own.
func TestOutOfTurnLoses(t *testing.T) {
	slow := waiting{asked: make(chan struct{}, 1), letGo: make(chan struct{})}
	defer close(slow.letGo)
	patient := arena.Participant{Name: "patient", Open: func(context.Context, arena.Setup) (engine.Player, error) { return slow, nil }}
	hasty := agentParticipant("hasty", scripted(t, `{"type":"action","location":[0,0],"orientation":"h"}`))
	twice := agentParticipant("twice", scripted(t, `{"type":"action","location":[0,0],"orientation":"h"}`, `{"type":"action","location":[0,1],"orientation":"h"}`))
	for _, c := range []struct {
		players [2]arena.Participant
		winner  engine.Side
	}{{[2]arena.Participant{patient, hasty}, engine.First}, {[2]arena.Participant{twice, patient}, engine.Second}} {
		r := play(t, c.players[0], c.players[1], time.Minute, nil)
		if r.Winner != c.winner || r.End != arena.Illegal || !strings.Contains(r.Fault, "out of turn") {
			t.Errorf("%s against %s: %+v", c.players[0].Name, c.players[1].Name, r)
		}
	}
}

// An answer that is not needed is awaited for the time of a move and a second more.
func TestUnneededAnswerIsAwaited(t *testing.T) {
	r := &Remote{answers: make(chan message, 1), lost: make(chan error, 1)}
	go func() {
		time.Sleep(50 * time.Millisecond)
		r.answers <- message{}
	}()
	if err := r.discard(t.Context(), 10*time.Millisecond); err != nil {
		t.Errorf("a late answer: %v", err)
	}
	var fault *arena.Fault
	if err := r.discard(t.Context(), time.Millisecond); !errors.As(err, &fault) || fault.End != arena.Timeout {
		t.Errorf("no answer: %v", err)
	}
	r.lost <- io.EOF
	if err := r.discard(t.Context(), time.Minute); !errors.Is(err, io.EOF) || len(r.lost) != 1 {
		t.Errorf("a lost connection: %v, %d errors kept", err, len(r.lost))
	}
}
