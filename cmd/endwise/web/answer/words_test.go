package answer

import (
	"testing"

	"endwise/book/analysis"
	"endwise/engine"
)

// A game whose values count nothing is won, lost or a tie in every sentence of
// the terminal and the reports.
func TestWords(t *testing.T) {
	squares := Game{Rules: analysis.Rules{Scored: true, Unit: "square", Units: "squares"}}
	results, pieces := Game{}, Game{Points: "pieces"}
	one, none := 1, 0
	for _, c := range []struct{ got, want string }{
		{squares.Value(3, engine.Exact), "+3"},
		{squares.Value(0, engine.Estimate), "0"},
		{results.Value(1, engine.Lower), "won"},
		{results.Value(0, engine.Exact), "tie"},
		{results.Value(-1, engine.Upper), "lost"},
		{pieces.Value(350, engine.Estimate), "+3.5"},
		{pieces.Value(0, engine.Estimate), "0"},
		{squares.Score([2]int{3, 1}, "-"), "3-1"},
		{pieces.Score([2]int{12, 11}, "–"), "12–11"},
		{results.Score([2]int{1, 0}, "-"), ""},
		{squares.Truth(analysis.Truth{Lower: &one, Estimate: &none}), ">=+1 about 0"},
		{results.Truth(analysis.Truth{Lower: &none}), ">= tie"},
		{results.Truth(analysis.Truth{Lower: &one, Upper: &one}), "won"},
		{results.Truth(analysis.Truth{Upper: &none, Estimate: &one}), "<= tie about +0.01"},
		{squares.Amount(1), "1 square"},
		{squares.Amount(2), "2 squares"},
		{results.Amount(0), "nothing"},
		{results.Amount(1), "half a win"},
		{results.Amount(2), "a win"},
		{results.Amount(5), "2.5 wins"},
		{squares.Given(2), "2"},
		{results.Given(2), "a win"},
		{squares.GivenEach(3, 2), "1.5"},
		{results.GivenEach(4, 2), "a win"},
		{results.GivenEach(5, 3), "0.83 wins"},
		{squares.Lost(1, false), "at least 1 square"},
		{results.Loss(analysis.Move{AtLeast: &one}), "at least half a win"},
		{results.Loss(analysis.Move{GivesUp: &none}), "nothing"},
		{results.Loss(analysis.Move{}), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
