package exact

import (
	"slices"

	"endwise/solver/tt"
)

// Key is a 128-bit hash of a position's contracted graph: the sum of the hashes of the isolated
// chains and loops and of the final colours of the joints. Positions with equal keys have equal
// values, except for hash collisions.
//
// T7: positions with isomorphic contracted graphs have equal values, because the rules depend only
// on the joints, the ground, the chain lengths, and the multiset of isolated chains and loops.
//
// Colour refinement alone does not decide isomorphism: a theta graph and a dumbbell can get the
// same colours, although their values differ. So, with more than two joints, refinement runs until
// all joints have different colours. If a round separates no more joints, one joint of the smallest
// repeated colour gets a unique colour, and refinement continues. A last round mixes into each
// joint's colour the colours of its neighbours and the lengths of the chains to them. Two positions
// with equal final colours are then isomorphic: a joint of one corresponds to the joint of the same
// colour in the other. If the joints of the repeated colour are not symmetric, two isomorphic
// positions may get different keys.
type Key struct{ Lo, Hi uint64 }

// maxLength exceeds the number of boxes of any chain or loop.
const maxLength = MaxEdges

var (
	hashChain    [2][maxLength]uint64 // by length
	hashLoop     [2][maxLength]uint64 // by length
	hashGround   [maxLength]uint64    // chains from a joint to the ground, by length
	hashSelf     [maxLength]uint64    // chains from a joint to itself, by length
	multiplier   [maxLength]uint64    // chains between two joints by length; odd numbers
	hashDegree   [8]uint64            // joints by number of free lines
	hashRound    uint64               // factor of a joint's own colour in a round; odd
	hashSingular uint64               // makes a colour unique, and the halves of a key different
)

// Stored proofs contain keys, so the hashes must not change.
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

// mixRound is a cheaper form of tt.Mix, with one multiplication.
func mixRound(x uint64) uint64 {
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return x ^ x>>32
}

// refinement is the colour refinement of a contracted graph without its gone joints, renumbered.
type refinement struct {
	joints, links int
	color         [ground + 1]uint64
	sum           [ground + 1]uint64 // joint → colour * hashRound; exchange adds to it
	link          [maxLinks]link
	number        [ground + 1]link // joint of the contracted graph → joint of the refinement
}

// key returns the key of a contracted graph. If there are at most two joints, joints of equal
// colour are symmetric, so colours need not be separated.
func (r *refinement) key(x *contracted) Key {
	key := x.lone
	r.begin(x)
	if r.joints > 2 {
		if r.joints > 4 {
			r.round()
		}
		r.round()
		r.separate()
	}
	r.exchange()
	for _, sum := range r.sum[:r.joints] {
		c := mixRound(sum)
		key.Lo += c
		key.Hi += mixRound(c + hashSingular)
	}
	return key
}

// begin loads a contracted graph. To avoid branches, it copies but does not count gone joints.
func (r *refinement) begin(x *contracted) {
	n := 0
	for i := range x.joints {
		c := mixRound(x.color[i&ground])
		r.color[n&ground] = c
		r.sum[n&ground] = c * hashRound
		r.number[i&ground] = link(n)
		n += int(^x.gone >> (i & ground) & 1)
	}
	r.joints = n
	n = 0
	for _, l := range x.link[:x.links] {
		a, b := l&ground, l>>8&ground
		r.link[n&(maxLinks-1)] = l&^0xffff | r.number[b]<<8 | r.number[a]
		n += int(^(x.gone>>a | x.gone>>b) & 1)
	}
	r.links = n
}

// exchange adds the colours of its neighbours to each joint's sum, weighted by the link lengths.
func (r *refinement) exchange() {
	for _, l := range r.link[:r.links] {
		a, b, m := l&ground, l>>8&ground, multiplier[l>>16&ground]
		r.sum[a] += r.color[b] * m
		r.sum[b] += r.color[a] * m
	}
}

func (r *refinement) round() {
	r.exchange()
	for i := range r.joints {
		r.set(i, mixRound(r.sum[i&ground]))
	}
}

func (r *refinement) set(joint int, color uint64) {
	r.color[joint&ground] = color
	r.sum[joint&ground] = color * hashRound
}

// separate performs rounds until all joints have different colours; see Key.
func (r *refinement) separate() {
	for before := 0; ; {
		colors, tied := r.countColors()
		if colors == r.joints {
			return
		}
		if colors <= before {
			r.set(tied, tt.Mix(r.color[tied]+hashSingular))
		}
		before = colors
		r.round()
	}
}

// countColors returns the number of different colours; tied is a joint of the smallest repeated
// colour, if there is one.
func (r *refinement) countColors() (n, tied int) {
	smallest := ^uint64(0)
	var seen uint64
	color := r.color[:r.joints]
	for i, c := range color {
		bit := uint64(1) << (c >> 58)
		if seen&bit == 0 || !slices.Contains(color[:i], c) {
			n++
		} else if c < smallest {
			smallest, tied = c, i
		}
		seen |= bit
	}
	return n, tied
}
