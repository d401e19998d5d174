package grid

// Edge is one free segment seen as an edge of the graph. A and B are indices
// into Graph.Squares; B is Outside for an edge to the ground.
type Edge struct {
	A, B    int
	Segment int
}

// Graph is a position as the solvers see it: a vertex for every square that
// still has a free segment of its own, an edge for every free segment between
// such squares or to the ground. Nothing of the board's shape is left in it.
type Graph struct {
	Squares []int // vertex → square number
	Edges   []Edge
}

// Graph builds the graph of the free segments. Squares without a free segment
// are left out; it is for the game to say what they mean.
func (b *Board) Graph(free Set) Graph {
	var g Graph
	vertex := make([]int, b.squares)
	for sq := range vertex {
		vertex[sq] = Outside
		for _, s := range b.around[sq] {
			if free.Has(s) {
				vertex[sq] = len(g.Squares)
				g.Squares = append(g.Squares, sq)
				break
			}
		}
	}
	for _, s := range free.Segments() {
		a, o := b.sides[s][0], b.sides[s][1]
		e := Edge{A: vertex[a], B: Outside, Segment: s}
		if o != Outside {
			e.B = vertex[o]
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}
