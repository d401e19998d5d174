// Package graph gives Circuit Wars positions a name by the graph of their free
// segments alone, which decides their value: the squares are its vertices, with
// one more for the outside, the ground.
//
// A position is a multiset of components, a component is what is connected when
// the ground is removed, and a component's *type* is the component up to
// isomorphism: its squares, how many free segments of each lead to the
// ground, and which squares share a free segment. Where on the board it lies,
// how the board is shaped and what was scored before are gone.
//
// # Codes
//
// A Code is a labelled component: word v holds the four borders of square v,
// one byte each from the lowest up, in ascending order: the numbers of its
// neighbours, then Ground once for each free segment to the ground, then None
// for each border that is taken. The canonical code of a type is the code in
// the order that Labeler.Label finds:
//
//  1. Every square starts with the same colour and takes in the colours of
//     what lies across its borders, round after round (Weisfeiler and Leman).
//     Colours are 64-bit mixes, so that no round sorts anything.
//  2. When two rounds split no class any further and squares still share a
//     colour, one square of the first such class is given a colour of its own
//     and the rounds go on.
//  3. The squares are numbered in the order of their colours.
//
// Invariants: isomorphic components get equal codes whenever step 2 chose
// among squares that an automorphism maps onto one another, which is so for
// everything seen on boards; where it is not so, a merge is missed and
// nothing worse happens. Different types never share a code, because the code
// is the whole graph. A Key is a 128-bit hash of the code, and nothing compares
// more than keys, the transposition table of package exact no more than half
// of one (package tt has the odds). Keys are the same in every process and
// on every machine: tables are built on them.
package graph

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"endwise/solver/tt"
)

// MaxSquares is the largest number of squares a position may have. The largest
// board of package grid has 85.
const MaxSquares = 96

// Borders of a square that lead to no neighbour.
const (
	Ground = 0xFE // a free segment to the ground
	None   = 0xFF // a border that is taken
)

// Code is a component as a labelled graph, one word a square; see the package
// comment for its layout.
type Code []uint32

// Border is border i (0..3) of square v: a square's number, Ground or None.
func (c Code) Border(v, i int) uint8 { return uint8(c[v] >> (8 * i)) }

// Edges counts the free segments: those inside once, those to the ground.
func (c Code) Edges() int {
	inner, ground := c.count()
	return inner/2 + ground
}

// Grounds counts the free segments to the ground.
func (c Code) Grounds() int {
	_, ground := c.count()
	return ground
}

func (c Code) count() (inner, ground int) {
	for _, w := range c {
		for i := 0; i < 32; i += 8 {
			switch b := uint8(w >> i); {
			case b == Ground:
				ground++
			case b != None:
				inner++
			}
		}
	}
	return inner, ground
}

// String writes the code for people: per square its neighbours and a g for
// each free segment to the ground, for instance "1g 0g" for a chain of two.
func (c Code) String() string {
	var sb strings.Builder
	for v, w := range c {
		if v > 0 {
			sb.WriteByte(' ')
		}
		for i := 0; i < 32; i += 8 {
			switch b := uint8(w >> i); {
			case b == Ground:
				sb.WriteByte('g')
			case b != None:
				if i > 0 {
					sb.WriteByte(',')
				}
				fmt.Fprintf(&sb, "%d", b)
			}
		}
	}
	return sb.String()
}

// Key is a 128-bit name: of a type, or of a position as the sum of its types'
// keys, lane by lane. The zero Key is the position without free segments.
type Key struct{ Hi, Lo uint64 }

// Add is the key of two positions beside each other.
func (k Key) Add(o Key) Key { return Key{k.Hi + o.Hi, k.Lo + o.Lo} }

// Sub undoes Add.
func (k Key) Sub(o Key) Key { return Key{k.Hi - o.Hi, k.Lo - o.Lo} }

// Compare orders keys: -1, 0 or +1.
func (k Key) Compare(o Key) int {
	switch {
	case k == o:
		return 0
	case k.Hi < o.Hi || k.Hi == o.Hi && k.Lo < o.Lo:
		return -1
	}
	return 1
}

// AppendBytes appends the key's 16 bytes, most significant first, so that
// byte order is the order of Compare.
func (k Key) AppendBytes(b []byte) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, k.Hi), k.Lo)
}

// KeyFrom reads what AppendBytes wrote.
func KeyFrom(b [16]byte) Key {
	return Key{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

// KeyOf is the key of a type from its canonical code.
func KeyOf(c Code) Key {
	hi, lo := uint64(0x9e3779b97f4a7c15), uint64(0xd1b54a32d192ed03)^uint64(len(c))
	for _, w := range c {
		hi = fold(hi^uint64(w), 0xa0761d6478bd642f)
		lo = fold(lo+uint64(w), 0xe7037ed1a0b428db)
	}
	return Key{tt.Mix(hi + lo>>7), tt.Mix(lo ^ bits.RotateLeft64(hi, 29))}
}

// fold multiplies to 128 bits and folds the halves.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x8ebc6af09c88c6e3, b)
	return hi ^ lo ^ a
}
