package web

import (
	"strings"
	"testing"
	"time"

	"endwise/engine/arena"
	"endwise/engine/arena/championship"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// A running game of a duel is shown with its number and the result of the duel's first game.
func TestRunningDuel(t *testing.T) {
	p, err := (circuitwars.Game{}).Start("1x2")
	testenv.OK(t, err)
	first := arena.Result{ID: "semifinal1-ann-bob", Players: [2]string{"ann", "bob"}, Score: [2]int{2, 0}}
	other := arena.Result{ID: "semifinal2-eve-joe", Players: [2]string{"eve", "joe"}, Score: [2]int{1, 1}}
	c := Championship{Finished: []FinishedGame{{other}, {first}}}
	c.Outcome.Knockout = [][]championship.Duel{{{Name: "semifinal1", Teams: [2]string{"ann", "bob"}}}}
	g := RunningGame{ID: "semifinal1-bob-ann", Players: [2]string{"bob", "ann"}, Position: p}
	if got, want := c.Heading(g), "Semifinal 1, game 2 of 2; ann 2–0 bob"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	inGroup := RunningGame{ID: "A-ann-joe", Players: [2]string{"ann", "joe"}}
	c.Finished = append(c.Finished, FinishedGame{arena.Result{ID: "A-ann-bob", Players: [2]string{"ann", "bob"}, Score: [2]int{1, 1}}})
	if got, want := c.Heading(inGroup), "Group A"; got != want { // the other games of a group are in its table
		t.Errorf("%q, want %q", got, want)
	}
	if !g.Moves(0) || g.Moves(1) {
		t.Error("the wrong player is to move")
	}
	if got := c.Reason(championship.Duel{Winner: "ann", Decided: "seed"}); got != "by the better seed" {
		t.Errorf("reason %q", got)
	}
	// The finished games of a duel are links to the report, with the score of the first team first.
	second := arena.Result{ID: "semifinal1-bob-ann", Players: g.Players, Score: [2]int{0, 2}}
	c.Outcome.Knockout = append(c.Outcome.Knockout, []championship.Duel{{Name: "final", Teams: [2]string{"ann", "eve"}}})
	c.Outcome.Knockout[0][0].Games = [2]*arena.Result{&first, &second}
	c.Outcome.Knockout[0][0].Winner = "ann"
	c.Reported = []string{first.ID}
	// The page of a finished championship begins with the champion and the final.
	finals := [2]*arena.Result{{ID: "final-ann-eve", Players: [2]string{"ann", "eve"}, Score: [2]int{1, 3}}, {ID: "final-eve-ann", Players: [2]string{"eve", "ann"}, Score: [2]int{3, 1}}}
	over := Championship{Outcome: championship.Outcome{Champion: "eve", Knockout: [][]championship.Duel{{{Name: "final", Teams: [2]string{"ann", "eve"}, Games: finals, Winner: "eve", Decided: "games"}}}}}
	var last strings.Builder
	testenv.OK(t, over.Write(&last))
	for _, want := range []string{`--letters: 3">eve</p>`, "<span>3–1 and 3–1 in the final<", `<b>2</b>`} {
		if !strings.Contains(last.String(), want) {
			t.Errorf("the page of a finished championship lacks %s", want)
		}
	}
	// Without a knockout the podium shows the places in the group, once all games are played.
	group := Championship{Outcome: championship.Outcome{Played: 5, Games: 6, Groups: []championship.GroupOutcome{{Name: "a", Table: []championship.Standing{{Place: 1, Team: "ann"}, {Place: 2, Team: "bob"}, {Place: 2, Team: "cleo"}, {Place: 4, Team: "dora"}}}}}}
	for _, played := range []int{5, 6} {
		group.Outcome.Played = played
		var page strings.Builder
		testenv.OK(t, group.Write(&page))
		if got := strings.Contains(page.String(), `--letters: 3">ann</p>`) && strings.Contains(page.String(), "<p>bob</p><p>cleo</p><p><b>2</b>"); got != (played == 6) {
			t.Errorf("after %d of 6 games a podium: %v", played, got)
		}
	}
	var page strings.Builder
	testenv.OK(t, c.Write(&page))
	if got := strings.Count(page.String(), "<ol>"); got != 2 {
		t.Errorf("%d rounds, want 2", got)
	}
	for _, want := range []string{`<span style="--letters: 3">ann</span> <a href="report#semifinal1-ann-bob">2</a> <i>2</i></p>`, "then the better seed: the better place in its group", `<p class="won"><span style="--letters: 3">ann<`, "<h2>Semifinal<", "<h2>Final<"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// The page states how long a player has been to move and, during play, the expected end.
func TestTimesOfAChampionship(t *testing.T) {
	c := Championship{Outcome: championship.Outcome{Played: 1, Games: 3}}
	if got := c.Progress(); strings.Contains(got, "ends") {
		t.Errorf("without an expected end: %s", got)
	}
	c.End = time.Date(2026, 5, 1, 14, 30, 0, 0, time.UTC)
	if got := c.Progress(); !strings.HasSuffix(got, ", ends about 14:30") {
		t.Errorf("with an expected end: %s", got)
	}
	if got := (RunningGame{Since: time.Now().Add(-time.Minute)}).Thinking(); got == "" {
		t.Error("a minute after the last move no time is shown")
	}
}
