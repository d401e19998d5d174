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

// MaxEdges is the maximum number of free lines of a position: its mask is one machine word.
const MaxEdges = 64

// ErrTooLarge is wrapped by errors about positions with too many free lines or boxes.
var ErrTooLarge = errors.New("too many free lines to solve exactly")

// ground is the vertex for the outside of the board. Boxes are numbered from 0 to ground-1.
const ground = 63

// graph is the Strings and Coins graph of a set of lines of a board: an edge is a line, and a vertex
// a box or the ground. It is the frame of all positions whose free lines are in this set: these
// positions are masks of its edges. The search tries edges in the order of their numbers.
type graph struct {
	board    *grid.Board
	free     grid.Set // the lines that are edges
	frame    uint32   // unique number, from 1
	shifted  bool     // order the moves of each position by shape.shift
	overtake int16    // see shape.shift
	edges    int
	boxes    int
	all      uint64
	around   [ground]uint64         // box → its edges
	side     [MaxEdges][2]uint8     // edge → its ends, each a box or the ground
	cross    [MaxEdges]uint8        // side[0] ^ side[1]
	line     [MaxEdges]uint8        // edge → segment number on the board
	edge     [grid.MaxSegments]int8 // segment number → edge, or -1
}

var lastFrame atomic.Uint32

// newGraph builds the graph of the free lines of a board, with edges in the order of boardOrder. A
// box without free lines has no vertex. Errors wrap ErrTooLarge.
func newGraph(b *grid.Board, free grid.Set) (*graph, error) {
	return newRankedGraph(b, free, func(segment int) int { return boardOrder(b, segment, false) })
}

// newRankedGraph is newGraph with edges in ascending order of the rank of their segments.
func newRankedGraph(b *grid.Board, free grid.Set, rank func(segment int) int) (*graph, error) {
	if n := free.Len(); n > MaxEdges {
		return nil, fmt.Errorf("%w: %d, at most %d are possible", ErrTooLarge, n, MaxEdges)
	}
	g := &graph{board: b, free: free, frame: lastFrame.Add(1)}
	box := make([]uint8, b.Squares())
	for q := range box {
		if around := b.Around(q); slices.ContainsFunc(around[:], free.Has) {
			box[q] = uint8(g.boxes)
			g.boxes++
		}
	}
	if g.boxes > ground {
		return nil, fmt.Errorf("%w: %d boxes have one, at most %d are possible", ErrTooLarge, g.boxes, ground)
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

// Mask returns the mask of a set of free lines. All lines must be edges of g.
func (g *graph) Mask(free grid.Set) uint64 {
	var m uint64
	for _, s := range free.Segments() {
		m |= 1 << g.edge[s]
	}
	return m
}

// Set returns the free lines of a mask.
func (g *graph) Set(mask uint64) grid.Set {
	var free grid.Set
	for ; mask != 0; mask &= mask - 1 {
		free.Add(int(g.line[bits.TrailingZeros64(mask)]))
	}
	return free
}

// close returns the closure of a position, and the mask of its Rest.
func (g *graph) close(mask uint64) (c Closure, rest uint64) {
	c = Close(g.board, g.Set(mask))
	return c, g.Mask(c.Rest)
}

func (g *graph) boxesIn(mask uint64) int {
	n := 0
	for b := range g.boxes {
		if mask&g.around[b] != 0 {
			n++
		}
	}
	return n
}
