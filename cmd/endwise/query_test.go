package main

import (
	"testing"

	"endwise/engine"
)

// What a move gives up is said only where it is proved.
func TestGivesUp(t *testing.T) {
	for _, c := range []struct {
		best, move engine.Proof
		score      int // of the move; the best has 3
		want       string
	}{
		{engine.Exact, engine.Exact, 1, "2"},
		{engine.Exact, engine.Upper, 1, "at least 2"},
		{engine.Exact, engine.Upper, 5, ""},
		{engine.Exact, engine.Lower, 3, "0"},
		{engine.Exact, engine.Lower, 1, ""},
		{engine.Exact, engine.Estimate, 1, ""},
		{engine.Lower, engine.Upper, 1, "at least 2"},
		{engine.Lower, engine.Exact, 3, ""},
		{engine.Lower, engine.Estimate, 1, ""},
		{engine.Estimate, engine.Exact, 1, ""},
	} {
		got := givesUp(engine.Decision{Score: 3, Proof: c.best}, engine.MoveValue{Score: c.score, Proof: c.move})
		if got != c.want {
			t.Errorf("best 3 %s, move %d %s: %q, want %q", c.best, c.score, c.move, got, c.want)
		}
	}
}
