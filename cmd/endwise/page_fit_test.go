package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"endwise/engine/testenv"
)

// windows are sizes of windows on a laptop, a tablet and a phone.
var windows = [][2]int64{{1280, 800}, {1024, 768}, {844, 390}, {390, 844}}

// boardPages returns the pages with a board, each with an expression that is true once the
// values of the position are shown, and a game short enough to be analysed immediately.
func boardPages(site, circuitWars, dotsAndBoxes string) [][3]string {
	known := `!!document.querySelector("#source")?.textContent && !document.querySelector(".worth.busy")`
	out := [][3]string{
		{circuitWars + "/", "", `document.querySelectorAll("#moves [data-ply]").length > 0`},
		{dotsAndBoxes + "/", "", `document.querySelector(".board") !== null`},
		{site + "/practise?game=circuitwars&board=3x3&seed=1", `document.getElementById("show").click()`, `document.getElementById("why").textContent !== ""`},
		{site + "/analyse", `document.getElementById("next").click()`, `document.getElementById("now").textContent.length > 0`},
	}
	for _, g := range []string{"circuitwars", "watchyourback", "dotsandboxes"} {
		out = append(out, [3]string{site + "/play?game=" + g, `document.getElementById("hint").click()`, `document.getElementById("hinttext").textContent.includes("Try ")`},
			[3]string{site + "/explore?game=" + g, "", known})
	}
	return out
}

// analysedPage is the condition that the page Analyse has the values of a game.
const analysedPage = `document.getElementById("desk")?.hidden === false && document.getElementById("stop").hidden`

// openBoard opens a page with a board.
func (p browserPage) openBoard(address string) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(windows[0][0], windows[0][1]), chromedp.Navigate(address))
	if strings.HasSuffix(address, "/analyse") {
		p.set("record", "game: dotsandboxes\nstart: 1x2\nplayer_1: anna-and-her-friends\nplayer_2: bert\nwinner: 2\nscore: 0-2\nend: played\n\nh0,0\nh0,1\nv0,0\nv0,2\nh1,0\nv0,1\nh1,1\n")
		p.click("#form button[type=submit]")
		p.waitFor(analysedPage)
	}
	p.waitFor(`document.querySelector("#place .board[viewBox]") !== null`)
}

// boardBoxes returns the place of the board in windows of all sizes, in pixels.
func (p browserPage) boardBoxes() (boxes [][4]int) {
	p.t.Helper()
	for _, size := range windows {
		p.do(chromedp.EmulateViewport(size[0], size[1]))
		b := eval[[]int](p, `(() => { scrollTo(0, 0); const r = document.querySelector("#place .board").getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom].map(Math.round) })()`)
		boxes = append(boxes, [4]int(b))
		if b[0] < 0 || b[1] < 0 || b[2] > int(size[0]) || b[3] > int(size[1]) || b[2]-b[0] < 180 {
			p.t.Errorf("in a window of %v the board lies at %v", size, b)
		}
		if size[0] < size[1] && 10*(b[2]-b[0]) < 9*int(size[0]) {
			p.t.Errorf("in a window of %v the board is %d pixels wide", size, b[2]-b[0])
		}
		p.fitsScreen(fmt.Sprintf("in a window of %v", size))
		if eval[bool](p, `document.querySelector(".chooser")?.offsetHeight > 50`) {
			p.t.Errorf("in a window of %v the choice of game and board takes more than a row", size)
		}
	}
	return boxes
}

// The board fits the window at all sizes without scrolling, and does not move or change its
// size while values arrive.
func TestBoardsFitTheWindow(t *testing.T) {
	t.Parallel()
	site := startSite(t, "--rate", "0")
	cw, _ := startServer(t, "--board", "3x3")
	for _, path := range []string{"/reg/a", "/reg/b", "/move/a/0,0,top"} {
		testenv.Call(t, "GET", cw+path, "")
	}
	dab, _ := serve(t, "dotsandboxes", "--hash", "16", "--threads", "1")
	for _, c := range boardPages(site, cw, dab) {
		t.Run(c[0][strings.LastIndex(c[0], "/"):], func(t *testing.T) {
			page := newPage(t)
			page.openBoard(c[0])
			before := page.boardBoxes()
			if c[1] != "" {
				eval[any](page, c[1])
			}
			page.waitFor(c[2])
			if after := page.boardBoxes(); !slices.Equal(before, after) {
				t.Errorf("the board was at %v, and is at %v once values are there", before, after)
			}
		})
	}
}

// panelFits checks that the panel next to the board is visible without scrolling.
func (p browserPage) panelFits(of string, size [2]int64) {
	p.t.Helper()
	if n := eval[int](p, `(() => { const p = document.querySelector(".panel"); return p.scrollHeight - p.clientHeight })()`); n > 0 {
		p.t.Errorf("%s: in a window of %v %d pixels of the panel are cut", of, size, n)
	}
}

// The panels of Play, with a hint, and of Analyse need no scrolling, and an opened fold is
// visible; below it the list of moves begins in the window.
func TestPanelsFit(t *testing.T) {
	t.Parallel()
	page, site := newPage(t), startSite(t, "--rate", "0")
	for _, size := range windows {
		page.openBoard(site + "/analyse")
		page.do(chromedp.EmulateViewport(size[0], size[1]))
		if size[0] > size[1] {
			page.panelFits("analyse", size)
			page.press("#worth summary")
			page.waitFor(`(r => r.height > 0 && r.bottom < innerHeight)(document.getElementById("verdict").getBoundingClientRect())`)
			page.press("#worth summary")
		} else {
			page.waitFor(analysedPage)
			page.press(".menus .menu:has(#accuracy) summary")
			page.waitFor(`document.querySelectorAll("#accuracy td").length > 0`)
			page.fitsScreen(fmt.Sprintf("analyse: accuracy in a window of %v", size))
			page.press(".menus .menu:has(#accuracy) summary")
		}
		if !eval[bool](page, `(() => { scrollTo(0, 0); const r = document.querySelector("tbody#moves tr").getBoundingClientRect(); return r.bottom < innerHeight })()`) {
			t.Errorf("analyse: in a window of %v the moves lie below its edge", size)
		}
	}
	for _, g := range []string{"circuitwars", "watchyourback", "dotsandboxes"} {
		for _, size := range windows {
			if size[0] < size[1] {
				continue
			}
			page.do(chromedp.EmulateViewport(size[0], size[1]), chromedp.Navigate(site+"/play?game="+g))
			page.until("status", "Your turn.")
			page.panelFits(g, size)
			page.set("time", "300ms")
			page.click("#hint")
			page.until("hinttext", "Try ")
			page.panelFits(g+" with a hint", size)
		}
	}
}

// The panels of Play and Practise are not cut at their right edge in narrow windows.
func TestPanelsAreNotCut(t *testing.T) {
	page, site := openSite(t, "/")
	for _, width := range []int64{1024, 900} {
		for _, path := range []string{"/play?game=dotsandboxes", "/practise?game=dotsandboxes"} {
			page.do(chromedp.EmulateViewport(width, 768), chromedp.Navigate(site+path))
			page.waitFor(`document.querySelectorAll(".choice[role=button]").length > 0`)
			if !eval[bool](page, `document.querySelectorAll("#tiles label").length === 3`) {
				t.Fatalf("%s: the games are not offered", path)
			}
			if n := eval[int](page, `(p => p.scrollWidth - p.clientWidth)(document.querySelector(".panel"))`); n > 0 {
				t.Errorf("%s, %d pixels wide: %d pixels of the panel are cut at the right", path, width, n)
			}
		}
	}
}

// axe is axe-core 4 by Deque Systems, under the Mozilla Public License 2.0
// (testdata/axe/LICENSE). It finds barriers in pages.
//
//go:embed testdata/axe/axe.min.js
var axe string

// No page has serious barriers, in light or dark mode.
func TestPagesAreOpenToEveryone(t *testing.T) {
	t.Parallel()
	site := startSite(t, "--rate", "0")
	cw, _ := startServer(t, "--board", "3x3")
	dab, _ := serve(t, "dotsandboxes", "--hash", "16", "--threads", "1")
	pages := [][3]string{{site + "/"}, {site + "/no/such/page"}, {site + "/analyse?empty"}, {site + "/practise?game=circuitwars&from=mine", "", "board"}}
	for _, c := range append(pages, boardPages(site, cw, dab)...) {
		t.Run(c[0][strings.LastIndex(c[0], "/"):], func(t *testing.T) {
			page := newPage(t)
			if c[2] != "" {
				page.openBoard(c[0])
			} else {
				page.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(c[0]))
			}
			page.isOpen()
		})
	}
}

// isOpen checks that the page has no serious barriers, in light or dark mode.
func (p browserPage) isOpen() {
	p.t.Helper()
	eval[any](p, axe+"\n;null")
	for scheme, rules := range map[string]string{"light": "", "dark": `, runOnly: ["color-contrast"]`} {
		p.scheme(scheme, &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
		eval[any](p, `(window.found = null, axe.run(document, {resultTypes: ["violations"]`+rules+`}).then(r => {
					window.found = r.violations.filter(v => ["serious", "critical"].includes(v.impact)).flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 150) + " " + (n.any[0]?.message ?? "")));
				}), null)`)
		p.waitFor(`window.found !== null`)
		for _, f := range eval[[]string](p, `window.found`) {
			p.t.Errorf("%s: %s", scheme, f)
		}
	}
}

// pressKey presses and releases keys.
func (p browserPage) pressKey(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.do(chromedp.KeyEvent(k))
	}
}

// With the keyboard the focus stays on the board, also while the machine thinks, and lines
// have accessible names.
func TestFocusStaysOnTheBoard(t *testing.T) {
	page, _ := openSite(t, "/play?game=dotsandboxes")
	page.until("status", "Your turn.")
	page.pressKey(kb.Tab, kb.Enter, kb.Tab) // the skip link leads to the board
	if got := eval[string](page, `document.activeElement.getAttribute("aria-label")`); got != "line right from the dot in row 0, column 0" {
		t.Errorf("the skip link and Tab lead to %q", got)
	}
	page.pressKey(kb.ArrowDown, kb.ArrowDown, kb.Enter)
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 2 && document.querySelector(".choice[role=button]") !== null`)
	if got := eval[string](page, `document.activeElement.getAttribute("aria-label") ?? ""`); !strings.HasPrefix(got, "line ") {
		t.Errorf("after a move and its answer the focus is on %q", got)
	}
}

// With the mouse no focus frame is drawn after the machine's move; with the keyboard it is.
func TestFocusFrame(t *testing.T) {
	page, _ := openSite(t, "/play?game=dotsandboxes")
	page.until("status", "Your turn.")
	framed := `[...document.querySelectorAll(".board, .board .glow, .board .hit")].filter(e => getComputedStyle(e).outlineStyle !== "none" || getComputedStyle(e).stroke === getComputedStyle(document.documentElement).getPropertyValue("--focus") || e.matches(".choice:focus-visible *") && getComputedStyle(e).stroke !== "rgba(0, 0, 0, 0)").length`
	page.press(`[data-move="h1,1"]`)
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 2 && document.querySelector(".choice[role=button]") !== null`)
	if n := eval[int](page, framed); n > 0 {
		t.Errorf("%d frames after a move with the mouse", n)
	}
	page.pressKey(kb.ArrowDown)
	if n := eval[int](page, framed); n == 0 {
		t.Error("no frame after a key")
	}
}

// A piece is dragged to its destination.
func TestPiecesAreDragged(t *testing.T) {
	page, _ := openSite(t, "/play?game=watchyourback&position=X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/-@------/X------X:moving:126")
	page.until("status", "Your turn.")
	x, y := page.middle(`[data-move="white piece on (2,1)"]`)
	side := eval[float64](page, `document.querySelector(".board .field").getBoundingClientRect().width`) * 1.06
	for _, e := range []struct {
		what input.DispatchMouseEventType
		x    float64
	}{{input.DispatchMouseEventTypeMousePressed, x}, {input.DispatchMouseEventTypeMouseMoved, x + side/2}, {input.DispatchMouseEventTypeMouseMoved, x + side}, {input.DispatchMouseEventTypeMouseReleased, x + side}} {
		page.mouse(input.DispatchMouseEventParams{Type: e.what, X: e.x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1})
	}
	page.waitFor(`document.querySelector("#moves [data-ply]")?.textContent === "(2,1)->(3,1)"`)
}

// A position is set up on the board without a search: what follows from the lines or pieces
// is derived, the owner of an area is changed by pressing it, and an impossible position is
// drawn and kept with the reason, but can't be the result.
func TestSetUpAPosition(t *testing.T) {
	page, site := openSite(t, "/explore?game=circuitwars&position=2x2")
	begin := func(address string) {
		t.Helper()
		page.do(chromedp.Navigate(site + address))
		page.until("source", ".")
		page.press("#editor summary")
		page.waitFor(`document.querySelector("#edit").checkVisibility() && document.body.classList.contains("editing")`)
	}
	press := func(moves ...string) {
		t.Helper()
		for _, move := range moves {
			before := eval[string](page, `document.getElementById("position").value`)
			page.press(`[data-move="` + move + `"]`)
			page.waitFor(fmt.Sprintf(`document.getElementById("position").value !== %q && document.getElementById("edit").ariaBusy === "false"`, before))
		}
	}
	position := func(want string) {
		t.Helper()
		page.waitFor(fmt.Sprintf(`document.getElementById("position").value === %q && !document.querySelector("#edit button").disabled`, want))
	}
	begin("/explore?game=circuitwars&position=2x2")
	press("0,0,top", "0,0,left", "0,0,right")
	position("2x2:830:0-0:2:....")
	press("0,0,bottom", "1,1,right") // an area of player 2 is closed
	position("2x2:a31:0-1:2:2...")
	press("captured square in column 0, row 0")
	position("2x2:a31:1-0:2:1...")
	press("0,0,bottom")
	position("2x2:831:0-0:1:....")
	page.until("edit", "Player 1 to move.") // follows from the lines
	undo := func(want string) {
		t.Helper()
		page.press("#edit button:nth-child(2)")
		position(want)
	}
	undo("2x2:a31:1-0:2:1...")
	undo("2x2:a31:0-1:2:2...")
	press("captured square in column 0, row 0", "0,0,bottom")
	position("2x2:831:0-0:1:....")
	page.press("#edit button")
	page.until("verdict", "Best is 0,0,bottom")

	begin("/explore?game=dotsandboxes&position=1x1")
	press("h0,0", "h1,0", "v0,0", "v0,1")
	position("1x1 h1/1 v11 1-0 1 o1")
	press("captured square in column 0, row 0")
	position("1x1 h1/1 v11 0-1 1 o2")

	// Another board begins empty.
	eval[any](page, `(s => { s.value = "2x5"; s.dispatchEvent(new Event("change")) })(document.querySelector("#edit select")), null`)
	page.waitFor(`document.querySelectorAll(".board .choice").length === 27`)
	press("h0,0")
	position("2x5 h10000/00000/00000 v000000/000000 0-0 1")

	begin("/explore?game=watchyourback&board=8x8")
	page.press(`[name="edit Phase"][value=moving]`)
	page.until("edit", "White and Black need at least two pieces each.")
	page.press(`[name="edit Phase"][value=placing]`)
	press("(3,3)")
	position("X------X/--------/--------/---O----/--------/--------/--------/X------X:placing:1")
	choose := func(piece string) {
		t.Helper()
		page.press(`[name="edit Piece"][value="` + piece + `"]`)
		page.waitFor(`document.querySelector('[name="edit Piece"][value="` + piece + `"]').checked && document.getElementById("edit").ariaBusy === "false"`)
	}
	choose("@")
	press("(2,3)", "(4,3)") // around it
	page.waitFor(`document.querySelector("#edit button").disabled && document.querySelector("#edit .error").textContent.includes("surrounded")`)
	if page.count(".piece1") != 1 || page.count(".piece2") != 2 {
		t.Errorf("%d white pieces and %d black ones are drawn, want 1 and 2", page.count(".piece1"), page.count(".piece2"))
	}
	page.shot("editor")
	press("white piece on (3,3)") // becomes black
	page.waitFor(`!document.querySelector("#edit button").disabled`)
	page.press("#edit button")
	page.until("name1", "White")
	if got := eval[string](page, `document.getElementById("position").value`); !strings.Contains(got, "--@@@---") {
		t.Errorf("the result is %q", got)
	}

	// While pieces are placed, they determine the side to move, and each side has its zone.
	begin("/explore?game=watchyourback&board=8x8")
	toMove := func(want string) {
		t.Helper()
		page.waitFor(fmt.Sprintf(`document.querySelector(".player.moves h2")?.textContent === %q && !document.getElementById("edit To move")`, want))
	}
	toMove("White")
	press("(1,2)", "(3,2)", "(5,2)")
	position("X------X/--------/-O-O-O--/--------/--------/--------/--------/X------X:placing:5")
	toMove("Black")
	page.press(`[data-move="(3,7)"]`)
	page.until("edit", "White places in rows 0 to 5 only.")
	choose("@")
	press("(3,7)")
	position("X------X/--------/-O-O-O--/--------/--------/--------/--------/X--@---X:placing:5")
	page.press(`[data-move="(3,0)"]`)
	page.until("edit", "Black places in rows 2 to 7 only.")
	choose("O")
	press("white piece on (3,2)")
	position("X------X/--------/-O---O--/--------/--------/--------/--------/X--@---X:placing:3")
	toMove("Black")

	// With the turns of the moving phase the board shrinks, and grows again. A position with fewer
	// than two pieces of a side is unfinished, not over.
	page.press(`[name="edit Phase"][value=moving]`)
	page.waitFor(`document.querySelector("#edit input[type=number]") !== null`)
	for _, c := range [][2]string{
		{"140", "......../.X----X./.O---O-./.------./.------./.------./.X----X./........"},
		{"20", "X------X/--------/-O---O--/--------/--------/--------/--------/X------X"},
	} {
		eval[any](page, `(i => { i.value = `+c[0]+`; i.dispatchEvent(new Event("change")) })(document.querySelector("#edit input[type=number]")), null`)
		page.waitFor(fmt.Sprintf(`document.getElementById("position").value === %q && document.getElementById("edit").ariaBusy === "false"`, c[1]+":moving:"+c[0]))
		page.until("edit", "Black needs at least two pieces.")
		page.waitFor(`document.querySelector("#edit button").disabled && document.querySelector(".player.moves") !== null`)
	}
	choose("@")
	press("(4,4)", "(4,5)")
	position("X------X/--------/-O---O--/--------/----@---/----@---/--------/X------X:moving:20")

	// On a phone the buttons stay in sight. The error of a text goes when the board changes.
	page.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	page.press("#edit summary")
	page.set("position", "X------X/-")
	page.press("#open button")
	page.until("position-error", "This is not a position")
	page.waitFor(`(scrollTo(0, document.body.scrollHeight), (r => document.elementFromPoint(r.left + 5, r.top + 5)?.textContent === "Done")(document.querySelector("#edit button").getBoundingClientRect()))`)
	page.press("#edit button:nth-child(2)")
	page.waitFor(`document.getElementById("position-error").hidden`)
}

// The board is shared as a self-contained picture.
func TestBoardAsAPicture(t *testing.T) {
	page, _ := openSite(t, "/explore?game=circuitwars&position=2x2")
	page.until("proof", "Proved")
	eval[any](page, `window.kept = [], URL.createObjectURL = blob => { blob.text().then(text => kept.push(blob.type + " " + text)); return "data:," }, null`)
	page.press("#share summary")
	page.waitFor(`document.getElementById("png").onclick !== null`)
	page.press("#png")
	page.waitFor(`kept.length === 1`)
	if file := eval[string](page, `kept[0]`); !strings.HasPrefix(file, "image/png \ufffdPNG") || len(file) < 5000 {
		t.Errorf("the picture is %.300q", file)
	}
}

// The table of players shows all its columns in a window of 900 pixels and on paper in A4,
// with the longest names. On a phone nothing is wider than the window. A mistake opens its game with
// the board before it, and the buttons, the moves and the keys step the board. No page of the report
// has serious barriers.
func TestClassReportFits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, name := range []string{"first.game", "second.game"} {
		testenv.OK(t, os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, "game: dotsandboxes\nstart: 1x2\nplayer_1: %s\nplayer_2: %s%d\n\nh0,0\nh0,1\nv0,0\nv0,2\nh1,0\nv0,1\nh1,1\n",
			strings.Repeat("W", 25), strings.Repeat("m", 24), i), 0o666))
	}
	testenv.OK(t, os.WriteFile(filepath.Join(dir, "third.game"), fmt.Appendf(nil, "game: dotsandboxes\nstart: 1x2\nplayer_1: %s\nplayer_2: %s0\nwinner: 1\nend: time\nfault: time\n\nh0,0\n",
		strings.Repeat("W", 25), strings.Repeat("m", 24)), 0o666))
	file := filepath.Join(dir, "class.html")
	if code, _, errs := endwise(t, "analyze", dir, "--html", file, "--work", filepath.Join(dir, "work"), "--store", t.TempDir()); code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	page := newPage(t)
	page.do(chromedp.Navigate("file://" + file))
	for _, c := range []struct {
		media string
		width int64
	}{{"screen", 900}, {"print", 680}} {
		_, err := chromedp.Call(page.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: c.media})
		testenv.OK(t, err)
		page.do(chromedp.EmulateViewport(c.width, 800))
		if !eval[bool](page, `(() => { const t = document.querySelector(".allplayers"), box = t.parentElement; return t.rows[1].cells.length === 7 && box.scrollWidth <= box.clientWidth && box.scrollWidth > 0 })()`) {
			t.Errorf("on %s, %d pixels wide, columns are cut off", c.media, c.width)
		}
	}
	_, err := chromedp.Call(page.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "screen"})
	testenv.OK(t, err)
	page.do(chromedp.EmulateViewport(390, 844))
	eval[any](page, `document.querySelector('.mistakes a[href^="#"]').click(), null`)
	said := func(want string) {
		t.Helper()
		page.waitFor(fmt.Sprintf(`document.querySelector("[open] > .game .said")?.textContent.startsWith(%q)`, want))
		if board := eval[string](page, `document.querySelector("[open] > .game .board").ariaLabel + document.querySelectorAll("[open] > .game use").length`); !strings.HasPrefix(board, "Board. "+want) || strings.HasSuffix(board, ".0") {
			t.Errorf("the board is %q", board)
		}
	}
	said("Mistake ")
	press := func(name string) {
		t.Helper()
		eval[any](page, fmt.Sprintf(`document.querySelector("[open] > .game %s").click(), null`, name))
	}
	press(".listed summary")
	press(".played li:first-child button")
	eval[any](page, `document.querySelector("[open] > .game .played button").focus(), null`)
	page.pressKey(kb.ArrowRight)
	said("Mistake 2 of 3. Move 2, m")
	press(".stepper :nth-child(2)")
	said("Mistake 1 of 3. Move 1, W")
	press(".played li:nth-child(5) button")
	said("After move 5, h1,0.")
	eval[any](page, `document.querySelectorAll("details").forEach(d => d.open = true), null`)
	if wide := eval[[]string](page, `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 100))`); len(wide) > 0 {
		t.Errorf("wider than a phone: %q", wide)
	}
	page.isOpen()
}
