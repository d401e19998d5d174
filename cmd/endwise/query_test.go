package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/testenv"
)

// More time is advised if a search used what it had.
func TestUnproved(t *testing.T) {
	const not, bound, more = "not proved", "the bound is proved, the value is not", "; more time may prove it: --time "
	for _, c := range []struct {
		proof          engine.Proof
		elapsed, limit time.Duration
		want           string
	}{
		{engine.Exact, 2800 * time.Millisecond, 3 * time.Second, ""},
		{engine.Estimate, 2800 * time.Millisecond, 3 * time.Second, not + more + "30s"},
		{engine.Estimate, 1300 * time.Millisecond, 3 * time.Second, not + more + "30s"},
		{engine.Estimate, 900 * time.Millisecond, 3 * time.Second, not + more + "30s"}, // the largest reserve
		{engine.Lower, 60 * time.Second, 61 * time.Second, bound + more + "10m10s"},
		{engine.Upper, 5 * time.Minute, 6 * time.Minute, bound + more + "1h"},
		{engine.Estimate, 44 * time.Millisecond, 3 * time.Second, not},
		{engine.Upper, 44 * time.Millisecond, 61 * time.Second, bound},
	} {
		if got := unproved(engine.Decision{Proof: c.proof, Elapsed: c.elapsed}, c.limit, ""); got != c.want {
			t.Errorf("%v after %v of %v: %q, want %q", c.proof, c.elapsed, c.limit, got, c.want)
		}
	}
}

// No more time is advised for a position that a minute will hardly prove, on any usual
// board; small boards are not too early.
func TestTooEarly(t *testing.T) {
	small := map[string]string{"circuitwars": "4x4", "dotsandboxes": "4x4", "watchyourback": "X------X/-----O--/--@@OOO-/-@@@OOO-/-@@@OO--/----OO--/-@--@---/X--@---X:moving:23"}
	for _, g := range games() {
		p, err := g.Start("")
		testenv.OK(t, err)
		if g.Name() == "dotsandboxes" {
			p, err = g.Start("6x6")
			testenv.OK(t, err)
		}
		early := g.Web.TooEarly(p)
		got := unproved(engine.Decision{Proof: engine.Estimate, Elapsed: 2 * time.Second}, 3*time.Second, early)
		if early == "" || got != "not proved. "+early {
			t.Errorf("%s: %q", g.Name(), got)
		}
		p, err = g.Parse(small[g.Name()])
		testenv.OK(t, err)
		if early := g.Web.TooEarly(p); early != "" {
			t.Errorf("%s of %s: %q", p, g.Name(), early)
		}
	}
}

// A table is advised for positions that it contains: on the 6x6 board, with at most seven pieces.
func TestTableIsAdvised(t *testing.T) {
	g, err := games().Named("watchyourback")
	testenv.OK(t, err)
	for position, want := range map[string]string{
		"......../.X----X./.--O-O-./.-@----./.----O-./.-@-@@-./.X----X./........:moving:130": "endwise solve watchyourback --pieces 7",
		"......../.X----X./.--O-O-./.-@----./.----O-./.-@-@@O./.X----X./........:moving:130": "",
		"......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192": "",
		"X------X/--O-O---/-@------/----O---/--@-@---/--------/--------/X------X:moving:30":  "",
	} {
		p, err := g.Parse(position)
		testenv.OK(t, err)
		if got := g.SolveCommand(p); got != want {
			t.Errorf("%s: %q, want %q", position, got, want)
		}
	}
}

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
				a := &cli.App{Stdout: &b}
				testenv.OK(t, printPosition(a, g, p))
				testenv.OK(t, printDecision(a, g, p, d, true, time.Second))
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

// Of moves with equal exact values the first in the order of the game is the best one,
// whatever the order in which they were solved.
func TestBestOfEqualsIsTheFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, g := range games() {
		p, err := g.Start("")
		testenv.OK(t, err)
		moves := p.Moves()
		for range 200 {
			values, best := make([]int, len(moves)), 0
			for i := range values {
				if values[i] = r.IntN(3) - 1; values[i] > values[best] {
					best = i
				}
			}
			k := book.NewKnown(p, g.Game, nil)
			for _, i := range r.Perm(len(moves)) {
				k.Prove("solved", book.Claim{Move: moves[i], Lower: values[i], Upper: values[i]})
			}
			if d, _, ok := k.Decide(true); !ok || d.Move != p.MoveString(moves[best]) {
				t.Fatalf("%s: %s is the best move, want %s", g.Name(), d.Move, p.MoveString(moves[best]))
			}
		}
	}
}

// The examples of drawings are what the text above them says.
func TestDrawingExamples(t *testing.T) {
	n := 0
	for _, g := range games() {
		if g.Drawing == "" {
			continue
		}
		n++
		p, err := g.Parse(g.Drawing)
		testenv.OK(t, err)
		if p.BoardName() != "2x2" || p.Score() != [2]int{1, 0} || p.Turn() != engine.Second {
			t.Errorf("%s: %s", g.Name(), p)
		}
	}
	if n != 2 {
		t.Errorf("%d games have an example, want 2", n)
	}
}
