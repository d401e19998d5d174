package arena

import (
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// No line of a report is wider than the terminal, and nothing is lost by that.
func TestReportFitsTerminal(t *testing.T) {
	difference, high := 1.5, 2.5
	rep := Report{
		Game: "circuitwars", Board: "7x7", TimeMS: 500,
		Players:  []PlayerReport{{Name: "endwise", Games: 1000, Wins: 900, Losses: 100, Forfeits: 2, Moves: 23456, MeanMS: 321.5, MaxMS: 499.9}},
		Pairings: []PairingReport{{A: "endwise", B: "level4", Games: 1000, Wins: 900, Losses: 100, Pairs: Pairs{1, 2, 3, 4, 490}, Difference: Bars{Value: &difference, High: &high}, SPRT: &SPRTReport{Elo1: 10, Pairs: 500}}},
		Faults:   []string{"endwise-level4-0001: endwise (player 1) lost by timeout at move 3: took 525ms, the limit is 500ms"},
	}
	var wide, narrow strings.Builder
	testenv.OK(t, rep.WriteText(&wide, false, 0))
	testenv.OK(t, rep.WriteText(&narrow, false, 40))
	for line := range strings.Lines(narrow.String()) {
		if line = strings.TrimSuffix(line, "\n"); width(line) > 40 {
			t.Errorf("%d columns: %q", width(line), line)
		}
	}
	for _, word := range strings.Fields(wide.String()) {
		if word != "player" && !strings.Contains(narrow.String(), word) {
			t.Errorf("%q is missing in\n%s", word, narrow.String())
		}
	}
}

// A row without cells after the first fits a terminal of one column.
func TestNarrowestTerminal(t *testing.T) {
	d := NewText(false, 1)
	d.Table(Table{Head: []string{"team", "won"}, Rows: [][]string{{"a", ""}}})
	if got := d.String(); got != "a\n  \n" {
		t.Errorf("%q", got)
	}
}
