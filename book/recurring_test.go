package book_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"endwise/book"
	"endwise/book/anygame"
	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	wybbook "endwise/book/watchyourback"
	"endwise/engine"
	"endwise/engine/kayles"
	"endwise/engine/testenv"
)

// With nodes instead of a time a position of any game, at any stage, is judged the
// same again, by all sources that look at it.
func TestEvaluationsRecur(t *testing.T) {
	for _, c := range []struct {
		game  book.Game
		board string
		moves []int // played at random before
	}{
		{cwbook.Game(), "4x4", []int{0, 15, 25}},
		{dabbook.Game(), "4x4", []int{5, 20, 30}},
		{wybbook.Game(), "", []int{0, 30, 100, 140}},
		{anygame.FromRules(kayles.Game{}), "30", []int{0, 5}},
	} {
		for _, n := range c.moves {
			r := rand.New(rand.NewPCG(9, uint64(n)))
			p, err := c.game.Start(c.board)
			testenv.OK(t, err)
			for i := 0; i < n && !p.Over(); i++ {
				moves := p.Moves()
				next, err := p.Play(moves[r.IntN(len(moves))])
				testenv.OK(t, err)
				if !next.Over() {
					p = next
				}
			}
			eval := book.Recurring(c.game, 2000)
			var said [2]engine.Decision
			for i := range said {
				if said[i], err = eval(t.Context(), p); err != nil {
					t.Fatalf("%s: %v", p, err)
				}
			}
			byMove := cmpopts.SortSlices(func(a, b engine.MoveValue) bool {
				return a.Move < b.Move || a.Move == b.Move && a.Proof < b.Proof
			})
			if diff := cmp.Diff(said[0].Moves, said[1].Moves, byMove); diff != "" || said[0].Nodes != said[1].Nodes || said[0].Depth != said[1].Depth {
				t.Errorf("%s after %d moves: %d nodes, then %d: %s", c.game.Name(), n, said[0].Nodes, said[1].Nodes, diff)
			}
		}
	}
}
