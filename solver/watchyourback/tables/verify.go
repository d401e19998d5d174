package tables

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"

	wyb "endwise/engine/watchyourback"
	"endwise/engine/watchyourback/plain"
)

// Verify compares samples random positions of the table of pieces pieces with
// a search by the plain rules, which share nothing with the bit matrices: the
// value with r turns left must be the best of the values after each action,
// looked up with r-1 turns left or, after the last turn, on the 4x4 board.
// It returns how many positions were compared and an error that shows the
// first one that differs. The 4x4 board and smaller tables must be in t.
func Verify(ctx context.Context, t *Tables, pieces, samples int, seed uint64) (uint64, error) {
	r := rand.New(rand.NewPCG(seed, uint64(pieces)))
	materials := LayoutOf(pieces).materials
	var checked uint64
	for range samples {
		if err := ctx.Err(); err != nil {
			return checked, err
		}
		m := materials[r.IntN(len(materials))]
		turns := 1 + r.IntN(Planes)
		own, opp := randomStable(r, m)
		got, ok, err := t.Middle(own, opp, turns)
		if err != nil {
			return checked, err
		}
		if !ok {
			return checked, fmt.Errorf("no table of %d pieces", pieces)
		}
		want, err := t.bestAction(plainMiddle(own, opp, turns))
		if err != nil {
			return checked, err
		}
		if got != want {
			return checked, fmt.Errorf("own %x, opponent %x, %d turns to the shrink: the table says %d, a plain search %d", own, opp, turns, got, want)
		}
		checked++
	}
	return checked, nil
}

// randomStable draws a position that games can reach.
func randomStable(r *rand.Rand, m Material) (own, opp uint64) {
	for {
		var side [2]uint32
		taken := uint32(0)
		for i, n := range [2]int{m.Own, m.Opp} {
			for bits.OnesCount32(side[i]) < n {
				if bit := uint32(1) << r.IntN(squares); taken&bit == 0 {
					side[i] |= bit
					taken |= bit
				}
			}
		}
		own, opp = widen32(side[0]), widen32(side[1])
		if wyb.Surrounded(own, opp, wyb.Middle) == 0 {
			return own, opp
		}
	}
}

// plainMiddle is a 6x6 position for the plain rules. White moves on even
// turns.
func plainMiddle(own, opp uint64, turns int) plain.State {
	s := plain.State{Board: plain.Board{}, Moving: true, Turns: wyb.SecondShrink - turns}
	fillPlain(s.Board, wyb.Middle, s.Mover(), own, opp)
	return s
}

func fillPlain(b plain.Board, stage wyb.Stage, mover byte, own, opp uint64) {
	for w := wyb.Squares(stage); w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		letter := byte(plain.Empty)
		switch bit := uint64(1) << i; {
		case wyb.Corners(stage)&bit != 0:
			letter = plain.Corner
		case own&bit != 0:
			letter = mover
		case opp&bit != 0:
			letter = plain.Enemy(mover)
		}
		b[plain.Square{X: i % 8, Y: i / 8}] = letter
	}
}

// sidesOf reads a plain state back, the mover's squares first.
func sidesOf(s plain.State) (own, opp uint64) {
	for q, c := range s.Board {
		switch c {
		case s.Mover():
			own |= 1 << (8*q.Y + q.X)
		case plain.Enemy(s.Mover()):
			opp |= 1 << (8*q.Y + q.X)
		}
	}
	return own, opp
}

// bestAction is the value of a plain state for its mover, one action deep.
func (t *Tables) bestAction(s plain.State) (int, error) {
	best := -1
	for _, a := range s.Actions() {
		next := s.Do(a)
		v, err := t.plainValue(next)
		if err != nil {
			return 0, err
		}
		best = max(best, -v)
	}
	return best, nil
}

// plainValue is the value of a plain state for its mover: its result when it
// is over, else from the tables.
func (t *Tables) plainValue(s plain.State) (int, error) {
	if s.Over {
		switch s.Winner {
		case 0:
			return 0, nil
		case s.Mover():
			return 1, nil
		}
		return -1, nil
	}
	own, opp := sidesOf(s)
	if s.Turns >= wyb.SecondShrink {
		v, _, ok := t.Final.Probe(own, opp)
		if !ok {
			return 0, fmt.Errorf("the 4x4 table lacks own %x, opponent %x", own, opp)
		}
		return v, nil
	}
	v, ok, err := t.Middle(own, opp, wyb.SecondShrink-s.Turns)
	if err == nil && !ok {
		err = fmt.Errorf("the 6x6 tables lack own %x, opponent %x", own, opp)
	}
	return v, err
}
