package cli

import (
	"testing"

	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

// A record that numbers turns of several moves has its numbers in texts; other records have none.
func TestTurnsOfRecords(t *testing.T) {
	const turns = "1. b5-c5 2. c4-c5 3. b4-c4 4. b4-b5, d3-e3 5. f1-f2"
	for text, want := range map[string]string{
		turns:                                  "turn 4 (move 5) was a mistake, turn 5 (move 6) too, move 7 not",
		turns + " 6. resign":                   "turn 4 (move 5) was a mistake, turn 5 (move 6) too, move 7 not",
		"b5-c5 c4-c5 b4-c4 b4-b5, d3-e3 f1-f2": "move 5 was a mistake, move 6 too, move 7 not",
		"5x5 1. h1,1 2. v1,2 3. h2,1 4. v1,1 5. h3,3 6. v4,5": "move 5 was a mistake, move 6 too, move 7 not",
	} {
		start, moves, err := dotsandboxes.Game{}.ReadGame(text)
		testenv.OK(t, err)
		g := Game{Game: dotsandboxes.Game{}}.ForInput(NewInput(start, moves, text, ""))
		if got := g.WithTurns("move 5 was a mistake, move 6 too, move 7 not"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// Only a text whose moves have other names than those of the program gets a second name for each move.
func TestOwnNamesAreNotRepeated(t *testing.T) {
	for text, want := range map[string]string{
		"3x3 h1,1 v1,2": "h0,0", "game: dotsandboxes\nstart: 3x3 h000/000/000/000 v0000/0000/0000 0-0 1\n\nh1,1\nv1,2\n": "h0,0", "3x3 d5 e4": "h0,0 (b7)",
	} {
		start, moves, err := dotsandboxes.Game{}.ReadGame(text)
		testenv.OK(t, err)
		g := Game{Game: dotsandboxes.Game{}}
		g.MoveNotations = []string{"trmph"}
		if got := g.ForInput(NewInput(start, moves, text, "")).WithOtherName("h0,0"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
