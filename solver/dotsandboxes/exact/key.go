package exact

import (
	"slices"

	"endwise/solver/tt"
)

// Key is a 128-bit hash of a position's contracted graph. Equal keys mean equal values,
// except for hash collisions. A key is the sum of the hashes of the isolated chains and
// loops and of the colours of the joints; two different positions collide only if both
// 64-bit halves do.
//
// T7: positions with isomorphic contracted graphs have equal values, because the rules
// depend only on the joints, the ground, the chain lengths, and the multiset of isolated
// chains and loops. Isomorphic positions include those that are equal by the board's
// symmetries, by translation, and by the equivalence of the two lines of a corner.
//
// Colour refinement alone does not decide isomorphism: a theta graph and a dumbbell can get
// the same colours, although their values differ. Here is why the key is sound
// nevertheless. Refinement runs until all joints have different colours. If it stops
// earlier, one joint of the smallest repeated colour gets a unique colour, and refinement
// continues. When all colours differ, one more round mixes into each joint's colour the
// colours of its neighbours and the lengths of the chains to them. Two positions with equal
// final colours are then isomorphic: a joint of one corresponds to the joint of the same
// colour in the other. The choice among the joints of the repeated colour matters only if
// these are not symmetric. Then two isomorphic positions may get different keys; this costs
// a search, but never merges different positions.
type Key struct{ Lo, Hi uint64 }

// maxLength exceeds the number of boxes of any chain or loop.
const maxLength = MaxEdges

var (
	hashChain    [2][maxLength]uint64 // isolated chains by length
	hashLoop     [2][maxLength]uint64 // isolated loops by length
	hashGround   [maxLength]uint64    // chains from a joint to the ground
	hashSelf     [maxLength]uint64    // chains from a joint to itself
	multiplier   [maxLength]uint64    // chains between two joints; odd numbers
	hashDegree   [8]uint64            // joints by number of free lines
	hashRound    uint64
	hashSingular uint64
)

func init() {
	x := uint64(0x9e3779b97f4a7c15)
	next := func() uint64 {
		x += 0x9e3779b97f4a7c15
		return tt.Mix(x)
	}
	for i := range maxLength {
		for k := range 2 {
			hashChain[k][i], hashLoop[k][i] = next(), next()
		}
		hashGround[i], hashSelf[i], multiplier[i] = next(), next(), next()|1
	}
	for i := range hashDegree {
		hashDegree[i] = next()
	}
	hashRound, hashSingular = next()|1, next()
}

// mixRound is cheaper than tt.Mix, with one multiplication, and is used between rounds.
func mixRound(x uint64) uint64 {
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return x ^ x>>32
}

// refine returns the key of a contracted graph, whose colours before the first round
// contain the degrees of the joints and their chains to the ground and to themselves.
func (k *keys) refine(x *contracted) Key {
	key, n := x.lone, x.joints
	left := n - x.gone
	if left == 0 {
		return key
	}
	color, next := &k.colors[0], &k.colors[1]
	for i := range n {
		color[i&ground] = mixRound(x.color[i&ground])
	}
	if left > 2 {
		if left > 4 {
			x.round(color, next)
			color, next = next, color
		}
		x.round(color, next)
		color, next = next, color
		for before := 0; !distinct(color[:n]); {
			classes, tied := countColors(color[:n])
			if classes <= before {
				color[tied] = tt.Mix(color[tied] + hashSingular)
			}
			before = classes
			x.round(color, next)
			color, next = next, color
		}
	}
	x.round(color, next)
	for i := range n {
		key.Lo += next[i&ground]
		key.Hi += mixRound(next[i&ground] + hashSingular)
	}
	key.Hi -= uint64(x.gone) * mixRound(hashSingular)
	return key
}

// round is one round of refinement: it mixes into every joint's colour the colours at the
// other ends of its chains, and the lengths of these chains.
func (x *contracted) round(color, next *[ground + 1]uint64) {
	round := hashRound
	for i := range x.joints {
		e := x.ends[i&ground]
		sum := color[e&ground]*multiplier[e>>8&ground] +
			color[e>>16&ground]*multiplier[e>>24&ground] +
			color[e>>32&ground]*multiplier[e>>40&ground] +
			color[e>>48&ground]*multiplier[e>>56&ground]
		next[i&ground] = mixRound(color[i&ground]*round + sum)
	}
}

// distinct reports whether all colours except 0 are different.
func distinct(color []uint64) bool {
	var seen uint64 // by the upper six bits of a colour
	for i, c := range color {
		bit := uint64(1) << (c >> 58)
		if seen&bit != 0 && c != 0 && slices.Contains(color[:i], c) {
			return false
		}
		seen |= bit
	}
	return true
}

// countColors returns the number of different colours except 0; tied is a joint of the
// smallest colour that occurs more than once.
func countColors(color []uint64) (classes, tied int) {
	smallest := ^uint64(0)
	for i, c := range color {
		switch {
		case c == 0:
		case !slices.Contains(color[:i], c):
			classes++
		case c < smallest:
			smallest, tied = c, i
		}
	}
	return classes, tied
}
