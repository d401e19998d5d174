package web

import "testing"

// Duels and groups are named in words.
func TestDuelName(t *testing.T) {
	for name, want := range map[string]string{
		"semifinal1": "semifinal 1", "quarterfinal3": "quarterfinal 3", "round16-5": "round of 16, duel 5", "final": "final", "a": "a",
	} {
		if got := duelName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
