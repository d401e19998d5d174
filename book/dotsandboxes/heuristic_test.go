package dotsandboxes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// Without time the first lines of a game are chosen at random, not in the order of the
// board, and are not reported as searched.
func TestStarvedStart(t *testing.T) {
	l := booktest.Open(t, Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	p := dotsandboxes.New(enginetest.Board(t, "5x5"))
	moves, sources := booktest.Starved(t, l, p, 200)
	if n := moves[p.Moves()[0]]; n > 30 || len(moves) < 20 {
		t.Errorf("%d different lines, the first of the list %d times", len(moves), n)
	}
	if sources["search"] > 0 {
		t.Errorf("sources %v", sources)
	}
}

// heuristicMove returns the move that the heuristics alone choose.
func heuristicMove(t *testing.T, p dotsandboxes.Position) engine.Move {
	t.Helper()
	l := &book.Lookup{Heuristic: heuristicSource{}}
	d, err := l.Decide(t.Context(), book.Question{Position: p})
	testenv.OK(t, err)
	m, err := p.ParseMove(d.Move)
	testenv.OK(t, err)
	return m
}

// sensible plays lines at random until free lines are left: captures first, then mostly
// safe lines.
func sensible(t *testing.T, r *rand.Rand, board string, free int) dotsandboxes.Position {
	t.Helper()
	p := dotsandboxes.New(enginetest.Board(t, board))
	for p.Free().Len() > free {
		moves := p.Moves()
		r.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		m := moves[0]
		if i := slices.IndexFunc(moves, func(m engine.Move) bool { return p.Captures(m) > 0 }); i >= 0 && r.IntN(10) > 0 {
			m = moves[i]
		} else if i := slices.IndexFunc(moves, p.Safe); i >= 0 && r.IntN(10) > 0 {
			m = moves[i]
		}
		var err error
		p, err = p.DrawLine(m)
		testenv.OK(t, err)
	}
	return p
}

// The heuristics take available boxes and give none away while a safe line is left. By
// plain minimax they lose few boxes: with boxes to take or to give away less than half of
// what random lines lose, and with safe lines no more than random safe lines.
func TestHeuristicsLoseFewBoxes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	kinds := map[string]struct{ lost, atRandom, n int }{}
	for range 300 {
		p := sensible(t, r, []string{"3x3", "2x4", "2x5"}[r.IntN(3)], 5+r.IntN(11))
		captures := func(m engine.Move) bool { return p.Captures(m) > 0 }
		kind, among := "open", p.Moves()
		if slices.ContainsFunc(among, captures) {
			kind = "take"
		} else if slices.ContainsFunc(among, p.Safe) {
			kind = "safe"
			among = slices.DeleteFunc(among, func(m engine.Move) bool { return !p.Safe(m) })
		}
		m := heuristicMove(t, p)
		if !slices.Contains(among, m) {
			t.Fatalf("%s: gives boxes away by %s", p, p.MoveString(m))
		}
		worth := func(m engine.Move) int {
			q, err := p.DrawLine(m)
			testenv.OK(t, err)
			if v := plainValue(t, q); q.Turn() != p.Turn() {
				return -v
			} else {
				return p.Captures(m) + v
			}
		}
		best, mean := plainValue(t, p), 0
		k := kinds[kind]
		for _, m := range among {
			mean += worth(m)
		}
		k.lost += (best - worth(m)) * 100
		k.atRandom += best*100 - mean*100/len(among)
		k.n++
		kinds[kind] = k
	}
	for kind, k := range kinds {
		t.Logf("%s: %d positions, lost %.2f boxes each, at random %.2f", kind, k.n, float64(k.lost)/float64(100*k.n), float64(k.atRandom)/float64(100*k.n))
		most := k.atRandom / 2
		if kind == "safe" {
			most = k.atRandom * 11 / 10
		}
		if k.n < 20 || k.lost > most {
			t.Errorf("%s: %d positions cost %d hundredths of a box, %d at random", kind, k.n, k.lost, k.atRandom)
		}
	}
	if len(kinds) != 3 {
		t.Errorf("only %v", kinds)
	}
}
