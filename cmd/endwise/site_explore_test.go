package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The value of the move under the pointer is drawn above all lines.
func TestNumbersLieAbove(t *testing.T) {
	page, _ := openSite(t, "/explore?game=circuitwars&position=2x2%200,0,top")
	page.waitFor(`document.querySelectorAll(".choice .tag").length === 11`)
	x, y := page.middle(".choice:not(.top) .hit")
	page.mouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y})
	page.waitFor(`document.querySelector(".board > g:last-child .tagtext")?.textContent === document.querySelector(".choice:hover .tagtext").textContent`)
}

// "Prove it" is not offered for a position that a minute cannot prove, and a bound is
// labelled as proved.
func TestWhatAMinuteCanProve(t *testing.T) {
	t.Parallel()
	page, site := newPage(t), startSite(t)
	for game, says := range map[string]string{"circuitwars&position=7x7": "with about 54 or fewer", "watchyourback&board=8x8": "still being placed"} {
		page.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(site+"/explore?game="+game))
		page.until("would", says)
		if !eval[bool](page, `document.getElementById("prove").hidden`) {
			t.Errorf("%s: a minute is offered", game)
		}
		if strings.HasPrefix(game, "circuitwars") {
			page.until("faint", "No colour: no move is known to be better.")
			page.waitFor(`document.querySelector("#moves tr")?.textContent.endsWith("≤−7 ≈−7equalin part")`)
		}
	}
	page.do(chromedp.Navigate(site + "/explore?game=circuitwars&position=4x4"))
	eval[any](page, `import("/web/worth.js").then(({Study}) => {
		const s = Object.create(Study.prototype), view = {turn: 1, score: [0, 0], board: "4x4", moves: []};
		Object.assign(s, {game: {unit: "square", sides: ["", "A", "B"]}, view, look: true, decision: {proof: "lower", score: 2, move: "x", moves: [], source: "search"}}).show();
		window.said = document.getElementById("would").textContent;
	}), null`)
	page.waitFor(`!!window.said?.startsWith("This limit is proved, the exact result is not: ")`)
	// If the value is proved, but not the values of all moves, an error is shown too.
	eval[any](page, `import("/web/worth.js").then(({Study}) => {
		const s = Object.create(Study.prototype), view = {turn: 1, score: [0, 0], board: "4x4", moves: []};
		Object.assign(s, {game: {unit: "square", sides: ["", "A", "B"]}, view, look: true, trouble: "Busy.", decision: {proof: "exact", exact: true, score: 2, move: "x", moves: [{move: "x", score: 2, exact: true}], source: "search"}}).show();
		window.said = document.getElementById("would").textContent + document.getElementById("prove").hidden;
	}), null`)
	page.waitFor(`window.said === "Busy.false"`)
}

// A busy server is asked again; if it stays busy, the page says so and offers a retry.
func TestBusyServer(t *testing.T) {
	page, _ := openSite(t, "/explore?game=circuitwars&position=2x2%200,0,top")
	page.until("proof", "Proved")
	page.press("#why summary")
	page.until("reasons", "With best play")
	busy := func(times int) {
		eval[any](page, fmt.Sprintf(`(() => { const real = window.real ||= fetch; let left = %d;
			window.fetch = (what, ...rest) => String(what).includes("/lookup") && left-- > 0 ? Promise.resolve(new Response('{"error": "too many requests are waiting; try again"}', {status: 503})) : real(what, ...rest) })(), null`, times))
	}
	busy(2)
	page.press(`#moves [data-move="0,0,right"]`)
	page.until("status", "Player 1 to move.")
	page.until("proof", "Proved")
	busy(1000)
	page.press(`#moves button`)
	page.until("verdict", "Too many requests are waiting; try again")
	if got := page.text("would") + page.text("reasons"); got != "" || page.text("prove") != "Retry" {
		t.Errorf("next to the error: %q, and the button %q", got, page.text("prove"))
	}
	busy(0)
	page.press("#prove")
	page.until("proof", "Proved")
	page.until("reasons", "With best play")
}

// The page Explore: values on the board and in the table, the line, links that keep the
// position, and errors next to the field.
func TestExplorePage(t *testing.T) {
	page, url := openSite(t, "/explore?game=circuitwars&position=3x3%200,0,top%201,1,left%202,2,right%200,1,left%202,1,right%201,2,bottom%202,0,top%200,2,left%200,0,left")
	page.until("proof", "Proved")
	page.until("verdict", "Best is")
	if eval[bool](page, `(() => { const s = document.querySelector(".scroll"); return s.scrollWidth > s.clientWidth })()`) {
		t.Error("the table of moves is cut at its right edge")
	}
	page.waitFor(`document.querySelectorAll(".choice .tag").length === 15`) // when all are proved
	if n := eval[int](page, `[...document.querySelectorAll(".tagtext")].filter(e => e.checkVisibility({visibilityProperty: true})).length`); n < 1 || n > 3 {
		t.Errorf("%d numbers are seen on the board, want those of the best few", n)
	}
	if got := page.text("position-label"); got != "Position: a position string, a move list or the server's status" {
		t.Errorf("what the position may be: %q", got)
	}
	page.look("explore")
	position := eval[string](page, `document.getElementById("position").value`)
	page.press("#next")
	page.until("step", "move 10")
	page.until("proof", "Proved")
	page.press("#previous")
	page.until("step", "move 9")
	page.until("proof", "Proved")
	page.waitFor(`document.querySelectorAll(".choice .tag").length === 15`)

	page.set("position", "3x3:zz:0-0:1")
	page.click("#open button[type=submit]")
	page.waitFor(`!document.getElementById("position-error").hidden`)
	if got := page.text("position-error"); !strings.Contains(got, "2 characters") {
		t.Errorf("the error says %q", got)
	}
	if page.count(".choice .tag") != 15 {
		t.Error("bad input took the board away")
	}
	page.shot("explore-error")

	page.set("position", "hello")
	page.click("#open button[type=submit]")
	page.until("position-error", `This is not a position of Circuit Wars: enter a position string, a move list or the server's status. Board size "hello": write rows x columns, for instance 3x3.`)

	// A move changes the address, and Back returns.
	page.press(`.choice[role=button]`)
	page.waitFor(`document.getElementById("position").value !== "3x3:zz:0-0:1" && document.getElementById("position-error").hidden`)
	page.until("source", "from here")
	if !eval[bool](page, `location.search.includes("position=3x3")`) {
		t.Error("the address does not hold the position")
	}
	eval[bool](page, `(history.back(), true)`)
	page.waitFor(`document.getElementById("position").value === "` + position + `"`)

	// A server's status and a referee's drawing are positions as well.
	page.set("position", `{"status_code": 202, "score_1": 0, "score_2": 0, "board": [[1, 0], [0, 0]], "last_move": "0,0,top", "time_left": 3000, "board_size": 2}`)
	page.click("#open button[type=submit]")
	page.waitFor(`document.getElementById("position").value === "2x2:800:0-0:2"`)
	page.until("proof", "Proved")
	page.set("game", "watchyourback")
	page.until("status", "White to move.")
	if got := page.text("position-label"); strings.Contains(got, "server") || !strings.Contains(got, "the referee's drawing") {
		t.Errorf("what the position may be: %q", got)
	}
	page.set("position", "               \n               \n    X - O X    \n    O - @ -    \n    - - - @    \n    X O - X    \n               \n               \n192 turns into the moving phase")
	page.click("#open button[type=submit]")
	page.waitFor(`document.getElementById("score1").textContent + document.getElementById("score2").textContent === "32"`)
	page.until("source", "table of solved positions")

	// A position of another game is offered there.
	page.set("position", "2x2 h0,0")
	page.click("#open button[type=submit]")
	page.until("position-error", "This is a position of Dots and Boxes.")
	page.click("#position-error a")
	page.until("status", "Player 2 to move.")
	page.until("proof", "Proved")

	// A best line of one move is shown, and a move that continues the line is listed first.
	page.do(chromedp.Navigate(url + "/explore?game=circuitwars&position=1x1%200,0,top%200,0,left%200,0,right"))
	page.waitFor(`document.querySelector('#line [data-move="0,0,bottom"]')?.checkVisibility() === true`)
	page.do(chromedp.Navigate(url + "/explore?game=circuitwars&position=2x2"))
	for range 4 {
		page.until("proof", "Proved")
		page.waitFor(`document.querySelector("#moves button")?.dataset.move === document.querySelector("#line button").dataset.move`)
		page.press("#next")
	}

	// Equivalent moves are listed once.
	page.do(chromedp.Navigate(url + "/explore?game=circuitwars&position=2x2"))
	page.until("proof", "Proved")
	if n := page.count("#moves tr"); n != 2 {
		t.Errorf("%d kinds of first moves on 2x2, want 2", n)
	}
}

// movingPosition has moves with long names and estimates in hundredths.
const movingPosition = "X------X/-----O--/--@@OOO-/-@@@OOO-/-@@@OO--/----OO--/-@--@---/X--@---X:moving:23"

// On a phone every move of a longer game is listed.
func TestAllMovesOnAPhone(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	page.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), chromedp.Navigate(startSite(t)+"/analyse"))
	page.pressable(".sample")
	page.press(".sample")
	page.waitFor(`document.querySelectorAll("#moves tr").length > 8`)
	if n := eval[int](page, `[...document.querySelectorAll("#moves tr")].filter(r => r.offsetHeight === 0).length`); n > 0 {
		t.Errorf("%d rows of moves are hidden", n)
	}
}

// On a phone no value covers a row's number, and the list of moves is not cut, also with
// the longest names, values and words.
func TestExplorePageOnAPhone(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	site := startSite(t)
	for _, position := range []string{"circuitwars/3x3 0,0,top 1,1,left 2,2,right", "circuitwars/5x5", "dotsandboxes/5x5", "watchyourback/" + movingPosition} {
		game, text, _ := strings.Cut(position, "/")
		page.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile),
			chromedp.Navigate(site+"/explore?"+url.Values{"game": {game}, "position": {text}}.Encode()))
		page.until("source", ".")
		page.waitFor(`document.querySelectorAll("#moves tr").length >= 5`)
		covered := eval[int](page, `(() => {
			const boxes = s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility({visibilityProperty: true})).map(e => e.getBoundingClientRect());
			const tags = boxes(".tag");
			return boxes(".label").filter(l => tags.some(g => l.left < g.right && g.left < l.right && l.top + 4 < g.bottom && g.top + 4 < l.bottom)).length })()`)
		if covered > 0 {
			t.Errorf("%s: %d numbers of rows and columns lie below one of %d values", position, covered, page.count(".tag"))
		}
		if out := eval[int](page, `[...document.querySelectorAll(".tag")].filter(e => e.getBoundingClientRect().right > innerWidth).length`); out > 0 {
			t.Errorf("%s: %d values are cut at the edge of the screen", position, out)
		}
		if eval[bool](page, `document.getElementById("game").getBoundingClientRect().top > document.querySelector(".scroll").getBoundingClientRect().top`) {
			t.Errorf("%s: the choice of the game is below the list of moves", position)
		}
		if eval[bool](page, `(() => { const s = document.querySelector(".scroll"); return s.scrollWidth > s.clientWidth })()`) {
			t.Errorf("%s: the list of moves is cut at its right edge", position)
		}
	}
}

// Explore begins with an example, in which all values are proved and one move is the best.
func TestExploreBeginsWithAnExample(t *testing.T) {
	page, site := openSite(t, "/explore")
	for _, g := range games() {
		page.do(chromedp.Navigate(site + "/explore?game=" + g.Name()))
		page.until("status", "Example: ")
		page.until("proof", "roved")
		page.waitFor(`[...document.querySelectorAll("#moves tr")].filter(r => r.textContent.endsWith("proved")).length > 4`)
		if n := eval[int](page, `[...document.querySelectorAll("#moves tr")].filter(r => /^(0|nothing)$/.test(r.children[2].textContent)).length`); n != 1 {
			t.Errorf("%s: %d moves lose nothing, want 1", g.Name(), n)
		}
		if got := page.text("linename"); got != "Best line" {
			t.Errorf("%s: a proved line is called %q", g.Name(), got)
		}
	}
	page.do(chromedp.Navigate(site + "/explore?game=dotsandboxes&board=5x5"))
	page.until("source", "Player 1: about ")
	page.waitFor(`document.getElementById("linename").textContent === "Expected line"`)
	page.waitFor(`document.getElementById("line").textContent.endsWith("…")`) // not to the end of the game
	if got := page.text("loss"); got != "Loss, boxes" {
		t.Errorf("the column of losses is called %q", got)
	}
}

// The value from here and the score so far are added up to the lead at the end that the bar shows, and
// a drawn line is wider than the line of a move.
func TestExploreAddsUpTheScore(t *testing.T) {
	page, _ := openSite(t, "/explore?game=dotsandboxes&position=2x2%20h11/11/00%20v110/000%200-1%201%20o2./..")
	page.until("source", "Player 1: +1 from here, −1 so far, so 0 at the end.")
	page.waitFor(`document.querySelector("#bar b").textContent === "tie"`)
	width := func(selector string) float64 {
		return eval[float64](page, `Math.max(...[...document.querySelectorAll("`+selector+`")].map(e => parseFloat(getComputedStyle(e).strokeWidth)))`)
	}
	if drawn, move := width(".board line.drawn"), width(".board line.worthline"); drawn < 1.4*move {
		t.Errorf("a drawn line is %v wide, and one that can be drawn %v", drawn, move)
	}
}

// In a symmetric position of Watch Your Back symmetric moves have the same colour, and red
// begins at a whole piece. If all moves have the same bound, the verdict says so and no move
// is pointed out.
func TestColoursTellTheTruth(t *testing.T) {
	page, site := openSite(t, "/explore?game=watchyourback&board=8x8")
	page.until("source", ".")
	page.waitFor(`document.querySelectorAll(".choice .tag").length === 46`)
	if odd := eval[[]string](page, `[...document.querySelectorAll(".choice")].filter(e => {
		const [x, y] = e.dataset.move.match(/\d/g), colour = e => ["best", "some", "much"].find(c => e.classList.contains(c));
		return colour(e) !== colour(document.querySelector('[data-move="(' + (7 - x) + ',' + y + ')"]')) }).map(e => e.dataset.move)`); len(odd) > 0 {
		t.Errorf("%v differ from their mirror images", odd)
	}
	if n := page.count(".choice.arrow:not(.unsure), .choice.best:not(.guess)"); n > 0 {
		t.Errorf("%d estimates are drawn as proved", n)
	}
	page.do(chromedp.Navigate(site + "/explore?game=circuitwars&position=3x3"))
	page.until("source", "from here")
	eval[any](page, `import("/web/site.js").then(({allEqual, valuesOn}) => {
		const decision = (proof, ...scores) => ({proof, score: -7, moves: scores.map((score, i) => ({move: "ab"[i], score, proof}))}), view = {moves: ["a", "b"]};
		const equal = (...scores) => allEqual(view, decision("upper", ...scores));
		const coloured = (...d) => Object.values(valuesOn({unit: "box"}, view, decision(...d))).filter(v => /best|some|much/.test(v.kind)).length;
		window.said = [equal(-7, -7), equal(-7, -8), equal(-7), coloured("exact", -7, -7), coloured("exact", -7, -9)].join();
	}), null`)
	page.waitFor(`window.said === "true,false,false,0,2"`)
	page.do(chromedp.Navigate(site + "/explore?game=circuitwars&position=7x7"))
	page.until("verdict", "All moves are equal as far as is proved.")
	if page.count(".choice.arrow") > 0 {
		t.Error("one of many equal moves is pointed out")
	}
}

// The address may name a board; one that does not exist is reported above the usual one. Moves
// with equal estimates have one colour.
func TestExploreBoard(t *testing.T) {
	page, site := openSite(t, "/explore?game=dotsandboxes&board=5x5")
	page.until("verdict", "others are estimated equal.")
	if board := eval[string](page, `document.getElementById("board").value`); board != "5x5" {
		t.Errorf("the board is %s, want 5x5", board)
	}
	page.waitFor(`document.querySelectorAll(".choice.guess.best:not(.twin)").length > 1`)
	page.waitFor(`document.querySelector("#bar b").textContent === "about even"`)
	if got := eval[string](page, `document.querySelector('#board [value="5x5 swedish"]').textContent`); got != "5x5, border drawn (swedish)" {
		t.Errorf("the swedish start is called %q", got)
	}
	page.do(chromedp.Navigate(site + "/explore?game=dotsandboxes&board=99x99"))
	page.until("status", "99x99")
	page.waitFor(`document.querySelectorAll(".choice").length > 0`)
}

// A move in a list lights the board, also a move that was played, and a move on the board
// lights the list.
func TestPointing(t *testing.T) {
	page, _ := openSite(t, "/explore?game=circuitwars&position=2x2")
	page.until("proof", "Proved")
	point := func(selector string) {
		t.Helper()
		x, y := page.middle(selector)
		page.mouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y})
	}
	point("#moves tr:nth-child(2) button")
	page.waitFor(`document.querySelectorAll(".board .lit").length === 4`) // with the equivalent moves
	point(`.board [data-move="0,0,top"] .hit`)
	page.waitFor(`document.querySelectorAll(".board .lit").length === 0 && document.querySelectorAll("#moves .lit").length === 1`)
	page.press(`.board [data-move="0,0,top"]`)
	page.waitFor(`document.getElementById("position").value === "2x2:800:0-0:2"`)
}

// The loss of a move is shown if it is known. An estimate next to a bound, or on another
// scale than a proved result, is shown as a value and not as a loss.
func TestLossesOnThePages(t *testing.T) {
	page, _ := openSite(t, "/explore?game=dotsandboxes&position=1x1")
	eval[bool](page, `(import("/web/site.js").then(m => { window.site = m }), true)`)
	page.waitFor(`window.site !== undefined`)
	squares, pieces := `{unit: "square", units: "squares"}`, `{unit: "", points: "pieces"}`
	for _, c := range []struct{ game, best, move, want string }{
		{squares, `3 exact`, `1 exact`, "−1|1|loses 1 square, proved"},
		{squares, `3 exact`, `3 exact`, "✓|0|loses nothing, proved"},
		{squares, `3 exact`, `3 lower`, "✓|0|loses nothing, proved"},
		{squares, `3 exact`, `1 upper`, "|at least 1|loses at least 1 square, proved"},
		{squares, `3 lower`, `1 exact`, "|at least 1|loses at least 1 square, proved"},
		{squares, `3 exact`, `1 estimate`, "≈−1|≈1|about 1 worse, an estimate"},
		{squares, `3 estimate`, `1 estimate`, "≈−1|≈1|about 1 worse, an estimate"},
		{squares, `3 lower`, `1 estimate`, "||worth about +1, an estimate"},
		{squares, `3 lower`, `3 lower`, "||worth at least 3, proved"},
		{squares, `3 estimate`, `1 upper`, "||worth at most 1, proved"},
		{pieces, `1 exact`, `-1 exact`, "−1|a win|loses, proved"},
		{pieces, `1 exact`, `1 exact`, "✓|nothing|wins, proved"},
		{pieces, `-1 exact`, `-1 exact`, "✓|nothing|loses, proved"},
		{pieces, `1 exact`, `0 exact`, "−½|half a win|gets a tie, proved"},
		{pieces, `1 exact`, `350 estimate`, "||clearly ahead, an estimate"},
		{pieces, `0 lower`, `350 estimate`, "||clearly ahead, an estimate"},
		{pieces, `380 estimate`, `350 estimate`, "≈−0.3|≈0.3|about 0.3 worse, an estimate"},
		{pieces, `0 lower`, `0 upper`, "||worth at most a tie, proved"},
	} {
		value := func(s string) string {
			score, proof, _ := strings.Cut(s, " ")
			return "score: " + score + `, proof: "` + proof + `"`
		}
		got := eval[string](page, `(() => { const l = site.losses(`+c.game+`, {`+value(c.best)+`, moves: [{move: "m", `+value(c.move)+`}]}).m; return [l.text, l.givesUp, l.label].join("|") })()`)
		if got != c.want {
			t.Errorf("best %s, move %s of %s: %q, want %q", c.best, c.move, c.game, got, c.want)
		}
	}
}

// The mistake that decided a game is the last one of the loser that changed the winner, or the
// loser's largest one.
func TestDecidingMistake(t *testing.T) {
	page, _ := openSite(t, "/explore?game=dotsandboxes&position=1x1")
	for _, c := range []struct {
		winner, turned, want int
	}{{1, 4, 4}, {1, 1, 2}, {2, 0, 3}, {0, 0, 2}} {
		eval[any](page, fmt.Sprintf(`window.found = null, import("/web/moves.js").then(({deciding}) => {
			const moves = [[1, 2], [2, 8], [1, 6], [2, 2]].map(([player, gives_up], i) => ({ply: i + 1, player, gives_up}));
			window.found = deciding({moves, turned: %d}, %d).ply;
		}), null`, c.turned, c.winner))
		page.waitFor(fmt.Sprintf(`window.found === %d`, c.want))
	}
}

// Explanations name the players in place of the sides, with the right form of the verb.
func TestExplanationsNameThePlayers(t *testing.T) {
	page, _ := openSite(t, "/explore?game=dotsandboxes&position=1x1")
	eval[any](page, `import("/web/site.js").then(({renamed}) => {
		window.said = renamed({sides: ["", "Player 1", "Player 2"]}, {sides: ["", "You", "Endwise"]}, "Player 1's reply: player 1 then has to move, and player 2 gets what player 1 leaves to player 2. Player 1 usually wants an even number.");
	}), null`)
	page.waitFor(`window.said === "Your reply: you then have to move, and Endwise gets what you leave to Endwise. You usually want an even number."`)
}

// Notations of other sites and drawings are read from a link and from the field, and "Copy
// as" writes them: a game on Play, on Explore what a position can be.
func TestNotationsOnThePages(t *testing.T) {
	page, site := openSite(t, "/explore?game=dotsandboxes&position="+url.QueryEscape("http://www.trmph.com/dnb/board#3,b1a2"))
	copied := func(notation string) {
		eval[any](page, `Object.defineProperty(navigator, "clipboard", {configurable: true, value: {writeText: async t => { window.copied = t; }}}), null`)
		eval[any](page, `document.getElementById("copyas").closest("details").open = true, null`)
		page.waitFor(`document.querySelector('#copyas [value="` + notation + `"]') !== null`)
		page.set("copyas", notation)
	}
	page.waitFor(`document.getElementById("position").value.startsWith("3x3 h000/000/000/100 v0000/0000/1000 ")`)
	page.set("position", "+--+  +\n|   \n+  +  +")
	page.click("#open button[type=submit]")
	page.waitFor(`document.getElementById("position").value === "1x2 h10/00 v100 0-0 1"`)
	copied("dbn")
	page.waitFor(`window.copied === "1x2 1000100"`)
	copied("knox")
	page.until("status", "from the empty board")

	page.do(chromedp.Navigate(site + "/play?game=dotsandboxes&position=2x2"))
	page.waitFor(`document.querySelectorAll(".choice").length === 12`)
	eval[any](page, `document.querySelector('.choice[data-move="h2,0"] .hit, [data-move="h2,0"]')?.dispatchEvent(new MouseEvent("click", {bubbles: true})), null`)
	page.waitFor(`document.querySelectorAll("#moves button").length > 1`)
	copied("codingame")
	page.waitFor(`(window.copied || "").startsWith("2x2 A1 B")`)
	page.click("#copy")
	page.waitFor(`window.copied === location.href && document.getElementById("copy").textContent === "Link copied"`)
	page.waitFor(`document.getElementById("copy").textContent === "Copy link"`)
}

// Explore keeps the moves of a pasted game: they are listed, stepped through, copied and kept
// in the address, and another move replaces those after it.
func TestExploreKeepsTheMovesOfAGame(t *testing.T) {
	page, _ := openSite(t, "/explore?game=dotsandboxes&board=3x3")
	page.until("source", "from here")
	page.set("position", "2x2 h0,0 v0,0 h1,0 v0,1 h0,1")
	page.click("#open button[type=submit]")
	listed := func(moves, current string) {
		t.Helper()
		page.waitFor(`[...document.querySelectorAll("#played button")].map(b => b.textContent).join(" ") === "` + moves + `" && (document.querySelector("#played [aria-current]")?.textContent ?? "") === "` + current + `"`)
	}
	listed("h0,0 v0,0 h1,0 v0,1 h0,1", "h0,1")
	page.look("explore-game")
	page.do(chromedp.KeyEvent(kb.ArrowLeft))
	listed("h0,0 v0,0 h1,0 v0,1 h0,1", "v0,1")
	page.waitFor(`document.getElementById("position").value === "2x2 h10/10/00 v110/000 0-1 2 o2./.."`)
	eval[any](page, `location.reload(), null`)
	page.waitFor(`document.querySelectorAll("#moves tr").length > 0`)
	listed("h0,0 v0,0 h1,0 v0,1 h0,1", "v0,1")
	page.do(chromedp.KeyEvent(kb.ArrowRight))
	listed("h0,0 v0,0 h1,0 v0,1 h0,1", "h0,1")
	page.press("#played button")
	listed("h0,0 v0,0 h1,0 v0,1 h0,1", "h0,0")
	page.press(`.board [data-move="v1,1"]`)
	listed("h0,0 v1,1", "v1,1")
	if address := eval[string](page, `decodeURIComponent(location.search)`); !strings.Contains(address, "position=2x2+h00/00/00") || !strings.HasSuffix(address, "&moves=h0,0;v1,1") {
		t.Errorf("the address is %s", address)
	}
	eval[bool](page, `(history.back(), true)`)
	listed("h0,0 v0,0 h1,0 v0,1 h0,1", "h0,0")
}

// After a game on Play the menu "Why" explains its positions, and not during the game.
func TestWhyOnPlay(t *testing.T) {
	page, _ := openSite(t, "/play?game=dotsandboxes&position=2x4%20h1111/1111/1111%20v00000/00000%200-0%201")
	page.until("status", "Your turn.")
	page.set("player2", "human")
	if !eval[bool](page, `document.getElementById("why").hidden`) {
		t.Error("the position is explained during the game")
	}
	page.untilOver(page.clickFirst)
	for n := 9; n >= 0; n-- {
		page.do(chromedp.KeyEvent(kb.ArrowLeft))
		page.until("status", map[bool]string{true: "The first position", false: fmt.Sprintf("After move %d,", n)}[n == 0])
	}
	page.press("#why summary")
	page.until("reasons", "Only 2 chains of 4 boxes are left: the player who opens the first gets 4 boxes fewer")
	if n := page.count(".board line.part0"); n != 5 {
		t.Errorf("%d lines of the first chain are coloured, want 5", n)
	}
	page.look("play-why")
}

// After a lost game "Why" shows the move that lost it, marked on the board and in the list,
// with the better one, the reply and what it changed.
func TestWhyShowsTheMistake(t *testing.T) {
	page, _ := openSite(t, "/play#game=dotsandboxes&start=1x2%20h10/10%20v100%200-0%202&players=human,human")
	for n, move := range []string{"h0,1", "v0,1", "h1,1", "v0,2"} { // player 2 does not take a box
		page.waitFor(fmt.Sprintf(`document.querySelectorAll("#moves [data-ply]").length === %d`, n))
		page.press(`.board [data-move="` + move + `"]`)
	}
	page.untilOver(nil)
	page.press("#why summary")
	page.until("reasons", "Player 2 played h0,1, which loses 1 box; better v0,1.")
	page.until("reasons", "after h0,1, and ")
	if page.count(".choice.wrong") != 1 || page.count(".choice.arrow:not(.unsure)") != 1 || page.count("#moves .mistake") != 1 {
		t.Error("the mistake and the better move are not marked")
	}
	page.look("play-mistake")
	// At the end of the game the result stays, also in the menu opened again.
	page.do(chromedp.KeyEvent(kb.ArrowRight))
	for n := 2; n <= 4; n++ {
		page.until("status", fmt.Sprintf("After move %d,", n-1))
		page.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	page.waitFor(`document.querySelector("#moves [aria-current]").dataset.ply === "4"`)
	page.until("reasons", "Player 2 played h0,1, which loses 1 box; better v0,1.")
	page.press("#why summary")
	page.waitFor(`document.getElementById("reasons").textContent === ""`)
	page.press("#why summary")
	page.until("reasons", "Player 2 played h0,1, which loses 1 box; better v0,1.")
	// The menu is closed in the next game, whose end says nothing about this one.
	page.press("#again")
	page.waitFor(`document.getElementById("end").hidden && !document.getElementById("why").open`)
}

// "Why" also names the winner's move that had given a win away.
func TestWhyNamesTheWinnersMistake(t *testing.T) {
	page, _ := openSite(t, "/play#game=circuitwars&start=2x2&by=121212121212&players=human,human&moves="+
		"0,1,left;0,1,bottom;0,0,left;1,1,right;0,0,top;0,1,right;1,1,bottom;0,0,bottom;1,0,top;1,0,bottom;0,0,right;1,0,right")
	page.until("endtext", "Player 2 won 3–1")
	page.press("#why summary")
	page.until("reasons", "Player 1 played 0,0,right, which loses 1 square; better")
	page.until("reasons", "This was the turning point.")
}

// After the end the list shows the last move, and with "Why", which also counts the other mistakes,
// the one before the mistake.
func TestLastMoveIsInSight(t *testing.T) {
	page, _ := openSite(t, "/play#game=circuitwars&start=3x3&by=1212121212121212121212&players=human,level3&moves="+
		"1,1,right;0,2,right;0,0,bottom;1,0,top;1,0,bottom;2,2,bottom;2,2,right;0,2,bottom;2,1,bottom;1,2,right;0,0,left;0,1,left;0,1,bottom;1,2,bottom;2,0,bottom;2,1,right;0,0,right;0,0,top;0,2,left;1,0,right;2,0,top;2,0,right")
	inSight := `(([box, at]) => at.top > box.top && at.bottom <= box.bottom)(["#movebox", "#moves [aria-current]"].map(s => document.querySelector(s).getBoundingClientRect()))`
	page.until("endtext", "Endwise won 8–1")
	page.waitFor(inSight)
	page.press("#why summary")
	page.waitFor(`/^Your \d+ other mistakes$/.test(document.querySelector("#reasons summary")?.textContent)`)
	page.waitFor(inSight)
	// Each other mistake leads to its board. With the list opened the buttons and the moves stay in sight.
	page.press("#reasons summary")
	page.waitFor(`document.querySelector("#reasons button").checkVisibility()`)
	page.panelFits("Play with all mistakes", windows[0])
	_, move, _ := strings.Cut(eval[string](page, `document.querySelector("#reasons button").textContent`), ", ")
	page.press("#reasons button")
	page.until("reasons", "You played "+move+", ")
}

// The menu "Why" explains the position, colours its chains, and follows to the next position.
func TestWhyOnExplore(t *testing.T) {
	page, _ := openSite(t, "/explore?game=dotsandboxes&position=2x4%20h1111/1111/1111%20v00000/00000%200-0%201")
	page.press("#why summary")
	page.until("reasons", "Only 2 chains of 4 boxes are left: the player who opens the first gets 4 boxes fewer")
	for _, class := range []string{".part0", ".part1"} {
		if n := eval[int](page, `document.querySelectorAll(".board line`+class+`").length`); n != 5 {
			t.Errorf("%d lines of class %s, want the 5 of a chain", n, class)
		}
		if got := eval[string](page, `document.querySelector("#reasons .parts `+class+`").textContent`); got != "chain of 4" {
			t.Errorf("the colour of %s is explained by %q", class, got)
		}
	}
	page.look("why")
	page.do(chromedp.EmulateViewport(1280, 800))
	if !eval[bool](page, `(r => document.elementFromPoint(r.left + 5, r.top + 5)?.closest("#moves"))(document.querySelector("#moves tr:nth-child(2) td").getBoundingClientRect()) != null`) {
		t.Error("the moves are hidden while the reasons are shown")
	}
	page.press("#moves button")
	page.until("reasons", "can capture 4 boxes")
	page.press("#why summary")
	page.waitFor(`document.querySelectorAll(".board line.part").length === 0`)
}
