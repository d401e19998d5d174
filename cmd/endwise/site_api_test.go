package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"endwise/book/analysis"
	"endwise/engine"
	"endwise/engine/testenv"
)

// Programs and the site's own pages are served; requests that a browser sends for another
// site, or to an unknown name of this machine, are refused.
func TestSiteAnswersItselfAndProgramsOnly(t *testing.T) {
	site := startSite(t)
	port := site[strings.LastIndex(site, ":"):]
	lookup := site + "/v1/circuitwars/lookup?position=2x2"
	for _, c := range []struct {
		name, method, address string
		headers               []string
		status                int
	}{
		{"a program", "GET", lookup, nil, 200},
		{"a program that posts", "POST", site + "/v1/circuitwars/lookup", nil, 200},
		{"the page", "GET", lookup, []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"the page that posts", "POST", site + "/v1/circuitwars/lookup", []string{"Sec-Fetch-Site", "same-origin", "Origin", site}, 200},
		{"a link from elsewhere", "GET", site + "/explore", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 200},
		{"another site's script", "GET", lookup, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		{"another site's form", "POST", site + "/v1/analysis", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 403},
		{"an old browser's form", "POST", site + "/v1/circuitwars/lookup", []string{"Origin", "http://evil.example"}, 403},
		{"a rebound name", "GET", lookup, []string{"Host", "evil.example" + port}, 403},
		{"a program's HEAD", "HEAD", lookup, nil, 200},
		{"a page's HEAD", "HEAD", site + "/v1/circuitwars/view?position=2x2", nil, 200},
		{"this machine's name", "GET", lookup, []string{"Host", "localhost" + port}, 200},
	} {
		status, body := testenv.Call(t, c.method, c.address, "2x2", c.headers...)
		if status != c.status {
			t.Errorf("%s: status %d, want %d: %s", c.name, status, c.status, body)
		}
	}
}

func TestHealthAndMetrics(t *testing.T) {
	site := startSite(t)
	if status, body := testenv.Call(t, "GET", site+"/healthz", ""); status != 200 || body != "{\"status\":\"ok\"}\n" {
		t.Errorf("health: %d %s", status, body)
	}
	requests := func() float64 {
		_, body := testenv.Call(t, "GET", site+"/debug/vars", "")
		if strings.Contains(body, os.Args[0]) {
			t.Errorf("the metrics show the command line: %s", body)
		}
		var v struct {
			Lookup map[string]float64 `json:"endwise.lookup"`
		}
		testenv.OK(t, json.Unmarshal([]byte(body), &v))
		return v.Lookup["requests"]
	}
	before := requests()
	testenv.Call(t, "GET", site+"/v1/circuitwars/lookup?position=2x2", "")
	if after := requests(); after != before+1 {
		t.Errorf("%v requests counted after one more than %v", after, before)
	}
}

// The rate of one client is limited.
func TestSiteLimitsClients(t *testing.T) {
	site := startSite(t, "--rate", "0.001")
	var codes []int
	for range 2 {
		status, _ := testenv.Call(t, "GET", site+"/v1/games", "")
		codes = append(codes, status)
	}
	if codes[0] != 200 || codes[1] != 429 {
		t.Errorf("statuses %v, want 200 429", codes)
	}
	if status, _ := testenv.Call(t, "GET", site+"/play", ""); status != 200 {
		t.Errorf("a page is limited: %d", status)
	}
}

// Thirty tabs behind one address open the page and play, and no request is refused.
func TestAClassBehindOneAddress(t *testing.T) {
	site := startSite(t)
	var tabs sync.WaitGroup
	for range 30 {
		tabs.Go(func() {
			call := func(path, position string) (answer struct{ Position, Move string }) {
				status, body := testenv.Call(t, "POST", site+"/v1/dotsandboxes/"+path, position)
				if err := json.Unmarshal([]byte(body), &answer); status != 200 || err != nil {
					t.Errorf("%s: status %d: %s", path, status, body)
				}
				return answer
			}
			if status, body := testenv.Call(t, "GET", site+"/v1/games", ""); status != 200 {
				t.Errorf("games: status %d: %s", status, body)
			}
			p := call("view", "3x3").Position
			for range 5 {
				p = call("view?moves="+url.QueryEscape(call("choose?player=level2&time=300ms", p).Move), p).Position
			}
		})
	}
	tabs.Wait()
}

// Invalid input of the pages' own requests is answered with one sentence and a matching
// status.
func TestPageRequestsSayWhatIsWrong(t *testing.T) {
	site := startSite(t)
	long := strings.Repeat("x", analysis.MaxRecordBytes+1)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "circuitwars/view?position=zzz", "", 400, "board size"},
		{"GET", "circuitwars/view?board=0x0", "", 400, "board 0x0"},
		{"GET", "circuitwars/view?position=2x2&moves=0,0,up", "", 400, "no side"},
		{"GET", "circuitwars/view?position=2x2&moves=0,0,top%3B0,0,top", "", 400, "drawn already"},
		{"PUT", "circuitwars/view", "2x2", 405, "method"},
		{"POST", "circuitwars/view", long, 413, "longer"},
		{"GET", "circuitwars/choose?player=engine", "", 400, "position"},
		{"GET", "circuitwars/choose?position=2x2&player=level9", "", 400, "level1 to level4"},
		{"GET", "circuitwars/choose?position=2x2&player=me", "", 400, "engine"},
		{"GET", "circuitwars/choose?position=2x2&time=x&player=engine", "", 400, "time=x"},
		{"GET", "circuitwars/choose?position=1x1:f:1-0:1&player=engine", "", 400, "game is over"},
		{"GET", "circuitwars/exercise?seed=-1", "", 400, "seed"},
		{"GET", "circuitwars/exercise?seed=1&difficulty=x", "", 400, "easy, medium, hard"},
		{"GET", "circuitwars/exercise?seed=1&from=class", "", 400, "--exercises"},
		{"GET", "circuitwars/exercise?seed=1&board=x", "", 400, "board size"},
		{"GET", "watchyourback/view?position=x:moving:1", "", 400, "rows"},
		{"GET", "dotsandboxes/view?position=3x3+h0,0+h0,0", "", 400, "drawn already"},
		{"GET", "chess/view?board=1x1", "", 404, "unknown game"},
		{"GET", "nothing", "", 404, "no such path"},
		{"POST", "analysis", "no game", 400, "not a game record"},
		{"POST", "analysis", long, 413, "longer"},
	} {
		status, body := testenv.Call(t, c.method, site+"/v1/"+c.path, c.body)
		var e struct{ Error string }
		if err := json.Unmarshal([]byte(body), &e); err != nil || status != c.status || !strings.Contains(e.Error, c.want) || strings.Contains(e.Error, "\n") {
			t.Errorf("%s %s: %d %s, want %d and %q", c.method, c.path, status, body, c.status, c.want)
		}
	}
}

// A page for a game that the site does not have is not found; the page that says so shows the address. An
// address with a slash at its end leads to the page.
func TestPagesOfUnknownGames(t *testing.T) {
	site := startSite(t)
	if _, body := testenv.Call(t, "GET", site+"/nothing/<b>?x=1&y=<i>", ""); !strings.Contains(body, ">/nothing/%3Cb%3E?x=1&amp;y=&lt;i&gt;</code>") {
		t.Errorf("the address asked for is not shown: %s", body)
	}
	resp, err := http.Get(site + "/play/?game=dotsandboxes")
	testenv.OK(t, err)
	resp.Body.Close()
	if got := resp.Request.URL.RequestURI(); resp.StatusCode != 200 || got != "/play?game=dotsandboxes" {
		t.Errorf("/play/ leads to %s, status %d", got, resp.StatusCode)
	}
	for path, want := range map[string]int{"/play?game=zzz": 404, "/explore?game=chess&position=x": 404, "/play?game=circuitwars": 200, "/play": 200, "/nothing": 404} {
		if got, body := testenv.Call(t, "GET", site+path, ""); got != want || want == 404 && !strings.Contains(body, "no such page") {
			t.Errorf("%s: status %d, want %d", path, got, want)
		}
	}
}

// An analysis streams the moves, then its progress, and ends with the values.
func TestAnalysisIsStreamed(t *testing.T) {
	site := startSite(t)
	const game = "game: circuitwars\nstart: 2x2\n\n0,0,top\n1,1,bottom\n1,0,top\n0,1,bottom\n0,0,left\n1,1,right\n0,1,left\n1,0,right\n"
	_, body := testenv.Call(t, "POST", site+"/v1/analysis?name=<b>x</b>", game)
	sc := bufio.NewScanner(strings.NewReader(body))
	sc.Buffer(nil, 1<<20)
	steps, outlined := 0, false
	for sc.Scan() {
		var l struct {
			Done, Total int
			Analysis    *analysis.Analysis
			Plot        string
		}
		testenv.OK(t, json.Unmarshal(sc.Bytes(), &l))
		if l.Analysis == nil {
			steps++
			if l.Done != steps || l.Total != 9 {
				t.Errorf("step %d is %d of %d", steps, l.Done, l.Total)
			}
			continue
		}
		if !outlined {
			outlined = true
			if len(l.Analysis.Moves) != 8 || l.Analysis.Score[0]+l.Analysis.Score[1] != 4 || len(l.Analysis.Margins) > 0 || steps > 0 {
				t.Errorf("the first line has the analysis %+v", l.Analysis)
			}
			continue
		}
		if len(l.Analysis.Moves) != 8 || l.Analysis.FirstSolved != 1 {
			t.Errorf("%d moves, solved from %d on", len(l.Analysis.Moves), l.Analysis.FirstSolved)
		}
		if strings.Contains(l.Plot, "<b>") || !strings.HasPrefix(l.Plot, "<svg") {
			t.Errorf("the markup is not escaped or has no drawing: %.200s", l.Plot)
		}
	}
	if steps != 9 {
		t.Errorf("%d steps of 9", steps)
	}
}

// Every game generates exercises on request: positions in which the answer is the only move
// that keeps the value, with the requested difficulty.
func TestMadeExercisesOfEveryGame(t *testing.T) {
	site := startSite(t)
	for _, g := range games() {
		plain := slices.DeleteFunc(slices.Clone(g.Web.Boards), func(b string) bool { return strings.Contains(b, " ") })
		board := plain[len(plain)-1]
		status, body := testenv.Call(t, "GET", site+"/v1/"+g.Name()+"/exercise?seed=1&difficulty=hard&board="+board, "")
		var e analysis.Exercise
		if err := json.Unmarshal([]byte(body), &e); err != nil || status != 200 || e.Answer == "" || e.Difficulty != "hard" {
			t.Errorf("%s: status %d: %s", g.Name(), status, body)
			continue
		}
		_, body = testenv.Call(t, "POST", site+"/v1/"+g.Name()+"/lookup?moves=all&time=10s", e.Position)
		var d engine.Decision
		testenv.OK(t, json.Unmarshal([]byte(body), &d))
		holding := 0
		for _, m := range d.Moves {
			if m.Proof == engine.Exact && m.Score == d.Score {
				holding++
			}
		}
		if d.Move != e.Answer || d.Proof != engine.Exact || holding != 1 {
			t.Errorf("%s: %s: best %s, answer %s, %d moves hold, %s", g.Name(), e.Position, d.Move, e.Answer, holding, d.Proof)
		}
	}
}

// The practise page begins with the positions of the class in their order, of all teams or of
// one, and works without a file of them.
func TestPractiseOfTheClass(t *testing.T) {
	file := filepath.Join(t.TempDir(), "class.jsonl")
	const lines = `{"game":"dotsandboxes","position":"1x2 h0,0 h1,0 v0,0","answer":"v0,1","from":"lesson 1","by":"Bert","class":"Class 3b","difficulty":"easy"}
{"game":"dotsandboxes","position":"1x2 h0,1 h1,1 v0,2","answer":"v0,1","from":"lesson 1","by":"Ada"}
`
	testenv.OK(t, os.WriteFile(file, []byte(lines), 0o644))
	page, _ := openSite(t, "/practise", "--exercises", file)
	page.until("title", "Class 3b, position 1 of 2 · easy")
	page.press("#next")
	page.until("title", "Class, position 2 of 2")
	if from := eval[string](page, `document.querySelector("#from :checked").parentElement.textContent`); from != "Class" || page.count(".board .drawn") != 3 {
		t.Errorf("positions %q, %d lines drawn", from, page.count(".board .drawn"))
	}
	page.set("team", "Ada")
	page.until("title", "Class, position 1 of 1")
	if at := page.text("explore"); page.count("#team option") != 3 || !eval[bool](page, `document.getElementById("explore").href.includes("v001")`) {
		t.Errorf("of the team Ada another position is shown: %s", at)
	}
	page.press("#tiles [value=circuitwars]")
	page.waitFor(`!document.getElementById("title").textContent.startsWith("Class") && document.querySelectorAll(".choice").length > 0`)
	if !eval[bool](page, `document.querySelector("#from [value=class]").parentElement.hidden`) {
		t.Error("a game without positions of the class offers them")
	}
}

// The analysis of an example of the page Analyse is stored: it is the same again, arrives without any
// progress, and belongs to the example.
func TestExamplesAreStored(t *testing.T) {
	site := startSite(t)
	for _, file := range []string{"circuitwars", "dotsandboxes", "watchyourback"} {
		_, record := testenv.Call(t, "GET", site+"/web/"+file+".game", "")
		_, body := testenv.Call(t, "POST", site+"/v1/analysis?name=example", record)
		lines := strings.Split(strings.TrimSpace(body), "\n")
		var l struct{ Analysis analysis.Analysis }
		testenv.OK(t, json.Unmarshal([]byte(lines[len(lines)-1]), &l))
		if a := l.Analysis; len(lines) != 2 || a.FirstSolved == 0 || a.Name != "example" || a.Players[0].Name != "Ada" || a.Players[0].Mistakes == 0 {
			t.Errorf("%s: %d lines, the last with %.300s", file, len(lines), lines[len(lines)-1])
		}
	}
}
