package match

import (
	"testing"

	"endwise/engine/arena"
	"endwise/engine/arena/championship"
)

// In a knockout of which games are kept, the message names what is played.
func TestDescribeKept(t *testing.T) {
	played := [2]*arena.Result{{ID: "semifinal1-a-d"}, {ID: "semifinal1-d-a"}}
	now := championship.Outcome{Played: 6, Games: 10, Knockout: [][]championship.Duel{{
		{Name: "semifinal1", Teams: [2]string{"a", "d"}, Games: played, Winner: "a"},
		{Name: "semifinal2", Teams: [2]string{"b", "c"}},
	}}}
	want := "kept 6 games; at most 4 to play; the knockout continues with semifinal2: earlier games of later rounds count only if the same teams meet"
	if line := describeKept(now, nil, nil, true); line != want {
		t.Errorf("%s, want %s", line, want)
	}
	now.Knockout = nil
	want = "kept 6 games; at most 4 to play; the knockout is drawn again: its earlier games count only if the same teams meet"
	if line := describeKept(now, nil, nil, true); line != want {
		t.Errorf("%s, want %s", line, want)
	}
}
