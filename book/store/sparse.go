package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A sparse block holds the entries whose keys share their first PrefixBits
// bits, in ascending order, in the manner of Elias and Fano. Of the remaining
// KeyBits-PrefixBits bits of a key the first subBits select one of 256 groups
// and the rest is stored as it is:
//
//	uint16   n, the number of entries
//	bits     the sizes of the 256 groups in unary: a 1 an entry, then a 0;
//	         n+256 bits, filled up to a byte
//	bits     n remainders of KeyBits-PrefixBits-subBits bits each, filled up
//	bits     n values of ValueBits bits each, filled up
//
// A look-up counts zeros to find the group and compares the group's
// remainders; nothing is decoded. With n near 256 an entry takes
// KeyBits-PrefixBits-8 + 2 + ValueBits bits.

const (
	subBits     = 8
	sparseGoal  = 256 // entries a block aimed at, as a power of two
	maxInBlock  = 1<<16 - 1
	sparseFixed = 2 // bytes of n
)

// sparsePrefix chooses PrefixBits for a number of entries.
func sparsePrefix(entries uint64, keyBits int) int {
	return max(0, min(log2ceil(entries)-log2ceil(sparseGoal), keyBits-subBits, 40))
}

// keyBitsAt takes n bits (0..64) of a key starting at bit from, counted from
// the most significant one.
func keyBitsAt(k Key, from, n int) uint64 {
	if n == 0 {
		return 0
	}
	var top uint64 // the 64 bits from bit from on
	switch {
	case from >= 64:
		top = k.Lo << (from - 64)
	case from == 0:
		top = k.Hi
	default:
		top = k.Hi<<from | k.Lo>>(64-from)
	}
	return top >> (64 - n)
}

// remainder takes the bits from on as a high part of up to 64 bits and a low
// part, the way they are stored.
func remainder(k Key, from, width int) (hi, lo uint64, hiBits, loBits int) {
	loBits = min(width, 64)
	hiBits = width - loBits
	return keyBitsAt(k, from, hiBits), keyBitsAt(k, from+hiBits, loBits), hiBits, loBits
}

type entry struct {
	key   Key
	value uint32
}

// encodeSparse codes the entries of one block, which are sorted and distinct.
func encodeSparse(entries []entry, prefixBits, keyBits, valueBits int) ([]byte, error) {
	if len(entries) > maxInBlock {
		return nil, fmt.Errorf("block of %d entries: keys are not spread evenly (at most %d)", len(entries), maxInBlock)
	}
	w := bitWriter{out: binary.LittleEndian.AppendUint16(nil, uint16(len(entries)))}
	i := 0
	for g := range uint64(1 << subBits) {
		for i < len(entries) && keyBitsAt(entries[i].key, prefixBits, subBits) == g {
			w.put(1, 1)
			i++
		}
		w.put(0, 1)
	}
	if i != len(entries) {
		return nil, fmt.Errorf("entries of a block are not sorted")
	}
	w.bytes()
	width := keyBits - prefixBits - subBits
	for _, e := range entries {
		hi, lo, hiBits, loBits := remainder(e.key, prefixBits+subBits, width)
		w.put(lo, loBits)
		w.put(hi, hiBits)
	}
	w.bytes()
	for _, e := range entries {
		w.put(uint64(e.value), valueBits)
	}
	return w.bytes(), nil
}

// sparseView finds the parts of a coded block.
type sparseView struct {
	n           int
	unary       []byte
	rest, vals  []byte
	width, bits int
	from        int
}

func viewSparse(block []byte, prefixBits, keyBits, valueBits int) (sparseView, error) {
	v := sparseView{width: keyBits - prefixBits - subBits, bits: valueBits, from: prefixBits + subBits}
	if len(block) < sparseFixed {
		return v, fmt.Errorf("sparse block of %d bytes", len(block))
	}
	v.n = int(binary.LittleEndian.Uint16(block))
	a := sparseFixed + (v.n+1<<subBits+7)/8
	b := a + (v.n*v.width+7)/8
	c := b + (v.n*v.bits+7)/8
	if len(block) != c {
		return v, fmt.Errorf("sparse block of %d bytes for %d entries, want %d", len(block), v.n, c)
	}
	v.unary, v.rest, v.vals = block[sparseFixed:a], block[a:b], block[b:c]
	return v, nil
}

// find looks a key up in its block.
func (v *sparseView) find(k Key) (uint32, bool) {
	g := int(keyBitsAt(k, v.from-subBits, subBits))
	// The group starts behind the g-th zero of the unary part; the entries
	// before it are the ones passed on the way.
	pos, zeros := 0, 0
	for pos+64 <= len(v.unary)*8 {
		z := 64 - bits.OnesCount64(binary.LittleEndian.Uint64(v.unary[pos>>3:]))
		if zeros+z >= g {
			break
		}
		zeros += z
		pos += 64
	}
	for zeros < g {
		if pos >= len(v.unary)*8 {
			return 0, false
		}
		if v.unary[pos>>3]>>(pos&7)&1 == 0 {
			zeros++
		}
		pos++
	}
	i := pos - zeros
	hi, lo, hiBits, loBits := remainder(k, v.from, v.width)
	for ; i < v.n && v.unary[pos>>3]>>(pos&7)&1 != 0; i, pos = i+1, pos+1 {
		at := i * v.width
		if bitsAt(v.rest, at, loBits) == lo && bitsAt(v.rest, at+loBits, hiBits) == hi {
			return uint32(bitsAt(v.vals, i*v.bits, v.bits)), true
		}
	}
	return 0, false
}

// each calls f with all entries in order; the keys carry the block's prefix.
func (v *sparseView) each(prefix uint64, f func(Key, uint32) error) error {
	g, i := 0, 0
	for pos := 0; pos < v.n+1<<subBits; pos++ {
		if v.unary[pos>>3]>>(pos&7)&1 == 0 {
			g++
			continue
		}
		if i >= v.n || g >= 1<<subBits {
			return fmt.Errorf("sparse block: group sizes do not add up to %d entries", v.n)
		}
		at := i * v.width
		loBits := min(v.width, 64)
		lo := bitsAt(v.rest, at, loBits)
		hi := bitsAt(v.rest, at+loBits, v.width-loBits)
		var k Key
		k = k.or(prefix, 0, v.from-subBits)
		k = k.or(uint64(g), v.from-subBits, subBits)
		k = k.or(hi, v.from, v.width-loBits)
		k = k.or(lo, v.from+v.width-loBits, loBits)
		if err := f(k, uint32(bitsAt(v.vals, i*v.bits, v.bits))); err != nil {
			return err
		}
		i++
	}
	if i != v.n {
		return fmt.Errorf("sparse block: group sizes give %d entries, want %d", i, v.n)
	}
	return nil
}

// or puts n bits of v at bit from, counted from the most significant one.
func (k Key) or(v uint64, from, n int) Key {
	if n == 0 {
		return k
	}
	v <<= 64 - n // left-aligned
	switch {
	case from >= 64:
		k.Lo |= v >> (from - 64)
	case from == 0:
		k.Hi |= v
	default:
		k.Hi |= v >> from
		k.Lo |= v << (64 - from)
	}
	return k
}
