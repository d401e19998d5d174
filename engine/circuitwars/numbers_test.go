package circuitwars

import (
	"strings"
	"testing"
)

func TestSkippedMoveNumber(t *testing.T) {
	want := "number 3 follows number 1: add the moves between them"
	for _, text := range []string{"3x3 1. 0,0,top 3. 1,1,left", "3x3 1.0,0,top 3.1,1,left"} {
		if _, _, err := (Game{}).ReadGame(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %s", text, err, want)
		}
	}
	if _, moves, err := (Game{}).ReadGame("3x3 1.1.t 0.0.b 2.2.b"); err != nil || len(moves) != 3 {
		t.Errorf("moves with dots: %v, %v", moves, err)
	}
}
