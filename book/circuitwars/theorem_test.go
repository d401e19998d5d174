package circuitwars

import (
	"math/rand/v2"
	"os"
	"testing"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// After every first move of player 1 on 7x7 and every answer of the theorem, player 2 can
// answer every second move so that it still wins by seven: the theorem is about the graph,
// and either of two parallel border segments restores the symmetry. Without ENDWISE_DEEP=1
// only one of each set of symmetric first moves is tested.
func TestWinBySevenIsKeptAtSecondMove(t *testing.T) {
	start, err := circuitwars.New(7, 7)
	testenv.OK(t, err)
	asked, first := 0, map[grid.Set]bool{}
	for _, s1 := range start.Free().Segments() {
		p := occupy(t, start, s1)
		if kind, _ := p.Board().Canonical(p.Free()); first[kind] && os.Getenv("ENDWISE_DEEP") == "" {
			continue
		} else {
			first[kind] = true
		}
		replies := sevens(p)
		if len(replies) == 0 {
			t.Fatalf("%s: no answer wins by seven", p)
		}
		for i, s2 := range replies {
			q := occupy(t, p, s2)
			for n, s3 := range q.Free().Segments() {
				if n%2 != 0 && (i > 0 || n%4 != 1) && os.Getenv("ENDWISE_DEEP") == "" {
					continue
				}
				asked++
				if r := occupy(t, q, s3); len(sevens(r)) == 0 {
					t.Errorf("%s: no answer wins by seven", r)
				}
			}
		}
	}
	if asked < 1000 {
		t.Errorf("%d second moves", asked)
	}
}

// sevens returns the moves that the theorem proves to win by seven for player 2.
func sevens(p circuitwars.Position) (out []int) {
	score := p.Score()
	for _, m := range mirrorMoves(p) {
		if score[1]-score[0]+m.guarantee >= 7 {
			out = append(out, m.segment)
		}
	}
	return out
}

func occupy(t *testing.T, p circuitwars.Position, s int) circuitwars.Position {
	t.Helper()
	q, err := p.Occupy(s)
	testenv.OK(t, err)
	return q
}

// In a game of mirror answers each answer keeps the guarantee of the previous one, to the
// end.
func TestTheoremHoldsToTheEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 4))
	for _, size := range [][2]int{{7, 7}, {5, 5}, {4, 4}, {1, 9}, {3, 5}} {
		for range 2 {
			p, err := circuitwars.New(size[0], size[1])
			testenv.OK(t, err)
			floor := 0
			for !p.Over() {
				if p.Turn() == engine.First {
					free := p.Free().Segments()
					p = occupy(t, p, free[r.IntN(len(free))])
					continue
				}
				list := mirrorMoves(p)
				score := p.Score()
				best := -1
				for i, m := range list {
					if score[1]-score[0]+m.guarantee >= floor && (best < 0 || r.IntN(2) == 0) {
						best = i
					}
				}
				if best < 0 {
					t.Fatalf("%s: no answer keeps a margin of %d: %v", p, floor, list)
				}
				floor = max(floor, score[1]-score[0]+list[best].guarantee)
				p = occupy(t, p, list[best].segment)
			}
			if s := p.Score(); s[1]-s[0] < floor {
				t.Errorf("ended with %v, %d was guaranteed", s, floor)
			}
		}
	}
}
