package match

import (
	"testing"

	"endwise/engine/arena"
)

// The progress of a match names the forfeits of both players.
func TestProgressNote(t *testing.T) {
	p := &arena.Pairing{A: arena.Participant{Name: "mine"}, B: arena.Participant{Name: "level4"}}
	p.Tally.BySide[0] = arena.Counts{1, 0, 34}
	p.Tally.Forfeits = [2]int{33, 1}
	want := "mine 1 won, 0 tied, 34 lost against level4, 33 forfeits by mine, 1 forfeit by level4; " + p.Tally.Pairs.Text()
	if note := progressNote(p); note != want {
		t.Errorf("%s, want %s", note, want)
	}
}
