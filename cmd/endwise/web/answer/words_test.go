package answer

import (
	"fmt"
	"strings"
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
		{squares.LossWithUnit(0), "0 squares"},
		{squares.LossWithUnit(1), "1 square"}, // a bound
		{squares.LossWithUnit(2), "1 square"},
		{squares.LossWithUnit(84), "42 squares"},
		{pieces.LossWithUnit(0), "nothing"},
		{pieces.LossWithUnit(1), "half a win"},
		{pieces.LossWithUnit(2), "a win"},
		{pieces.LossWithUnit(5), "2.5 wins"},
		{squares.Loss(4), "2"},
		{pieces.Loss(2), "a win"},
		{squares.AverageLoss(6, 2), "1.5"},
		{pieces.AverageLoss(4, 2), "a win"},
		{pieces.AverageLoss(5, 3), "0.83 wins"},
		{squares.MistakeLoss(1, false), "at least 1 square"},
		{pieces.MoveLoss(analysis.Move{MinLoss: &one}), "at least half a win"},
		{pieces.MoveLoss(analysis.Move{Loss: &none}), "nothing"},
		{pieces.MoveLoss(analysis.Move{}), ""},
		{pieces.Decisive(analysis.LikelyMistake{Ply: 57, Before: 118, After: -84}, "(1,5)"), "estimated: the game turned at move 57, (1,5): from +1.2 to -0.8"},
		{squares.Decisive(analysis.LikelyMistake{Ply: 5, Before: -2, After: -8}, "h1,5"), "estimated: the largest mistake was move 5, h1,5, about 3 squares"},
		{squares.Verdict(analysis.Analysis{Proved: 2, Players: [2]analysis.Player{{}, {Name: "bob"}}}), "proved: bob wins with best play at move 1; the end of the game was not solved"},
		{squares.Verdict(analysis.Analysis{Proved: 2, FirstSolved: 40, Expected: 1, Players: [2]analysis.Player{{Name: "ann"}, {Name: "bob"}}}),
			"proved: bob wins with best play at move 1, but lost that win before move 40; solved from move 40 on: ann wins with best play; no move after that changed the result"},
		{ProvedWinner(analysis.Analysis{Proved: 2, FirstSolved: 1}), ""},
		{ProvedWinner(analysis.Analysis{Proved: 1, ProvedUntil: 5, FirstSolved: 9, Expected: 2, Players: [2]analysis.Player{{Name: "ann"}}}),
			"proved: ann wins with best play at move 1 and still at move 5, but lost that win before move 9"},
		{ProvedWinner(analysis.Analysis{Proved: 1, FirstSolved: 9, Expected: 0, Players: [2]analysis.Player{{Name: "ann"}}}),
			"proved: ann wins with best play at move 1, but lost that win before move 9"},
		{ProvedWinner(analysis.Analysis{Proved: 1, FirstSolved: 9, Expected: 1, Players: [2]analysis.Player{{Name: "ann"}}}),
			"proved: ann wins with best play at move 1"},
		{squares.Verdict(resigned(5, engine.Exact)), "solved from move 1 on: bob wins 6–3 with best play; in the last position ann wins 7–2 with best play, so the resignation decided the game"},
		{squares.Verdict(resigned(-3, engine.Exact)), "solved from move 1 on: bob wins 6–3 with best play; no move after that changed the result; in the last position bob wins 6–3 with best play"},
		{squares.Verdict(resigned(5, engine.Estimate)), "solved from move 1 on: bob wins 6–3 with best play; in the last position ann is expected to win by about 5, an estimate"},
		{pieces.Verdict(analysis.Analysis{Fault: "stopped", Margins: []analysis.Margin{{Proof: engine.Exact}}}), "the end of the game was not solved; the last position is a tie with best play"},
		{Fault(resigned(5, engine.Exact)), "decided by resignation of ann"},
		{Fault(analysis.Analysis{Fault: "timeout", Winner: 1}), "decided by a forfeit: timeout"},
		{Fault(analysis.Analysis{Fault: "the record stops"}), "the record stops"},
		{squares.Decisive(analysis.LikelyMistake{Ply: 5, Before: 2, After: -1}, "h1,5"), "estimated: the game turned at move 5, h1,5: from 2 ahead to 1 behind"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// resigned returns a game of 3x3 that ann, player 1, resigned at once in a position of the given value.
func resigned(value float64, proof engine.Proof) analysis.Analysis {
	return analysis.Analysis{Players: [2]analysis.Player{{Name: "ann"}, {Name: "bob"}}, Winner: 2, Fault: "resignation of ann", FirstSolved: 1,
		Expected: 2, ExpectedScore: [2]int{3, 6}, Margins: []analysis.Margin{{Value: value, Proof: proof}}}
}

// The triangles of bounds do not cross the edges of a plot.
func TestBoundsInPlot(t *testing.T) {
	for value := range 50 {
		for proof, sign := range map[engine.Proof]float64{engine.Lower: 1, engine.Upper: -1} {
			svg := Game{Rules: analysis.Rules{Scored: true}}.Plot(analysis.Analysis{
				Margins: []analysis.Margin{{Value: sign * float64(value), Proof: proof}},
			}, PlotWidth)
			var base, tip float64
			_, path, _ := strings.Cut(svg, `<path class="bound" d="M8.0 `)
			if _, err := fmt.Sscanf(path, "%gl-3 0l3 %g", &base, &tip); err != nil {
				t.Fatalf("%v: %s", err, svg)
			}
			if end := base + tip; end < plotTop || end > plotHeight-plotBottom {
				t.Errorf("bound %d: the tip is at %g", int(sign)*value, end)
			}
		}
	}
}

// The scale of a plot is not larger than the board, names of players without one begin with a capital,
// and the legend explains only what the plot shows.
func TestPlot(t *testing.T) {
	squares := Game{Rules: analysis.Rules{Scored: true, Unit: "square", Units: "squares"}}
	svg := squares.Plot(analysis.Analysis{
		Players: [2]analysis.Player{{Name: "player 1"}, {Name: "anna"}}, Score: [2]int{3, 1},
		Margins: []analysis.Margin{{Ply: 0, Value: 2, Proof: engine.Exact}},
	}, PlotWidth)
	for text, want := range map[string]bool{">Player 1 +4<": true, ">anna +4<": true, ">proved<": true, ">estimate<": false, ">mistake<": false, ">at least<": false} {
		if strings.Contains(svg, text) != want {
			t.Errorf("%s: %t, want %t in %s", text, !want, want, svg)
		}
	}
}
