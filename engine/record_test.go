package engine

import (
	"strings"
	"testing"
)

// The score and the turn beside a drawing are read in the words that people use; other lines
// are refused.
func TestStandingAsTyped(t *testing.T) {
	for text, want := range map[string]Standing{
		"score 3-1, player 2 to move": {[2]int{3, 1}, true, Second},
		"Score: 3-1":                  {[2]int{3, 1}, true, None},
		"3-1 2":                       {[2]int{3, 1}, true, Second},
		"turn 1":                      {Turn: First},
		"Turn: player 2":              {Turn: Second},
		"player 2":                    {Turn: Second},
		"Player 1's turn":             {Turn: First},
		"0   1   2\n2":                {Turn: Second},
		"# a comment\n1":              {Turn: First},
		"1-0, Blue to move":           {[2]int{1, 0}, true, Second},
		"Red to move":                 {Turn: First},
	} {
		if got, err := ReadStanding(strings.Split(text, "\n")); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"turn 3", "score: 1, player 2", "player two", "1 1-0 2"} {
		if got, err := ReadStanding([]string{text}); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// A result names the winner, or the side to move resigns.
func TestResult(t *testing.T) {
	players := [2]string{"player 1", "player 2"}
	for text, want := range map[string]struct {
		winner Side
		end    string
	}{
		"a1 b2 resign":                  {Second, "resignation of player 1"},
		"a1 b2. Player 2 resigns.":      {First, "resignation of player 2"},
		"a1 Anna Maria resigns":         {Second, "resignation of player 1"},
		"a1 Blue resigns":               {First, "resignation of player 2"},
		"a1 player 2 wins 20-5":         {Second, "the result in the record"},
		"a1 red wins on time":           {First, "timeout of player 2"},
		"a1 timeout":                    {Second, "timeout of player 1"},
		"a1 player 1 loses":             {Second, "the result in the record"},
		"a1 1-0":                        {First, "the result in the record"},
		"a1 0–1":                        {Second, "the result in the record"},
		"a1 draw":                       {},
		"a1 20-5":                       {},
		"a1 b2":                         {},
		"a1 player 1 forfeits the game": {Second, "forfeit of player 1"},
	} {
		if winner, end := Result(text, First, players); winner != want.winner || end != want.end {
			t.Errorf("%q: %v, %q", text, winner, end)
		}
	}
	if winner, end := Result("(3,3) White resigns", Second, [2]string{"White", "Black"}); winner != Second || end != "resignation of White" {
		t.Errorf("White resigns: %v, %q", winner, end)
	}
}

// A result at the end of a list of moves is no move. A list without one stays as it is.
func TestStripResult(t *testing.T) {
	for text, want := range map[string]string{
		"b1 a2 Red resigns":                  "b1 a2",
		"b1 a2 Anna resigns":                 "b1 a2",
		"0 0 top 1 0 Top resigns":            "0 0 top 1 0 Top",
		"b1 a2 anna resigns":                 "b1 a2 anna",
		"b1 a2\n3. resign":                   "b1 a2\n3.",
		"b1 a2 player 2 wins on time.":       "b1 a2",
		"b1 a2. The game is over: 1-0":       "b1 a2.",
		"b1 a2\nBob wins 20-5":               "b1 a2",
		"b1 a2\nAnna Maria wins 20-5":        "b1 a2",
		"b1 a2\nAnna Maria wins 20 - 5.":     "b1 a2",
		"b1 a2 20 – 5":                       "b1 a2",
		"2 3 - 3 3":                          "2 3 - 3 3",
		"b1 a2 player 2 wins 20–5":           "b1 a2",
		"b1 a2\n5-20":                        "b1 a2",
		"b1-a1 3-a2":                         "b1-a1 3-a2",
		"b1 a2 1/2-1/2":                      "b1 a2",
		"b1 a2.":                             "b1 a2",
		"h0,0 1.":                            "h0,0 1.",
		"b1 a2 red":                          "b1 a2 red",
		"0 6 2":                              "0 6 2",
		"Red resigns":                        "Red resigns",
		"(2,3)->(3,3) None White wins 20-5":  "(2,3)->(3,3) None",
		"(2,3)->(3,3) None\nAnna Maria wins": "(2,3)->(3,3) None",
		"(2,3) (4,4) White wins by 2 - 1":    "(2,3) (4,4)",
	} {
		if got := StripResult(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A title is emptied; a line that may belong to the position or the game is not.
func TestTitles(t *testing.T) {
	for text, want := range map[string]string{
		"Anna - Bert\nh0,0":                               "\nh0,0",
		"\nGame of 2026-11-28\nf3":                        "\n\nf3",
		"Dots and Boxes 3x3\nh0,0":                        "3x3\nh0,0",
		"3x3 beginners' club, round 2 (red = Tim)\nh0,0":  "3x3\nh0,0",
		"[Size \"3x3\"]\nf3":                              "3x3\nf3",
		"Anna - Bert (3x3)\n\n3x3 h0,0":                   "\n\n3x3 h0,0",
		"[Event \"Cup 2x2\"]\n[x \"y\"]\nf3":              "\n\nf3",
		"swedish 3x3\nh0,0":                               "swedish 3x3\nh0,0",
		"Moves f3 h9\nk8":                                 "Moves f3 h9\nk8",
		"player 2 to move\n+--+":                          "player 2 to move\n+--+",
		"swedish\n2x2":                                    "swedish\n2x2",
		"game: dotsandboxes\nstart":                       "game: dotsandboxes\nstart",
		"Anna - Bert":                                     "Anna - Bert",
		"Dots and Boxes-Size 5 #123, anna vs ben\nb11 d9": "\nb11 d9",
		"Game: anna vs. ben\nRed: anna\nf3":               "\n\nf3",
		"Red: 3\nBlue: 2\n+--+":                           "Red: 3\nBlue: 2\n+--+",
	} {
		if got := CleanText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
