package canon

import (
	"fmt"
	"slices"

	"endwise/engine/grid"
)

// Component is one component of a graph as a code, in the graph's order.
type Component struct {
	Code Code
	// Vertices are the graph's vertices, by number in the code.
	Vertices []int
}

// Components splits a graph into what is connected without the ground. It
// refuses what is no position: a component without a free segment to the
// ground, a square with more than four free segments or with two to one
// neighbour, and what is larger than any board: more than MaxSquares squares or
// grid.MaxSegments free segments in all.
func Components(g grid.Graph) ([]Component, error) {
	near, err := neighbours(g)
	if err != nil {
		return nil, err
	}
	var out []Component
	number := make([]int, len(near)) // vertex → number in its component, -1 not yet
	for v := range number {
		number[v] = -1
	}
	for first := range near {
		if number[first] >= 0 || near[first].n == 0 {
			continue
		}
		c := Component{Vertices: []int{first}}
		number[first] = 0
		grounded := false
		for head := 0; head < len(c.Vertices); head++ {
			for _, o := range near[c.Vertices[head]].list() {
				if o == grid.Outside {
					grounded = true
				} else if number[o] < 0 {
					number[o] = len(c.Vertices)
					c.Vertices = append(c.Vertices, o)
				}
			}
		}
		if !grounded {
			return nil, fmt.Errorf("graph: square %d does not hang on the ground", g.Squares[first])
		}
		for _, v := range c.Vertices {
			b := [4]uint8{None, None, None, None}
			for i, o := range near[v].list() {
				b[i] = Ground
				if o != grid.Outside {
					b[i] = uint8(number[o])
				}
			}
			c.Code = append(c.Code, sortedWord(b[0], b[1], b[2], b[3]))
		}
		out = append(out, c)
	}
	return out, nil
}

// nearby is what a square's free segments lead to, grid.Outside for the ground.
type nearby struct {
	to [4]int
	n  int
}

func (x *nearby) list() []int { return x.to[:x.n] }

// neighbours lists what the squares of a graph are connected with, or says why
// it is no position.
func neighbours(g grid.Graph) ([]nearby, error) {
	n := len(g.Squares)
	if n > MaxSquares || len(g.Edges) > grid.MaxSegments {
		return nil, fmt.Errorf("graph: %d squares and %d free segments, at most %d and %d are possible", n, len(g.Edges), MaxSquares, grid.MaxSegments)
	}
	near := make([]nearby, n)
	add := func(a, b int) error {
		if a < 0 || a >= n || b >= n || b < grid.Outside || a == b {
			return fmt.Errorf("graph: edge between squares %d and %d of %d", a, b, n)
		}
		x := &near[a]
		if x.n == 4 {
			return fmt.Errorf("graph: square %d has more than four free segments", g.Squares[a])
		}
		if b != grid.Outside && slices.Contains(x.list(), b) {
			return fmt.Errorf("graph: squares %d and %d share two free segments", g.Squares[a], g.Squares[b])
		}
		x.to[x.n] = b
		x.n++
		return nil
	}
	for _, e := range g.Edges {
		a, b := e.A, e.B
		if a == grid.Outside {
			a, b = b, a
		}
		if err := add(a, b); err != nil {
			return nil, err
		}
		if b != grid.Outside {
			if err := add(b, a); err != nil {
				return nil, err
			}
		}
	}
	return near, nil
}
