package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

// browserPage is a tab of a headless browser.
type browserPage struct {
	t   *testing.T
	ctx context.Context
}

// browser is shared by the tests of all pages. The first test that needs it starts it, and
// another one after a referee, which kills all its child processes at its end. It ends
// before the tests' environment does.
var browser struct {
	sync.Mutex
	ctx   context.Context // nil if the machine has no browser
	close func()
}

// sharedBrowser returns the browser of all tests, nil if the machine has none.
func sharedBrowser(t *testing.T) context.Context {
	t.Helper()
	browser.Lock()
	defer browser.Unlock()
	if browser.ctx == nil || browser.ctx.Err() != nil {
		startBrowser(t)
	}
	return browser.ctx
}

// startBrowser starts a browser with its own home directory.
func startBrowser(t *testing.T) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		return
	}
	home, err := os.MkdirTemp("", "browser")
	testenv.OK(t, err)
	allocator, end := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(path),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.UserDataDir(home), chromedp.Env("HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home),
		chromedp.Flag("disable-background-networking", true))
	ctx, endBrowser := chromedp.NewContext(allocator)
	browser.close = func() {
		endBrowser()
		end()
	}
	if err := chromedp.Do(ctx); err != nil {
		browser.close()
		t.Fatal(err)
	}
	browser.ctx = ctx
}

// newPage opens a tab with its own cookies and storage, or skips the test if the machine
// has no browser. Errors of the page and complaints of the browser fail the test until it
// ends with its servers.
func newPage(t *testing.T) browserPage {
	t.Helper()
	shared := sharedBrowser(t)
	if shared == nil {
		t.Skip("no browser: install chromium to test the pages")
	}
	ctx, cancel := chromedp.NewContext(shared, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	err := chromedp.Listen(ctx, func(ev any) {
		if t.Context().Err() != nil {
			return
		}
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page throws: %+v", ev.ExceptionDetails)
		case *log.EventEntryAdded:
			// The page handles input that the server refuses, a missing agent or page, and being
			// opened as a file.
			refused := ev.Entry.Source == log.EntrySourceNetwork && (strings.Contains(ev.Entry.URL, "/v1/") || strings.HasSuffix(ev.Entry.URL, "/no/such/page") || strings.HasSuffix(ev.Entry.URL, "/unknown")) ||
				strings.HasPrefix(ev.Entry.Text, "WebSocket connection to ") && strings.HasSuffix(ev.Entry.Text, "ERR_CONNECTION_REFUSED")
			asFile := strings.Contains(ev.Entry.URL+ev.Entry.Text, "file:///")
			if ev.Entry.Level == "error" && !refused && !asFile {
				t.Errorf("the browser complains: %s %s", ev.Entry.Text, ev.Entry.URL)
			}
		}
	})
	testenv.OK(t, err)
	return browserPage{t: t, ctx: ctx}
}

// patience limits the time that a test waits for a page that does not change, and in all: a
// page with a clock changes indefinitely.
type patience struct{ unchanged, all time.Duration }

var patient = patience{30 * time.Second, 3 * time.Minute}

// waiting watches a page for changes.
type waiting struct {
	patience
	said         string
	begun, since time.Time
}

func newWaiting(limits patience) *waiting {
	return &waiting{patience: limits, begun: time.Now(), since: time.Now()}
}

// lost returns why a page that shows this text need not be waited for any longer, or "".
func (w *waiting) lost(text string) string {
	if text != w.said {
		w.said, w.since = text, time.Now()
	}
	switch {
	case time.Since(w.since) > w.unchanged:
		return fmt.Sprintf("nothing new for %v", w.unchanged)
	case time.Since(w.begun) > w.all:
		return fmt.Sprintf("not within %v", w.all)
	}
	return ""
}

// wait waits until an expression is true of the page. It fails at the first state that
// cannot change any more and reports what the page shows: the game has ended meanwhile, the
// page reports an error, or the test's patience ends. The page's policy forbids
// the polling of chromedp, which makes a function of a string.
func (p browserPage) wait(what, expression string) {
	p.t.Helper()
	if why := p.never(expression, patient); why != "" {
		p.t.Fatalf("%s: never, for %s; the page says:\n%s", what, why, reads[string](p, shownText))
	}
}

const shownText = `document.body?.innerText ?? ""`

// never waits until an expression is true of the page, and returns "", or why it will not be.
func (p browserPage) never(expression string, limits patience) string {
	p.t.Helper()
	w, playing := newWaiting(limits), false
	for !reads[bool](p, expression) {
		why := w.lost(reads[string](p, shownText))
		switch {
		case p.troubled() != "":
			why = "something went wrong"
		case playing && p.over() && !reads[bool](p, expression):
			why = "the game is over"
		case p.t.Failed():
			why = "the test has failed"
		}
		if why != "" {
			return why
		}
		playing = playing || !p.over()
		time.Sleep(20 * time.Millisecond)
	}
	return ""
}

// A test gives up on a page that does not change, and on one whose clock ticks.
func TestWaitingForAPageEnds(t *testing.T) {
	page, _ := openSite(t, "/explore?game=circuitwars&position=2x2")
	page.until("proof", "Proved")
	short := patience{300 * time.Millisecond, time.Second}
	if got := page.never("false", short); got != "nothing new for 300ms" {
		t.Errorf("without a clock the wait ends for %q", got)
	}
	eval[any](page, `setInterval(() => { document.getElementById("step").textContent = performance.now(); }, 10), null`)
	if got := page.never("false", short); got != "not within 1s" {
		t.Errorf("with a clock the wait ends for %q", got)
	}
}

// over reports whether the page's game has ended.
func (p browserPage) over() bool {
	return reads[string](p, `document.body?.dataset.phase ?? ""`) == "over"
}

// troubled returns the error that the page shows, "" for none.
func (p browserPage) troubled() string {
	return reads[string](p, `document.querySelector("#trouble:not([hidden])")?.textContent ?? ""`)
}

// noTrouble fails the test if the page shows an error.
func (p browserPage) noTrouble() {
	p.t.Helper()
	if text := p.troubled(); text != "" {
		p.t.Fatalf("the page says: %s", text)
	}
}

// until waits for a text in an element.
func (p browserPage) until(id, text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("%s says %q", id, text), fmt.Sprintf(`(document.getElementById(%q)?.textContent ?? "").includes(%q)`, id, text))
}

// waitFor waits until an expression is true.
func (p browserPage) waitFor(expression string) {
	p.t.Helper()
	p.wait(expression, expression)
}

// untilOver waits for the end of the page's game and calls play, if not nil, until then.
func (p browserPage) untilOver(play func()) {
	p.t.Helper()
	if play == nil {
		p.waitFor(`document.body.dataset.phase === "over"`)
		return
	}
	for w := newWaiting(patient); !p.over(); time.Sleep(5 * time.Millisecond) {
		p.noTrouble()
		if why := w.lost(reads[string](p, shownText)); why != "" || p.t.Failed() {
			p.t.Fatalf("the game does not end, %s; the page says:\n%s", why, w.said)
		}
		play()
	}
}

func (p browserPage) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// eval evaluates an expression in a page.
func eval[T any](p browserPage, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// reads evaluates an expression without side effects, and repeats it if the page is being
// replaced.
func reads[T any](p browserPage, expression string) T {
	p.t.Helper()
	for {
		v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
		switch {
		case err == nil:
			return v
		case !strings.Contains(err.Error(), "navigated"):
			p.t.Fatalf("%s: %v", expression, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (p browserPage) text(id string) string {
	p.t.Helper()
	return reads[string](p, `document.getElementById("`+id+`")?.textContent ?? ""`)
}

func (p browserPage) count(selector string) int {
	p.t.Helper()
	return reads[int](p, `document.querySelectorAll("`+selector+`").length`)
}

// middle returns the centre of an element.
func (p browserPage) middle(selector string) (x, y float64) {
	p.t.Helper()
	at := eval[[]float64](p, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`, selector))
	return at[0], at[1]
}

// mouse sends a mouse event.
func (p browserPage) mouse(event input.DispatchMouseEventParams) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, event)
	testenv.OK(p.t, err)
}

// scheme sets the preference for light or dark pages, and other media features.
func (p browserPage) scheme(value string, more ...*emulation.MediaFeature) {
	p.t.Helper()
	features := append(more, &emulation.MediaFeature{Name: "prefers-color-scheme", Value: value})
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	testenv.OK(p.t, err)
}

// fitsScreen checks that a page is not wider than the screen.
func (p browserPage) fitsScreen(what string) {
	p.t.Helper()
	if eval[bool](p, `document.documentElement.scrollWidth > innerWidth`) {
		p.t.Errorf("%s: the page is wider than the screen", what)
	}
}

// clickFirst chooses the first available move, if any.
func (p browserPage) clickFirst() {
	p.t.Helper()
	eval[any](p, `document.querySelector(".choice[role=button]")?.dispatchEvent(new MouseEvent("click", {bubbles: true})), null`)
}

// shot saves a screenshot in the directory $ENDWISE_SCREENSHOTS, if set.
func (p browserPage) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("ENDWISE_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// The live page follows a game: segments, the last move, owners, scores, side to move,
// teams and their moves, the end; in light and dark mode, on a narrow screen and on a
// projector.
func TestCircuitWarsPage(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	url, _ := startServer(t, "--board", "2x3", "--time", "1h")
	play := func(moves ...string) {
		t.Helper()
		for i, m := range moves {
			testenv.Call(t, "GET", url+"/move/"+[]string{"a", "b"}[i%2]+"/"+m, "")
		}
	}

	page.do(chromedp.EmulateViewport(1000, 900), chromedp.Navigate(url+"/"))
	page.until("status", "waiting for both players")
	if n := page.count(".board line"); n != 17 {
		t.Errorf("%d segments on a 2x3 board, want 17", n)
	}
	testenv.Call(t, "GET", url+"/reg/a", "")
	page.until("status", "waiting for the second player")
	testenv.Call(t, "GET", url+"/reg/b", "")
	page.until("status", "It's a's turn")
	if page.count("#side1.moves") != 1 || page.count(".player.moves") != 1 {
		t.Error("player 1 is not marked as the one to move")
	}

	// Player 2 captures two squares with one move; the border between them is not drawn.
	play("0,0,top", "0,0,left", "0,1,left", "0,1,bottom", "0,0,right")
	page.until("last", "0,0,right")
	if got := page.text("clock2"); !strings.HasPrefix(got, "35") && got != "3600.0 s" {
		t.Errorf("player 2's clock shows %q", got)
	}
	testenv.Call(t, "GET", url+"/move/b/1,1,left", "")
	page.until("score2", "2")
	page.until("last", "Last move 1,1,left")
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 6`)
	if got := page.text("name1") + " " + page.text("head2"); got != "a b" || page.count("#scores .score1, #scores .score2") != 2 {
		t.Errorf("the teams are %q, and the scores are drawn in %d lines", got, page.count("#scores .score1, #scores .score2"))
	}
	page.click("#projector") // a script cannot fill the screen
	if !eval[bool](page, `document.body.classList.contains("projector") && getComputedStyle(document.querySelector(".panel")).visibility === "hidden"`) {
		t.Error("the projector's view shows more than the board and the score")
	}
	eval[any](page, `document.body.classList.remove("projector"), null`)
	got := map[string]int{}
	want := map[string]int{"open": 10, "drawn": 5, "last": 1, "gone": 1, "owned1": 0, "owned2": 2, "sign1": 0, "sign2": 2}
	for s := range want {
		got[s] = page.count(".board ." + s)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("on the board: %s", diff)
	}
	if at := eval[string](page, `["x1", "y1", "x2", "y2"].map(a => document.querySelector(".board .last").getAttribute(a)).join(" ")`); at != "160 155 160 255" {
		t.Errorf("the last move is drawn at %s", at)
	}
	if s := page.text("score1") + "-" + page.text("score2"); s != "0-2" {
		t.Errorf("score %s", s)
	}
	page.shot("light")

	// The last move captures all remaining squares: player 2 fences them in and player 1
	// closes the area.
	play("1,0,top", "2,0,top", "1,1,bottom", "2,1,bottom", "1,0,right", "2,0,right", "2,1,right")
	page.until("status", "The game has finished, a won")
	if s := page.text("score1") + "-" + page.text("score2"); s != "4-2" || page.count(".board .sign1") != 4 || page.count(".board .sign2") != 2 {
		t.Errorf("at the end: %s, %d circles, %d squares", s, page.count(".board .sign1"), page.count(".board .sign2"))
	}
	if phase := eval[string](page, `document.body.dataset.phase`); phase != "over" || page.count(".player.moves") != 0 {
		t.Errorf("at the end: phase %q, %d marked as to move", phase, page.count(".moves"))
	}
	if title := eval[string](page, `document.title`); title != "4-2 Circuit Wars" {
		t.Errorf("at the end the title is %q", title)
	}
	page.scheme("dark")
	if background := eval[string](page, `getComputedStyle(document.body).backgroundColor`); background != "rgb(23, 22, 20)" {
		t.Errorf("the dark page's background is %s", background)
	}
	page.shot("dark")
	page.do(chromedp.EmulateViewport(360, 640, chromedp.EmulateMobile))
	page.fitsScreen("on a phone")
	page.shot("phone")
	testenv.Call(t, "GET", url+"/restart", "")
	page.until("status", "waiting for both players")
	// A forfeit gives the winner all squares.
	testenv.Call(t, "GET", url+"/reg/a", "")
	testenv.Call(t, "GET", url+"/reg/b", "")
	testenv.Call(t, "GET", url+"/move/b/0,0,top", "")
	page.until("status", "illegal move by b")
	if s := page.text("score1") + "-" + page.text("score2"); s != "6-0" {
		t.Errorf("score %s after a forfeit", s)
	}
	testenv.Call(t, "GET", url+"/restart", "")
	page.until("status", "waiting for both players")
	page.until("last", "No move yet")
	if n := page.count(".board .open"); n != 17 {
		t.Errorf("%d free segments after the restart", n)
	}
}

// The live pages draw the same pictures as the rules.
func TestPicturesOfLivePages(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	url, _ := startServer(t)
	page.do(chromedp.Navigate(url + "/"))
	eval[bool](page, `(import("/web/segments.js").then(m => { window.segments = m }), true)`)
	page.waitFor(`window.segments !== undefined`)
	before, err := dotsandboxes.Game{}.Parse("1x2 h0,0 h1,0 v0,0 v0,1 h0,1 v0,2")
	testenv.OK(t, err)
	last, err := before.ParseMove("h1,1")
	testenv.OK(t, err)
	p, err := before.Play(last)
	testenv.OK(t, err)
	owners, want := p.(dotsandboxes.Position), p.Picture(before, last)
	var got engine.Picture
	text := eval[string](page, fmt.Sprintf(`JSON.stringify(segments.segmentPicture({
		horizontal: [["drawn", "drawn"], ["drawn", "last"]], vertical: [["drawn", "drawn", "drawn"]], owner: [[%d, %d]],
		name: (o, r, c) => o + r + "," + c}))`, owners.Owner(0), owners.Owner(1)))
	testenv.OK(t, json.Unmarshal([]byte(text), &got))
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
}

// The page loads everything from its own server and has no inline scripts or styles.
func TestPagePolicy(t *testing.T) {
	url, _ := startServer(t)
	for _, path := range []string{"/", "/web/board.js", "/web/circuitwars.js", "/web/style.css", "/web/board.css"} {
		resp, err := http.Get(url + path)
		testenv.OK(t, err)
		resp.Body.Close()
		if csp := resp.Header.Get("Content-Security-Policy"); resp.StatusCode != 200 || !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; ") {
			t.Errorf("%s: HTTP status %d, policy %q", path, resp.StatusCode, csp)
		}
	}
	for _, path := range []string{"/web/", "/web/web.go", "/web/../web.go", "/web/%2e%2e/games.go", "/web/none.js", "/favicon.ico"} {
		if status, _ := testenv.Call(t, "GET", url+path, ""); status != 404 {
			t.Errorf("%s: HTTP status %d, want 404", path, status)
		}
	}
}
