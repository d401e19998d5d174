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
	a.limits.Worst = 5
	for i := range a.values {
		a.values[i].best = "(9,9)"
	}
	name := func(i int) string { return a.record.Positions[i].MoveString(a.record.Moves[i]) }
	want := []LikelyMistake{{Ply: 1, Player: 1, Move: name(0), Better: "(9,9)", Fall: 250}}
	if diff := cmp.Diff(want, a.likelyMistakes()); diff != "" {
		t.Error(diff)
	}
	a.values[0].best = name(0)
	if got := a.likelyMistakes(); len(got) != 0 {
		t.Errorf("the best move is listed: %v", got)
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
