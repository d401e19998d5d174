package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/engine"
)

// A fall of the estimate by a piece or more is a likely mistake of the side that moved; a
// fall next to a proved value, or by the best move, is not.
func TestLikelyMistakes(t *testing.T) {
	guess := func(v int) Truth { return Truth{Estimate: new(v)} }
	a := knownGame(t, outcomes, endOfWatchYourBack,
		guess(50),   // White moves and loses 250
		guess(200),  // Black moves and loses nothing
		guess(-200), // White moves and loses 99
		guess(299),  // Black moves to a proved position
		exactly(1))
	for i := range a.values {
		a.values[i].best = "(9,9)"
	}
	name := func(i int) string { return a.record.Positions[i].MoveString(a.record.Moves[i]) }
	find := func(out Analysis) Analysis {
		a.findLikelyMistakes(&out)
		return out
	}
	want := LikelyMistake{Ply: 1, Player: 1, Move: name(0), Better: "(9,9)", Before: 50, After: -200}
	got := find(Analysis{Winner: 2})
	if diff := cmp.Diff([]LikelyMistake{want}, got.Likely); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&want, got.Decisive); diff != "" {
		t.Error(diff)
	}
	for because, out := range map[string]Analysis{
		"of the winner":                     {Winner: 1},
		"of a tie":                          {},
		"of a game lost from the start":     {Winner: 2, Proved: 2},
		"of a game that ended by a fault":   {Winner: 2, Fault: "timeout"},
		"before a proved change of winner":  {Winner: 2, Turned: 4},
		"before the loser's proved mistake": {Winner: 2, Moves: []Move{{Ply: 3, Player: 1, Loss: new(2)}}},
	} {
		if got := find(out).Decisive; got != nil {
			t.Errorf("a move %s is decisive: %+v", because, got)
		}
	}
	a.values[0].best = name(0)
	if got := find(Analysis{}).Likely; len(got) != 0 {
		t.Errorf("the best move is listed: %v", got)
	}
}

// An estimate that favours the side to move shows no mistake. The decisive move is the one that
// turned the game, not a larger mistake after it.
func TestEstimatesThatFavourTheSideToMove(t *testing.T) {
	guess := func(v int) Truth { return Truth{Estimate: new(v)} }
	a := knownGame(t, squares, "3x3", guess(1), guess(1), guess(1), guess(3), guess(-1), guess(13), guess(-11), guess(13))
	got := Analysis{Winner: 2}
	a.findLikelyMistakes(&got)
	if len(got.Likely) != 1 || got.Likely[0].Ply != 5 || got.Decisive == nil || got.Decisive.Ply != 3 {
		t.Errorf("likely mistakes %+v, decisive %+v", got.Likely, got.Decisive)
	}
}

// Estimates of different sources or depths, and an upper bound and an estimate, are not compared: the
// fall from one to the other is no mistake.
func TestEstimatesOfDifferentSearchesAreNotCompared(t *testing.T) {
	guess := func(v int) Truth { return Truth{Estimate: new(v)} }
	for name, change := range map[string]func(v *evaluation){
		"same source and depth": func(*evaluation) {},
		"book":                  func(v *evaluation) { v.source = "book" },
		"deeper":                func(v *evaluation) { v.depth += 4 },
		"bound":                 func(v *evaluation) { v.Truth = Truth{Upper: new(1)} },
	} {
		a := knownGame(t, outcomes, endOfWatchYourBack, guess(50), guess(200), guess(-200), guess(200), guess(-200))
		for i := range a.values {
			a.values[i].best, a.values[i].source, a.values[i].depth = "(9,9)", "search", 5+i%2
		}
		change(&a.values[0])
		got := Analysis{Winner: 2}
		a.findLikelyMistakes(&got)
		if (len(got.Likely) > 0) != (name == "same source and depth") {
			t.Errorf("%s: likely mistakes %+v", name, got.Likely)
		}
	}
}

// An estimate below the proved lower bound of the position before it shows a likely mistake, unless the
// played move is the one that reaches the bound.
func TestEstimateBelowProvedBoundShowsLikelyMistake(t *testing.T) {
	guess := func(v int) Truth { return Truth{Estimate: new(v)} }
	for name, c := range map[string]struct {
		first, second Truth
		want          int
	}{
		"far below":          {Truth{Lower: new(1)}, guess(9), 1},
		"just below":         {Truth{Lower: new(1)}, guess(1), 0},
		"above":              {Truth{Lower: new(1)}, guess(-9), 0},
		"estimate and bound": {guess(1), Truth{Lower: new(9)}, 0},
	} {
		a := knownGame(t, squares, "3x3", c.first, c.second, guess(-2))
		a.values[0].best = "another"
		a.values[1].best = a.record.Positions[1].MoveString(a.record.Moves[1])
		got := Analysis{Winner: 2}
		a.findLikelyMistakes(&got)
		if len(got.Likely) != c.want {
			t.Errorf("%s: likely mistakes %+v, want %d", name, got.Likely, c.want)
		}
		a.values[0].best = a.record.Positions[0].MoveString(a.record.Moves[0])
		if got = (Analysis{}); c.want > 0 {
			if a.findLikelyMistakes(&got); len(got.Likely) != 0 {
				t.Errorf("%s: the proved best move is listed: %+v", name, got.Likely)
			}
		}
	}
}

// A bound of the first position proves its winner.
func TestProvedWinner(t *testing.T) {
	for want, first := range []Truth{{Upper: new(0)}, {Lower: new(1)}, {Upper: new(-1)}} {
		a := knownGame(t, squares, "3x3", first)
		if got := a.provedWinner(0); got != want {
			t.Errorf("%+v: winner %d, want %d", first, got, want)
		}
	}
}

// ProvedUntil is the last move before the solved end at which the first proved winner is still proved to win.
func TestProvedUntil(t *testing.T) {
	least := func(v int) Truth { return Truth{Lower: new(v)} }
	a := knownGame(t, squares, "3x3", least(1), Truth{Estimate: new(1)}, least(3), least(-9), exactly(-1), exactly(1))
	var out Analysis
	a.findTurningPoint(&out)
	if out.Proved != 1 || out.ProvedUntil != 3 || out.FirstSolved != 5 || out.ExpectedScore != [2]int{4, 5} {
		t.Errorf("%+v", out)
	}
}

// A proved bound on one side counts as an estimate if there is none.
func TestBoundsShowLikelyMistakes(t *testing.T) {
	most := func(v int) Truth { return Truth{Upper: new(v)} }
	least := func(v int) Truth { return Truth{Lower: new(v)} }
	a := knownGame(t, squares, "3x3", most(-1), least(1), most(-1), least(9), most(-9), least(9), most(-9), least(9))
	got := Analysis{Winner: 2}
	a.findLikelyMistakes(&got)
	if len(got.Likely) != 1 || got.Likely[0].Ply != 3 || got.Likely[0].Fall() != 8*squares.ProofScale() {
		t.Errorf("likely mistakes %+v", got.Likely)
	}
	for loss, want := range map[int]int{6: 3, 8: 0, 9: 0} {
		out := Analysis{Winner: 2, FirstSolved: 5, Moves: []Move{{Ply: 7, Player: 1, Loss: &loss}}}
		a.findLikelyMistakes(&out)
		if got := out.Decisive; got == nil && want != 0 || got != nil && got.Ply != want {
			t.Errorf("beside a proved loss of %d: decisive %+v, want move %d", loss, got, want)
		}
	}
}

// The line that says why a player lost early is the fault of the record.
func TestFaultsOfTheReferee(t *testing.T) {
	for _, line := range []string{
		"invalid action (W): (9, 9)",
		"out of time (W): 20.02 s of processor time used, the limit is 20.00 s",
		"player failed (B): exit status 1",
	} {
		_, r := refereeBoards([]byte(line + "\nwinner: B!\n"))
		if r.Fault != line || r.Winner != engine.Second {
			t.Errorf("%q: fault %q, winner %v", line, r.Fault, r.Winner)
		}
	}
}
