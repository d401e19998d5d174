package tables

import "math/bits"

// A set of playable squares of the 6x6 board, numbered row by row, is a uint32 with a bit for each
// square. The sets of k squares are ranked in numerical order: the rank of the set s1 < s2 < … < sk
// is C(s1,1) + C(s2,2) + … + C(sk,k).

const (
	Squares        = 32                 // number of playable squares of the 6x6 board
	MaxTablePieces = 7                  // maximum number of pieces in a 6x6 table
	MaxSide        = MaxTablePieces - 2 // maximum number of pieces of one side in a table
)

// Squeeze maps the playable 6x6 squares of an 8x8 set to bits 0..31, row by row.
func Squeeze(s uint64) uint32 {
	return uint32(s>>10&15 | s>>17&63<<4 | s>>25&63<<10 | s>>33&63<<16 | s>>41&63<<22 | s>>50&15<<28)
}

// Widen is the inverse of Squeeze.
func Widen(m uint32) uint64 {
	w := uint64(m)
	return w&15<<10 | w>>4&63<<17 | w>>10&63<<25 | w>>16&63<<33 | w>>22&63<<41 | w>>28&15<<50
}

var binomial = func() (c [Squares + 1][MaxSide + 1]uint32) {
	for n := range c {
		c[n][0] = 1
		for k := 1; k <= MaxSide && n > 0; k++ {
			c[n][k] = c[n-1][k-1] + c[n-1][k]
		}
	}
	return c
}()

// The rank of a set is lowRank[lower half] + highRank[squares in the lower half][upper half].
var (
	lowRank  [1 << 16]uint32
	highRank [MaxSide + 1][1 << 16]uint32
)

func init() {
	fillRanks(&lowRank, 0, 0)
	for lower := range highRank {
		fillRanks(&highRank[lower], 16, lower)
	}
}

// fillRanks computes a table for the squares first … first+15. Entry m is the part of a set's rank
// that comes from its squares m among these; lower is the number of smaller squares in the set.
func fillRanks(t *[1 << 16]uint32, first, lower int) {
	for m := 1; m < len(t); m++ {
		last := bits.Len(uint(m)) - 1
		t[m] = t[m&^(1<<last)]
		if k := lower + bits.OnesCount(uint(m)); k <= MaxSide {
			t[m] += binomial[first+last][k]
		}
	}
}

// Rank returns the rank of a set of at most MaxSide squares among the sets of the same size.
func Rank(m uint32) uint32 {
	l := m & 0xffff
	return lowRank[l] + highRank[bits.OnesCount32(l)][m>>16]
}

// Sets returns the number of sets of k squares.
func Sets(k int) int { return int(binomial[Squares][k]) }

// SetsOf returns the sets of k squares in the order of their ranks.
func SetsOf(k int) []uint32 {
	out := make([]uint32, 0, Sets(k))
	m := uint64(1)<<k - 1
	for m < 1<<Squares {
		out = append(out, uint32(m))
		// Gosper's hack
		low := m & -m
		up := m + low
		m = (m^up)>>2/low | up
	}
	return out
}
