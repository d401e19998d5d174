package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The site of a book in a real browser, from files, at the width of a phone:
// nothing sticks out, the board and the list show the same moves, and links
// lead on from both.
func TestBookSiteInABrowser(t *testing.T) {
	page := newPage(t)
	dir := t.TempDir()
	t.Setenv("ENDWISE_STORE", filepath.Join(dir, "store"))
	site := filepath.Join(dir, "site")
	for _, args := range [][]string{
		{"book", "grow", "circuitwars", "--board", "3x3", "--positions", "25", "--time", "10ms"},
		{"book", "html", "circuitwars", site, "--board", "3x3"},
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), &out, &errs); code != exitOK {
			t.Fatalf("%v: %s", args, &errs)
		}
	}
	page.do(
		chromedp.EmulateViewport(360, 640, chromedp.EmulateMobile),
		chromedp.Navigate("file://"+filepath.Join(site, "index.html")),
		chromedp.Click("a.button"),
		chromedp.WaitVisible("svg"),
	)
	if w := eval[int](page, "document.documentElement.scrollWidth"); w > 360 {
		t.Errorf("the page is %d wide on a phone of 360", w)
	}
	if n := eval[int](page, `document.querySelectorAll("svg g[data-class]").length`); n != 24 {
		t.Errorf("%d moves are drawn, 3x3 has 24 segments", n)
	}
	if !eval[bool](page, `rows.every(r => byClass.get(r.dataset.class).length > 1)`) {
		t.Error("a row of the list has no move on the board")
	}
	// The keyboard lights the first row and its moves on the board.
	eval[bool](page, `document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown"}))`)
	if n := eval[int](page, `document.querySelectorAll("svg g.lit").length`); n == 0 {
		t.Error("no move on the board is lit")
	}
	before := eval[string](page, "location.href")
	page.do(
		chromedp.Click("svg a"),
		chromedp.WaitVisible("ul.parents a"),
	)
	if after := eval[string](page, "location.href"); after == before {
		t.Error("a move on the board leads nowhere")
	}
	page.do(
		chromedp.Click("ul.parents a"),
		chromedp.WaitVisible("svg"),
	)
	if back := eval[string](page, "location.href"); back != before {
		t.Errorf("the way back leads to %s, not to %s", back, before)
	}
}
