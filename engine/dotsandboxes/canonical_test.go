package dotsandboxes

import (
	"math/rand/v2"
	"testing"

	"endwise/engine/grid"
)

// byRules is the value for the side to move by the rules alone.
func byRules(t *testing.T, p Position, memo map[grid.Set]int) int {
	t.Helper()
	if v, ok := memo[p.drawn]; ok || p.Over() {
		return v
	}
	best := -1000
	for _, m := range p.Moves() {
		q, err := p.DrawLine(m)
		if err != nil {
			t.Fatal(err)
		}
		v := byRules(t, q, memo)
		if q.turn != p.turn {
			v = -v
		}
		best = max(best, p.Gain(q)+v)
	}
	memo[p.drawn] = best
	return best
}

// Positions with one key have one value, and their moves correspond.
func TestCanonicalKeysKeepValuesAndMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for range 300 {
		size := [][2]int{{2, 2}, {3, 3}, {1, 6}, {2, 3}, {5, 5}, {7, 7}, {9, 9}}[rng.IntN(7)]
		b, err := grid.New(size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		p := New(b)
		for range rng.IntN(b.Segments()) {
			moves := p.Moves()
			q, err := p.DrawLine(moves[rng.IntN(len(moves))])
			if err != nil {
				t.Fatal(err)
			}
			if q.Over() {
				break
			}
			p = q
		}
		key, o := p.CanonicalKey(nil)
		c, err := Game{}.FromKey(key)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if again, _ := c.CanonicalKey(nil); string(again) != string(key) {
			t.Fatalf("%s: key %x, its position has key %x", p, key, again)
		}
		for _, m := range p.Moves() {
			q, err := p.Play(m)
			if err != nil {
				t.Fatal(err)
			}
			cm := o.ToCanonical(m)
			cq, err := c.Play(cm)
			if err != nil {
				t.Fatalf("%s: move %s becomes %s: %v", p, p.MoveString(m), c.MoveString(cm), err)
			}
			k1, _ := q.(Position).CanonicalKey(nil)
			k2, _ := cq.(Position).CanonicalKey(nil)
			passes, cPasses := q.Turn() != p.Turn(), cq.Turn() != c.Turn()
			if string(k1) != string(k2) || p.Gain(q) != c.Gain(cq) || passes != cPasses {
				t.Fatalf("%s: move %s and its canonical %s lead apart", p, p.MoveString(m), c.MoveString(cm))
			}
			if back, ok := o.FromCanonical(cm); !ok || o.ToCanonical(back) != cm {
				t.Fatalf("%s: move %s comes back as %s", p, p.MoveString(m), p.MoveString(back))
			}
		}
		if p.Free().Len() <= 12 {
			if v, w := byRules(t, p, map[grid.Set]int{}), byRules(t, c.(Position), map[grid.Set]int{}); v != w {
				t.Fatalf("%s is worth %d, its canonical position %d", p, v, w)
			}
		}
	}
	if _, err := (Game{}).FromKey([]byte{2, 2, 0xff}); err == nil {
		t.Error("half a key is read as a position")
	}
}
