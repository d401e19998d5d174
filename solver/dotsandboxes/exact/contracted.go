package exact

import "math/bits"

// keys computes the keys of a position and of its children. Method child copies the contracted
// graph of the position and changes the copy near the chain that the move removes.
type keys struct {
	before     contracted
	key        Key
	number     [ground + 1]uint8 // box or ground → joint number or ground, in before
	linkOf     [maxChains]uint8  // chain between two joints → its link in before
	after      contracted
	refinement refinement
}

// contracted is a contracted graph. It contains the chains between two joints twice: in ends to
// find the chains of a joint, in link to list them. Arrays have a power of two as length and indexes
// are masked (&ground), so that they need no bounds checks.
type contracted struct {
	joints int                // including those in gone
	gone   uint64             // set of the ground and the joints that have been captured or become part of a chain
	color  [ground + 1]uint64 // joint → colour before the first round
	ends   [ground + 1]uint64 // joint → four chain ends, missing ones last
	links  int                // including those of joints in gone
	link   [maxLinks]link
	lone   Key     // sum of the hashes of the isolated components
	odd    [3]bool // by length: whether there is an isolated chain of 1 or 2 boxes
}

// link is a chain between two different joints. Its bytes are the joints' numbers and the length.
type link uint32

// maxLinks exceeds the number of a position's links and of those that a move adds.
const maxLinks = 2 * maxChains

func newLink(a, b, length uint8) link { return link(a) | link(b)<<8 | link(length)<<16 }

// A chain end has 16 bits. The lower byte is the number of the joint at the other end or one
// of the first three constants. The upper byte is the chain's length.
const (
	toGround = ground     // a chain to the ground
	toSelf   = ground + 1 // a chain from the joint to itself; it has two such ends
	missing  = ground + 2 // no chain

	endBits    = 16
	endMask    = 1<<endBits - 1
	eachEnd    = 1<<(3*endBits) | 1<<(2*endBits) | 1<<endBits | 1 // times an end: four such ends
	noEnds     = missing * eachEnd
	twoMissing = noEnds >> (2 * endBits) // the upper half of ends if at most two are left
)

func end(to, length uint8) uint64 { return uint64(to) | uint64(length)<<8 }

// endOffset returns the offset in bits of the first of four chain ends that equals e; one must.
func endOffset(ends, e uint64) int {
	x := ends ^ e*eachEnd
	return bits.TrailingZeros64((x-eachEnd)&^x&(1<<15*eachEnd)) &^ (endBits - 1)
}

// keyOf returns the key of s, and loads s.
func (k *keys) keyOf(s *shape) Key {
	k.load(s, Key{})
	return k.refinement.key(&k.before)
}

// load sets before to the contracted graph of s. Only child needs key, the key of s.
func (k *keys) load(s *shape, key Key) {
	k.key = key
	p := &k.before
	p.joints, p.gone, p.links = s.joints, 1<<ground, 0
	p.lone = Key{s.loneHash[0], s.loneHash[1]}
	p.odd = [3]bool{false, s.lone[1]&1 != 0, s.lone[2]&1 != 0}
	for i, b := range s.joint[:s.joints] {
		k.number[b&ground] = uint8(i)
		p.color[i&ground] = hashDegree[s.degree[b&ground]&7]
		p.ends[i&ground] = noEnds
	}
	k.number[ground] = toGround
	for i := range s.count {
		c := &s.chains[i&ground]
		a, b := k.number[c.a&ground], k.number[c.b&ground]
		switch {
		case c.b == ground:
			p.color[a&ground] += hashGround[c.length&ground]
		case a == b:
			p.color[a&ground] += hashSelf[c.length&ground]
			p.ends[a&ground] = p.ends[a&ground]<<endBits | end(toSelf, c.length)
			b = toSelf
		default:
			k.linkOf[i&ground] = uint8(p.links)
			p.link[p.links&(maxLinks-1)] = newLink(a, b, c.length)
			p.links++
			p.ends[b&ground] = p.ends[b&ground]<<endBits | end(a, c.length)
		}
		p.ends[a&ground] = p.ends[a&ground]<<endBits | end(b, c.length)
	}
}

// child returns the key of the position after move m of s, the position last loaded.
func (k *keys) child(s *shape, m *Move) Key {
	if m.chain < 0 { // an isolated component; a loop has the price 8
		h := &hashChain
		if m.Price == 8 {
			h = &hashLoop
		}
		return Key{k.key.Lo - h[0][m.Taken&ground], k.key.Hi - h[1][m.Taken&ground]}
	}
	p, x := &k.before, &k.after
	x.joints, x.gone, x.links, x.lone, x.odd = p.joints, p.gone, p.links, p.lone, p.odd
	copy(x.color[:p.joints], p.color[:p.joints])
	copy(x.ends[:p.joints], p.ends[:p.joints])
	copy(x.link[:p.links], p.link[:p.links])
	c := &s.chains[m.chain&ground]
	a, b := k.number[c.a&ground], k.number[c.b&ground]
	if a == b {
		x.cut(a, end(toSelf, c.length))
		x.cut(a, end(toSelf, c.length))
	} else {
		x.cut(a, end(b, c.length))
		x.cut(b, end(a, c.length))
		if b != ground {
			// refinement.begin omits links of the ground, which is in gone.
			x.link[k.linkOf[m.chain&ground]&(maxLinks-1)] = newLink(ground, ground, 0)
		}
		x.settle(b)
	}
	x.settle(a)
	return k.refinement.key(x)
}

// cut removes the chain end e from joint j and adapts the joint's colour. The ground has no ends.
func (x *contracted) cut(j uint8, e uint64) {
	if j == ground {
		return
	}
	ends := x.ends[j&ground]
	before := uint64(1)<<endOffset(ends, e) - 1
	x.ends[j&ground] = ends&before | ends>>endBits&^before | missing<<(3*endBits)
	// Correct if j had four ends. If it had three, settle removes it.
	x.color[j&ground] += hashDegree[3] - hashDegree[4]
	if e&0xff == toGround {
		x.color[j&ground] -= hashGround[e>>8&ground]
	}
}

// settle removes joint j, unless it is the ground or has at least three lines. With two lines left,
// its two chains become one; with one, the joint and its last chain are captured.
func (x *contracted) settle(j uint8) {
	ends := x.ends[j&ground]
	if j == ground || ends>>(2*endBits) != twoMissing {
		return
	}
	x.gone |= 1 << (j & ground)
	p, q := ends&endMask, ends>>endBits&endMask
	a, b := uint8(p), uint8(q)
	length := uint8(p>>8) + uint8(q>>8) + 1
	switch {
	case b == missing:
		x.cut(a, end(j, uint8(p>>8)))
		x.settle(a)
	case a == toSelf:
		x.addLone(&hashLoop, uint8(p>>8)+1)
	case a == ground && b == ground:
		if length <= 2 {
			if x.odd[length] = !x.odd[length]; !x.odd[length] { // T5
				x.lone.Lo -= hashChain[0][length]
				x.lone.Hi -= hashChain[1][length]
				return
			}
		}
		x.addLone(&hashChain, length)
	case a == b:
		x.color[a&ground] += hashSelf[length&ground]
		x.redirect(a, end(j, uint8(p>>8)), end(toSelf, length))
		x.redirect(a, end(j, uint8(q>>8)), end(toSelf, length))
	default:
		if b != ground && a != ground {
			x.link[x.links&(maxLinks-1)] = newLink(a, b, length)
			x.links++
		}
		x.redirect(a, end(j, uint8(p>>8)), end(b, length))
		x.redirect(b, end(j, uint8(q>>8)), end(a, length))
	}
}

// addLone adds an isolated chain or loop, depending on hash.
func (x *contracted) addLone(hash *[2][maxLength]uint64, length uint8) {
	x.lone.Lo += hash[0][length&ground]
	x.lone.Hi += hash[1][length&ground]
}

// redirect replaces the chain end from of joint j by the end to, and adapts the joint's colour if
// the new end leads to the ground. The ground has no ends.
func (x *contracted) redirect(j uint8, from, to uint64) {
	if j == ground {
		return
	}
	ends := &x.ends[j&ground]
	*ends ^= (from ^ to) << endOffset(*ends, from)
	if to&0xff == toGround {
		x.color[j&ground] += hashGround[to>>8&ground]
	}
}
