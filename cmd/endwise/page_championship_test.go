package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"endwise/cmd/endwise/web"
	"endwise/engine/arena"
	"endwise/engine/arena/championship"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// On a projector, the page of a championship shows all running boards and a table without scrolling;
// tables that do not fit are shown in turn. On a phone the boards come
// before the tables, side by side, and the page does not scroll sideways.
func TestChampionshipFitsAProjector(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	p, err := (circuitwars.Game{}).Start("7x7")
	testenv.OK(t, err)
	var c web.Championship
	for g := range 4 {
		group := championship.GroupOutcome{Name: string(rune('A' + g)), Games: 20}
		for i := range 5 {
			group.Table = append(group.Table, championship.Standing{Place: i + 1, Team: fmt.Sprintf("team-%d-%d", g, i), Played: 4, Tied: 1, For: 100, Against: 96})
		}
		c.Outcome.Groups = append(c.Outcome.Groups, group)
	}
	for i := range 3 {
		c.Running = append(c.Running, web.RunningGame{ID: fmt.Sprintf("A-team-0-%d-team-0-4", i), Players: [2]string{fmt.Sprintf("team-0-%d", i), "team-0-4"}, Position: p})
	}
	for i := range 9 {
		c.Finished = append(c.Finished, web.FinishedGame{Result: arena.Result{ID: fmt.Sprint("A-", i), Players: [2]string{"a_name_of_many_letters", "another_long_name"}}})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
			w.Write(web.ChampionshipScript)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		testenv.OK(t, c.Write(w))
	}))
	t.Cleanup(server.Close)
	inside := `[...document.querySelectorAll("%s")].filter(e => e.checkVisibility()).every(e => { const b = e.getBoundingClientRect(); return b.width > 0 && b.top >= 0 && b.bottom <= innerHeight && b.right <= innerWidth })`
	for _, size := range [][2]int64{{1280, 720}, {1920, 1080}} {
		page.do(chromedp.EmulateViewport(size[0], size[1]), chromedp.Navigate(server.URL))
		page.waitFor(`!!document.querySelector(".tables").dataset.page`)
		page.fitsScreen(fmt.Sprintf("a projector of %v", size))
		if eval[bool](page, `document.documentElement.scrollHeight > innerHeight`) {
			t.Errorf("on a projector of %v the page scrolls", size)
		}
		for _, part := range []string{".live .board", ".tables tr"} {
			if !eval[bool](page, fmt.Sprintf(inside, part)) {
				t.Errorf("on a projector of %v some of %s are not visible", size, part)
			}
		}
		if !eval[bool](page, `(() => { const r = document.querySelector(".results").getBoundingClientRect(); return [...document.querySelectorAll(".results li")].every(e => { const b = e.getBoundingClientRect(); return b.left >= r.right || b.bottom <= r.bottom }) })()`) {
			t.Errorf("on a projector of %v a result is cut", size)
		}
		if n := eval[int](page, `[...document.querySelectorAll(".tables table")].filter(e => e.checkVisibility()).length`); n < 1 || n > 3 {
			t.Errorf("on a projector of %v %d of 4 tables are shown", size, n)
		}
	}
	page.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), chromedp.Navigate(server.URL))
	page.waitFor(`document.querySelectorAll(".live").length === 3`)
	if !eval[bool](page, `document.querySelector(".boards").getBoundingClientRect().bottom < Math.min(innerHeight, document.querySelector("table").getBoundingClientRect().top)`) {
		t.Error("on a phone the boards do not come before the tables")
	}
	if got := eval[int](page, `document.documentElement.scrollWidth`); got > 390 {
		t.Errorf("on a phone the page is %d pixels wide", got)
	}
}
