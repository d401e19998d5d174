package exact

import "endwise/solver/tt"

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

// labels is the scratch memory for computing keys.
type labels struct {
	color, sum [ground]uint64
	number     [ground + 1]uint8 // box → joint number
	links      [maxChains]link
	count      int
}

// link is a chain between two different joints.
type link struct {
	a, b       uint8
	multiplier uint64
}

// key returns the key of a decomposed position.
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
			distinct, tied := countColors(color)
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

// round is one round of refinement: it mixes into every joint's colour the colours at the
// other ends of its chains, and the lengths of these chains.
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

// countColors returns the number of different colours; tied is a joint of the smallest
// colour that occurs more than once.
func countColors(color []uint64) (distinct, tied int) {
	const slots = 128
	var vertex [slots]uint8 // hash table by colour of joint numbers plus 1; 0 is an empty slot
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
