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
