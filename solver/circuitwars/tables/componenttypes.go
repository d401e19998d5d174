package tables

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"endwise/solver/circuitwars/graph"
)

// A component consists of its inner part, a connected set of free segments between squares, and of
// free border segments of these squares. The sides of the board can be moved to the rectangle around the
// component's squares: a side with a segment of the component touches the rectangle already. So a
// type occurs on a board of up to Side x Side if and only if it consists of
//
//   - a connected set of unit segments between squares of the infinite grid (a bond
//     animal), whose squares fit a rectangle of Side x Side, and
//   - at least one of the segments on the rectangle's border.
//
// The animals are enumerated by Redelmeier's method (1981): starting from the smallest segment,
// each step adds one of the neighbouring segments not offered before. This reaches every animal
// once, up to translation. Of the images of an animal under symmetry, only the one with the
// smallest picture is used. Animals are grouped by the canonical code of their inner graph;
// those of one group differ only in their capacities, the numbers of border segments of the squares.

// Side is the maximum side of the boards of endings, in squares.
const Side = 7

// MaxEndingEdges is the maximum number of free segments of endings.
const MaxEndingEdges = 14

const maxInner = MaxEndingEdges // maximum number of squares of a component; a tree with one border segment reaches it

// capacities contains 4 bits per square, the number of its border segments.
type capacities uint64

func (c capacities) of(square int) int { return int(c >> (4 * square) & 15) }

// covers reports whether c has at least as many segments as d at every square.
func (c capacities) covers(d capacities) bool {
	// With the top bit of each nibble set in c, no nibble borrows from the next, and the bit
	// remains set if and only if c's nibble is not smaller.
	const top = 0x8888888888888888
	return (c|top-d)&top == top
}

// innerGraph is a connected graph of squares in canonical order, without the ground.
type innerGraph struct {
	code graph.Code
	caps []capacities // of the animals with this graph; none covers another
}

// walls returns the combinations of the top, bottom, left and right side of an h x w rectangle that
// can lie on the border of the board.
type walls func(h, w int) [][4]bool

func anyBoard(int, int) [][4]bool { return [][4]bool{{true, true, true, true}} }

// animals enumerates the inner graphs with at most max segments.
type animals struct {
	max    int
	walls  walls
	graphs map[graph.Key]*innerGraph
	label  graph.Labeler
	begun  func() // see listAnimals

	ends    [][2]int // segment → its squares, the upper or left one first
	near    [][]int
	offered []bool // whether the segment is in untried, or precedes the first segment
	chosen  []int  // the animal
	untried []int
}

// Animals grow in a strip of Side rows, from a segment in the middle of the first row.
const stripCols = 2*Side - 1

// Progress is counted in animals of beginning segments. Every larger animal grows from one of them.
const (
	beginning  = 5
	beginnings = 372
)

// listAnimals returns all inner graphs with 0 to max segments, by key. If max exceeds beginning, it
// calls begun for each animal of beginning segments. The only error is that of ctx.
func listAnimals(ctx context.Context, max int, w walls, begun func()) (map[graph.Key]*innerGraph, error) {
	a := &animals{max: max, walls: w, graphs: map[graph.Key]*innerGraph{}, begun: begun}
	a.makeStrip()
	a.addSquare()
	if max == 0 {
		return a.graphs, nil
	}
	a.offered = make([]bool, len(a.ends))
	const middle = Side - 1 // the square in the middle of the first row
	for root, ends := range a.ends {
		if ends[0] != middle {
			continue
		}
		for e := range a.offered {
			a.offered[e] = e <= root
		}
		a.untried = append(a.untried[:0], root)
		if err := a.grow(ctx, 0); err != nil {
			return nil, err
		}
	}
	return a.graphs, nil
}

// makeStrip sets ends and near to the segments of the strip.
func (a *animals) makeStrip() {
	at := make([][]int, Side*stripCols)
	for sq := range at {
		if sq%stripCols+1 < stripCols {
			a.ends = append(a.ends, [2]int{sq, sq + 1})
		}
		if sq/stripCols+1 < Side {
			a.ends = append(a.ends, [2]int{sq, sq + stripCols})
		}
	}
	for e, ends := range a.ends {
		at[ends[0]] = append(at[ends[0]], e)
		at[ends[1]] = append(at[ends[1]], e)
	}
	a.near = make([][]int, len(a.ends))
	for e, ends := range a.ends {
		for _, o := range slices.Concat(at[ends[0]], at[ends[1]]) {
			if o != e {
				a.near[e] = append(a.near[e], o)
			}
		}
	}
}

// grow adds each untried segment from index first on to the chosen animal and removes it again. If
// the larger animal fits Side columns, grow records it with addIfSmallest and grows it further. The error is that of ctx.
func (a *animals) grow(ctx context.Context, first int) error {
	for ; first < len(a.untried); first++ {
		e := a.untried[first]
		a.chosen = append(a.chosen, e)
		if left, h, w := a.box(); w <= Side {
			a.addIfSmallest(left, h, w)
			if err := a.growFrom(ctx, e, first+1); err != nil {
				return err
			}
		}
		a.chosen = a.chosen[:len(a.chosen)-1]
	}
	return nil
}

// growFrom continues from the chosen animal, whose last segment is e, with the untried segments
// from index first on and the neighbours of e not offered before. The only error is that of ctx.
func (a *animals) growFrom(ctx context.Context, e, first int) error {
	if len(a.chosen) == a.max {
		return nil
	}
	n := len(a.untried)
	for _, o := range a.near[e] {
		if !a.offered[o] {
			a.offered[o] = true
			a.untried = append(a.untried, o)
		}
	}
	if err := a.grow(ctx, first); err != nil {
		return err
	}
	if len(a.chosen) == beginning {
		a.begun()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for _, o := range a.untried[n:] {
		a.offered[o] = false
	}
	a.untried = a.untried[:n]
	return nil
}

// box returns the first column, height and width of the rectangle around the chosen animal. The
// rectangle begins in row 0, where every animal has a square.
func (a *animals) box() (left, h, w int) {
	left, right, bottom := stripCols, 0, 0
	for _, e := range a.chosen {
		for _, sq := range a.ends[e] {
			left, right = min(left, sq%stripCols), max(right, sq%stripCols)
			bottom = max(bottom, sq/stripCols)
		}
	}
	return left, bottom + 1, right - left + 1
}

// In a picture, bit r*Side+c of word 0 is the segment to the right of square (r, c), and that of word 1
// the segment below it.
type picture [2]uint64

// addIfSmallest adds the chosen animal if no image of it has a smaller picture, so that only one of
// its eight images is added. left, h and w are the results of box.
func (a *animals) addIfSmallest(left, h, w int) {
	p := a.picture(0, left, h, w)
	for k := 1; k < 8; k++ {
		q := a.picture(k, left, h, w)
		if q[0] < p[0] || q[0] == p[0] && q[1] < p[1] {
			return
		}
	}
	a.addChosen(left, h, w)
}

// picture returns the picture of image k of the chosen animal; see turned.
func (a *animals) picture(k, left, h, w int) (p picture) {
	for _, e := range a.chosen {
		r, c := turned(k, a.ends[e][0], left, h, w)
		r2, c2 := turned(k, a.ends[e][1], left, h, w)
		if r == r2 {
			p[0] |= 1 << (r*Side + min(c, c2))
		} else {
			p[1] |= 1 << (min(r, r2)*Side + c)
		}
	}
	return p
}

// turned returns the row and column of square sq of the strip in image k. Bit 0 of k reverses the
// rows and bit 1 the columns; bit 2 then exchanges rows and columns.
func turned(k, sq, left, h, w int) (r, c int) {
	r, c = sq/stripCols, sq%stripCols-left
	if k&1 != 0 {
		r = h - 1 - r
	}
	if k&2 != 0 {
		c = w - 1 - c
	}
	if k&4 != 0 {
		r, c = c, r
	}
	return r, c
}

// addSquare adds the inner graph without segments.
func (a *animals) addSquare() {
	var border [maxInner][4]bool
	border[0] = [4]bool{true, true, true, true}
	a.add(graph.Code{0xFFFFFFFF}, border[:1], 1, 1)
}

// addChosen adds the inner graph of the chosen animal. left, h and w are the results of box.
func (a *animals) addChosen(left, h, w int) {
	var number [Side * stripCols]int8 // numbers from 1
	var squares [maxInner]int
	n := 0
	index := func(sq int) uint8 {
		if number[sq] == 0 {
			squares[n] = sq
			n++
			number[sq] = int8(n)
		}
		return uint8(number[sq] - 1)
	}
	var borders [maxInner][]uint8
	for _, e := range a.chosen {
		x, y := index(a.ends[e][0]), index(a.ends[e][1])
		borders[x] = append(borders[x], y)
		borders[y] = append(borders[y], x)
	}
	var code [maxInner]uint32
	var border [maxInner][4]bool
	for i := range n {
		code[i] = word(borders[i], 0)
		r, c := squares[i]/stripCols, squares[i]%stripCols-left
		border[i] = [4]bool{r == 0, r == h-1, c == 0, c == w-1}
	}
	a.add(code[:n], border[:n], h, w)
}

func word(neighbours []uint8, grounds int) uint32 {
	b := [4]uint8{graph.None, graph.None, graph.None, graph.None}
	n := copy(b[:], neighbours)
	for i := range grounds {
		b[n+i] = graph.Ground
	}
	slices.Sort(b[:])
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// add adds an inner graph, given by any of its codes, with the capacities of an animal. border
// contains, by square, the sides (top, bottom, left, right) of the h x w rectangle that it touches.
func (a *animals) add(code graph.Code, border [][4]bool, h, w int) {
	label := a.label.Label(code)
	key := graph.KeyOf(label)
	g := a.graphs[key]
	if g == nil {
		g = &innerGraph{code: slices.Clone(label)}
		a.graphs[key] = g
	}
	for _, wall := range a.walls(h, w) {
		var caps capacities
		for i := range label {
			for side, on := range border[a.label.Source(i)] {
				if on && wall[side] {
					caps += 1 << (4 * i)
				}
			}
		}
		if slices.ContainsFunc(g.caps, func(c capacities) bool { return c.covers(caps) }) {
			continue
		}
		g.caps = slices.DeleteFunc(g.caps, caps.covers)
		g.caps = append(g.caps, caps)
	}
}

// forComponents calls f with codes of the components that consist of the inner graph and 1 to limit
// border segments. The codes are valid only during the call and not canonical; several may be of the
// same type.
func (g *innerGraph) forComponents(limit int, f func(graph.Code)) {
	seen := map[capacities]bool{}
	code := make(graph.Code, len(g.code))
	// have contains the numbers chosen for earlier squares; left is the number still available.
	var choose func(caps, have capacities, square, left int)
	choose = func(caps, have capacities, square, left int) {
		if square == len(code) {
			if left == limit || seen[have] {
				return
			}
			seen[have] = true
			for v := range code {
				code[v] = groundedWord(g.code, v, have.of(v))
			}
			f(code)
			return
		}
		for n := 0; n <= min(caps.of(square), left); n++ {
			choose(caps, have+capacities(n)<<(4*square), square+1, left-n)
		}
	}
	for _, caps := range g.caps {
		choose(caps, 0, 0, limit)
	}
}

// groundedWord returns the word of square v of c with grounds edges to the ground added.
func groundedWord(c graph.Code, v, grounds int) uint32 {
	var neighbours []uint8
	for i := range 4 {
		if b := c.Border(v, i); b != graph.None {
			neighbours = append(neighbours, b)
		}
	}
	return word(neighbours, grounds)
}

type componentType struct {
	code  graph.Code // canonical
	key   graph.Key
	edges int
}

// componentTypes returns the types with at most edges free segments, 1 to [MaxEndingEdges], on
// boards up to Side x Side, by number of segments and key. w and begun are as in listAnimals.
func componentTypes(ctx context.Context, edges int, w walls, begun func()) ([]componentType, error) {
	if edges < 1 || edges > MaxEndingEdges {
		return nil, fmt.Errorf("endings of %d free segments: want 1 to %d", edges, MaxEndingEdges)
	}
	graphs, err := listAnimals(ctx, edges-1, w, begun)
	if err != nil {
		return nil, err
	}
	var out []componentType
	var l graph.Labeler
	seen := map[graph.Key]bool{}
	for _, g := range graphs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.forComponents(edges-g.code.Edges(), func(c graph.Code) {
			label := l.Label(c)
			if key := graph.KeyOf(label); !seen[key] {
				seen[key] = true
				out = append(out, componentType{slices.Clone(label), key, label.Edges()})
			}
		})
	}
	slices.SortFunc(out, func(x, y componentType) int {
		return cmp.Or(cmp.Compare(x.edges, y.edges), x.key.Compare(y.key))
	})
	return out, nil
}
