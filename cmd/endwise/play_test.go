package main

import (
	"bytes"
	"strings"
	"testing"
)

// In a game, hint names the best move, moves lists all, and why explains the value.
func TestPlayHelpsAHuman(t *testing.T) {
	t.Setenv("ENDWISE_STORE", t.TempDir())
	var out, errs bytes.Buffer
	args := []string{"play", "dab", "2x4 h1111/1111/1111 v00000/00000", "--hash", "8"}
	code := run(t.Context(), args, strings.NewReader("hint\nmoves\nwhy\nquit\n"), &out, &errs)
	if code != exitOK || errs.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	answers := strings.Split(out.String(), "move: ")
	for i, want := range []string{"Type a move", "4 fewer boxes than the opponent", "v0,0", "2 chains of 4 boxes", ""} {
		if i >= len(answers) || !strings.Contains(answers[i], want) {
			t.Errorf("answer %d: want %q in %q", i, want, answers)
		}
	}
}
