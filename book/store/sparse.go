package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// A block of a sparse table contains the entries whose keys have the same first PrefixBits bits,
// sorted by key, in a variant of Elias–Fano coding. A key of KeyBits bits consists of
// 	prefix     PrefixBits bits, the number of the block
// 	group      subBits bits
// 	remainder  the other bits
//
// and a block of
//
// 	uint16   n, the number of entries
// 	bits     for each of the 256 groups: a 1 per entry of the group, then a 0;
// 	         n+256 bits, padded to a byte
// 	bits     n remainders, padded to a byte
// 	bits     n values of ValueBits bits each, padded to a byte
//
// n is little-endian. Bytes are filled from the lowest bit up, and numbers are written lowest bit first.

const (
	subBits    = 8
	goalBits   = 8 // the target is 1<<goalBits entries per block
	maxInBlock = 1<<16 - 1
	countBytes = 2 // size of n
)

type blockCoding struct{ PrefixBits, KeyBits, ValueBits int }

func maxPrefix(keyBits int) int { return min(keyBits-subBits, 40) }

func prefixFor(entries uint64, keyBits int) int {
	return max(0, min(log2ceil(entries)-goalBits, maxPrefix(keyBits)))
}

func log2ceil(n uint64) int { return bits.Len64(max(n, 1) - 1) }

// Key is the 128-bit key of a position in a sparse table. The most significant bits are in Hi. Keys
// must be evenly distributed, like hashes.
type Key struct{ Hi, Lo uint64 }

func (k Key) compare(o Key) int { return cmp.Or(cmp.Compare(k.Hi, o.Hi), cmp.Compare(k.Lo, o.Lo)) }

// left and right return the key shifted by n bits, 0 to 128.
func (k Key) left(n int) Key {
	if n >= 64 {
		return Key{k.Lo << (n - 64), 0}
	}
	return Key{k.Hi<<n | k.Lo>>(64-n), k.Lo << n}
}

func (k Key) right(n int) Key {
	if n >= 64 {
		return Key{0, k.Hi >> (n - 64)}
	}
	return Key{k.Hi >> n, k.Lo>>n | k.Hi<<(64-n)}
}

func (k Key) or(o Key) Key { return Key{k.Hi | o.Hi, k.Lo | o.Lo} }

// bits returns n bits, 0 to 64, of the key, beginning with bit from. Bit 0 is the most significant one.
func (k Key) bits(from, n int) uint64 { return k.left(from).Hi >> (64 - n) }

// truncate returns the key with all but the first n bits, 0 to 128, cleared.
func (k Key) truncate(n int) Key { return k.right(128 - n).left(128 - n) }

// slice returns the width bits of the key that begin with bit from, as the low bits of a Key.
func (k Key) slice(from, width int) Key { return k.left(from).right(128 - width) }

type entry struct {
	Key   Key
	Value uint32
}

func sortEntries(list []entry) {
	slices.SortFunc(list, func(x, y entry) int { return x.Key.compare(y.Key) })
}

// encode returns the block that contains entries. They must be sorted, and their keys distinct and of the
// same prefix.
func (c blockCoding) encode(entries []entry) ([]byte, error) {
	if len(entries) > maxInBlock {
		return nil, fmt.Errorf("block of %d entries: keys are not spread evenly (at most %d)", len(entries), maxInBlock)
	}
	w := bitWriter{out: binary.LittleEndian.AppendUint16(nil, uint16(len(entries)))}
	i := 0
	for g := range uint64(1 << subBits) {
		for i < len(entries) && entries[i].Key.bits(c.PrefixBits, subBits) == g {
			w.put(1, 1)
			i++
		}
		w.put(0, 1)
	}
	if i != len(entries) {
		return nil, fmt.Errorf("entries of a block are not sorted")
	}
	w.bytes()
	width := c.width()
	for _, e := range entries {
		r := e.Key.slice(c.PrefixBits+subBits, width)
		w.put(r.Lo, min(width, 64))
		w.put(r.Hi, width-64)
	}
	w.bytes()
	for _, e := range entries {
		w.put(uint64(e.Value), c.ValueBits)
	}
	return w.bytes(), nil
}

func (c blockCoding) width() int { return c.KeyBits - c.PrefixBits - subBits }

type blockView struct {
	n          int    // number of entries
	groups     []byte // sizes of the groups in unary
	remainders []byte
	values     []byte
	width      int // bits of a remainder
	bits       int // bits of a value
	from       int // first bit of the remainder in a key
}

// view returns the parts of a block, or an error if their sizes do not add up to that of the block.
func (c blockCoding) view(block []byte) (blockView, error) {
	v := blockView{width: c.width(), bits: c.ValueBits, from: c.PrefixBits + subBits}
	if len(block) < countBytes {
		return v, fmt.Errorf("sparse block of %d bytes", len(block))
	}
	v.n = int(binary.LittleEndian.Uint16(block))
	remainders := countBytes + (v.n+1<<subBits+7)/8
	values := remainders + (v.n*v.width+7)/8
	end := values + (v.n*v.bits+7)/8
	if len(block) != end {
		return v, fmt.Errorf("sparse block of %d bytes for %d entries, want %d", len(block), v.n, end)
	}
	v.groups, v.remainders, v.values = block[countBytes:remainders], block[remainders:values], block[values:]
	return v, nil
}

// find returns the value of a key that has the prefix of the block.
func (v *blockView) find(k Key) (value uint32, found bool) {
	g := int(k.bits(v.from-subBits, subBits))
	// Group g starts after g zeros of v.groups. Each 1 bit before its start stands for an earlier entry.
	pos, zeros := 0, 0
	for pos+64 <= len(v.groups)*8 {
		z := 64 - bits.OnesCount64(binary.LittleEndian.Uint64(v.groups[pos>>3:]))
		if zeros+z >= g {
			break
		}
		zeros += z
		pos += 64
	}
	for zeros < g {
		if pos >= len(v.groups)*8 {
			return 0, false
		}
		if v.groups[pos>>3]>>(pos&7)&1 == 0 {
			zeros++
		}
		pos++
	}
	want := k.slice(v.from, v.width)
	for i := pos - zeros; i < v.n && v.groups[pos>>3]>>(pos&7)&1 != 0; i, pos = i+1, pos+1 {
		if v.remainder(i) == want {
			return v.value(i), true
		}
	}
	return 0, false
}

func (v *blockView) remainder(i int) Key {
	at := i * v.width
	return Key{bitsAt(v.remainders, at+64, v.width-64), bitsAt(v.remainders, at, min(v.width, 64))}
}

func (v *blockView) value(i int) uint32 { return uint32(bitsAt(v.values, i*v.bits, v.bits)) }

// each calls f with all entries in order, up to the first error; prefix is the prefix of their keys.
func (v *blockView) each(prefix uint64, f func(Key, uint32) error) error {
	g, i := 0, 0
	for pos := 0; pos < v.n+1<<subBits; pos++ {
		if v.groups[pos>>3]>>(pos&7)&1 == 0 {
			g++
			continue
		}
		if i >= v.n || g >= 1<<subBits {
			return fmt.Errorf("sparse block: group sizes do not add up to %d entries", v.n)
		}
		head := Key{Lo: prefix<<subBits | uint64(g)}.left(128 - v.from)
		if err := f(head.or(v.remainder(i).left(128-v.from-v.width)), v.value(i)); err != nil {
			return err
		}
		i++
	}
	if i != v.n {
		return fmt.Errorf("sparse block: group sizes give %d entries, want %d", i, v.n)
	}
	return nil
}
