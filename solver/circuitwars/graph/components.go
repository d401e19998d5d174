package graph

import (
	"fmt"
	"slices"

	"endwise/engine/grid"
)

// Component is a component of a position. Its code is not canonical.
type Component struct {
	Code Code
	// Vertices maps the squares of Code to those of the board.
	Vertices []int
}

// Components splits the free segments of a board into components, in the order of their lowest
// squares. Squares without free segments belong to none. It returns an error if a component is not
// connected to the ground: its squares are captured, so none of its segments is free.
func Components(b *grid.Board, free grid.Set) ([]Component, error) {
	var out []Component
	number := make([]uint8, b.Squares()) // number in its component, or None
	for sq := range number {
		number[sq] = None
	}
	for first := range number {
		around := b.Around(first)
		if number[first] != None || !slices.ContainsFunc(around[:], free.Has) {
			continue
		}
		c := Component{Vertices: []int{first}}
		number[first] = 0
		grounded := false
		for head := 0; head < len(c.Vertices); head++ {
			sq, borders := c.Vertices[head], [4]uint8{None, None, None, None}
			for i, s := range b.Around(sq) {
				sides := b.Sides(s)
				o := sides[0] + sides[1] - sq // the square on the other side, if there is one
				switch {
				case !free.Has(s):
				case sides[1] == grid.Outside:
					borders[i], grounded = Ground, true
				case number[o] == None:
					number[o] = uint8(len(c.Vertices))
					c.Vertices = append(c.Vertices, o)
					fallthrough
				default:
					borders[i] = number[o]
				}
			}
			c.Code = append(c.Code, sortedWord(borders[0], borders[1], borders[2], borders[3]))
		}
		if !grounded {
			return nil, fmt.Errorf("graph: square %d is not connected to the ground", first)
		}
		out = append(out, c)
	}
	return out, nil
}
