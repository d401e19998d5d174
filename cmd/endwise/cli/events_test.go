package cli

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// People read the final result that a move is expected to lead to, from the score so far.
func TestMovesAreLoggedForPeople(t *testing.T) {
	p, err := circuitwars.Game{}.Parse("1x2 0,0,top 0,0,bottom 0,0,left 0,0,right")
	testenv.OK(t, err)
	for _, c := range []struct {
		score  int
		proof  engine.Proof
		source string
		want   string
	}{
		{1, engine.Exact, "", "move 5: m (proved tie, 0.4 s)\n"},
		{3, engine.Exact, "", "move 5: m (proved win by 2, 0.4 s)\n"},
		{-1, engine.Exact, "", "move 5: m (proved loss by 2, 0.4 s)\n"},
		{2, engine.Lower, "", "move 5: m (proved win by at least 1, 0.4 s)\n"},
		{2, engine.Upper, "", "move 5: m (proved win by at most 1, 0.4 s)\n"},
		{0, engine.Lower, "", "move 5: m (proved loss by at most 1, 0.4 s)\n"},
		{0, engine.Upper, "", "move 5: m (proved loss by at least 1, 0.4 s)\n"},
		{1, engine.Lower, "", "move 5: m (proved at least a tie, 0.4 s)\n"},
		{2, engine.Estimate, "", "move 5: m (estimated win by 1, 0.4 s)\n"},
		{0, engine.Estimate, "level1", "move 5: m (level1, 0.4 s)\n"},
		{0, engine.Estimate, engine.Fallback, "move 5: m (chosen without search, 0.4 s)\n"},
	} {
		var out bytes.Buffer
		log := (&App{Stderr: &out}).Events(false, false)
		LogMove(log, slog.LevelDebug, p, 5, engine.Decision{}, 0) // not without verbose
		LogMove(log, slog.LevelInfo, p, 5, engine.Decision{Move: "m", Score: c.score, Proof: c.proof, Source: c.source}, 400*time.Millisecond)
		if out.String() != c.want {
			t.Errorf("%+v: %q", c, out.String())
		}
	}
	var out bytes.Buffer
	(&App{Stderr: &out}).Events(false, false).With("game", "g").Warn("trouble", "cause", errors.New("no\x1bnet"), slog.Group("rest", "n", 1))
	if got := out.String(); got != "endwise: trouble: game g, no net\n" {
		t.Errorf("%q", got)
	}
}
