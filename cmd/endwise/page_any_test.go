package main

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"endwise/book/anygame"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/kayles"
)

// A game that is known by its rules, keys and picture alone can be played,
// explored and practised on the pages.
func TestPicturePage(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	site := startSite(t)
	page.do(chromedp.EmulateViewport(1200, 950), chromedp.Navigate(site+"/play?game=kayles"))
	page.until("status", "Player 1 to move")
	page.until("facts", "Pins that stand: 12")
	if n := page.count(".choice[role=button]"); n != 23 {
		t.Errorf("%d moves can be pressed, want 12 pins and 11 pairs", n)
	}
	page.look("picture-play")
	page.press(`[data-move="6-7"]`)
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 2`)
	if got := eval[string](page, `document.querySelector("#moves [data-ply]").textContent`); got != "6-7" {
		t.Errorf("the first move is %q", got)
	}
	if n := page.count(".board .gone, .board .last"); n < 3 {
		t.Errorf("%d pins have fallen after a pair and an answer", n)
	}
	page.press("#hint")
	page.until("hinttext", "Best is")
	page.waitFor(`document.querySelectorAll(".choice.arrow").length === 1`)
	page.press("#undo")
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 0`)

	// The keyboard walks from pin to pin and plays.
	page.do(chromedp.Navigate(site + "/play?game=kayles&position=" + url.QueryEscape("3:I.I:1")))
	page.until("facts", "Pins that stand: 2")
	eval[bool](page, `(document.querySelector('[data-move="1"]').focus(), true)`)
	eval[bool](page, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true}))`)
	eval[bool](page, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}))`)
	page.until("status", "Player 2 wins.")
	if got := eval[string](page, `document.querySelector("#moves [data-ply]").textContent`); got != "3" {
		t.Errorf("the arrow to the right and Enter play %q", got)
	}

	page.do(chromedp.Navigate(site + "/explore?game=kayles&position=" + url.QueryEscape("5-4")))
	page.until("verdict", "Player 1 wins with best play. Best is 1.")
	page.until("source", "won from here, proved, solved just now")
	if got := page.text("status"); got != "Player 1 to move." {
		t.Errorf("a game without points has the status %q", got)
	}
	if got := page.text("position-label"); got != "Position: a position string" {
		t.Errorf("what the position may be: %q", got)
	}
	if n := page.count(".choice .tag"); n != 16 {
		t.Errorf("%d of 16 moves have a value on the board", n)
	}
	if n := page.count("#moves tr"); n != 16 {
		t.Errorf("%d of 16 moves are listed", n)
	}
	for selector, want := range map[string]string{"#moves td:nth-child(2)": "lost won", "#moves td:nth-child(3)": "a win nothing", ".tagtext": "−1 ✓"} {
		said := eval[[]string](page, `[...new Set([...document.querySelectorAll("`+selector+`")].map(e => e.textContent))].sort()`)
		if got := strings.Join(said, " "); got != want {
			t.Errorf("%s of a game without points says %q, want %q", selector, got, want)
		}
	}
	if seen := eval[[]string](page, `[...document.querySelectorAll(".tagtext")].filter(e => e.checkVisibility({visibilityProperty: true})).map(e => e.textContent)`); !slices.Equal(slices.Compact(seen), []string{"✓"}) {
		t.Errorf("the numbers %q are seen, want the best moves': the others are all alike", seen)
	}
	page.look("picture-explore")

	page.do(chromedp.Navigate(site + "/practise?game=kayles"))
	page.until("task", "which is the one move that holds?")
	page.press("#show")
	page.until("answer", "It is ")
}

// bareGame is a game with rules and no more: no keys, no picture, no boards.
type bareGame struct{}

type barePosition struct{ engine.Position }

func (bareGame) Name() string      { return "bare" }
func (bareGame) Title() string     { return "Bare" }
func (bareGame) RulesVersion() int { return 1 }

func (bareGame) Start(board string) (engine.Position, error) {
	p, err := kayles.Game{}.Start(board)
	return barePosition{p}, err
}

func (bareGame) Parse(text string) (engine.Position, error) {
	p, err := kayles.Game{}.Parse(text)
	return barePosition{p}, err
}

func (barePosition) Game() string { return "bare" }

func (p barePosition) Play(m engine.Move) (engine.Position, error) {
	q, err := p.Position.Play(m)
	return barePosition{q}, err
}

// A game that is known by its rules alone has a page, levels, matches and
// analyses; what wants keys says that there are none.
func TestBareGame(t *testing.T) {
	before := cli.Games
	cli.Games = append(cli.Games[:len(cli.Games):len(cli.Games)], cli.NewGame(anygame.FromRules(bareGame{})))
	t.Cleanup(func() { cli.Games = before })

	for _, c := range []struct {
		args []string
		in   string
		code int
		says string
	}{
		{[]string{"query", "bare", "5:I....:1"}, "", 0, "best move 1:"},
		{[]string{"play", "bare", "--board", "1"}, "1\nquit\n", 0, "player 1 (human) wins.\n"},
		{[]string{"arena", "bare", "level2", "endwise:store=none", "--board", "5", "--games", "2", "--time", "20s"}, "", 0, "level2 against endwise: 2 games"},
		{[]string{"book", "grow", "bare"}, "", 2, "Bare has no opening books"},
		{[]string{"solve", "bare"}, "", 2, `unknown game "bare"`},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append(c.args, "--store", t.TempDir()), strings.NewReader(c.in), &out, &errs)
		if code != c.code || !strings.Contains(out.String()+errs.String(), c.says) {
			t.Errorf("%v: exit code %d, want %d and %q: %s%s", c.args, code, c.code, c.says, out.String(), errs.String())
		}
	}

	page := newPage(t)
	site := startSite(t)
	page.do(chromedp.EmulateViewport(1200, 950), chromedp.Navigate(site+"/play?game=bare"))
	page.until("status", "Player 1 to move")
	if n := page.count("#place button"); n != 23 {
		t.Errorf("%d moves can be pressed, want 23", n)
	}
	page.press(`#place [data-move="6-7"]`)
	page.waitFor(`document.querySelectorAll("#moves [data-ply]").length === 2`)
	page.look("list-play")
	page.do(chromedp.Navigate(site + "/explore?game=bare&position=" + url.QueryEscape("3:I..:1")))
	page.until("verdict", "Best is 1.")
}
