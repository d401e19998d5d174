package cwhttp

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// tied is a whole game on 1x2.
const tied = "0,0,top 1,0,top 0,0,left 1,0,right 0,0,bottom 0,0,right 1,0,bottom"

// get calls a handler without a socket.
func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	return request(t, h, http.MethodGet, path)
}

func request(t *testing.T, h http.Handler, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:5000/", nil)
	u, err := r.URL.Parse(path)
	testenv.OK(t, err)
	r.URL = u
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func status(t *testing.T, h http.Handler) circuitwars.Status {
	t.Helper()
	st, err := circuitwars.ParseStatus(get(t, h, "/status").Body.Bytes())
	testenv.OK(t, err)
	return st
}

func newServer(t *testing.T, cfg ServerConfig) *Server {
	t.Helper()
	s, err := NewServer(cfg)
	testenv.OK(t, err)
	t.Cleanup(s.Close)
	return s
}

// started returns a server on which the teams a and b are registered.
func started(t *testing.T, cfg ServerConfig) *Server {
	t.Helper()
	s := newServer(t, cfg)
	get(t, s, "/reg/a")
	get(t, s, "/reg/b")
	return s
}

var (
	timeLeftKey = regexp.MustCompile(`"time_left": (\d+)`)
	requestHead = regexp.MustCompile(`^(\d+) REQUEST t=([0-9.]+s)`)
)

// The requests of a recorded session with the championship's server get the same answers at
// the same times, byte for byte except for a few milliseconds of the clock, which continues
// to run after the end.
func TestRecordedSession(t *testing.T) {
	data := testenv.ReadFile(t, enginetest.Recorded(t, "transcripts", "circuitwars-server.txt"))
	requests, answers, times := map[string]string{}, map[string]string{}, map[string]time.Duration{}
	order := []string{}
	for block := range strings.SplitSeq("\n"+string(data), "\n#") {
		head, body, _ := strings.Cut(block, "\n")
		number, _, _ := strings.Cut(head, " ")
		text := strings.ReplaceAll(strings.ReplaceAll(body, ">>> ", ""), "<<< ", "")
		if strings.Contains(head, "REQUEST") {
			requests[number] = strings.Fields(text)[1]
			order = append(order, number)
			at, err := time.ParseDuration(requestHead.FindStringSubmatch(head)[2])
			testenv.OK(t, err)
			times[number] = at
		} else if strings.Contains(head, "RESPONSE") {
			answers[number] = text
		}
	}
	if len(order) < 70 {
		t.Fatalf("read %d requests from the recorded session", len(order))
	}
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, ServerConfig{Timeout: 3 * time.Second})
		start := time.Now()
		for _, n := range order {
			time.Sleep(time.Until(start.Add(times[n])))
			header, want, _ := strings.Cut(answers[n], "\n\n")
			w := get(t, s, requests[n])
			if code := strings.Fields(header)[1]; code != fmt.Sprint(w.Code) {
				t.Fatalf("request %s %s: HTTP status %d, the real server's %s", n, requests[n], w.Code, code)
			}
			for _, key := range []string{"Content-Type", "Location", "Connection"} {
				recorded := ""
				for line := range strings.SplitSeq(header, "\n") {
					if v, ok := strings.CutPrefix(line, key+": "); ok {
						recorded = v
					}
				}
				if got := w.Header().Get(key); got != recorded {
					t.Fatalf("request %s %s: %s %q, the real server's %q", n, requests[n], key, got, recorded)
				}
			}
			if length := w.Body.Len(); requests[n] != "/status" && !strings.Contains(header, fmt.Sprintf("Content-Length: %d\n", length)) {
				t.Fatalf("request %s %s: %d bytes, the real server sent\n%s", n, requests[n], length, header)
			}
			if requests[n] == "/status" {
				if got, recorded := clockOf(t, w.Body.String()), clockOf(t, want); max(got-recorded, recorded-got) > 10 {
					t.Errorf("request %s at %v: %d ms left, %d there", n, times[n], got, recorded)
				}
			}
			got := timeLeftKey.ReplaceAllString(strings.TrimSpace(w.Body.String()), "")
			want = timeLeftKey.ReplaceAllString(strings.TrimSpace(want), "")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("request %s %s:\n%s", n, requests[n], diff)
			}
		}
		if st := status(t, s); st.Code != circuitwars.IllegalBy1 {
			t.Fatalf("the session ends with status %d, want %d", st.Code, circuitwars.IllegalBy1)
		}
	})
}

// clockOf returns the time_left of a status.
func clockOf(t *testing.T, status string) int {
	t.Helper()
	m := timeLeftKey.FindStringSubmatch(status)
	if m == nil {
		t.Fatalf("no time_left in %s", status)
	}
	n, err := strconv.Atoi(m[1])
	testenv.OK(t, err)
	return n
}

func TestRegistration(t *testing.T) {
	s := newServer(t, ServerConfig{})
	long := strings.Repeat("x", MaxTeam)
	for _, step := range []struct {
		path, want string
		code       circuitwars.Code
	}{
		{"/reg/", "404 page not found\n", 100},
		{"/reg/" + long + "x", `{"response": "ERROR", "error_code": 1}`, 100},
		{"/reg/a%2Fb", `{"response": "ERROR", "error_code": 1}`, 100},
		{"/reg/a%20b", `{"response": "ERROR", "error_code": 1}`, 100},
		{"/reg/%C3%A4", `{"response": "ERROR", "error_code": 1}`, 100},
		{"/reg/" + long, `{"response": "OK", "player": 1}`, 101},
		{"/reg/" + long, `{"response": "ERROR", "error_code": 2}`, 101},
		{"/reg/b_-9", `{"response": "OK", "player": 2}`, 201},
		{"/reg/c", `{"response": "ERROR", "error_code": 3}`, 201},
		{"/move/b_-9/0,0,top", redirectBody, 402},
		{"/reg/c", `{"response": "ERROR", "error_code": 3}`, 402},
		{"/restart", redirectBody, 100},
		{"/reg/c", `{"response": "OK", "player": 1}`, 101},
	} {
		if got := get(t, s, step.path).Body.String(); got != step.want {
			t.Errorf("%s: %s, want %s", step.path, got, step.want)
		}
		if got := status(t, s).Code; got != step.code {
			t.Errorf("after %s: status %d, want %d", step.path, got, step.code)
		}
	}
}

// Moves that lose immediately, spellings that are as good as a plain move, and requests
// without effect.
func TestMoves(t *testing.T) {
	for _, c := range []struct {
		name, path string
		code       circuitwars.Code
		last       string
		text       string // of the answer, if it is not a redirect
	}{
		{"plain", "/move/a/1,2,right", 202, "1,2,right", ""},
		{"encoded", "/move/a/%31%2C2,right", 202, "1,2,right", ""},
		{"other name kept as sent", "/move/a/2,2,left", 202, "2,2,left", ""},
		{"outside", "/move/a/7,0,top", 401, "", ""},
		{"negative", "/move/a/-1,0,top", 401, "", ""},
		{"plus", "/move/a/+1,0,top", 401, "", ""},
		{"leading zero", "/move/a/01,0,top", 401, "", ""},
		{"space", "/move/a/1,%200,top", 401, "", ""},
		{"upper case", "/move/a/1,0,Top", 401, "", ""},
		{"two numbers", "/move/a/1,0", 401, "", ""},
		{"other digits", "/move/a/%D9%A1,0,top", 401, "", ""},
		{"line feed", "/move/a/1,0,top%0A----", 401, "", ""},
		{"empty", "/move/a/", 401, "", ""},
		{"long", "/move/a/" + strings.Repeat("9", 5000), 401, "", ""},
		{"out of turn", "/move/b/0,0,top", 402, "", ""},
		{"unknown team", "/move/zz/0,0,top", 201, "", "Unknown team id"},
		{"no move", "/move/a", 201, "", "404 page not found\n"},
		{"too much", "/move/a/0,0,top/1", 201, "", "404 page not found\n"},
	} {
		s := started(t, ServerConfig{})
		w := get(t, s, c.path)
		st := get(t, s, "/status").Body.String()
		want := fmt.Sprintf(`{"status_code": %d, `, c.code)
		if !strings.HasPrefix(st, want) || !strings.HasSuffix(st, fmt.Sprintf(`"last_move": "%s"}`, c.last)) {
			t.Errorf("%s: %s, want %s… last move %q", c.name, st, want, c.last)
		}
		if c.text == "" {
			c.text = redirectBody
		}
		if w.Body.String() != c.text {
			t.Errorf("%s: answer %q", c.name, w.Body)
		}
	}
}

func TestMovesOutsideAGameChangeNothing(t *testing.T) {
	s := newServer(t, ServerConfig{Board: "1x1"})
	get(t, s, "/reg/a")
	if w := get(t, s, "/move/a/0,0,top"); w.Code != http.StatusFound {
		t.Errorf("before the start: HTTP status %d", w.Code)
	}
	if st := status(t, s); st.Code != circuitwars.WaitingForSecond || st.Position.Drawn().Len() != 0 {
		t.Errorf("a move before the start: status %d, %v", st.Code, st.Position)
	}
	get(t, s, "/reg/b")
	for i, side := range []string{"top", "right", "bottom", "left"} {
		get(t, s, "/move/"+[]string{"a", "b"}[i%2]+"/0,0,"+side)
	}
	end := get(t, s, "/status").Body.String()
	if want := `{"status_code": 302, "status": "The game has finished, Player 2 won", "score_1": 0, "score_2": 1, "board_size": 1, "board": [[47]], "time_left": 0, "last_move": "0,0,left"}`; end != want {
		t.Errorf("the end: %s, want %s", end, want)
	}
	get(t, s, "/move/a/0,0,top")
	get(t, s, "/move/b/5,5,top")
	if got := get(t, s, "/status").Body.String(); got != end {
		t.Errorf("a move after the end: %s", got)
	}
}

// A comma and a space separate the cells and rows of the board, as on the championship's
// server.
func TestStatusHasTheServersSpaces(t *testing.T) {
	s := started(t, ServerConfig{Board: "2x2"})
	if got := get(t, s, "/status").Body.String(); !strings.Contains(got, `"board_size": 2, "board": [[0, 0], [0, 0]], `) {
		t.Error(got)
	}
}

func TestMethods(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page ", r.URL.Path) })
	s := started(t, ServerConfig{Page: page})
	for _, method := range []string{"HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"} {
		for _, path := range []string{"/move/a/0,0,top", "/reg/c", "/restart", "/status", "/", "/web/x.js"} {
			w := request(t, s, method, path)
			looking := path == "/status" || path == "/" || path == "/web/x.js"
			if want := map[bool]int{true: 200, false: 405}[method == "HEAD" && looking]; w.Code != want {
				t.Errorf("%s %s: HTTP status %d, want %d", method, path, w.Code, want)
			}
			if w.Code == 405 && !strings.HasPrefix(w.Header().Get("Allow"), "GET") {
				t.Errorf("%s %s: Allow %q", method, path, w.Header().Get("Allow"))
			}
		}
	}
	for _, path := range []string{"/move/a/0,0,top", "/reg/c", "/restart"} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:5000"+path, nil)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden {
			t.Errorf("%s for another site: HTTP status %d", path, w.Code)
		}
	}
	if st := status(t, s); st.Code != circuitwars.TurnOf1 || st.Position.Drawn().Len() != 0 {
		t.Errorf("afterwards: status %d, %v", st.Code, st.Position)
	}
	if got := get(t, s, "/").Body.String(); got != "page /" {
		t.Errorf("GET /: %q", got)
	}
	if w := get(t, newServer(t, ServerConfig{}), "/"); w.Code != 404 {
		t.Errorf("GET / without a page: HTTP status %d", w.Code)
	}
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var games []circuitwars.Log
		s := started(t, ServerConfig{Timeout: 3 * time.Second, Ended: func(g circuitwars.Log) { games = append(games, g) }})
		expect := func(when string, code circuitwars.Code, left float64, drawn int) {
			t.Helper()
			if st := status(t, s); st.Code != code || st.TimeLeft != left || st.Position.Drawn().Len() != drawn {
				t.Fatalf("%s: status %d, %v ms left, %d drawn; want %d, %v, %d", when, st.Code, st.TimeLeft, st.Position.Drawn().Len(), code, left, drawn)
			}
		}
		time.Sleep(time.Hour)
		expect("before the first move", 201, 0, 0)
		get(t, s, "/move/a/0,0,top")
		expect("after it", 202, 3000, 1)
		time.Sleep(2999*time.Millisecond + 500*time.Microsecond)
		expect("just in time", 202, 1, 1)
		get(t, s, "/move/b/0,0,left")
		expect("after the answer", 201, 3000, 2)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if len(games) != 1 {
			t.Fatalf("%d games have ended, want 1: the time is up without any request", len(games))
		}
		expect("time is up", 501, 0, 2)
		get(t, s, "/move/a/1,1,top")
		expect("after a late move", 501, 0, 2)
		time.Sleep(time.Hour)
		expect("an hour later", 501, 0, 2)
		want := circuitwars.Log{Teams: [2]string{"a", "b"}, Code: 501, Score: [2]int{0, 49},
			Moves: []circuitwars.LogMove{{Team: "a", Text: "0,0,top", Line: 1}, {Team: "b", Text: "0,0,left", Line: 2}}}
		if diff := cmp.Diff([]circuitwars.Log{want}, games); diff != "" {
			t.Error(diff)
		}

		// A finished game's clock does not affect the next game, and a result does not
		// change.
		get(t, s, "/restart")
		get(t, s, "/reg/a")
		get(t, s, "/reg/b")
		get(t, s, "/move/a/0,0,top")
		time.Sleep(2 * time.Second)
		get(t, s, "/restart")
		time.Sleep(time.Hour)
		expect("restarted", 100, 0, 0)
		get(t, s, "/reg/a")
		get(t, s, "/reg/b")
		get(t, s, "/move/a/0,0,top")
		get(t, s, "/move/a/0,1,top")
		time.Sleep(time.Second)
		expect("a second after an illegal move", 401, 2000, 1)
		time.Sleep(time.Hour)
		expect("an hour after it", 401, 0, 1)

		s = started(t, ServerConfig{Board: "1x1", Timeout: 3 * time.Second})
		for i, side := range []string{"top", "right", "bottom", "left"} {
			get(t, s, "/move/"+[]string{"a", "b"}[i%2]+"/0,0,"+side)
			time.Sleep(time.Second)
		}
		expect("a second after the last move", 302, 2000, 4)
		time.Sleep(time.Hour)
		expect("an hour after the last move", 302, 0, 4)
	})
}

func TestNoClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := started(t, ServerConfig{})
		get(t, s, "/move/a/0,0,top")
		time.Sleep(24 * time.Hour)
		if st := status(t, s); st.Code != 202 || st.TimeLeft != 0 {
			t.Errorf("status %d, %v ms left", st.Code, st.TimeLeft)
		}
	})
}

// A tie has no winner, and an abandoned game is not passed to Ended.
func TestTieAndGameGivenUp(t *testing.T) {
	var games []circuitwars.Log
	s := started(t, ServerConfig{Board: "1x2", Ended: func(g circuitwars.Log) { games = append(games, g) }})
	for i, m := range strings.Fields(tied) {
		get(t, s, "/move/"+[]string{"a", "b"}[i%2]+"/"+m)
	}
	if len(games) != 1 || games[0].Code != 302 || games[0].Score != [2]int{1, 1} {
		t.Errorf("a tie on 1x2: %+v", games)
	}
	if got := get(t, s, "/status").Body.String(); !strings.Contains(got, `302, "status": "The game has finished in a tie", "score_1": 1, "score_2": 1`) {
		t.Errorf("a tie is shown as %s", got)
	}
	s.Restart()
	get(t, s, "/reg/a")
	get(t, s, "/reg/b")
	s.Close()
	get(t, s, "/move/a/9,9,top")
	if len(games) > 1 {
		t.Errorf("a game abandoned has ended: %+v", games[1:])
	}
}

// serve runs the server on a socket until the test ends.
func serve(t *testing.T, s *Server) (addr string, stop func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.OK(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	stopped := false
	stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-done
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String(), stop
}

// More silent connections than the server keeps do not lock out a player.
func TestSilentConnections(t *testing.T) {
	t.Parallel()
	s := newServer(t, ServerConfig{})
	addr, stop := serve(t, s)
	for range maxConnections + 20 {
		c, err := net.Dial("tcp", addr)
		testenv.OK(t, err)
		defer c.Close()
		fmt.Fprint(c, "GET /sta")
	}
	if _, answer := testenv.Call(t, "GET", "http://"+addr+"/reg/a", ""); answer != `{"response": "OK", "player": 1}` {
		t.Errorf("register: %s", answer)
	}
	// Half-open requests do not delay the end either.
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// closer is a connection that records that it was closed.
type closer struct {
	net.Conn
	closed bool
}

func (c *closer) Close() error { c.closed = true; return nil }

func TestConnectionLimit(t *testing.T) {
	l := newConnectionLimit(3)
	var c [7]*closer
	open := func(i int) { c[i] = &closer{}; l.observe(c[i], http.StateNew) }
	expect := func(when string, closed ...int) {
		t.Helper()
		for i := range c {
			want := slices.Contains(closed, i)
			if c[i] != nil && c[i].closed != want {
				t.Errorf("%s: connection %d is closed: %v", when, i, !want)
			}
		}
	}
	open(0)
	l.observe(c[0], http.StateActive)
	open(1)
	open(2)
	expect("full")
	open(3)
	expect("one too many", 1) // not 0, which has sent its request
	l.observe(c[1], http.StateClosed)
	l.observe(c[0], http.StateClosed)
	open(4)
	expect("room again", 1)
	open(5)
	expect("full again", 1, 2)
	for _, i := range []int{3, 4, 5} {
		l.observe(c[i], http.StateActive)
	}
	open(6)
	expect("all others at work", 1, 2, 6)
	for i := range c {
		l.observe(c[i], http.StateClosed)
	}
	if len(l.open) != 0 || len(l.silent) != 0 {
		t.Errorf("%d and %d connections are never dropped", len(l.open), len(l.silent))
	}
}

func TestBrokenRequests(t *testing.T) {
	s := started(t, ServerConfig{})
	addr, _ := serve(t, s)
	for _, raw := range []string{
		"\r\n\r\n",
		"GET\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"GET /move/a/0,0,top HTTP/9.9\r\n\r\n",
		"GET /" + strings.Repeat("x", 4*maxRequestBytes) + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /status HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("y", 4*maxRequestBytes) + "\r\n\r\n",
		"GET /move/a/%zz HTTP/1.1\r\nHost: x\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	} {
		c, err := net.Dial("tcp", addr)
		testenv.OK(t, err)
		fmt.Fprint(c, raw)
		c.(*net.TCPConn).CloseWrite()
		var buf [512]byte
		n, _ := c.Read(buf[:])
		if strings.Contains(string(buf[:n]), " 200 OK") || strings.Contains(string(buf[:n]), " 302 ") {
			t.Errorf("%.40q is answered %.60q", raw, buf[:n])
		}
		c.Close()
	}
	if st := status(t, s); st.Code != circuitwars.TurnOf1 || st.Position.Drawn().Len() != 0 {
		t.Errorf("afterwards: status %d, %v", st.Code, st.Position)
	}
}

func TestBadServerConfig(t *testing.T) {
	for _, cfg := range []ServerConfig{{Board: "0x3"}, {Board: "9x9"}, {Board: "x"}, {Timeout: -1}} {
		if _, err := NewServer(cfg); err == nil {
			t.Errorf("%+v is taken", cfg)
		}
	}
}

func TestWriteGame(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "game.log")
	testenv.OK(t, os.WriteFile(path, []byte("mine"), 0o644))
	var written []circuitwars.Log
	s := newServer(t, ServerConfig{Ended: func(g circuitwars.Log) {
		written = append(written, g)
		if _, err := WriteGame(path, g); err != nil {
			t.Error(err)
		}
	}})
	for _, bad := range []string{"9,9,top", "1,0,top\n----\nstatus: 301", "a b/c%"} {
		s.Restart()
		get(t, s, "/reg/a")
		get(t, s, "/reg/b")
		get(t, s, "/move/a/0,0,top")
		get(t, s, "/move/b/"+strings.NewReplacer("\n", "%0A", " ", "%20", "/", "%2F", "%", "%25").Replace(bad))
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	testenv.OK(t, err)
	want := []string{"game-2.log", "game-3.log", "game-4.log", "game.log"}
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Fatal(diff)
	}
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); len(hidden) > 0 {
		t.Errorf("left over: %v", hidden)
	}
	for i, name := range want[:3] {
		file, err := os.Open(filepath.Join(dir, name))
		testenv.OK(t, err)
		g, err := circuitwars.ReadLog(file)
		file.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(written[i], g); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if v, err := circuitwars.Judge(g, 7, 7); err != nil || !v.Agrees(g) || v.Code != 402 {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if _, err := WriteGame(filepath.Join(dir, "none", "x.log"), written[0]); err == nil {
		t.Error("a missing directory is no error")
	}
}

// After any requests in any order the server continues, and the log of a finished game
// agrees with the rules.
func FuzzServer(f *testing.F) {
	f.Add("/reg/a /reg/b /move/a/0,0,top /move/b/0,0,top")
	f.Add("/reg/a /reg/b /move/a/0,0,top /move/b/0,0,left /move/a/0,0,right /move/b/0,0,bottom /status")
	f.Add("/reg/a /reg/b /move/b/%0A----%0A /restart /reg/x%2Fy /")
	f.Add("/move/a/1 /reg/a /move/a/%2531 /web/ //move/a/0,0,top")
	f.Fuzz(func(t *testing.T, paths string) {
		var ended []circuitwars.Log
		s := newServer(t, ServerConfig{Board: "1x2", Ended: func(g circuitwars.Log) { ended = append(ended, g) }})
		for path := range strings.FieldsSeq(paths) {
			u, err := url.Parse("http://127.0.0.1:5000" + path)
			if err != nil {
				return
			}
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:5000/", nil)
			r.URL = u
			s.ServeHTTP(httptest.NewRecorder(), r)
			status(t, s)
		}
		for _, g := range ended {
			var file strings.Builder
			testenv.OK(t, circuitwars.WriteLog(&file, g))
			back, err := circuitwars.ReadLog(strings.NewReader(file.String()))
			if err != nil {
				t.Fatalf("%v in\n%s", err, &file)
			}
			if v, err := circuitwars.Judge(back, 1, 2); err != nil || !v.Agrees(back) {
				t.Fatalf("%+v, %v in\n%s", v, err, &file)
			}
		}
	})
}
