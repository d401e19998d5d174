package grid

import (
	"encoding/binary"
	"fmt"

	"endwise/engine"
)

// Two sets of free segments are equivalent if a symmetry of the board and an exchange of border
// segments of the same square make them equal. Equivalent sets have equal values in both games.
//
// To compute the canonical set, every symmetry is applied, and the free border segments of
// each square are replaced by an equal number of its first border segments. The smallest of
// these sets, compared from the highest segment down, is canonical.

// orienter applies a symmetry to sets of segments, four segments per step.
type orienter struct {
	image   [][16]Set // image of the segments 4i..4i+3 whose bits are set in v
	segment []int     // segment → its image
	inverse []int
}

func newOrienter(y Symmetry) orienter {
	n := len(y.Segment)
	o := orienter{image: make([][16]Set, (n+3)/4), segment: y.Segment, inverse: make([]int, n)}
	for s, t := range y.Segment {
		o.inverse[t] = s
		for bits := range 16 {
			if bits>>(s&3)&1 != 0 {
				o.image[s>>2][bits].Add(t)
			}
		}
	}
	return o
}

func (o *orienter) apply(s Set) Set {
	var out Set
	for i := range o.image {
		four := s[i/16] >> (i % 16 * 4) & 15 // a bit for each of the segments 4i..4i+3
		image := &o.image[i][four]
		for k := range out {
			out[k] |= image[k]
		}
	}
	return out
}

// parallel contains the border segments of a square with more than one.
type parallel struct {
	mask  Set
	edges []int // ascending
	first []Set // first[n] contains the first n of edges
}

// buildCanonical sets orienters, parallels and firstParallel.
func (b *Board) buildCanonical() {
	for _, y := range b.symmetries {
		b.orienters = append(b.orienters, newOrienter(y))
	}
	b.firstParallel = make([]int, b.segments)
	for s := range b.firstParallel {
		b.firstParallel[s] = s
	}
	for sq := range b.squares {
		p := parallel{first: make([]Set, 1)}
		for s := range b.segments {
			if b.sides[s] == [2]int{sq, Outside} {
				p.edges = append(p.edges, s)
				p.mask.Add(s)
				p.first = append(p.first, p.mask)
			}
		}
		if len(p.edges) > 1 {
			b.parallels = append(b.parallels, p)
			for _, s := range p.edges {
				b.firstParallel[s] = p.edges[0]
			}
		}
	}
}

// firstOfParallels returns s with the border segments of every square replaced by an equal number of
// the square's first border segments.
func (b *Board) firstOfParallels(s Set) Set {
	for i := range b.parallels {
		p := &b.parallels[i]
		n := 0 // border segments in s
		for _, e := range p.edges {
			n += int(s[e>>6] >> (e & 63) & 1)
		}
		first := &p.first[n]
		for k := range s {
			s[k] = s[k]&^p.mask[k] | first[k]
		}
	}
	return s
}

// Canonical returns the canonical set of free, and the orientation of free.
func (b *Board) Canonical(free Set) (Set, Orientation) {
	var best Set
	var chosen *orienter
	for i := range b.orienters {
		s := b.firstOfParallels(b.orienters[i].apply(free))
		if chosen == nil || s.less(best) {
			best, chosen = s, &b.orienters[i]
		}
	}
	return best, Orientation{b, chosen, free, best}
}

// less reports whether s comes before o: the highest segment that is in only one of them is in o.
func (s Set) less(o Set) bool {
	for k := len(s) - 1; k >= 0; k-- {
		if s[k] != o[k] {
			return s[k] < o[k]
		}
	}
	return false
}

// Orientation maps the segments of a set to those of its canonical set.
type Orientation struct {
	board       *Board
	symmetry    *orienter
	free, canon Set
}

// ToCanonical returns the canonical segment of m. All border segments of one square have the same
// canonical segment.
func (o Orientation) ToCanonical(m engine.Move) engine.Move {
	return engine.Move(o.board.firstParallel[o.symmetry.segment[m]])
}

// FromCanonical returns a free segment that maps to segment m of the canonical set. ok is
// false if the canonical set does not contain m.
func (o Orientation) FromCanonical(m engine.Move) (segment engine.Move, ok bool) {
	if m < 0 || int(m) >= o.board.segments || !o.canon.Has(int(m)) {
		return 0, false
	}
	s := o.symmetry.inverse[m]
	if o.free.Has(s) {
		return engine.Move(s), true
	}
	// Another free border segment of the square was replaced by s.
	for _, t := range o.board.around[o.board.sides[s][0]] {
		if o.board.sides[t][1] == Outside && o.free.Has(t) {
			return engine.Move(t), true
		}
	}
	return 0, false
}

// Key appends the key of a set of free segments to dst: a byte with the number of rows, a
// byte with the number of columns, then one bit per segment, lowest bit first.
func (b *Board) Key(dst []byte, free Set) []byte {
	dst = append(dst, byte(b.Rows), byte(b.Cols))
	var raw [MaxSegments / 8]byte
	for k, w := range free {
		binary.LittleEndian.PutUint64(raw[8*k:], w)
	}
	return append(dst, raw[:(b.segments+7)/8]...)
}

func (b *Board) CanonicalKey(dst []byte, free Set) ([]byte, engine.Orientation) {
	canon, o := b.Canonical(free)
	return b.Key(dst, canon), o
}

// FromKey returns the board and the free segments of a [Board.Key], or an error for bytes that are not a
// key.
func FromKey(key []byte) (*Board, Set, error) {
	var s Set
	if len(key) < 2 {
		return nil, s, fmt.Errorf("key: %d bytes, want rows, columns and segments", len(key))
	}
	b, err := New(int(key[0]), int(key[1]))
	if err != nil {
		return nil, s, fmt.Errorf("key: %w", err)
	}
	if want := 2 + (b.segments+7)/8; len(key) != want {
		return nil, s, fmt.Errorf("key: %d bytes, a %s board has %d", len(key), b, want)
	}
	var raw [MaxSegments / 8]byte
	copy(raw[:], key[2:])
	for k := range s {
		s[k] = binary.LittleEndian.Uint64(raw[8*k:])
	}
	if s.Minus(b.All()) != (Set{}) {
		return nil, s, fmt.Errorf("key: segments beyond the %d of a %s board", b.segments, b)
	}
	return b, s, nil
}
