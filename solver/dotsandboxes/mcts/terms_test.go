package mcts

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
)

// termsMatch plays pairs of games from common random quiet starts between the complete
// search and one without some terms, or without kept trees, with the same number of
// playouts per move. A game ends when at most end safe lines are left, with the exact
// value, because players solve such positions anyway. The results per pair, from the side
// of the complete search, are wins minus losses, -1 to 1, and the difference in boxes per
// game.
func termsMatch(t *testing.T, b *grid.Board, without terms, alone bool, pairs, playouts, start, end int) (wins, boxes []float64) {
	newSolver := func() *exact.Solver { return exact.New(exact.Options{Threads: 1, TableBytes: 64 << 20}) }
	players := [2]*Searcher{New(newSolver(), 1), New(newSolver(), 1)}
	players[1].terms = without
	solver := newSolver()
	tree := players[0].trees(b, b.All(), Options{})[0]
	r := rand.New(rand.NewPCG(7, uint64(without)))
	for range pairs {
		free := enginetest.RandomQuiet(r, b, b.Segments()-start)
		var won, more float64
		for first := range 2 {
			at := free
			lead, turn := 0, first
			for tree.safeLines(at) > end {
				found := players[turn].Search(t.Context(), b, at, Options{Lead: lead, Seed: r.Uint64(), Playouts: playouts, Keep: turn == 0 || !alone})
				st, line := tree.newState(at, lead), found.Moves[0].Segment
				if !at.Has(line) || !tree.quiet(&st, line) {
					t.Fatalf("%v: line %d is drawn already, or gives a box away", at, line)
				}
				at.Remove(line)
				lead, turn = -lead, 1-turn // the turn passes because the line is quiet
			}
			v, err := solver.Value(t.Context(), b, at)
			if err != nil || !v.Exact() {
				t.Fatal(v, err)
			}
			lead += v.Lower
			if turn != 0 {
				lead = -lead
			}
			more += float64(lead) / 2
			switch {
			case lead > 0:
				won += 0.5
			case lead < 0:
				won -= 0.5
			}
		}
		wins, boxes = append(wins, won), append(boxes, more)
	}
	return wins, boxes
}

// safeLines returns the number of lines in a random quiet phase that begins at a position.
func (t *tree) safeLines(free grid.Set) int {
	n := 0
	st := t.newState(free, 0)
	for _, s := range free.Segments() {
		if t.quiet(&st, s) {
			t.remove(&st, s)
			n++
		}
	}
	return n
}

// interval returns the mean of a sample and the half-width of its 95 % confidence interval.
func interval(x []float64) (mean, half float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	var s float64
	for _, v := range x {
		s += (v - mean) * (v - mean)
	}
	n := float64(len(x))
	return mean, 1.96 * math.Sqrt(s/(n-1)/n)
}

// Each term of the estimate in a match against the estimate without it. The test checks
// that all play quiet lines to the end, and logs the results of the matches.
func TestTermsMatch(t *testing.T) {
	pairs, playouts, boardName := 1, 20, "3x4"
	if os.Getenv("ENDWISE_DEEP") != "" {
		pairs, playouts, boardName = 100, 300, "5x5"
		if n, err := strconv.Atoi(os.Getenv("ENDWISE_PLAYOUTS")); err == nil {
			playouts = n
		}
	}
	b := enginetest.Board(t, boardName)
	for _, c := range []struct {
		name    string
		without terms
		alone   bool
	}{
		{name: "win", without: noWin}, {name: "score", without: noScore},
		{name: "first play", without: noFirstPlay}, {name: "exact leaves", without: noExactLeaves},
		{name: "symmetry", without: noSymmetry}, {name: "quiet leaves", without: noQuietLeaves}, {name: "kept trees", alone: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			wins, boxes := termsMatch(t, b, c.without, c.alone, pairs, playouts, b.Segments()/10, 8)
			w, wh := interval(wins)
			m, mh := interval(boxes)
			t.Logf("%s, %d pairs, %d playouts a move: with it %+.3f ± %.3f wins a game, %+.2f ± %.2f boxes", b, pairs, playouts, w, wh, m, mh)
		})
	}
}
