package main

import (
	"strings"
	"testing"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/testenv"
)

// A value of at most -7 is at least seven fewer.
func TestBoundsInWords(t *testing.T) {
	g, err := cli.GameNamed("circuitwars")
	testenv.OK(t, err)
	p, err := g.Start("7x7")
	testenv.OK(t, err)
	for _, c := range []struct {
		score int
		proof engine.Proof
		want  string
	}{
		{-7, engine.Upper, "at least 7 fewer squares "}, {-7, engine.Lower, "at most 7 fewer squares "},
		{7, engine.Upper, "at most 7 more squares "}, {7, engine.Lower, "at least 7 more squares "},
		{0, engine.Upper, "at most as many squares "}, {0, engine.Lower, "at least as many squares "},
		{-1, engine.Exact, "1 fewer square "},
	} {
		if got := cli.Worth(g, p, engine.Decision{Score: c.score, Proof: c.proof}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%+d, %v: %q, want %q", c.score, c.proof, got, c.want)
		}
	}
}
