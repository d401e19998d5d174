package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/testenv"
)

// The output of query, of positions of random games of every game, is read as the
// position.
func TestQueryOutputIsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, g := range games() {
		for n := 0; n < 1000; {
			p, err := g.Start("")
			testenv.OK(t, err)
			for {
				n++
				var b strings.Builder
				d := engine.Decision{Source: "search"}
				if moves := p.Moves(); len(moves) > 0 {
					d.Move = p.MoveString(moves[0])
					d.Line = []string{d.Move, d.Move}
					d.Moves = []engine.MoveValue{{Move: d.Move}}
				}
				testenv.OK(t, printDecision(&cli.App{Stdout: &b}, g, p, d, true, time.Second))
				q, err := g.Parse(b.String())
				if err != nil || q.String() != p.String() {
					t.Fatalf("%s: the output\n%s\nis read as %v, %v", p, b.String(), q, err)
				}
				if p.Over() || n%200 == 0 {
					break
				}
				moves := p.Moves()
				p, err = p.Play(moves[r.IntN(len(moves))])
				testenv.OK(t, err)
			}
		}
	}
}
