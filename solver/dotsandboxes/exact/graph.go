package exact

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"endwise/engine/grid"
)

// MaxEdges is the largest number of free lines that can be solved exactly: a
// position is one machine word.
const MaxEdges = 64

// ErrTooLarge is wrapped where a position has more free lines than MaxEdges.
var ErrTooLarge = errors.New("too many free lines to solve exactly")

// ground is the vertex that stands for everything off the board; boxes are
// numbered from 0 and stay below it. MaxEdges free lines leave at most 63
// boxes that have two of them each with a share in a third.
const ground = 63

// graph is the strings-and-coins graph of one position: the frame in which
// positions reached from it are masks of the edges still there. Edges are
// numbered in the order in which the search tries them.
type graph struct {
	board    *grid.Board
	free     grid.Set // the lines that are edges
	frame    uint32   // a number of its own, from 1
	late     bool     // moves change places by what they do (shape.shift)
	overtake int16    // by how much a line at a joint of three does
	edges    int
	boxes    int
	all      uint64
	around   [ground]uint64     // box → its edges
	side     [MaxEdges][2]uint8 // edge → its ends, ground for the outside
	cross    [MaxEdges]uint8    // side[0] ^ side[1]: from one end to the other
	line     [MaxEdges]uint8    // edge → segment number on the board
	edge     [grid.MaxSegments]int8
}

// frames counts the graphs that were built.
var frames atomic.Uint32

// newGraph builds the graph of the free lines of a board. A box without a
// free line is captured and has no vertex.
func newGraph(b *grid.Board, free grid.Set) (*graph, error) {
	return newRankedGraph(b, free, func(segment int) int { return tryOrder(b, segment) })
}

// newRankedGraph is newGraph with edges in the order of their rank.
func newRankedGraph(b *grid.Board, free grid.Set, rank func(segment int) int) (*graph, error) {
	if n := free.Len(); n > MaxEdges {
		return nil, fmt.Errorf("%w: %d, at most %d are possible", ErrTooLarge, n, MaxEdges)
	}
	g := &graph{board: b, free: free, frame: frames.Add(1)}
	box := make([]uint8, b.Squares()) // square → box
	for q := range box {
		if around := b.Around(q); slices.ContainsFunc(around[:], free.Has) {
			box[q] = uint8(g.boxes)
			g.boxes++
		}
	}
	if g.boxes > ground {
		return nil, fmt.Errorf("%w: they lie around %d boxes, at most %d are possible", ErrTooLarge, g.boxes, ground)
	}
	for i := range g.edge {
		g.edge[i] = -1
	}
	lines := free.Segments()
	slices.SortStableFunc(lines, func(x, y int) int { return cmp.Compare(rank(x), rank(y)) })
	g.edges = len(lines)
	for i, line := range lines {
		g.all |= 1 << i
		g.line[i] = uint8(line)
		g.edge[line] = int8(i)
		for k, q := range b.Sides(line) {
			if q == grid.Outside {
				g.side[i][k] = ground
				continue
			}
			g.side[i][k] = box[q]
			g.around[box[q]] |= 1 << i
		}
		g.cross[i] = g.side[i][0] ^ g.side[i][1]
	}
	return g, nil
}

// Mask translates a set of free lines into a mask of edges; lines that the
// graph does not have are an error in the caller.
func (g *graph) Mask(free grid.Set) uint64 {
	var m uint64
	for _, s := range free.Segments() {
		m |= 1 << g.edge[s]
	}
	return m
}

// Set is the inverse of Mask.
func (g *graph) Set(mask uint64) grid.Set {
	var free grid.Set
	for ; mask != 0; mask &= mask - 1 {
		free.Add(int(g.line[bits.TrailingZeros64(mask)]))
	}
	return free
}

// close is Close for masks.
func (g *graph) close(mask uint64) (c Closure, rest uint64) {
	c = Close(g.board, g.Set(mask))
	return c, g.Mask(c.Rest)
}

// boxesIn counts the boxes that have a free line in mask.
func (g *graph) boxesIn(mask uint64) int {
	n := 0
	for b := range g.boxes {
		if mask&g.around[b] != 0 {
			n++
		}
	}
	return n
}
