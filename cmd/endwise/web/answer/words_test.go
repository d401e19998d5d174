package answer

import (
	"testing"

	"endwise/book/analysis"
	"endwise/engine"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// In a game without scores, every text of the terminal and the reports speaks of wins, ties
// and losses.
func TestWords(t *testing.T) {
	squares := Game{Rules: analysis.Rules{Scored: true, Unit: "square", Units: "squares"}}
	pieces := Game{Points: "pieces"}
	one, none := 1, 0
	for _, c := range []struct{ got, want string }{
		{squares.Value(3, engine.Exact), "+3"},
		{squares.Value(0, engine.Estimate), "0"},
		{pieces.Value(1, engine.Lower), "won"},
		{pieces.Value(0, engine.Exact), "tie"},
		{pieces.Value(-1, engine.Upper), "lost"},
		{pieces.Value(350, engine.Estimate), "+3.5"},
		{pieces.Value(0, engine.Estimate), "0"},
		{Score([2]int{12, 11}, "–"), "12–11"},
		{squares.Truth(analysis.Truth{Lower: &one, Estimate: &none}), "≥+1 about 0"},
		{pieces.Truth(analysis.Truth{Lower: &none}), "≥ tie"},
		{pieces.Truth(analysis.Truth{Lower: &one, Upper: &one}), "won"},
		{pieces.Truth(analysis.Truth{Upper: &none, Estimate: &one}), "≤ tie about +0.01"},
		{squares.Amount(1), "1 square"},
		{squares.Amount(2), "2 squares"},
		{pieces.Amount(0), "nothing"},
		{pieces.Amount(1), "half a win"},
		{pieces.Amount(2), "a win"},
		{pieces.Amount(5), "2.5 wins"},
		{squares.Given(2), "2"},
		{pieces.Given(2), "a win"},
		{squares.GivenEach(3, 2), "1.5"},
		{pieces.GivenEach(4, 2), "a win"},
		{pieces.GivenEach(5, 3), "0.83 wins"},
		{squares.Lost(1, false), "at least 1 square"},
		{pieces.Loss(analysis.Move{AtLeast: &one}), "at least half a win"},
		{pieces.Loss(analysis.Move{GivesUp: &none}), "nothing"},
		{pieces.Loss(analysis.Move{}), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
