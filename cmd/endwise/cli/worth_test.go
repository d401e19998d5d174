package cli

import (
	"strings"
	"testing"

	"endwise/book/analysis"
	cwbook "endwise/book/circuitwars"
	"endwise/cmd/endwise/web"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

// The loss of a move is shown only if it is proved.
func TestGivesUp(t *testing.T) {
	for _, c := range []struct {
		best, move engine.Proof
		score      int // of the move; the best move has 3
		want       string
	}{
		{engine.Exact, engine.Exact, 1, "1"},
		{engine.Exact, engine.Upper, 1, "at least 1"},
		{engine.Exact, engine.Upper, 5, ""},
		{engine.Exact, engine.Lower, 3, "0"},
		{engine.Exact, engine.Lower, 1, ""},
		{engine.Exact, engine.Estimate, 1, ""},
		{engine.Lower, engine.Upper, 1, "at least 1"},
		{engine.Lower, engine.Exact, 3, ""},
		{engine.Lower, engine.Estimate, 1, ""},
		{engine.Estimate, engine.Exact, 1, ""},
	} {
		got := loss(web.Game{Game: answer.Game{Rules: analysis.Rules{Unit: "square", Units: "squares"}}}.Loss, engine.Decision{Score: 3, Proof: c.best}, engine.MoveValue{Score: c.score, Proof: c.move})
		if got != c.want {
			t.Errorf("best 3 %s, move %d %s: %q, want %q", c.best, c.score, c.move, got, c.want)
		}
	}
}

// Equivalent moves share a row, also if the decision contains only one of them, and a proof of one holds
// for all. In this position the half-turn and the two lines of each corner give equivalent moves.
func TestEquivalentMovesShareRow(t *testing.T) {
	p, err := dotsandboxes.Parse("3x6 h1,1 v1,3 h2,4")
	testenv.OK(t, err)
	got, unevaluated := foldTwins(web.Game{Game: answer.Game{Rules: analysis.Rules{Unit: "box"}}}, p, engine.Decision{Move: "h0,2", Moves: []engine.MoveValue{
		{Move: "h0,2", Proof: engine.Estimate}, {Move: "h0,0", Proof: engine.Estimate}, {Move: "h3,5", Score: -2, Proof: engine.Exact},
	}})
	if len(got) != 2 || got[0].Move != "h0,2" || got[0].others != 1 || got[1].Score != -2 || got[1].Proof != engine.Exact || got[1].others != 3 || unevaluated != 36 {
		t.Errorf("%+v, %d moves not evaluated", got, unevaluated)
	}
}

// A value of at most -7 means at best seven fewer.
func TestBoundsInWords(t *testing.T) {
	g := NewGame(cwbook.Game())
	p, err := g.Start("7x7")
	testenv.OK(t, err)
	for _, c := range []struct {
		score int
		proof engine.Proof
		want  string
	}{
		{-7, engine.Upper, "at best 7 fewer squares "}, {-7, engine.Lower, "at worst 7 fewer squares "},
		{7, engine.Upper, "at most 7 more squares "}, {7, engine.Lower, "at least 7 more squares "},
		{0, engine.Upper, "at most as many squares "}, {0, engine.Lower, "at least as many squares "},
		{-1, engine.Exact, "1 fewer square "},
	} {
		if got := Worth(g, p, engine.Decision{Score: c.score, Proof: c.proof}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%+d, %v: %q, want %q", c.score, c.proof, got, c.want)
		}
	}
}
