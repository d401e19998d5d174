package tables

import (
	"math/rand/v2"
	"testing"
)

// finalTable is solved once for all tests.
var finalTable = NewFinal()

// eachFinal calls f for every position of the table.
func eachFinal(f func(own, opp uint64)) {
	all := uint32(1<<finalSquares - 1)
	for o := range all + 1 {
		for p := all &^ o; p != 0; p = (p - 1) & (all &^ o) {
			if own, opp := widen12(o), widen12(p); finalTable.value[finalIndex(own, opp)] != noEntry {
				f(own, opp)
			}
		}
	}
}

// turn rotates an 8x8 set by a quarter turn, flip mirrors it left to right.
func turn(s uint64) (out uint64) {
	for i := range 64 {
		out |= s >> i & 1 << (8*(i%8) + 7 - i/8)
	}
	return out
}

func flip(s uint64) (out uint64) {
	for i := range 64 {
		out |= s >> i & 1 << (i ^ 7)
	}
	return out
}

// TestSymmetry checks that the 4x4 stage has the symmetry of its board, and
// shows that the 6x6 stage has none of it: the second shrink takes the
// corners in an order.
func TestSymmetry(t *testing.T) {
	eachFinal(func(own, opp uint64) {
		v, d, _ := finalTable.Probe(own, opp)
		for _, image := range [2]func(uint64) uint64{turn, flip} {
			if v2, d2, ok := finalTable.Probe(image(own), image(opp)); !ok || v != v2 || d != d2 {
				t.Fatalf("own %x, opponent %x: %d in %d, its image %d in %d", own, opp, v, d, v2, d2)
			}
		}
	})
	tables, _ := upToFive()
	images := map[string]func(uint64) uint64{
		"quarter turn": turn, "half turn": func(s uint64) uint64 { return turn(turn(s)) },
		"quarter turn back": func(s uint64) uint64 { return turn(turn(turn(s))) },
		"left-right":        flip, "top-bottom": func(s uint64) uint64 { return flip(turn(turn(s))) },
		"diagonal": func(s uint64) uint64 { return flip(turn(s)) }, "antidiagonal": func(s uint64) uint64 { return turn(flip(s)) },
	}
	r := rand.New(rand.NewPCG(11, 12))
	for name, image := range images {
		broken := false
		for range 200000 {
			own, opp := randomStable(r, Material{2, 2})
			a, _, err := tables.Middle(own, opp, 1)
			if err != nil {
				t.Fatal(err)
			}
			b, ok, err := tables.Middle(image(own), image(opp), 1)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if a != b {
				broken = true
				break
			}
		}
		if !broken {
			t.Errorf("no position tells the %s from the identity", name)
		}
	}
}

func BenchmarkNewFinal(b *testing.B) {
	for b.Loop() {
		NewFinal()
	}
}
