package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// openSite opens a page of a site that is served for one test.
func openSite(t *testing.T, path string, args ...string) (page browserPage, site string) {
	t.Helper()
	t.Parallel()
	page, site = newPage(t), startSite(t, args...)
	page.do(chromedp.EmulateViewport(1200, 950), chromedp.Navigate(site+path))
	return page, site
}

// press clicks with the mouse in the middle of an element.
func (p browserPage) press(selector string) {
	p.t.Helper()
	p.pressable(selector)
	// Click of chromedp waits forever if the page replaces the element meanwhile.
	eval[any](p, fmt.Sprintf(`document.querySelector(%q)?.scrollIntoView({block: "nearest", behavior: "instant"}), null`, selector))
	x, y := p.middle(selector)
	p.do(chromedp.MouseClickXY(x, y))
}

// pressable waits until an element exists and has a listener.
func (p browserPage) pressable(selector string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`(e => e !== null && !e.disabled)(document.querySelector(%q))`, selector))
}

// dropFile drops a file on an element.
func (p browserPage) dropFile(selector, path string) {
	p.t.Helper()
	x, y := p.middle(selector)
	data := input.DragData{Items: []*input.DragDataItem{}, Files: []string{path}, DragOperationsMask: 1}
	for _, event := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		_, err := chromedp.Call(p.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: event, X: x, Y: y, Data: &data})
		if err != nil {
			p.t.Fatal(err)
		}
		if event == input.DispatchDragEventTypeDragOver && p.count(selector+".over") != 1 {
			p.t.Errorf("%s does not show that a file may be dropped", selector)
		}
	}
}

// look takes screenshots of a page: wide, dark, and on a phone, where it must not be wider
// than the screen.
func (p browserPage) look(name string) {
	p.t.Helper()
	p.shot(name)
	p.scheme("dark")
	p.shot(name + "-dark")
	p.scheme("light")
	p.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	p.fitsScreen(name)
	p.shot(name + "-phone")
	p.do(chromedp.EmulateViewport(1200, 950))
}

// A person plays a whole game against a level by clicking, takes back moves, and opens the
// finished game in the analysis, which leads to practice.
func TestPlayPage(t *testing.T) {
	page, _ := openSite(t, "/play?game=circuitwars")
	page.until("status", "Your turn.")
	if n := page.count(".choice[role=button]"); n != 112 {
		t.Errorf("%d segments can be clicked on 7x7", n)
	}
	if !eval[bool](page, `document.getElementById("setup").open && document.getElementById("movebox").hidden`) {
		t.Error("before the first move the choice of game is folded, or an empty list of moves is shown")
	}
	page.set("board", "3x3")
	page.waitFor(`document.querySelectorAll(".choice[role=button]").length === 24`)
	page.press(`[data-move="1,0,bottom"]`)
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 2 && document.querySelectorAll(".choice").length === 22`)
	if got := eval[string](page, `document.querySelector("#moves [data-ply]").textContent`); got != "1,0,bottom" {
		t.Errorf("the first move is %q", got)
	}
	if eval[bool](page, `document.getElementById("setup").open`) || page.text("name1")+page.text("name2") != "YouEndwise" {
		t.Errorf("after the first move the choice of game is not folded, or the players are %q and %q", page.text("name1"), page.text("name2"))
	}
	page.look("play")
	page.press("#undo")
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 0 && document.querySelectorAll(".choice").length === 24`)
	page.press("#hint")
	page.until("hinttext", "Try ")
	if page.count(".choice.arrow") != 1 {
		t.Error("the hint is not on the board")
	}
	page.untilOver(page.clickFirst)
	if got := page.text("endtext"); !regexp.MustCompile(`^((You|Endwise) won|A tie,) \d–\d$`).MatchString(got) {
		t.Errorf("the end is %q", got)
	}
	if s := eval[int](page, `+document.getElementById("score1").textContent + +document.getElementById("score2").textContent`); s != 9 {
		t.Errorf("the scores add up to %d squares", s)
	}
	if eval[bool](page, `(() => { const m = document.querySelector(".scroll.moves"); return m.scrollWidth > m.clientWidth || m.scrollHeight > m.clientHeight && m.scrollTop === 0 })()`) {
		t.Error("the list of moves is cut, or its end is out of sight")
	}
	page.shot("play-over")
	// The keys and the list step through the game and back to its end.
	page.do(chromedp.KeyEvent(kb.ArrowLeft))
	page.until("status", "▶| leads back to the game.")
	page.press("#worth summary")
	page.until("verdict", "Best is")
	page.press(`#moves [data-ply="1"]`)
	page.until("status", "After move 1,")
	if page.count(".choice[role=button]") != 0 {
		t.Error("an earlier position can be played on")
	}
	last := eval[string](page, `[...document.querySelectorAll("#moves [data-ply]")].at(-1).dataset.ply`)
	// So late in a game every move is solved immediately.
	eval[any](page, `[...document.querySelectorAll("#moves [data-ply]")].at(-6).click()`)
	page.waitFor(`document.querySelectorAll(".choice .tag").length > 0`)
	page.press(`#moves [data-ply="` + last + `"]`)
	page.until("verdict", "The game is over")
	page.press("#analyse")
	page.waitFor(analysedPage)
	if page.count("#plot .plot > .proved") != 1 || page.count("#accuracy tr") != 3 {
		t.Error("the analysis has no plot or no tables")
	}
	page.look("analyse-played")
	// A reload shows the same analysis, and Back leads to the end of the game.
	page.press("#first")
	page.until("now", "The first position.")
	eval[bool](page, `(document.body.old = true, location.reload(), true)`)
	page.waitFor(`!!document.body && !document.body.old`)
	page.until("now", "The first position.")
	eval[any](page, `setTimeout(() => history.back()), null`) // NavigateBack waits for a load, which a kept page omits
	page.waitFor(`!document.getElementById("end")?.hidden && document.body.dataset.phase === "over"`)
	page.press("#rematch")
	page.waitFor(`document.getElementById("name1").textContent === "Endwise" && document.getElementById("name2").textContent === "You" && document.querySelectorAll("#moves [data-ply]").length === 1`)
}

// Resign asks once and ends the game as lost, also after a reload; Undo takes it back, and the
// analysis names the winner.
func TestResign(t *testing.T) {
	page, _ := openSite(t, "/play?game=circuitwars")
	page.until("status", "Your turn.")
	if !eval[bool](page, `document.getElementById("resign").hidden`) {
		t.Error("a game can be resigned before it begins")
	}
	page.press(`[data-move="1,0,bottom"]`)
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 2 && document.querySelector(".choice[role=button]") !== null`)
	page.press("#resign")
	page.until("resign", "Really resign?")
	if !eval[bool](page, `document.getElementById("end").hidden`) {
		t.Error("the game ends without a question")
	}
	page.press("#resign")
	page.until("endtext", "You resigned")
	eval[bool](page, `(document.body.old = true, location.reload(), true)`)
	page.waitFor(`!!document.body && !document.body.old`)
	page.until("endtext", "You resigned")
	if page.count(".choice[role=button]") != 0 || page.count(".player.moves") != 0 || !eval[bool](page, `document.getElementById("resign").hidden`) {
		t.Error("a resigned game can be played on")
	}
	page.press("#undo")
	page.waitFor(`document.getElementById("end").hidden && document.querySelectorAll("#moves [data-ply]").length === 2 && document.querySelector(".choice[role=button]") !== null`)
	page.press("#resign")
	page.press("#resign")
	page.press("#why summary")
	page.until("reasons", "You resigned at move 3. From there")
	page.press("#analyse")
	page.until("outcome", "Endwise (medium) won 0–0, by resignation.")
}

// A running game survives the choice of another game, a new game, a reload, and travels in
// the page's address.
func TestPlayedGamesAreKept(t *testing.T) {
	page, site := openSite(t, "/play?game=circuitwars")
	page.until("status", "Your turn.")
	moves := func(n int) {
		t.Helper()
		page.waitFor(fmt.Sprintf(`document.querySelectorAll("#moves [data-ply]").length === %d && document.querySelector(".choice[role=button]") !== null`, n))
	}
	page.press(`[data-move="1,0,bottom"]`)
	moves(2)
	eval[any](page, `document.querySelector("#tiles [value=dotsandboxes]").click()`)
	moves(0)
	page.press(`[data-move="h1,1"]`)
	moves(2)
	eval[any](page, `document.querySelector("#tiles [value=circuitwars]").click()`)
	moves(2)
	page.click("#again")
	moves(0)
	page.click("#undo")
	moves(2)
	link := eval[string](page, `location.href`)
	played := page.text("moves")
	eval[bool](page, `(document.body.old = true, location.reload(), true)`)
	page.waitFor(`!!document.body && !document.body.old`)
	moves(2)
	other := newPage(t)
	other.do(chromedp.Navigate(site+"/"), chromedp.Navigate(link))
	other.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 2`)
	if a, b := page.text("moves"), other.text("moves"); a != played || b != played {
		t.Errorf("after a reload %q, in another browser %q, want %q", a, b, played)
	}
	other.do(chromedp.Navigate(site+"/"), chromedp.Navigate(site+"/play#game=circuitwars&start=2x2&moves=9,9,top&by=1&players=human,level3"))
	other.until("status", "can't be shown")
	if other.count(".choice[role=button]") == 0 {
		t.Error("a broken link leaves no board")
	}
}

// The captures of the machine are drawn one after the other, and counted together.
func TestCapturesAreShownOneByOne(t *testing.T) {
	page, _ := openSite(t, "/play?game=dotsandboxes&position="+url.QueryEscape("1x4 h1111/1111 v00000 0-0 1"))
	page.until("status", "Your turn.")
	eval[any](page, `window.shown = [], new MutationObserver(() => shown.push(performance.now())).observe(document.getElementById("status"), {childList: true}), null`)
	page.set("player2", "engine")
	page.press(`[data-move="v0,0"]`)
	page.untilOver(nil)
	if got := page.text("status") + page.text("endtext"); got != "Endwise took 4 boxes.Endwise won 4–0" {
		t.Errorf("at the end: %q", got)
	}
	// The observer is called a little late.
	if gap := eval[float64](page, `Math.min(...shown.slice(-4).map((t, i, all) => i ? t - all[i - 1] : Infinity))`); gap < 250 {
		t.Errorf("two captures within %.0f ms", gap)
	}
}

// Two machines play each other; the game can be stopped and resumed.
func TestWatchAGame(t *testing.T) {
	page, _ := openSite(t, "/play?game=circuitwars&position=2x2")
	page.until("status", "Your turn.")
	page.set("time", "300ms")
	page.set("player2", "engine")
	page.set("player1", "level2")
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length > 1`)
	page.press("#pause")
	page.until("status", "Paused")
	page.press("#pause")
	page.untilOver(nil)
	if page.count(".choice[role=button]") != 0 {
		t.Error("a finished game can be played on")
	}
}

// A log is dropped on the page Analyse.
func TestAnalysePage(t *testing.T) {
	log := enginetest.Recorded(t, "circuitwars", "games", "1a-team01-team02.log")
	data := testenv.ReadFile(t, log)
	page, site := openSite(t, "/analyse")
	page.pressable("#form button[type=submit]")
	page.set("record", "")
	page.press("#form button[type=submit]")
	page.until("record-error", "Paste a game or a position first.")
	page.set("record", "what is this")
	page.press("#form button[type=submit]")
	page.until("record-error", "This is neither a game nor a position.")
	// A position is opened in Explore, also one that lacks the number of turns.
	for text, says := range map[string]string{
		"3x3 h010/001/100/010 v1001/0010/0001 0-0 1": "Player 1 to move.",
		"0 X - - - - - - X\n1 - - - - - - - -\n2 - - - O - - - -\n3 - - - - - - - -\n4 - - - - - - - -\n5 - - - - - - - -\n6 - - - - - - - -\n7 X - - - - - - X": "Add below the board how far the game is",
	} {
		page.set("record", text)
		page.press("#form button[type=submit]")
		page.waitFor(`location.pathname === "/explore"`)
		page.until("status", says)
		page.do(chromedp.Navigate(site + "/analyse"))
		page.pressable("#form button[type=submit]") // the page's script has run
	}
	// Each example is a whole game. Moves without a board can be tried on one.
	for i := range page.count(".sample") {
		eval[any](page, fmt.Sprintf(`document.querySelectorAll(".sample")[%d].click(), null`, i))
		page.waitFor(`document.querySelectorAll("#moves [data-ply]").length > 50`)
		page.waitFor(analysedPage)
		page.press("#another")
	}
	page.set("record", "h0,0 v0,0 h1,0")
	page.press("#form button[type=submit]")
	page.press("#sizes button:last-child")
	page.waitFor(`!document.getElementById("desk").hidden && document.getElementById("stop").hidden`)
	page.press("#another")
	page.dropFile("#drop", filepath.Join(t.TempDir(), "gone.log"))
	page.until("record-error", "gone.log can't be read.")
	page.dropFile("#drop", log)
	page.waitFor(`!document.getElementById("desk").hidden && document.querySelector("#moves [data-ply]") !== null`)
	if !eval[bool](page, `document.getElementById("record-error").hidden && document.getElementById("record").value.length === `+strconv.Itoa(len(data))) {
		t.Error("the record is not in its field, or the old error is still there")
	}
	page.press("#another") // a pasted record replaces the old one
	if !eval[bool](page, `document.getSelection().toString().trim() === document.getElementById("record").value.trim()`) {
		t.Error("the old record is not selected")
	}
	page.dropFile("#drop", log)
	page.waitFor(`!document.getElementById("desk").hidden && document.querySelector(".choice.wrong") !== null`)
	counted := eval[int](page, `[...document.querySelectorAll("#accuracy td:nth-child(3)")].reduce((n, e) => n + +e.textContent, 0)`)
	if n := page.count("#moves .mistake"); n != counted || n == 0 {
		t.Errorf("%d mistakes are marked, %d counted", n, counted)
	}
	if page.count(".choice.wrong") != 1 || page.count(".choice.arrow") != 1 || eval[bool](page, `document.querySelector("#intake").checkVisibility()`) {
		t.Error("the deciding mistake and the better move are not on the board, or the drop area is still there")
	}
	page.waitFor(`document.getElementById("now").textContent.includes("Move " + document.getElementById("decided").textContent.match(/move (\d+)/i)[1] + ",")`)
	page.waitFor(`document.querySelectorAll("#reasons p").length > 0`)
	// The moves of best play after a mistake step the board, and the buttons lead on and back.
	page.until("now", "Mistake ")
	page.press("#lines p:last-child button")
	page.until("now", "Not played: ")
	page.waitFor(`document.querySelector("#lines [aria-current]") !== null && document.querySelector(".choice.wrong") === null`)
	page.press("#previous")
	page.until("now", "Mistake ")
	page.waitFor(`document.querySelector(".choice.wrong") !== null`)
	// The keys and the graph step through the game.
	page.press("#first")
	page.until("now", "The first position.")
	page.do(chromedp.KeyEvent(kb.ArrowRight))
	page.until("now", "After move 1")
	page.press("#worth summary")
	page.until("verdict", "best: ")
	page.press("#worth summary")
	page.press("#plot .plot")
	page.waitFor(`+document.querySelector("#moves [aria-current]").dataset.ply > 20`)
	page.look("analyse")
	if !eval[bool](page, `document.getElementById("practise").hidden`) {
		page.press("#practise")
		page.until("task", " move ")
		page.look("practise-mine")
	}
}

// An exercise is answered wrongly and then shown, with the keyboard only.
func TestPractisePageByKeyboard(t *testing.T) {
	page, _ := openSite(t, "/practise?game=circuitwars&from=made")
	page.until("task", "Only one move ")
	// Tab to the board, walk, and play.
	for range 40 {
		if eval[bool](page, `!!document.activeElement.dataset.move`) {
			break
		}
		page.pressKey(kb.Tab)
	}
	if !eval[bool](page, `!!document.activeElement.dataset.move`) {
		t.Fatal("the board can't be reached with Tab")
	}
	before := eval[string](page, `document.activeElement.dataset.move`)
	arrows := []string{kb.ArrowDown, kb.ArrowUp, kb.ArrowLeft, kb.ArrowRight}
	moved := false
	for _, a := range arrows {
		page.pressKey(a)
		moved = moved || eval[string](page, `document.activeElement.dataset.move`) != before
	}
	if !moved {
		t.Error("the arrow keys go nowhere")
	}
	page.pressKey(kb.Enter)
	page.waitFor(`document.getElementById("answer").textContent !== "" && document.getElementById("why").textContent !== ""`)
	if got := page.text("answer"); !strings.HasPrefix(got, "✓") && !strings.HasPrefix(got, "✗") {
		t.Errorf("the answer says %q", got)
	}
	page.look("practise")
}

// best returns the best move in the position of the page Practise.
func (p browserPage) best(site, game string) string {
	p.t.Helper()
	position := eval[string](p, `new URL(document.getElementById("explore").href).search`)
	_, body := testenv.Call(p.t, "GET", site+"/v1/"+game+"/lookup"+position, "")
	var d engine.Decision
	testenv.OK(p.t, json.Unmarshal([]byte(body), &d))
	return d.Move
}

// playedOut plays an exercise with segments to its end.
func (p browserPage) playedOut(site, game string) {
	p.t.Helper()
	const over, position = `document.getElementById("status").textContent === "Played to the end."`, `document.getElementById("explore").href`
	for before := ""; ; {
		p.waitFor(fmt.Sprintf(`%s || %s !== %q && document.querySelector(".choice[role=button]") !== null`, over, position, before))
		if eval[bool](p, over) {
			return
		}
		before = eval[string](p, position)
		p.press(`[data-move="` + p.best(site, game) + `"]`)
	}
}

// The goal is stated. A wrong answer is marked, also under the pointer, and can be taken
// back; solved puzzles are counted and kept. After a right one the position is
// played to its end.
func TestPractiseAgain(t *testing.T) {
	page, url := openSite(t, "/practise?game=circuitwars&board=3x3&seed=5")
	page.until("task", "Only one move ")
	page.press("#show")
	page.until("answer", "It is ")
	eval[any](page, `document.querySelector("#place .board").same = true, location.reload()`)
	page.waitFor(`document.querySelector("#place .board[viewBox]")?.same === undefined && !!document.getElementById("task")?.textContent`)
	page.until("task", "Only one move lets you win ")
	answer := page.best(url, "circuitwars")
	wrong := eval[string](page, `[...document.querySelectorAll(".choice")].find(e => e.dataset.move !== "`+answer+`").dataset.move`)
	placed := func() string {
		return eval[string](page, `["show", "tiles", "difficulty"].map(id => document.getElementById(id).getBoundingClientRect().top).join()`)
	}
	before := placed()
	page.press(`[data-move="` + wrong + `"]`)
	page.until("answer", "✗ "+wrong)
	if page.count(".choice.wrong") != 1 || page.count(".tag") != 0 {
		t.Error("the wrong move is not marked, or the answer is given away")
	}
	if !eval[bool](page, `getComputedStyle(document.querySelector(".choice.wrong:hover .glow")).stroke === getComputedStyle(document.getElementById("answer")).color`) {
		t.Error("under the pointer the wrong move is not marked")
	}
	page.until("why", "a better move")
	if after := placed(); after != before {
		t.Errorf("the reasons move the buttons from %s to %s", before, after)
	}
	if why := page.text("why"); strings.Contains(why, answer) {
		t.Errorf("the answer %s is given away: %s", answer, why)
	}
	page.press("#retry")
	page.waitFor(`document.querySelectorAll(".choice.wrong").length === 0`)
	page.press(`[data-move="` + answer + `"]`)
	page.until("answer", "✓ "+answer)
	page.until("tally", "1 solved")
	page.playedOut(url, "circuitwars")
	page.until("answer", ", the best result.")
	page.look("practise-end")
	// Each puzzle has an address.
	page.press("#next")
	page.waitFor(`/[?&]seed=\d/.test(location.search) && !/seed=5$/.test(location.search)`)
	eval[any](page, `history.back(), null`)
	page.waitFor(`/seed=5$/.test(location.search)`)
	page.until("task", "Only one move lets you win ")
	page.press("#difficulty [value=medium]")
	eval[any](page, `location.replace(location.pathname + "?game=circuitwars&from=made"), null`)
	page.waitFor(`location.search.includes("from=made") && document.querySelector("#difficulty :checked")?.value === "medium"`)
	page.until("tally", "1 solved")
}

// The boards of puzzles become larger with the difficulty, and the task says whose score it names.
func TestBoardsOfPuzzles(t *testing.T) {
	page, site := openSite(t, "/practise")
	for level, board := range map[string]string{"easy": "3x3", "medium": "4x4", "hard": "5x5"} {
		page.do(chromedp.Navigate(site + "/practise?game=dotsandboxes&from=made&seed=1&level=" + level))
		page.until("task", "Only one move lets you win ")
		if got := eval[string](page, `new URL(document.getElementById("explore").href).searchParams.get("position")`); !strings.HasPrefix(got, board+" ") {
			t.Errorf("%s: the position %s is not on %s", level, got, board)
		}
	}
}

// "My games" shows how to get positions, instead of another puzzle, if no game was analysed.
func TestPractiseWithoutGames(t *testing.T) {
	page, site := openSite(t, "/practise?game=dotsandboxes&lesson=4")
	page.until("goal", "Goal: win 7–2.")
	empty := func() {
		t.Helper()
		page.waitFor(`document.querySelector("#none a")?.pathname === "/analyse" && document.querySelector("#none").checkVisibility()`)
		page.waitFor(`document.querySelector("#from :checked").value === "mine" && document.querySelectorAll(".choice[role=button], .board .drawn").length === 0 && document.querySelector(".board .open, .board .field") !== null && !document.getElementById("task").checkVisibility()`)
	}
	page.press("#from [value=mine]")
	empty()
	page.press("#from [value=lessons]")
	page.until("goal", "Goal: win 7–2.")
	page.waitFor(`document.getElementById("text").checkVisibility() && document.getElementById("none").hidden`)
	page.do(chromedp.Navigate(site + "/practise?game=watchyourback&from=mine"))
	empty()
	// A source that was remembered for another game is not used.
	eval[any](page, `localStorage.setItem("endwise.from", '"mine"'), null`)
	page.do(chromedp.Navigate(site + "/practise?game=watchyourback"))
	page.until("goal", "Goal: ")
	if !eval[bool](page, `document.querySelector("#from :checked").value === "lessons" && document.getElementById("none").hidden`) {
		t.Errorf("the page begins with the source %q", eval[string](page, `document.querySelector("#from :checked")?.value`))
	}
}

// A lesson explains a wrong answer without the right one, in one sentence, and the right one; it
// is played out with the opponent and kept as solved. With an answer the introduction is folded.
func TestLessonsOnThePage(t *testing.T) {
	page, url := openSite(t, "/practise?game=dotsandboxes&lesson=4")
	page.until("goal", "Goal: win 7–2.")
	page.waitFor(`document.getElementById("text").checkVisibility()`)
	page.press(`[data-move="v0,2"]`)
	page.until("why", "a better move")
	if eval[bool](page, `document.getElementById("text").checkVisibility()`) {
		t.Error("the introduction is not folded after an answer")
	}
	if why := page.text("why"); strings.Contains(why, "v0,3") || strings.Count(why, ".") > 1 {
		t.Errorf("the answer is given away: %s", why)
	}
	page.press("#retry")
	page.press(`[data-move="v0,3"]`)
	page.until("why", "Two boxes are the price")
	page.until("status", "Player 2 played")
	page.look("lesson")
	page.playedOut(url, "dotsandboxes")
	page.until("answer", "You win 7–2, the best result.")
	if why := page.text("why"); why != "" {
		t.Errorf("at the end the reason of the first answer is still shown: %s", why)
	}
	page.press("#next")
	page.until("title", "The price of control")
	eval[any](page, `location.reload(), null`)
	page.waitFor(`document.querySelector("#course [aria-current]")?.textContent === "5" && document.querySelector("#course li:nth-child(4)").textContent === "✓"`)

	// The fold of a mirrored position is drawn, and the best line can be stepped through.
	page.do(chromedp.Navigate(url + "/practise?game=circuitwars&lesson=1"))
	page.until("goal", "Goal: win 6–3.")
	fold := func(want string) {
		t.Helper()
		page.waitFor(`[...document.querySelectorAll(".board .fold")].map(e => ["x1", "y1", "x2", "y2"].map(n => e.getAttribute(n)).join(" ")).join() === "` + want + `"`)
	}
	fold("360 55 60 355")
	page.press("#show")
	page.until("why", "This gives at least +3.") // the reasons come last and move the line
	page.press("#line button:nth-of-type(3)")
	page.waitFor(`document.querySelector("#line [aria-current]")?.textContent === "0,0,left" && document.getElementById("score2").textContent === "1" && document.querySelector(".board .last") !== null`)
	page.press("#retry")
	page.waitFor(`document.getElementById("score2").textContent === "0" && document.querySelectorAll(".choice[role=button]").length > 0`)
	page.do(chromedp.Navigate(url + "/explore?game=circuitwars&position=3x3"))
	page.press("#why summary")
	page.until("reasons", "symmetric (diagonal)")
	fold("360 355 60 55")
	page.do(chromedp.Navigate(url + "/explore?game=circuitwars&position=2x4"))
	page.press("#why summary")
	page.until("reasons", "symmetric (half turn)")
	fold("")

	// In Watch Your Back a slower win is no answer, and a selected piece does not hide values.
	page.do(chromedp.Navigate(url + "/practise?game=watchyourback&lesson=4"))
	page.until("goal", "Goal: win in 5 turns of both sides.")
	page.press(`[data-move="white piece on (2,3)"]`)
	page.press(`[data-move="(2,3)->(3,3)"]`)
	page.until("answer", "wins in 7 turns, not in 5")
	page.press(`[data-move="white piece on (2,4)"]`)
	if page.count(".board path.wrong") != 2 { // the arrow and the cross
		t.Error("another selected piece hides the mark of the wrong move")
	}
	page.press("#show")
	page.until("answer", "It is (2,4)->(3,4)")
	if n := page.count(".choice .tag"); n != 3 {
		t.Errorf("values at %d of 3 pieces", n)
	}
}

// Watch Your Back: placing with one click, moving with two, the coming shrink, and a game
// to its end.
func TestWatchYourBackPages(t *testing.T) {
	page, url := openSite(t, "/play?game=watchyourback")
	page.until("status", "Your turn.")
	page.until("facts", "Placing, turn 1 of 24")
	// The words of an estimate follow its size.
	eval[any](page, `import("/web/site.js").then(({sentence}) => {
		window.said = [590, -1590, 140, 4].map(score => sentence({unit: "", points: "pieces", sides: ["", "White", "Black"]}, {turn: 1}, {proof: "estimate", score})).join(" ");
	}), null`)
	page.waitFor(`window.said === "White is clearly ahead, an estimate. Black is far ahead, an estimate. White is slightly ahead, an estimate. About even, an estimate."`)
	if n, barred := page.count(".choice[role=button]"), page.count(".barred"); n != 46 || barred != 14 {
		t.Errorf("%d squares to place on and %d barred, want 46 and 14", n, barred)
	}
	page.press(`[data-move="(3,3)"]`)
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 2 && document.querySelectorAll(".choice").length >= 44`)
	if page.count(".piece1") != 1 || page.count(".piece2") != 1 {
		t.Error("one piece a side is not what is drawn")
	}
	page.look("wyb-placing")

	// After the last two placements pieces move.
	page.do(chromedp.Navigate(url + "/play?game=watchyourback&position=XO-O-O-X/O-O-O-O-/-O-O-O-O/--------/--------/-@-@-@-@/@-@-@-@-/X@-@-@-X:placing:22"))
	page.until("facts", "Placing, turn 23 of 24")
	page.press(`[data-move="(3,3)"]`)
	page.until("facts", "Turn 1 of the moving phase")

	// Two turns before the first shrink the ring is marked, with what it removes.
	late := "X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/-@------/X------X:moving:126"
	page.do(chromedp.Navigate(url + "/play?game=watchyourback&position=" + late))
	page.until("facts", "shrinks in 2 turns")
	if page.count(".ring") != 24 || page.count(".doomed") != 2 {
		t.Errorf("%d squares of the ring and %d pieces to go, want 24 and 2", page.count(".ring"), page.count(".doomed"))
	}
	page.press(`[data-move="white piece on (2,1)"]`)
	page.waitFor(`document.querySelectorAll(".picked").length === 1`)
	if page.count(".choice .target") == 0 {
		t.Error("a picked piece shows no targets")
	}
	page.look("wyb-moving")
	page.press(`.choice:has(.target)`)
	page.until("facts", "Turn 129")

	// The keyboard picks up a piece and puts it back; the focus stays on it.
	page.do(chromedp.Navigate(url + "/play?game=watchyourback&position=" + late))
	page.until("facts", "shrinks in 2 turns")
	press := func(key string) string {
		return eval[string](page, `(() => { const e = document.activeElement; e.dispatchEvent(new KeyboardEvent("keydown", {key: "`+key+`", bubbles: true, cancelable: true}));
			const f = document.activeElement; return f.getAttribute("aria-label") + "|" + f.getAttribute("aria-pressed") })()`)
	}
	eval[bool](page, `(document.querySelector('[data-move="white piece on (2,1)"]').focus(), true)`)
	for _, c := range [][2]string{{"Enter", "white piece on (2,1)|true"}, {"ArrowRight", "to (3,1)|null"}, {"ArrowLeft", "white piece on (2,1)|true"}, {"Enter", "white piece on (2,1)|null"}} {
		if got := press(c[0]); got != c[1] {
			t.Errorf("%s leads to %q, want %q", c[0], got, c[1])
		}
	}

	// A forced forfeit of a turn is shown on the board as well.
	page.do(chromedp.Navigate(url + "/play?game=watchyourback&position=......../......../..XOOX../..@@@@../..@@@-../..XOOX../......../........:moving:192:strict"))
	page.until("status", "Your turn.")
	page.look("wyb-forfeit")
	page.press(`[data-move="None"]`)
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length >= 1`)

	end := "......../......../..X--X../..O@-@../..-O--../..X-OX../......../........:moving:196"
	page.do(chromedp.Navigate(url + "/play?game=watchyourback&position=" + end))
	page.until("status", "Your turn.")
	for _, rule := range []string{"rows 2 to 7", "Corners cannot be entered or jumped", "loses the turn", "an enemy and a corner", "it is a tie"} {
		page.until("ruletext", rule)
	}
	page.untilOver(func() {
		// A piece, then one of its squares; or the forfeit.
		eval[bool](page, `(() => {
			const pick = document.querySelector(".choice:has(.target), .choice:has(.jump)") || document.querySelector(".choice[role=button]");
			if (pick) pick.dispatchEvent(new MouseEvent("click", {bubbles: true}));
			return true })()`)
	})

	page.do(chromedp.Navigate(url + "/explore?game=watchyourback&position=" + end))
	page.until("source", ".")
	if page.count(".choice .tag") == 0 {
		t.Error("no values on the board")
	}
	page.look("wyb-explore")
	page.set("position", "X-O/:moving:3")
	page.click("#open button[type=submit]")
	page.until("position-error", "want 8")
}

// Dots and Boxes: a whole game by clicks, in which a completed box earns another turn, and
// its values.
func TestDotsAndBoxesPages(t *testing.T) {
	page, site := openSite(t, "/play?game=dotsandboxes&position=2x2%20h0,0%20h1,0%20v0,0%20h2,1")
	page.until("status", "Your turn.")
	page.press(`[data-move="v0,1"]`)
	page.until("status", "Your turn. You took 1 box.")
	page.untilOver(page.clickFirst)
	page.look("dab-over")
	page.do(chromedp.Navigate(site + "/explore?game=dotsandboxes&position=3x3%20h0,1%20v1,2%20h3,1%20v0,0"))
	page.until("proof", "Proved")
	page.until("verdict", "Best is")
	page.waitFor(`document.querySelectorAll(".choice .tag").length === 20`)
	page.look("dab-explore")
}

// Without scripts a page says so and shows no buttons.
func TestPagesWithoutScripts(t *testing.T) {
	page, site := openSite(t, "/")
	_, err := chromedp.Call(page.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	testenv.OK(t, err)
	for _, path := range []string{"/play", "/analyse"} {
		page.do(chromedp.Navigate(site + path))
		page.waitFor(`document.getElementById("early").checkVisibility({visibilityProperty: true})`)
		page.waitFor(`![...document.querySelectorAll("main button, main input")].some(b => b.checkVisibility({visibilityProperty: true}))`)
	}
}

// The first page replays games and sends no requests after it is loaded.
func TestHomeAsksNothing(t *testing.T) {
	page, _ := openSite(t, "/")
	sent := `performance.getEntriesByType("resource").map(e => new URL(e.name).pathname).filter(p => p.startsWith("/v1/")).sort().join()`
	drawn := `document.querySelectorAll(".mini .drawn").length`
	page.waitFor(drawn + ` > 0`)
	before := eval[int](page, drawn)
	page.waitFor(drawn + ` > ` + strconv.Itoa(before+3))
	if got := eval[string](page, sent); got != "/v1/games,/v1/recorded" {
		t.Errorf("requests: %s", got)
	}
}

// The button in the header changes the colours, also on the pages opened later.
func TestDarkColours(t *testing.T) {
	page, url := openSite(t, "/play")
	page.scheme("light")
	colours := func(want string) {
		t.Helper()
		page.waitFor(`getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() === "` + want + `"`)
	}
	colours("#fbfaf7")
	page.press("#dark")
	colours("#171614")
	// Before the modules of the page run, too: nothing is drawn in the other colours first.
	_, err := chromedp.Call(page.ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: `
		document.addEventListener("readystatechange", () => { window.early ??= getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() })`})
	testenv.OK(t, err)
	page.do(chromedp.Navigate(url + "/explore"))
	colours("#171614")
	if got := eval[string](page, `early`); got != "#171614" {
		t.Errorf("the page is drawn with %s first", got)
	}
	page.press("#dark")
	colours("#fbfaf7")
}

// The puzzle of the day is opened from the first page, which shows that it is solved. Every puzzle has one
// move that keeps the result, and it wins.
func TestPuzzleOfTheDay(t *testing.T) {
	page, site := openSite(t, "/")
	page.waitFor(`document.querySelector("#puzzleboard .board[viewBox]") !== null`)
	page.do(chromedp.Navigate(eval[string](page, `document.getElementById("puzzlelink").href`)))
	page.until("title", "Puzzle of the day")
	page.until("task", "Only one move ")
	game := eval[string](page, `new URLSearchParams(location.search).get("game")`)
	for _, part := range strings.SplitAfter(page.best(site, game), "->") {
		if from, ok := strings.CutSuffix(part, "->"); ok {
			page.press(`.choice[data-move$="piece on ` + from + `"]`)
		}
	}
	page.press(`.choice[data-move="` + page.best(site, game) + `"]`)
	page.until("answer", "✓ ")
	page.do(chromedp.Navigate(site))
	page.until("puzzlename", "✓ Puzzle of the day: solved")

	_, body := testenv.Call(t, "GET", site+"/v1/recorded", "")
	var recorded map[string]struct{ Puzzles []struct{ Position string } }
	testenv.OK(t, json.Unmarshal([]byte(body), &recorded))
	for _, g := range games() {
		for _, puzzle := range recorded[g.Name()].Puzzles {
			p, err := g.Web.Rules.Parse(puzzle.Position)
			testenv.OK(t, err)
			_, body := testenv.Call(t, "POST", site+"/v1/"+g.Name()+"/lookup?moves=all&time=10s", puzzle.Position)
			var d engine.Decision
			testenv.OK(t, json.Unmarshal([]byte(body), &d))
			value, best := d.Score, 0
			if g.Web.Scored {
				value += engine.Lead(p, p.Turn())
			}
			for _, m := range d.Moves {
				if m.Score >= d.Score || m.Proof != engine.Exact && m.Proof != engine.Upper {
					best++
				}
			}
			if d.Proof != engine.Exact || value <= 0 || best != 1 {
				t.Errorf("%s: %d moves are best, the value is %+d, %v", puzzle.Position, best, value, d.Proof)
			}
		}
	}
}

// All pages and what they load are small, and every answer has the policy.
func TestSitePagesAreSmallAndStrict(t *testing.T) {
	url := startSite(t)
	get := func(path string) (int, string) {
		resp, err := http.Get(url + path)
		testenv.OK(t, err)
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		testenv.OK(t, err)
		if csp := resp.Header.Get("Content-Security-Policy"); resp.StatusCode != 200 || !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; ") {
			t.Errorf("%s: HTTP status %d, policy %q", path, resp.StatusCode, csp)
		}
		return len(data), string(data)
	}
	reference := regexp.MustCompile(`(?:src|href)="(web/[^"]+)"|from "\./([^"]+)"`)
	for _, path := range []string{"/", "/play", "/explore", "/analyse", "/practise"} {
		total, seen, queue := 0, map[string]bool{path: true}, []string{path}
		for len(queue) > 0 {
			n, text := get(queue[0])
			queue, total = queue[1:], total+n
			for _, m := range reference.FindAllStringSubmatch(text, -1) {
				next := "/" + m[1]
				if m[1] == "" {
					next = "/web/" + m[2]
				}
				if !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
		if total > 104<<10 || len(seen) < 4 {
			t.Errorf("%s loads %d bytes in %d files", path, total, len(seen))
		}
		t.Logf("%s: %d bytes in %d files", path, total, len(seen))
	}
}
