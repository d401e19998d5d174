package retrograde

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	wyb "endwise/engine/watchyourback"
	"endwise/engine/watchyourback/plain"
	"endwise/solver/watchyourback/tables"
)

// Verify checks random positions of the table for a number of pieces: the value of each must be the
// best of the values after its moves, which come from package plain. t must contain the tables for
// all smaller numbers of pieces too. Verify returns the number checked, and an error at a difference.
func Verify(ctx context.Context, t *tables.Tables, pieces, samples int, seed uint64) (checked uint64, err error) {
	r := rand.New(rand.NewPCG(seed, uint64(pieces)))
	fewer := func(m tables.Material) bool { return m.Own+m.Opp < pieces }
	materials := slices.DeleteFunc(tables.Materials(pieces), fewer)
	for range samples {
		if err := ctx.Err(); err != nil {
			return checked, err
		}
		m := materials[r.IntN(len(materials))]
		turns := 1 + r.IntN(tables.Layers)
		own, opp := randomStable(r, m)
		got, ok, err := t.Middle(own, opp, turns)
		if err != nil {
			return checked, err
		}
		if !ok {
			return checked, fmt.Errorf("no table of %d pieces", pieces)
		}
		want, err := bestValue(t, plainMiddle(own, opp, turns))
		if err != nil {
			return checked, err
		}
		if got != want {
			return checked, fmt.Errorf("own %x, opponent %x, %d turns to the shrink: the table has %d, the moves give %d",
				own, opp, turns, got, want)
		}
		checked++
	}
	return checked, nil
}

// randomStable returns a random position of a material in which no piece is surrounded.
func randomStable(r *rand.Rand, m tables.Material) (own, opp uint64) {
	for {
		var side [2]uint32
		taken := uint32(0)
		for i, n := range [2]int{m.Own, m.Opp} {
			for bits.OnesCount32(side[i]) < n {
				if bit := uint32(1) << r.IntN(tables.Squares); taken&bit == 0 {
					side[i] |= bit
					taken |= bit
				}
			}
		}
		own, opp = tables.Widen(side[0]), tables.Widen(side[1])
		if wyb.Surrounded(own, opp, wyb.Middle) == 0 {
			return own, opp
		}
	}
}

// plainMiddle returns the position on the 6x6 board with a number of turns left before the shrink.
func plainMiddle(own, opp uint64, turns int) plain.Game {
	g := plain.EmptyBoard(wyb.SecondShrink - turns)
	g.Strict = true
	for sq := range g.Board {
		switch bit := uint64(1) << sq; {
		case own&bit != 0:
			g.Board[sq] = g.Mover()
		case opp&bit != 0:
			g.Board[sq] = plain.Enemy(g.Mover())
		}
	}
	return g
}

func sidesOf(g plain.Game) (own, opp uint64) {
	for sq, c := range g.Board {
		switch c {
		case g.Mover():
			own |= 1 << sq
		case plain.Enemy(g.Mover()):
			opp |= 1 << sq
		}
	}
	return own, opp
}

// bestValue returns the best value of a move of g. Errors are as for plainValue.
func bestValue(t *tables.Tables, g plain.Game) (int, error) {
	best := -1
	for _, m := range g.Moves() {
		v, err := plainValue(t, g.Play(m))
		if err != nil {
			return 0, err
		}
		best = max(best, -v)
	}
	return best, nil
}

// plainValue returns the value of g for its side to move, by the tables unless g is over. It returns
// an error if no table contains g, or the table cannot be read.
func plainValue(t *tables.Tables, g plain.Game) (int, error) {
	if over, v := g.Ended(); over {
		return v, nil
	}
	own, opp := sidesOf(g)
	if g.Turns >= wyb.SecondShrink {
		v, _, ok := t.Final.Probe(own, opp)
		if !ok {
			return 0, fmt.Errorf("position with own %x, opponent %x is not in the 4x4 table", own, opp)
		}
		return v, nil
	}
	v, ok, err := t.Middle(own, opp, wyb.SecondShrink-g.Turns)
	if err == nil && !ok {
		err = fmt.Errorf("position with own %x, opponent %x is not in the 6x6 tables", own, opp)
	}
	return v, err
}
