package why

import (
	"math/rand/v2"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// On random positions of isolated chains and loops, with short chains, one reason yields the value
// found by minimax, and the differences of its openings add up to it.
func TestChainsAndLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 9))
	short, loops := 0, 0
	for n := 0; n < 150; {
		b := randomBoard(t, r, "2x3", "3x3", "2x5", "3x4")
		free := enginetest.RandomQuiet(r, b, 5+r.IntN(13))
		p, err := dotsandboxes.FromLines(b, b.All().Minus(free), [2]int{}, engine.Second)
		testenv.OK(t, err)
		s := findChains(p, free)
		if free.Len() > 18 || s.joints > 0 || s.boxes == 0 {
			continue
		}
		n++
		d, err := plainDots(t.Context(), p)
		testenv.OK(t, err)
		reasons := dotsChecker.check(t, p, d, plainDots)
		if len(reasons) != 1 || reasons[0].Kind != Loony || reasons[0].Numbers["value"] != d.Score {
			t.Fatalf("%s is worth %+d: %+v", p, d.Score, reasons)
		}
		if len(sizes(s.parts, chainPart)) > s.longChains() {
			short++
		}
		loops += len(sizes(s.parts, loopPart))
		_, sum := addOpenings(bestOpenings(sizes(s.parts, chainPart), sizes(s.parts, loopPart), p.Turn()))
		if sum != d.Score {
			t.Errorf("%s: the openings add up to %+d, want %+d: %s", p, sum, d.Score, reasons[0].Text)
		}
	}
	if short < 50 || loops < 10 {
		t.Errorf("%d positions with short chains, and %d loops", short, loops)
	}
	t.Log(short, loops)
}

// addOpenings returns the number of openings that text describes and the sum of their differences.
func addOpenings(text string) (n, sum int) {
	for _, part := range strings.Split(text, "(")[1:] {
		number, _, _ := strings.Cut(part, ")")
		sign := 1
		if strings.HasPrefix(number, "−") {
			sign = -1
		}
		v := 0
		for _, c := range strings.Trim(number, "+−") {
			v = 10*v + int(c-'0')
		}
		n, sum = n+1, sum+sign*v
	}
	return n, sum
}
