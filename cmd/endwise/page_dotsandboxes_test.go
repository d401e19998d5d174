package main

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"

	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/wire/dabws"
)

// set enters a value into a form field as a person would.
func (p browserPage) set(id, value string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event("change")); return e.value === %q })()`, id, value, value))
}

func (p browserPage) click(selector string) {
	p.t.Helper()
	p.pressable(selector)
	eval[bool](p, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new MouseEvent("click", {bubbles: true}))`, selector))
}

// Agents and people play on the page in every combination: agent against agent by level and
// by address, person against agent by mouse and keyboard. Agents that are late, draw an
// illegal line or do not answer lose.
func TestDotsAndBoxesPage(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	url, _ := serve(t, "dotsandboxes", "--hash", "16", "--threads", "1")
	level, err := levels.New(2, 7)
	testenv.OK(t, err)
	own := httptest.NewServer(&dabws.Agent{Player: level})
	defer own.Close()

	page.do(chromedp.EmulateViewport(1000, 1100), chromedp.Navigate(url+"/"))
	page.pressable("#start") // the script sets fields when it starts
	page.until("status", "Choose the players")
	page.set("rows", "2")
	page.set("cols", "3")
	page.set("limit", "20")

	// Agent against agent: the full player by name, this program's agent by address.
	page.set("kind1", "endwise")
	page.set("kind2", "address")
	page.set("address2", "ws"+strings.TrimPrefix(own.URL, "http"))
	page.click("#start")
	page.waitFor(`document.body.dataset.phase === "playing"`)
	page.untilOver(nil)
	if n := page.count(".board .open"); n != 0 {
		t.Errorf("%d lines are free at the end", n)
	}
	if n := page.count(".board .owned1") + page.count(".board .owned2"); n != 6 {
		t.Errorf("%d boxes have an owner", n)
	}
	page.shot("dotsandboxes-over")

	// Person against agent: the first line by mouse, then by keyboard.
	page.set("kind1", "human")
	page.set("kind2", "level1")
	page.click("#start")
	page.until("status", "your turn")
	page.click(`[data-move="h1,1"]`)
	page.until("last", "Last line")
	page.shot("dotsandboxes-play")
	// Nothing can be chosen while the agent's line is awaited, so the check and the keys
	// are one step of the page.
	page.untilOver(func() {
		eval[bool](page, `(() => {
			const at = () => document.querySelector('.choice[tabindex="0"]');
			const press = key => at()?.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
			at()?.focus();
			press("ArrowRight"); press("ArrowDown"); press("Enter");
			return true })()`)
	})
	if n := page.count(".board .open"); n != 0 {
		t.Errorf("%d lines are free at the end", n)
	}

	// Two people.
	page.set("kind2", "human")
	page.click("#start")
	page.until("status", "Player 1, your turn")
	page.click(`[data-move="v0,0"]`)
	page.until("status", "Player 2, your turn")
	if page.count(`.board [data-move='v0,0']`) != 0 {
		t.Error("a line that is drawn already can be chosen")
	}
	page.click(`[data-move="h0,0"]`)
	page.until("last", "Last line h0,0")

	// An agent that is late or draws an impossible line loses.
	late := httptest.NewServer(&silentAgent{})
	defer late.Close()
	page.set("limit", "0.1")
	page.set("kind1", "address")
	page.set("address1", "ws"+strings.TrimPrefix(late.URL, "http"))
	page.click("#start")
	page.until("status", "lost at move 1: no line within 0.1 s")
	wrong := httptest.NewServer(&silentAgent{say: `{"type":"action","location":[9,9],"orientation":"h"}`})
	defer wrong.Close()
	page.set("address1", "ws"+strings.TrimPrefix(wrong.URL, "http"))
	page.click("#start")
	page.until("status", "lost at move 1: illegal line h9,9")

	// An agent that does not answer, an invalid address and invalid limits.
	gone, err := testenv.FreeAddress()
	testenv.OK(t, err)
	page.set("address1", "ws://"+gone)
	page.click("#start")
	page.until("status", "lost at move 1: no agent answers at ws://"+gone)
	for _, address := range []string{"http://127.0.0.1:8089", "127.0.0.1:8089", "agent", ""} {
		page.set("address1", address)
		page.click("#start")
		page.until("status", "lost at move 1: "+cmp.Or(address, "nothing")+" is no websocket address; one looks like ws://")
	}
	for _, limit := range []string{"0", "-1", "", "1e9"} {
		page.set("limit", limit)
		page.click("#start")
		page.until("status", "Seconds a line for agents: want a number from 0.1 to 600")
		page.set("limit", "1")
		page.click("#start")
		page.until("status", "is no websocket address")
	}

	page.do(chromedp.EmulateViewport(360, 640, chromedp.EmulateMobile))
	page.fitsScreen("on a phone")
	page.shot("dotsandboxes-phone")
}

// silentAgent answers the first message with say, if not empty, and no other.
type silentAgent struct{ say string }

func (s *silentAgent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	for {
		if _, _, err := conn.Read(r.Context()); err != nil {
			return
		}
		if s.say != "" {
			if err := conn.Write(r.Context(), websocket.MessageText, []byte(s.say)); err != nil {
				return
			}
		}
	}
}
