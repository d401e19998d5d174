package exact

import "endwise/solver/tt"

// Key names a class of positions of equal value: 128 bits, additive over
// isolated chains and loops. Different classes have different keys but for
// chance: both halves are sums over the joints' colours, hashes of 64 bits, so
// that all colours in which two positions differ would have to agree, or both
// sums.
//
// T7: positions with isomorphic contracted graphs have equal values, for
// everything the rules ask is in that graph: joints, the ground, chain
// lengths, and the multiset of isolated chains and loops. This contains the
// board's symmetries, translation and the corner equivalence.
//
// Colour refinement alone does not decide isomorphism: a theta graph and a
// dumbbell can get the same colours, and merging them is wrong (a 3x4 position
// got 6 in place of 8 that way). The key is sound all the same, by this
// certificate: refinement runs until all joints of the position have
// different colours. Where it gets stuck before, one joint of the tied colour
// with the smallest name is given a colour of its own and refinement goes on.
// When all colours differ, one more round writes into each joint's colour the
// names of its neighbours and the chain lengths between: two positions with
// equal final colours are then isomorphic, the joint of a colour going to the
// joint of the same colour. Which of the tied joints is chosen matters only if
// they are not symmetric; then two isomorphic positions may get different
// keys, so a merge is missed and never a wrong one made.
type Key struct{ Lo, Hi uint64 }

// maxLength is the largest number of boxes in a chain or loop.
const maxLength = MaxEdges

var (
	hashChain    [2][maxLength]uint64 // isolated chains by length
	hashLoop     [2][maxLength]uint64 // isolated loops by length
	hashGround   [maxLength]uint64    // chains from a joint to the ground
	hashSelf     [maxLength]uint64    // chains from a joint to itself
	multiplier   [maxLength]uint64    // chains between two joints, odd
	hashDegree   [8]uint64            // by free lines
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

// mixRound is the cheaper mixing between rounds: one multiplication.
func mixRound(x uint64) uint64 {
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return x ^ x>>32
}

// labels is the scratch memory of key making.
type labels struct {
	color, sum [ground]uint64
	number     [ground + 1]uint8 // box → joint
	links      [maxChains]link
	count      int
}

// link is a chain between two joints.
type link struct {
	a, b       uint8
	multiplier uint64
}

// key computes the key of a position that was taken apart.
func (l *labels) key(s *shape) Key {
	k := Key{s.loneHash[0], s.loneHash[1]}
	n := s.joints
	if n == 0 {
		return k
	}
	color := l.color[:n]
	for i := range color {
		b := s.joint[i]
		l.number[b] = uint8(i)
		color[i] = hashDegree[s.degree[b]&7]
	}
	l.count = 0
	for i := range s.count {
		c := &s.chains[i]
		switch {
		case c.b == ground:
			color[l.number[c.a]] += hashGround[c.length]
		case c.a == c.b:
			color[l.number[c.a]] += hashSelf[c.length]
		default:
			l.links[l.count] = link{l.number[c.a], l.number[c.b], multiplier[c.length]}
			l.count++
		}
	}
	for i := range color {
		color[i] = mixRound(color[i])
	}
	if n > 2 {
		if n > 4 {
			l.round(n)
		}
		l.round(n)
		for before := 0; ; {
			distinct, tied := classes(color)
			if distinct == n {
				break
			}
			if distinct <= before {
				color[tied] = tt.Mix(color[tied] + hashSingular)
			}
			before = distinct
			l.round(n)
		}
	}
	l.round(n)
	for i := range color {
		k.Lo += color[i]
		k.Hi += mixRound(color[i] + hashSingular)
	}
	return k
}

// round is one round of refinement: every joint's colour takes in the colours
// at the other ends of its chains and the chains' lengths.
func (l *labels) round(n int) {
	sum := l.sum[:n]
	clear(sum)
	for i := range l.links[:l.count] {
		k := &l.links[i]
		sum[k.a] += l.color[k.b] * k.multiplier
		sum[k.b] += l.color[k.a] * k.multiplier
	}
	color := l.color[:n]
	for i := range color {
		color[i] = mixRound(color[i]*hashRound + sum[i])
	}
}

// classes counts the different colours; tied is a vertex of the smallest
// colour that occurs more than once.
func classes(color []uint64) (distinct, tied int) {
	const slots = 128
	var vertex [slots]uint8 // a small hash table of vertices + 1, by colour
	distinct = len(color)
	smallest := ^uint64(0)
	for i, c := range color {
		h := c % slots
		for ; vertex[h] != 0; h = (h + 1) % slots {
			if color[vertex[h]-1] == c {
				distinct--
				if c < smallest {
					smallest, tied = c, i
				}
				break
			}
		}
		if vertex[h] == 0 {
			vertex[h] = uint8(i + 1)
		}
	}
	return distinct, tied
}
