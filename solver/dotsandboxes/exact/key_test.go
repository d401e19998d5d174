package exact

import (
	"math/rand/v2"
	"os"
	"testing"

	"endwise/engine/enginetest"
)

// The key of a child by its parent's contracted graph is the key by its own decomposition.
func TestChildKeysAreEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(69, 70))
	positions := 2_000
	if os.Getenv("ENDWISE_DEEP") != "" {
		positions = 200_000
	}
	seen := map[string]int{}
	for i := range positions {
		b := enginetest.Board(t, []string{"3x4", "4x4", "5x5", "6x6", "2x9", "1x15"}[i%6])
		free := enginetest.RandomQuiet(r, b, r.IntN(min(b.Segments(), MaxEdges)))
		if i%2 == 0 {
			free = Close(b, randomFree(r, b, min(b.Segments()*(2+i%3)/5, MaxEdges))).Rest
		}
		g, err := newGraph(b, free)
		if err != nil {
			continue // too many boxes
		}
		var p ply
		var child shape
		var k, other keys
		g.decompose(g.all, &p.shape, 0)
		g.listMoves(&p, -infinity, 0)
		k.load(&p.shape, k.keyOf(&p.shape))
		for _, m := range p.moves[:p.n] {
			g.decompose(m.Child, &child, 0)
			if got, want := k.child(&p.shape, &m), other.keyOf(&child); got != want {
				t.Fatalf("%s free %v after %+v: %x, want %x", b, free, m, got, want)
			}
			switch {
			case m.chain < 0:
				seen["isolated"]++
			case p.shape.chains[m.chain].a == p.shape.chains[m.chain].b:
				seen["self"]++
			default:
				seen["other"]++
			}
		}
	}
	for _, kind := range []string{"isolated", "self", "other"} {
		if seen[kind] < positions/50 {
			t.Errorf("%d moves of kind %s in %d positions", seen[kind], kind, positions)
		}
	}
}
