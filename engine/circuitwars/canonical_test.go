package circuitwars

import (
	"math/rand/v2"
	"testing"

	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// Equivalent positions have the same key and value, and their moves correspond. A key
// decodes to a position with the same key. Images under a symmetry of the board, and
// positions that differ in which border segment of a corner is drawn, are equivalent.
func TestCanonicalKeysKeepValuesAndMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 400 {
		size := [][2]int{{2, 2}, {3, 3}, {1, 6}, {2, 3}, {3, 2}, {4, 5}, {7, 7}}[rng.IntN(7)]
		p, err := New(size[0], size[1])
		testenv.OK(t, err)
		for range rng.IntN(p.board.Segments()) {
			if free := p.free.Segments(); len(free) > 1 {
				q, err := p.Occupy(free[rng.IntN(len(free))])
				testenv.OK(t, err)
				if q.Over() {
					break
				}
				p = q
			}
		}
		c := enginetest.Corresponds(t, Game{}, p)
		key, _ := p.CanonicalKey(nil)
		y := p.board.Symmetries()[rng.IntN(len(p.board.Symmetries()))]
		image, err := FromDrawn(p.board, p.board.All().Minus(y.Apply(p.free)), [2]int{p.score[0] + p.score[1], 0}, engine.First)
		testenv.OK(t, err)
		if k, _ := image.CanonicalKey(nil); string(k) != string(key) {
			t.Fatalf("%s: key %x, under %s %x", p, key, y.Name, k)
		}
		if p.free.Len() <= 12 {
			v, w := enginetest.Value(t, p, Position.Free, map[grid.Set]int{}), enginetest.Value(t, c.(Position), Position.Free, map[grid.Set]int{})
			if v != w {
				t.Fatalf("%s is worth %d, its canonical position %d", p, v, w)
			}
		}
	}
	corner := func(draw ...int) string {
		p, err := New(3, 3)
		testenv.OK(t, err)
		for _, s := range draw {
			p, err = p.Occupy(s)
			testenv.OK(t, err)
		}
		k, _ := p.CanonicalKey(nil)
		return string(k)
	}
	b, _ := grid.New(3, 3)
	if corner(b.H(0, 0), b.H(1, 1)) != corner(b.V(0, 0), b.H(1, 1)) {
		t.Error("drawing either border segment of a corner gives different keys")
	}
}

func TestInvalidKeysAreRefused(t *testing.T) {
	p, err := New(2, 2)
	testenv.OK(t, err)
	key, _ := p.CanonicalKey(nil)
	var inner grid.Set // a free segment in a closed area
	inner.Add(p.board.V(0, 1))
	bad := map[string][]byte{
		"empty":       {},
		"short":       key[:len(key)-1],
		"long":        append(append([]byte{}, key...), 0),
		"no board":    append([]byte{0, 2}, key[2:]...),
		"beyond":      append(append([]byte{}, key[:len(key)-1]...), key[len(key)-1]|0x80),
		"inside area": p.board.Key(nil, inner),
	}
	for name, k := range bad {
		if q, err := (Game{}).FromKey(k); err == nil {
			t.Errorf("%s: %x is read as %v", name, k, q)
		}
	}
}

func BenchmarkCanonicalKey(b *testing.B) {
	p, err := New(7, 7)
	testenv.OK(b, err)
	for i := range 30 {
		p, err = p.Occupy(i * 3)
		testenv.OK(b, err)
	}
	var buf [32]byte
	for b.Loop() {
		p.CanonicalKey(buf[:0])
	}
}
