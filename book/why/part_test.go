package why

import (
	"math/rand/v2"
	"slices"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// The nimbers tell who wins Nimstring, and that of a position is the sum of those of its
// components: on all positions of 2x3, on samples of 3x3, and with ENDWISE_DEEP=1 on all
// positions of 3x3.
func TestNimbersAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 2))
	sets := []*part{whole(t, "2x3")}
	for len(sets) < 5 {
		b := enginetest.Board(t, "3x3")
		free := b.All()
		for _, s := range r.Perm(b.Segments())[:7] {
			free.Remove(s)
		}
		if p := parts(b, free)[0]; len(p.lines) == 17 {
			sets = append(sets, p)
		}
	}
	if testenv.Deep() {
		sets = append(sets, whole(t, "3x3"))
	}
	for _, p := range sets {
		checkNimbers(t, p)
	}
}

func whole(t *testing.T, size string) *part {
	b := enginetest.Board(t, size)
	return parts(b, b.All())[0]
}

func checkNimbers(t *testing.T, p *part) {
	all, _ := p.fullMask()
	wins, nimbers := make([]bool, all+1), make([]int8, all+1)
	for mask := uint64(0); mask <= all; mask++ {
		for left := mask; left != 0 && !wins[mask]; left &= left - 1 {
			next, again := mask&^(left&-left), false
			for _, lines := range p.around {
				again = again || lines&left&-left != 0 && lines&next == 0
			}
			wins[mask] = wins[next] == again
		}
		n, _ := p.evaluate(mask, func(m uint64) (int, bool) { return int(nimbers[m]), true })
		nimbers[mask] = int8(n)
		if wins[mask] != (n != 0) {
			t.Fatalf("%d lines, %b: nimber %d, the player to move wins: %v", len(p.lines), mask, n, wins[mask])
		}
		sum, isLoony := int8(0), false
		for rest := mask; rest != 0; {
			c := rest & -rest
			for grown := uint64(0); grown != c; {
				grown = c
				for _, lines := range p.around {
					if lines&c != 0 {
						c |= lines & mask
					}
				}
			}
			rest &^= c
			sum, isLoony = sum^nimbers[c], isLoony || nimbers[c] == loony
		}
		if isLoony {
			sum = loony
		}
		if sum != nimbers[mask] {
			t.Fatalf("%d lines, %b: nimber %d, the components add up to %d", len(p.lines), mask, nimbers[mask], sum)
		}
	}
}

// The value of every ending of up to five chains and loops is that of trying them all, and
// the controlled value if that is at least 2.
func TestLoonyEndings(t *testing.T) {
	var each func(chains, loops []int, least int)
	n, longest := 0, 9
	each = func(chains, loops []int, least int) {
		n++
		v, c := loonyEnding(chains, loops), controlled(chains, loops)
		if len(chains)+len(loops) > 0 && !slices.ContainsFunc(chains, func(n int) bool { return n < 3 }) && (c >= 2 && v != -c || -v < c) {
			t.Errorf("chains %v, loops %v: value %d, controlled %d", chains, loops, v, c)
		}
		if want := slowEnding(append([]int{}, chains...), append([]int{}, loops...)); v != want {
			t.Errorf("chains %v, loops %v: value %d, want %d", chains, loops, v, want)
		}
		if len(chains)+len(loops) == 5 {
			return
		}
		for c := least; c <= longest; c++ {
			each(append(chains[:len(chains):len(chains)], c), loops, c)
		}
		for _, l := range []int{4, 6, 8, 10} {
			if len(loops) == 0 || l >= loops[len(loops)-1] {
				each(chains, append(loops[:len(loops):len(loops)], l), longest+1)
			}
		}
	}
	each(nil, nil, 1)
	t.Log(n, "endings")
}

// slowEnding tries all chains and loops.
func slowEnding(chains, loops []int) int {
	if len(chains)+len(loops) == 0 {
		return 0
	}
	best := -1 << 20
	without := func(all []int, i int) []int { return append(append([]int{}, all[:i]...), all[i+1:]...) }
	for i, c := range chains {
		rest := slowEnding(without(chains, i), loops)
		if c < 3 {
			best = max(best, -c-rest)
			continue
		}
		best = max(best, -max(c+rest, c-4-rest))
	}
	for i, l := range loops {
		rest := slowEnding(chains, without(loops, i))
		best = max(best, -max(l+rest, l-8-rest))
	}
	return best
}

// controlled returns the controlled value of Buzzard and Ciere. If it is at least 2, it is the
// value of the ending for the opponent of the player who has to open. If there are loops, and
// chains of three boxes only, it is more than [kept]: the opponent takes all of the last loop
// and opens a chain.
func controlled(chains, loops []int) int {
	v, threes := 0, 0
	for _, c := range chains {
		v += c - 4
		if c == 3 {
			threes++
		}
	}
	for _, l := range loops {
		v += l - 8
	}
	switch {
	case len(chains) == 0 && len(loops) == 0:
		return 0
	case len(chains) == 0:
		return v + 8
	case len(loops) > 0 && threes == len(chains):
		return v + 6
	}
	return v + 4
}
