package watchyourback

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"endwise/engine"
	"endwise/engine/enginetest"
)

// A key decodes to the position it was made from, different positions have different keys,
// and the gains of the moves of a game add up to its result.
func TestKeysRoundTripAndGainsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	seen := map[string]Position{}
	for game := range 60 {
		p := New(game%3 == 0)
		total := 0 // for White
		for turn := 0; !p.Over() && turn < 400; turn++ {
			key, _ := p.CanonicalKey(nil)
			if q, ok := seen[string(key)]; ok && q != p {
				t.Fatalf("%s and %s have the same key", p, q)
			}
			seen[string(key)] = p
			if c := enginetest.Corresponds(t, Game{}, p); c != engine.Position(p) {
				t.Fatalf("%s: key gives %v", p, c)
			}
			moves := p.Moves()
			next := p.Next(moves[rng.IntN(len(moves))])
			if gain := p.Gain(next); p.Turn() == engine.First {
				total += gain
			} else {
				total -= gain
			}
			p = next
		}
		want := map[engine.Side]int{engine.First: 1, engine.Second: -1, engine.None: 0}[p.Winner()]
		if total != want {
			t.Fatalf("%s: gains add up to %d", p, total)
		}
	}
	if _, ok := (orientation{New(false)}).FromCanonical(Forfeit); ok {
		t.Error("FromCanonical accepts an illegal move")
	}
}

func TestInvalidKeysAreRefused(t *testing.T) {
	key, _ := New(false).Next(Place(sq(3, 3))).CanonicalKey(nil)
	change := func(at int, b byte) []byte {
		k := bytes.Clone(key)
		k[at] = b
		return k
	}
	for name, k := range map[string][]byte{
		"short":        key[1:],
		"flags":        change(0, 8),
		"many turns":   change(4, 24),
		"quiet":        change(5, 3),
		"corner":       change(13, 1),
		"both":         change(18, key[10]),
		"too many":     change(12, 0xff),
		"huge counter": change(1, 0xff),
	} {
		if p, err := (Game{}).FromKey(k); err == nil {
			t.Errorf("%s: %x is read as %v", name, k, p)
		}
	}
}
