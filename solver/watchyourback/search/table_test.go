package search

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestMixedDistinguishesPositions inverts mixed: the words of a slot and its entry determine
// the pieces, so no two positions share them.
func TestMixedDistinguishesPositions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n, e := node{own: r.Uint64(), opp: r.Uint64()}, entry(r.Uint64())
		own, opp := mixed(n, e)
		d := uint64(e) * 0x9E3779B97F4A7C15
		opp ^= bits.RotateLeft64(d+own*0xC2B2AE3D27D4EB4F, 32)
		own ^= d ^ bits.RotateLeft64(opp*0xD6E8FEB86659FD93, 17)
		if own != n.own || opp != n.opp {
			t.Fatalf("pieces %x, %x became %x, %x", n.own, n.opp, own, opp)
		}
	}
}
