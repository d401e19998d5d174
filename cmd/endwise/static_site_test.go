package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"endwise/book"
	"endwise/book/booktest"
	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/testenv"
)

// staticSite writes the site once for all tests that need it.
var staticSite = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	site := filepath.Join(dir, "site")
	var errs strings.Builder
	if code := run(context.Background(), []string{"site", site, "--store", filepath.Join(dir, "store")}, nil, &errs, &errs); code != exitOK {
		return nil, fmt.Errorf("site ends with exit code %d: %s", code, &errs)
	}
	files := map[string][]byte{}
	return files, filepath.WalkDir(site, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(site, path)
		if err == nil {
			files[filepath.ToSlash(name)], err = os.ReadFile(path)
		}
		return err
	})
})

// offlineSite opens the static site under a path of a plain server, waits until the browser
// has loaded all of it, stops the server and turns the network off.
func offlineSite(t *testing.T) (page browserPage, address string) {
	t.Helper()
	page = newPage(t)
	files, err := staticSite()
	testenv.OK(t, err)
	dir := t.TempDir()
	testenv.OK(t, writeSite(filepath.Join(dir, "some", "path"), files))
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	address = server.URL + "/some/path/"
	begin := time.Now()
	page.do(chromedp.EmulateViewport(1200, 950), chromedp.Navigate(address+"play.html?game=dotsandboxes"))
	page.waitFor(`document.querySelectorAll(".choice[role=button]").length > 0`)
	t.Logf("the first board after %v", time.Since(begin).Round(10*time.Millisecond))
	page.promise(`navigator.serviceWorker.ready.then(() => true)`)
	server.Close()
	if _, err := chromedp.Call(page.ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: true}); err != nil {
		t.Fatal(err)
	}
	return page, address
}

// A first visit loads at most 0.3 MB before the first board and 4 MB in all, the files for
// use without a network included.
func TestFirstVisitIsSmall(t *testing.T) {
	page := newPage(t)
	files, err := staticSite()
	testenv.OK(t, err)
	dir := t.TempDir()
	testenv.OK(t, writeSite(filepath.Join(dir, "site"), files))
	type visit struct {
		sync.Mutex
		bytes, early int // in all, and before the answer that has the first board
		loads        map[string]int
	}
	v := visit{loads: map[string]int{}}
	serve := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/views.json") {
			time.Sleep(300 * time.Millisecond) // for other requests that do not wait for the board
		}
		counted := httptest.NewRecorder()
		serve.ServeHTTP(counted, r)
		v.Lock()
		defer v.Unlock()
		v.bytes += counted.Body.Len()
		v.loads[r.URL.Path]++
		if strings.HasSuffix(r.URL.Path, "/views.json") && v.early == 0 {
			v.early = v.bytes
		}
		for key, values := range counted.Header() {
			w.Header()[key] = values
		}
		w.WriteHeader(counted.Code)
		w.Write(counted.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	page.do(chromedp.Navigate(server.URL + "/site/play.html?game=dotsandboxes"))
	page.waitFor(`document.querySelectorAll(".choice[role=button]").length > 0`)
	page.promise(`navigator.serviceWorker.ready.then(() => true)`)
	v.Lock()
	defer v.Unlock()
	t.Logf("%d bytes before the first board, %d in all", v.early, v.bytes)
	if v.early == 0 || v.early > 300_000 || v.bytes > 4_000_000 {
		t.Errorf("%d bytes before the first board, %d in all: %v", v.early, v.bytes, v.loads)
	}
}

// The site omits tables without room, and compresses all files of the store.
func TestTablesOfTheSite(t *testing.T) {
	for _, room := range []int{0, 300_000, 10_000_000} {
		parts, omitted, err := siteTables(t.Context(), games(), t.TempDir(), room)
		testenv.OK(t, err)
		size := 0
		for _, files := range parts {
			for name, data := range files {
				size += len(data)
				if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
					t.Errorf("%s is not compressed", name)
				}
			}
		}
		if size > max(room, 250_000) || (room < size) != (len(omitted) > 0) {
			t.Errorf("room for %d bytes: %d bytes, without %v", room, size, omitted)
		}
	}
}

// Opened as a file, a page says what to do.
func TestPageOpenedAsAFile(t *testing.T) {
	page := newPage(t)
	files, err := staticSite()
	testenv.OK(t, err)
	dir := filepath.Join(t.TempDir(), "site")
	testenv.OK(t, writeSite(dir, files))
	for _, name := range []string{"index.html", "play.html"} {
		page.do(chromedp.Navigate("file://" + filepath.ToSlash(dir) + "/" + name))
		page.waitFor(`!!document.getElementById("early")?.checkVisibility({visibilityProperty: true})`)
		if got := page.text("early"); !strings.Contains(got, "python3 -m http.server") {
			t.Errorf("%s says %q", name, got)
		}
	}
}

// promise returns the result of a promise as JSON.
func (p browserPage) promise(expression string) []byte {
	p.t.Helper()
	eval[bool](p, `(delete window.kept, (async () => { try { window.kept = JSON.stringify(await (`+expression+`)) } catch (e) { window.kept = "error: " + e.message } })(), true)`)
	p.waitFor(`window.kept !== undefined`)
	said := eval[string](p, `window.kept`)
	if strings.HasPrefix(said, "error: ") {
		p.t.Fatalf("%s: %s", expression, said)
	}
	return []byte(said)
}

// Without server and network a whole game of each kind is played on the static site, after
// a reload, and perfect play on a small board gets the value of the board.
func TestStaticSiteOffline(t *testing.T) {
	page, address := offlineSite(t)
	for _, c := range []struct {
		game, position string
		boxes          int
	}{{"dotsandboxes", "3x3", 9}, {"circuitwars", "3x3", 9}} {
		page.do(chromedp.Navigate(address + "play.html?game=" + c.game + "&position=" + c.position))
		page.waitFor(`document.querySelectorAll(".choice[role=button]").length > 0`)
		page.set("player2", "engine")
		page.untilOver(page.clickFirst)
		if s := eval[int](page, `+document.getElementById("score1").textContent + +document.getElementById("score2").textContent`); s != c.boxes {
			t.Errorf("%s: the scores add up to %d", c.game, s)
		}
	}
	// Every page opens, and every game's positions can be evaluated.
	for _, name := range []string{"", "explore.html", "analyse.html", "practise.html?game=circuitwars"} {
		page.do(chromedp.Navigate(address + name))
		page.noTrouble()
	}
	for _, unknown := range []string{"play.html?game=chess", "no/such/page"} {
		page.do(chromedp.Navigate(address + unknown))
		page.waitFor(`document.querySelector("h1")?.textContent === "There is no such page" && getComputedStyle(document.body).margin === "0px"`)
	}
	page.press("a.button.strong")
	page.waitFor(`document.body?.dataset.page === "index"`)
	page.do(chromedp.Navigate(address + "practise.html?game=circuitwars&lesson=2"))
	page.press(`.choice[role=button]:not([data-move="0,1,left"])`)
	page.until("why", "a better move")
	page.press(`[data-move="0,1,left"]`)
	page.until("why", "From now on each player takes the largest area")
	page.until("status", "Player 1 played")
	const record = `"game: circuitwars\nstart: 2x2\n\n0,0,top\n1,1,bottom\n1,0,top\n0,1,bottom\n0,0,left\n1,1,right\n0,1,left\n1,0,right\n"`
	var said string
	for range 5 { // a busy machine may not solve a position in its time
		said = string(page.promise(`import(new URL("web/ask.js", location)).then(m => m.analysis(` + record + `, "a game"))`))
		if strings.Contains(said, `"first_solved":1,`) {
			break
		}
	}
	if !strings.Contains(said, `"first_solved":1,`) || !strings.Contains(said, `"plot":"<svg`) {
		t.Errorf("the analysis is %.300s", said)
	}
	if said := string(page.promise(`import(new URL("web/ask.js", location)).then(m => m.send("dotsandboxes/exercise", {board: "2x2", from: "made", seed: 3}))`)); !strings.Contains(said, `"answer":"`) {
		t.Errorf("the exercise is %s", said)
	}
	for _, c := range []struct{ game, position string }{{"watchyourback", ""}, {"dotsandboxes", "2x2"}} {
		d := page.decision(c.game, c.position, "1s", "best")
		if d.Move == "" {
			t.Errorf("%s: no move", c.game)
		}
	}
}

// decision requests a decision from the page's program.
func (p browserPage) decision(game, position, limit, how string) (d engine.Decision) {
	p.t.Helper()
	text := p.promise(fmt.Sprintf(`import(new URL("web/ask.js", location)).then(async m => m.ask(%q ? {game: %q, position: %q} : await m.view(%q, {board: ""}), %q, %q))`, position, game, position, game, limit, how))
	if err := json.Unmarshal(text, &d); err != nil {
		p.t.Fatal(err)
	}
	return d
}

// The program in the browser finds the same values of small boards as the command, from the
// first move on, and for Circuit Wars with the same node counts. With ENDWISE_DEEP=1 it
// plays whole games in the page's usual time and gets the value.
func TestStaticSiteIsPerfectOnSmallBoards(t *testing.T) {
	page, _ := offlineSite(t)
	lookups := map[string]*book.Lookup{}
	for game, open := range map[string]func(book.Options) (*book.Lookup, error){"dotsandboxes": dabbook.Open, "circuitwars": cwbook.Open} {
		l, err := open(book.Options{Threads: 1, HashBytes: 32 << 20, Store: t.TempDir(), Starter: data.Books()})
		testenv.OK(t, err)
		lookups[game] = l
	}
	for _, c := range []struct{ game, board string }{
		{"circuitwars", "3x4"}, {"dotsandboxes", "2x2"}, {"dotsandboxes", "3x3"}, {"dotsandboxes", "4x4"},
		{"circuitwars", "2x2"}, {"circuitwars", "3x3"}, {"circuitwars", "3x4 0,0,top 3,2,bottom 1,1,left 2,0,right"},
	} {
		g, err := games().Named(c.game)
		testenv.OK(t, err)
		p, err := g.Parse(c.board)
		testenv.OK(t, err)
		d := page.decision(c.game, p.String(), "60s", "best")
		want, err := lookups[c.game].Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(time.Minute)})
		testenv.OK(t, err)
		t.Logf("%s %s: %d, %s; %.0f ms, the command %.0f ms; %d nodes", c.game, c.board, d.Score, d.Proof, d.ElapsedMS, want.ElapsedMS, d.Nodes)
		if d.Proof != engine.Exact || d.Score != want.Score || c.game == "circuitwars" && d.Nodes != want.Nodes {
			t.Errorf("%s %s: %d %s by %d nodes, the command %d %s by %d", c.game, c.board, d.Score, d.Proof, d.Nodes, want.Score, want.Proof, want.Nodes)
		}
	}
	if !testenv.Deep() {
		return
	}
	for _, c := range []struct {
		game, board string
		value       int // for the first player
	}{{"circuitwars", "3x4", 2}, {"dotsandboxes", "4x4", 0}} {
		g, err := games().Named(c.game)
		testenv.OK(t, err)
		empty, err := g.Parse(c.board)
		testenv.OK(t, err)
		slowest := 0.0
		anyMove := func(engine.Position, engine.Move) bool { return true }
		booktest.NeverBelow(t, 1, empty, c.value, anyMove, func(engine.Side) func(engine.Position) string {
			return func(p engine.Position) string {
				d := page.decision(c.game, p.String(), "1s", "engine")
				slowest = max(slowest, d.ElapsedMS)
				return d.Move
			}
		})
		t.Logf("%s %s: at most %.0f ms a move", c.game, c.board, slowest)
	}
}

// Every question that is aborted ends its own worker, and no other, also if that has
// failed meanwhile.
func TestAbortedQuestionsEndTheirWorkers(t *testing.T) {
	page, _ := openSite(t, "/")
	ended := page.promise(`(async () => {
  const made = [], ended = [], fetched = window.fetch;
  window.Worker = class { constructor() { made.push(this); } postMessage() {} terminate() { ended.push(made.indexOf(this)); } };
  WebAssembly.compileStreaming = async () => ({});
  window.fetch = async (what, ...how) => what === "web/program.bin" ? new Response(new Blob([]).stream().pipeThrough(new CompressionStream("gzip"))) : fetched(what, ...how);
  navigator.serviceWorker.register = async () => {};
  const {send} = await import(new URL("web/local.js", location));
  const [first, second] = [0, 1].map(() => {
    const control = new AbortController();
    send("lookup", {}, "", {signal: control.signal}).catch(() => {});
    return control;
  });
  first.abort();
  made[0].onerror({preventDefault() {}});
  second.abort();
  return ended;
})()`)
	if string(ended) != "[0,1]" {
		t.Errorf("the workers %s have ended, want each of the two once", ended)
	}
}

// The WebAssembly program contains no database, no message queue and no network.
func TestProgramOfTheSiteIsSmall(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "endwise/cmd/endwise/web/program")
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := list.Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	deps := strings.Fields(string(out))
	for _, no := range []string{"github.com/dgraph-io/badger/v4", "github.com/nats-io/nats.go", "net", "net/http", "html", "html/template", "text/template", "regexp"} {
		if slices.Contains(deps, no) {
			t.Errorf("the browser's program imports %s", no)
		}
	}
	files, err := staticSite()
	testenv.OK(t, err)
	t.Logf("the program takes %d bytes compressed", len(files["web/program.bin"]))
	if n := len(files["web/program.bin"]); n > 2_150_000 {
		t.Errorf("the program takes %d bytes", n)
	}
}

// The first board of every game is drawn before the program is loaded.
func TestFirstBoardsOfTheStaticSite(t *testing.T) {
	files, err := staticSite()
	testenv.OK(t, err)
	var views map[string]struct{ Position string }
	testenv.OK(t, json.Unmarshal(files["views.json"], &views))
	for _, g := range games() {
		if views[g.Name()+" "+g.Web.Boards[0]].Position == "" || views[g.Name()+" "+g.Web.Example].Position == "" {
			t.Errorf("%s: the first position is not drawn before the program is there", g.Name())
		}
	}
}

// A directory with other files stays as it is; a site is replaced completely.
func TestSiteRefusesOtherDirectories(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "thesis.txt")
	testenv.OK(t, os.WriteFile(other, nil, 0o644))
	if err := writeSite(dir, map[string][]byte{"web/program.bin": nil}); err == nil || !strings.Contains(err.Error(), "has other contents") {
		t.Errorf("a directory with a file in it: %v", err)
	}
	site := filepath.Join(dir, "site")
	for _, name := range []string{"first.html", "second.html"} {
		testenv.OK(t, writeSite(site, map[string][]byte{"web/program.bin": nil, name: nil}))
	}
	names, err := os.ReadDir(site)
	if err != nil || len(names) != 2 || names[0].Name() != "second.html" {
		t.Errorf("%v, %v", names, err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 2 {
		t.Errorf("left beside the site: %v", names)
	}
}
