package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"endwise/book"
	cwbook "endwise/book/circuitwars"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func circuitWars() (*book.Lookup, error) {
	return cwbook.Open(book.Options{Threads: 1, HashBytes: 1 << 20})
}

// startServer serves Circuit Wars.
func startServer(t *testing.T) *httptest.Server {
	t.Helper()
	s := NewServer(nil, Served{Game: circuitwars.Game{}, Open: circuitWars})
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		srv.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// decide returns the decision of the sources without a server.
func decide(t *testing.T, position string, all bool) engine.Decision {
	t.Helper()
	p, err := circuitwars.Game{}.Parse(position)
	testenv.OK(t, err)
	l, err := circuitWars()
	testenv.OK(t, err)
	defer l.Close()
	d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(5 * time.Second), AllMoves: all})
	testenv.OK(t, err)
	return d
}

// scores returns the values of the moves, which do not depend on time or threads.
func scores(d engine.Decision) map[string]string {
	out := map[string]string{"": fmt.Sprint(d.Score, d.Proof)}
	for _, m := range d.Moves {
		out[m.Move] = fmt.Sprint(m.Score, m.Proof)
	}
	return out
}

// GET and POST answer with the same decision as the sources themselves.
func TestLookupAnswersWithTheDecision(t *testing.T) {
	srv := startServer(t)
	const position = "2x3:a0000:0-0:1"
	want := decide(t, position, true)
	for _, c := range []struct{ method, more, body string }{
		{"GET", "&position=" + url.QueryEscape(position), ""},
		{"POST", "", position},
		{"POST", "", " " + position + "\n"},
	} {
		status, body := testenv.Call(t, c.method, srv.URL+"/v1/circuitwars/lookup?moves=all&time=5s"+c.more, c.body)
		var got engine.Decision
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 {
			t.Fatalf("%s: status %d, %v: %s", c.method, status, err, body)
		}
		if diff := cmp.Diff(scores(want), scores(got)); diff != "" {
			t.Errorf("%s: %s", c.method, diff)
		}
		if len(got.Moves) != 15 || got.Source != "solved" || !got.Exact {
			t.Errorf("%s: %d moves from %s, exact %v", c.method, len(got.Moves), got.Source, got.Exact)
		}
	}
}

// HEAD is answered like GET, without the body.
func TestHead(t *testing.T) {
	srv := startServer(t)
	for position, want := range map[string]int{"2x2": 200, "zzz": 400} {
		if status, body := testenv.Call(t, "HEAD", srv.URL+"/v1/circuitwars/lookup?position="+position, ""); status != want || body != "" {
			t.Errorf("%s: status %d, want %d, and no body: %q", position, status, want, body)
		}
	}
}

// The decision for a finished game has an empty line and no moves, as JSON lists.
func TestFinishedGame(t *testing.T) {
	srv := startServer(t)
	status, body := testenv.Call(t, "POST", srv.URL+"/v1/circuitwars/lookup", "1x1:f:1-0:1")
	if status != 200 || !strings.Contains(body, `"line":[],"moves":[],`) {
		t.Errorf("status %d: %s", status, body)
	}
}

func TestBadRequestsAreAnsweredInOneLine(t *testing.T) {
	srv := startServer(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/v1/circuitwars/lookup", "", 400, "position: missing"},
		{"POST", "/v1/circuitwars/lookup", " \n", 400, "position: missing"},
		{"POST", "/v1/circuitwars/lookup?play=perhaps", "2x2:800:0-0:2", 400, "play=perhaps: want true or false"},
		{"GET", "/v1/circuitwars/lookup?position=2x2:zzz:0-0:1", "", 400, "write only 0 to 9 and a to f"},
		{"POST", "/v1/circuitwars/lookup", "{\"status_code\": 1}", 400, "status_code 1"},
		{"GET", "/v1/circuitwars/lookup?position=2x2&time=1h", "", 400, "time=1h"},
		{"GET", "/v1/circuitwars/lookup?position=2x2&time=-1s", "", 400, "time=-1s"},
		{"GET", "/v1/circuitwars/lookup?position=2x2&time=soon", "", 400, "time=soon"},
		{"GET", "/v1/circuitwars/lookup?position=2x2&moves=none", "", 400, "moves=none"},
		{"GET", "/v1/chess/lookup?position=2x2", "", 404, "known are circuitwars"},
		{"PUT", "/v1/circuitwars/lookup", "2x2", 405, "want GET or POST"},
		{"DELETE", "/v1/circuitwars/lookup?position=2x2", "", 405, "want GET or POST"},
		{"POST", "/v1/circuitwars/lookup", strings.Repeat("x", maxPositionBytes+1), 413, "longer than"},
	} {
		status, body := testenv.Call(t, c.method, srv.URL+c.path, c.body)
		var e struct{ Error string }
		if err := json.Unmarshal([]byte(body), &e); err != nil || status != c.status || !strings.Contains(e.Error, c.want) || strings.Contains(e.Error, "\n") {
			t.Errorf("%s %s: status %d, %s", c.method, c.path, status, body)
		}
	}
}

// documentedExample is a lookup in the documentation: the command, and the answer on the
// next line.
var documentedExample = regexp.MustCompile(`curl -s '?http://127\.0\.0\.1:8080(/v1/[^' \n]+)'?\n+ *(\{[^\n]*\})`)

// The documented answer is the server's, except for nodes and times.
func TestDocumentedExample(t *testing.T) {
	text := testenv.ReadFile(t, "../../cmd/endwise/web/README.md")
	examples := documentedExample.FindAllStringSubmatch(string(text), -1)
	if len(examples) == 0 {
		t.Fatal("no lookup by HTTP is shown")
	}
	srv := startServer(t)
	for _, e := range examples {
		status, body := testenv.Call(t, "GET", srv.URL+e[1], "")
		var got, want map[string]any
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 {
			t.Fatalf("%s: status %d, %v", e[1], status, err)
		}
		if err := json.Unmarshal([]byte(e[2]), &want); err != nil {
			t.Fatalf("%s: the answer shown: %v", e[1], err)
		}
		for _, m := range []map[string]any{got, want} {
			delete(m, "nodes")
			delete(m, "elapsed_ms")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", e[1], diff)
		}
	}
}

// stuck is a source that answers after release.
type stuck struct{ release chan struct{} }

func (stuck) Name() string { return "stuck" }
func (s stuck) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	select {
	case <-s.release:
	case <-ctx.Done():
	}
	q.Known.Estimate("stuck", 0, book.Estimate{Move: q.Position.Moves()[0]})
	return false, nil
}

// Requests beyond maxWaiting are refused; cancelled requests free their place.
func TestQueueIsLimited(t *testing.T) {
	release := make(chan struct{})
	s := NewServer(nil, Served{Game: circuitwars.Game{}, Open: func() (*book.Lookup, error) {
		return &book.Lookup{Sources: []book.Source{stuck{release}}}, nil
	}})
	p, err := circuitwars.Game{}.Start("2x2")
	testenv.OK(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error, maxWaiting)
	for range maxWaiting {
		go func() {
			_, err := s.Decide(ctx, book.Question{Position: p})
			results <- err
		}()
	}
	d := s.games[circuitwars.Name]
	for len(d.waiting) < maxWaiting {
		time.Sleep(time.Millisecond)
	}
	if _, err := s.Decide(t.Context(), book.Question{Position: p}); err != ErrBusy {
		t.Errorf("one too many: %v, want %v", err, ErrBusy)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/circuitwars/lookup?position=2x2", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), ErrBusy.Error()) {
		t.Errorf("one too many by HTTP: %d %v %s", w.Code, w.Header(), w.Body)
	}
	cancel()
	for range maxWaiting {
		<-results
	}
	close(release)
	if _, err := s.Decide(t.Context(), book.Question{Position: p}); err != nil {
		t.Errorf("after the others have left: %v", err)
	}
}

// Internal errors are logged and not part of the answer.
func TestFailuresAreLogged(t *testing.T) {
	var log bytes.Buffer
	s := NewServer(slog.New(slog.NewTextHandler(&log, nil)), Served{Game: circuitwars.Game{}, Open: func() (*book.Lookup, error) {
		return nil, errors.New("no disk")
	}})
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/circuitwars/lookup?position=2x2", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "disk") || !strings.Contains(w.Body.String(), "the server's log says why") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if said := log.String(); !strings.Contains(said, "no disk") || !strings.Contains(said, "position=2x2:") {
		t.Errorf("the log says %s", said)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	p, err := dotsandboxes.Game{}.Start("2x2")
	testenv.OK(t, err)
	if _, err := s.Decide(t.Context(), book.Question{Position: p}); !errors.Is(err, errUnknownGame) {
		t.Errorf("a game that is not served: %v", err)
	}
}

func TestRateLimitPerClient(t *testing.T) {
	l, err := NewRateLimit(2, 3)
	testenv.OK(t, err)
	now := time.Now()
	ok := func(client string, after time.Duration) bool {
		_, ok := l.allow(client, now.Add(after))
		return ok
	}
	for i := range 3 {
		if !ok("a", 0) {
			t.Errorf("request %d of a burst of 3 is refused", i+1)
		}
	}
	if ok("a", 0) {
		t.Error("a fourth request at once is allowed")
	}
	if wait, _ := l.allow("a", now); wait != 500*time.Millisecond {
		t.Errorf("the next request is possible in %v, want 500 ms", wait)
	}
	if !ok("b", 0) {
		t.Error("another client is refused")
	}
	if !ok("a", 500*time.Millisecond) || ok("a", 500*time.Millisecond) {
		t.Error("half a second later exactly one request is possible")
	}
	if free, err := NewRateLimit(0, 1); err != nil {
		t.Error(err)
	} else {
		for range 100 {
			if _, ok := free.allow("a", now); !ok {
				t.Fatal("a request is refused where there is no limit")
			}
		}
	}
	// Beyond maxClients, clients with a full allowance are dropped; if there are none, all
	// are.
	for i := range maxClients - 3 { // with a and b
		ok(fmt.Sprint("c", i), time.Minute)
	}
	const later = time.Minute + 450*time.Millisecond // a third request of the burst is not free again
	for ok("greedy", later) {
	}
	ok("one more", later+100*time.Millisecond)
	if len(l.clients) != 2 || ok("greedy", later+100*time.Millisecond) {
		t.Errorf("%d clients are remembered, the greedy one among them: %v", len(l.clients), l.clients["greedy"] != nil)
	}
	for i := range maxClients {
		ok(fmt.Sprint("c", i), time.Hour)
	}
	if len(l.clients) > maxClients {
		t.Errorf("%d clients are remembered", len(l.clients))
	}
	for _, bad := range []struct {
		rate  float64
		burst int
	}{{-1, 1}, {1, 0}} {
		if _, err := NewRateLimit(bad.rate, bad.burst); err == nil {
			t.Errorf("rate %v, burst %d: no error", bad.rate, bad.burst)
		}
	}

	h := l.Limit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "served") }))
	var codes []int
	var w *httptest.ResponseRecorder
	for range 4 {
		w = httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = "192.0.2.7:1234"
		h.ServeHTTP(w, r)
		codes = append(codes, w.Code)
	}
	if diff := cmp.Diff([]int{200, 200, 200, 429}, codes); diff != "" {
		t.Error(diff)
	}
	if after := w.Header().Get("Retry-After"); after != "1" {
		t.Errorf("to be tried again after %q seconds", after)
	}
}

// A client's answer is the server's; the sources after it are not queried.
func TestClientUsesServersAnswer(t *testing.T) {
	srv := startServer(t)
	c, err := New(srv.URL+"/", circuitwars.Game{})
	testenv.OK(t, err)
	p, err := circuitwars.Game{}.Parse("2x3:a0000:0-0:1")
	testenv.OK(t, err)
	for _, clock := range []engine.Clock{{}, engine.ClockFor(5 * time.Second)} {
		l := book.Lookup{Sources: []book.Source{c, local{}}}
		d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: clock, AllMoves: true})
		testenv.OK(t, err)
		if diff := cmp.Diff(scores(decide(t, p.String(), true)), scores(d)); diff != "" {
			t.Error(diff)
		}
	}
}

// asked records the questions that it answers.
type asked struct {
	local
	questions []book.Question
}

func (a *asked) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	a.questions = append(a.questions, *q)
	return a.local.Improve(ctx, q)
}

// A client passes on whether the answer will be played; requests without the parameter,
// such as those of older clients, are not played.
func TestClientPassesPlay(t *testing.T) {
	source := &asked{}
	s := NewServer(nil, Served{Game: circuitwars.Game{}, Open: func() (*book.Lookup, error) {
		return &book.Lookup{Sources: []book.Source{source}}, nil
	}})
	srv := httptest.NewServer(s.Handler())
	defer srv.Close()
	c, err := New(srv.URL, circuitwars.Game{})
	testenv.OK(t, err)
	p, err := circuitwars.Game{}.Start("2x2")
	testenv.OK(t, err)
	for _, play := range []bool{true, false} {
		if ok, err := c.Improve(t.Context(), &book.Question{Position: p, Play: play, Known: book.NewKnown(p, nil, nil)}); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	testenv.Call(t, "POST", srv.URL+"/v1/circuitwars/lookup", p.String())
	var got []bool
	for _, q := range source.questions {
		got = append(got, q.Play)
	}
	if want := []bool{true, false, false}; !slices.Equal(got, want) {
		t.Errorf("asked to play: %v, want %v", got, want)
	}
}

// local is the source after a client in the tests.
type local struct{}

func (local) Name() string { return "local" }
func (local) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	q.Known.Estimate("local", 0, book.Estimate{Move: q.Position.Moves()[0]})
	return false, nil
}

// Whatever the server does, the local sources answer in time.
func TestLocalSourcesAnswerWithoutServer(t *testing.T) {
	p, err := circuitwars.Game{}.Start("2x2")
	testenv.OK(t, err)
	answer := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
	}
	const sound = `{"move":"0,0,top","source":"book"}`
	elsewhere := httptest.NewServer(answer(sound))
	defer elsewhere.Close()
	for name, h := range map[string]http.HandlerFunc{
		"sound": answer(sound), // must be accepted, so that the others fail for the tested reason only
		"silent": func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // otherwise a disconnected client is not noticed
			<-r.Context().Done()
		},
		"error": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 500) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
		"no json":      answer("<html>"),
		"illegal move": answer(`{"move":"9,9,top","source":"book"}`),
		"wrong list":   answer(`{"move":"0,0,top","source":"book","moves":[{"move":"x"}]}`),
		"wrong line":   answer(`{"move":"0,0,top","source":"book","line":["0,0,top","0,0,top"]}`),
		"wrong proof":  answer(`{"move":"0,0,top","source":"book","proof":"certain"}`),
		"no source":    answer(`{"move":"0,0,top"}`),
		"long source":  answer(`{"move":"0,0,top","source":"book","moves":[{"move":"0,0,top","source":"` + strings.Repeat("x", maxSource+1) + `"}]}`),
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < 3*maxAnswerBytes; i += 1 << 16 {
				w.Write(bytes.Repeat([]byte(" "), 1<<16))
			}
		},
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "{")
		},
	} {
		srv := httptest.NewServer(h)
		c, err := New(srv.URL, circuitwars.Game{})
		testenv.OK(t, err)
		l := book.Lookup{Sources: []book.Source{c, local{}}}
		clock := engine.ClockFor(400 * time.Millisecond)
		d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: clock})
		want, pause := "local", firstPause
		if name == "sound" {
			want, pause = "book", 0
		}
		if err != nil || d.Source != want {
			t.Errorf("%s: %s, %v; want %s", name, d.Source, err, want)
		}
		// After a failure the client pauses.
		if c.pause != pause {
			t.Errorf("%s: the server is left alone for %v, want %v", name, c.pause, pause)
		}
		srv.CloseClientConnections()
		srv.Close()
	}
	// A server that cannot be reached.
	srv := httptest.NewServer(nil)
	srv.Close()
	c, err := New(srv.URL, circuitwars.Game{})
	testenv.OK(t, err)
	l := book.Lookup{Sources: []book.Source{c, local{}}}
	if d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(time.Second)}); err != nil || d.Source != "local" {
		t.Errorf("no server: %s, %v", d.Source, err)
	}
}

// The pauses after failures grow until the server answers again.
func TestClientPauses(t *testing.T) {
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		io.WriteString(w, `{"move":"0,0,top","source":"book"}`)
	}))
	defer srv.Close()
	c, err := New(srv.URL, circuitwars.Game{})
	testenv.OK(t, err)
	p, err := circuitwars.Game{}.Start("2x2")
	testenv.OK(t, err)
	ask := func(clock engine.Clock) *book.Question {
		return &book.Question{Position: p, Clock: clock, Known: book.NewKnown(p, nil, nil)}
	}
	for round := range 2 {
		for _, want := range []time.Duration{firstPause, 2 * firstPause, 4 * firstPause, 8 * firstPause, 16 * firstPause, 32 * firstPause, lastPause, lastPause} {
			if c.recordOutcome(false); c.pause != want {
				t.Errorf("left alone for %v, want %v", c.pause, want)
			}
		}
		if ok, err := c.Improve(t.Context(), ask(engine.Clock{})); ok || err != nil || asked != round {
			t.Errorf("within a pause: asked %d times, answered %v, %v", asked-round, ok, err)
		}
		c.until = time.Now()
		if ok, err := c.Improve(t.Context(), ask(engine.Clock{})); !ok || err != nil || asked != round+1 {
			t.Errorf("after a pause: asked %d times, answered %v, %v", asked-round, ok, err)
		}
	}
	// Too little time for a request.
	if ok, err := c.Improve(t.Context(), ask(engine.ClockFor(minTime/2))); ok || err != nil || asked != 2 {
		t.Errorf("with hardly any time: asked %d times, answered %v, %v", asked-2, ok, err)
	}
}

func TestClientAddresses(t *testing.T) {
	for _, bad := range []string{"", "localhost:80", "ftp://x", "http://", "http://x/?a=b", "http://x/#y", "://"} {
		if _, err := New(bad, circuitwars.Game{}); err == nil {
			t.Errorf("address %q: no error", bad)
		}
	}
}
