package coins

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"

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

// Graph is the strings-and-coins graph of one position: the frame in which
// positions reached from it are masks of the edges still there. Edges are
// numbered in the order in which the search tries them.
type Graph struct {
	edges  int
	boxes  int
	all    uint64
	around [ground]uint64     // box → its edges
	side   [MaxEdges][2]uint8 // edge → its ends, ground for the outside
	cross  [MaxEdges]uint8    // side[0] ^ side[1]: from one end to the other
	line   [MaxEdges]uint8    // edge → segment number on the board
	edge   [grid.MaxSegments]int8
}

// NewGraph builds the graph of the free lines of a board. A box without a
// free line is captured and has no vertex.
func NewGraph(b *grid.Board, free grid.Set) (*Graph, error) {
	if n := free.Len(); n > MaxEdges {
		return nil, fmt.Errorf("%w: %d, at most %d are possible", ErrTooLarge, n, MaxEdges)
	}
	gg := b.Graph(free)
	if len(gg.Squares) > ground {
		return nil, fmt.Errorf("%w: they lie around %d boxes, at most %d are possible", ErrTooLarge, len(gg.Squares), ground)
	}
	sort.SliceStable(gg.Edges, func(i, j int) bool {
		return tryOrder(b, gg.Edges[i].Segment) < tryOrder(b, gg.Edges[j].Segment)
	})
	g := &Graph{edges: len(gg.Edges), boxes: len(gg.Squares)}
	for i := range g.edge {
		g.edge[i] = -1
	}
	for i, e := range gg.Edges {
		g.all |= 1 << i
		g.line[i] = uint8(e.Segment)
		g.edge[e.Segment] = int8(i)
		ends := [2]int{e.A, e.B}
		for k, v := range ends {
			if v == grid.Outside {
				g.side[i][k] = ground
				continue
			}
			g.side[i][k] = uint8(v)
			g.around[v] |= 1 << i
		}
		g.cross[i] = g.side[i][0] ^ g.side[i][1]
	}
	return g, nil
}

// tryOrder is the rank of a line in the fixed order of the search: interior
// lines before those of the border, and along the longer side of the board.
// A fixed order keeps both players inside one small family of positions;
// history and bounds from the table, tried instead, made trees larger.
func tryOrder(b *grid.Board, segment int) int {
	r, c, horizontal := b.Line(segment)
	along, across := 2*c, 2*r
	if horizontal {
		along++
	} else {
		across++
	}
	A, B := b.Cols*2, b.Rows*2
	hz := horizontal
	if b.Rows > b.Cols {
		along, across = across, along
		A, B = B, A
		hz = !hz
	}
	abs := func(x int) int {
		if x < 0 {
			return -x
		}
		return x
	}
	rank := 0
	o := 0
	if hz {
		o = 1
	}
	switch ORD % 10 {
	case 0:
		rank = along*1000 + across
	case 1:
		rank = across*1000 + along
	case 2:
		rank = (abs(2*along-A)+abs(2*across-B))*1000 + across*30 + along
	case 3:
		rank = max(abs(2*along-A), abs(2*across-B))*1000 + across*30 + along
	case 4: // parallel to the long axis first
		rank = (1-o)*10000 + across*100 + along
	case 5:
		rank = o*10000 + along*100 + across
	case 6:
		rank = (1-o)*10000 + abs(2*across-B)*1000 + along*10 + across
	case 7:
		rank = abs(2*across-B)*1000 + along*10 + across
	case 8:
		rank = abs(2*along-A)*1000 + across*10 + along
	case 9:
		rank = o*10000 + abs(2*along-A)*1000 + across*10 + along
	}
	if WTS != nil {
		X, Y := float64(2*along-A)/2, float64(2*across-B)/2
		fx, fy := X, Y
		if fx < 0 {
			fx = -fx
		}
		if fy < 0 {
			fy = -fy
		}
		f := []float64{fx, fy, X, Y, max(fx, fy), float64(o), fx * fy, float64((r + c) & 1), min(fx, fy), 0}
		if b.Sides(segment)[1] == grid.Outside {
			f[9] = 1
		}
		v := 0.0
		for i := range f {
			v += f[i] * WTS[i]
		}
		return int(v * 1000)
	}
	if ORD/10%2 == 1 {
		rank = -rank
	}
	if b.Sides(segment)[1] == grid.Outside {
		switch ORD / 20 {
		case 0:
			rank += 1_000_000
		case 1:
		case 2:
			rank -= 1_000_000
		}
	}
	return rank
}

var WTS []float64
var ORD, _ = strconv.Atoi(os.Getenv("ORD"))

// Mask translates a set of free lines into a mask of edges; lines that the
// graph does not have are an error in the caller.
func (g *Graph) Mask(free grid.Set) uint64 {
	var m uint64
	for _, s := range free.Segments() {
		m |= 1 << g.edge[s]
	}
	return m
}
