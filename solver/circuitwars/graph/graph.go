// Package graph represents Circuit Wars positions by the graph of their free segments, which
// determines their value. The vertices are the squares and the ground, which is the outside; the
// edges are the free segments. A position is a multiset of components, the connected parts after
// removing the ground. The type of a component is the component up to isomorphism.
//
// # Codes
//
// A code is a labelled component. Word v contains the four borders of square v, one byte each, in
// ascending order from the lowest byte: the numbers of its neighbours, then [Ground] for each edge
// to the ground, then [None] for each other border. The canonical code has the squares in the order
// computed by [Labeler.Label]:
//
//  1. All squares start with the same colour. In each round, the new colour of a square is
//     a 64-bit hash of its colour and the colours across its borders (Weisfeiler and Leman).
//  2. If two rounds do not increase the number of colours and squares still share a colour, one
//     of the squares with the least shared colour gets its own colour, and the rounds continue.
//  3. The squares are numbered in the order of their colours.
//
// Different types never have the same code, because the code is the whole graph. Isomorphic
// components have equal codes if step 2 chooses among squares that automorphisms map onto each
// other. No exception is known on boards. An exception would only give one type two codes.
//
// A key is a 128-bit hash of a code. Solvers compare keys instead of codes (package tt states the
// probability of an error). Tables on disk contain keys, so the hash never changes.
package graph

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"endwise/solver/tt"
)

// MaxSquares is at least the number of squares of any board.
const MaxSquares = 96

// Borders of a square that do not lead to a neighbour.
const (
	Ground = 0xFE // an edge to the ground
	None   = 0xFF // the segment is drawn
)

// Code is a labelled component, canonical or not: one word per square (see the package comment).
type Code []uint32

// Border returns border i (0..3) of square v: a square's number, [Ground] or [None].
func (c Code) Border(v, i int) uint8 { return uint8(c[v] >> (8 * i)) }

// Edges counts the edges, including those to the ground.
func (c Code) Edges() int {
	inner, ground := c.count()
	return inner/2 + ground
}

// Grounds counts the edges to the ground.
func (c Code) Grounds() int {
	_, ground := c.count()
	return ground
}

// count counts the edges to the ground, and those between squares once per end.
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

// String returns, for each square, its neighbours, and a g for each edge to the ground. For
// example, "1g 0g" is a chain of two squares, both with one edge to the ground.
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

// Key is a 128-bit hash of a type. The key of a position is the sum of its types' keys, with Hi and
// Lo added separately. The zero Key is the position without free segments.
type Key struct{ Hi, Lo uint64 }

// Add returns the key of the sum of two positions.
func (k Key) Add(o Key) Key { return Key{k.Hi + o.Hi, k.Lo + o.Lo} }

// Sub returns the key of position k without the part with key o.
func (k Key) Sub(o Key) Key { return Key{k.Hi - o.Hi, k.Lo - o.Lo} }

// Compare returns -1, 0 or +1 by the order of AppendBytes.
func (k Key) Compare(o Key) int { return cmp.Or(cmp.Compare(k.Hi, o.Hi), cmp.Compare(k.Lo, o.Lo)) }

// AppendBytes appends the key's 16 bytes, most significant first.
func (k Key) AppendBytes(b []byte) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, k.Hi), k.Lo)
}

// KeyFrom decodes the result of AppendBytes.
func KeyFrom(b [16]byte) Key {
	return Key{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

// KeyOf returns the key of the type with the canonical code c.
func KeyOf(c Code) Key {
	hi, lo := uint64(0x9e3779b97f4a7c15), uint64(0xd1b54a32d192ed03)^uint64(len(c))
	for _, w := range c {
		hi = fold(hi^uint64(w), 0xa0761d6478bd642f)
		lo = fold(lo+uint64(w), 0xe7037ed1a0b428db)
	}
	return Key{tt.Mix(hi + lo>>7), tt.Mix(lo ^ bits.RotateLeft64(hi, 29))}
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x8ebc6af09c88c6e3, b)
	return hi ^ lo ^ a
}
