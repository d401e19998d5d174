package book_test

import (
	"math/rand/v2"
	"testing"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// Outside a game the first move of a decision is the decision's, and no move of the list
// is proved to be worth more than the first one seems to be, whatever sources claim.
func TestNoListedMoveIsProvedBetter(t *testing.T) {
	start, err := circuitwars.New(3, 3)
	testenv.OK(t, err)
	p, err := engine.PlayMoves(engine.Position(start), []string{"0,0,top", "1,1,left"})
	testenv.OK(t, err)
	moves := p.Moves()
	r := rand.New(rand.NewPCG(1, 2))
	lost := 0
	for range 5_000 {
		k := book.NewKnown(p, circuitwars.Game{}, nil)
		for _, m := range moves {
			low := r.IntN(12) - 9
			switch r.IntN(6) {
			case 0:
				k.Prove("solved", book.Claim{Move: m, Lower: low, Upper: low})
			case 1:
				k.Prove("solved", book.Claim{Move: m, Lower: low, Upper: low + r.IntN(4)})
			case 2:
				k.Prove("solved", book.Claim{Move: m, Lower: -book.Unbounded, Upper: low})
			}
		}
		var estimates []book.Estimate
		for range r.IntN(len(moves)) {
			estimates = append(estimates, book.Estimate{Move: moves[r.IntN(len(moves))], Score: r.IntN(30) - 18})
		}
		k.Estimate("search", 1, estimates...)
		d, _, ok := k.Decide(true)
		if !ok {
			continue
		}
		first := d.Moves[0]
		if first.Move != d.Move {
			t.Fatalf("%s heads a list that begins with %s", d.Move, first.Move)
		}
		if first.Proof == engine.Upper {
			continue // its worth is not listed
		}
		for _, v := range d.Moves[1:] {
			if v.Proof == engine.Exact && first.Score < v.Score && first.Proof != engine.Lower {
				t.Fatalf("%+v is first, %+v is in its list", first, v)
			}
		}
		if first.Score < 0 {
			lost++
		}
	}
	if lost < 100 {
		t.Errorf("only %d lost positions", lost)
	}
}
