package remote

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// answers reads the lines of an answer.
func answers(t *testing.T, body string) (out []Answer) {
	t.Helper()
	for line := range strings.Lines(body) {
		var a Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		out = append(out, a)
	}
	return out
}

// Many positions are answered in their order as each is alone, what is wrong in
// its place, whatever the body is written as.
func TestManyPositionsInOneRequest(t *testing.T) {
	srv := startServer(t)
	const address, first, second = "/v1/circuitwars/lookup?moves=all&time=2s", "2x3:a0000:0-0:1", "1x1:f:1-0:1"
	want := scores(decide(t, first, true))
	for name, c := range map[string]struct{ kind, body string }{
		"array":        {"", fmt.Sprintf(" \n[%q, \"zzz\", %q, {}]", first, second)},
		"JSON strings": {"application/x-ndjson", fmt.Sprintf("%q\n\"zzz\"\n%q\n{}\n", first, second)},
		"lines":        {"application/x-ndjson; charset=utf-8", first + "\nzzz\n" + second + "\r\n{}"},
	} {
		status, body := testenv.Call(t, "POST", srv.URL+address, c.body, "Content-Type", c.kind)
		got := answers(t, body)
		if status != 200 || len(got) != 4 {
			t.Fatalf("%s: status %d: %s", name, status, body)
		}
		for i, a := range got {
			if wrong := i == 1 || i == 3; a.N != i+1 || wrong != (a.Error != "") || wrong == (a.Decision != nil) {
				t.Errorf("%s: answer %d: %+v", name, i+1, a)
			}
		}
		if d := scores(*got[0].Decision); fmt.Sprint(d) != fmt.Sprint(want) || got[2].Source != "rules" {
			t.Errorf("%s: %v, want %v", name, d, want)
		}
	}
	for _, c := range []struct {
		query, body string
		status      int
		want        string
	}{
		{"", "[]", 400, "no positions"},
		{"", "[\"2x2\"", 400, "want a JSON array of positions"},
		{"", strings.Repeat("[", 100_000), 400, "want a JSON array of positions"},
		{"", "[" + strings.Repeat("1,", maxBatch) + "1]", 400, "1001 positions: at most 1000"},
		{"", "[\"" + strings.Repeat("x", maxBatchBytes) + "\"]", 413, "longer than"},
		{"?time=1h", "[\"2x2\"]", 400, "time=1h"},
	} {
		status, body := testenv.Call(t, "POST", srv.URL+"/v1/circuitwars/lookup"+c.query, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%.20s: status %d, %s", c.body, status, body)
		}
	}
	if _, body := testenv.Call(t, "POST", srv.URL+address, "[\""+strings.Repeat("x", maxPositionBytes+1)+"\"]"); !strings.Contains(answers(t, body)[0].Error, "longer than") {
		t.Errorf("a long position: %.200s", body)
	}
}

// An answer goes out when it is known, so many requests are answered at once and
// no more, single ones have their turn between, and one whose client leaves ends.
func TestManyPositionsAreStreamedInTurn(t *testing.T) {
	release := make(chan struct{})
	s := NewServer(nil, Served{Game: circuitwars.Game{}, Open: func() (*book.Lookup, error) {
		return &book.Lookup{Sources: []book.Source{stuck{release}}}, nil
	}})
	srv := httptest.NewServer(s.Handler())
	defer srv.Close()
	const address = "/v1/circuitwars/lookup?time=10s"
	var open []*http.Response
	for range maxBatches {
		resp, err := http.Post(srv.URL+address, "", strings.NewReader("[\"zzz\",\"2x2\",\"2x2\"]"))
		testenv.OK(t, err)
		defer resp.Body.Close()
		open = append(open, resp)
		if line, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || !strings.Contains(line, `"n":1,"error"`) {
			t.Fatalf("the first answer waits for the others: %s %v", line, err)
		}
	}
	if status, body := testenv.Call(t, "POST", srv.URL+address, "[\"2x2\"]"); status != 503 {
		t.Errorf("one too many: status %d, %s", status, body)
	}
	for _, resp := range open[1:] {
		resp.Body.Close()
	}
	for deadline := time.Now().Add(5 * time.Second); len(s.batches) > 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("requests whose clients have gone go on")
		}
	}
	single := make(chan int)
	go func() {
		status, _ := testenv.Call(t, "POST", srv.URL+address, "2x2")
		single <- status
	}()
	close(release)
	if status := <-single; status != 200 {
		t.Errorf("a single request between: status %d", status)
	}
	if rest, err := io.ReadAll(open[0].Body); err != nil || !strings.Contains(string(rest), `"n":3`) {
		t.Errorf("%s %v", rest, err)
	}
}
