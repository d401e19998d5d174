package tables

import (
	"fmt"

	"endwise/engine/grid"
)

// maxPlainEdges bounds the graphs that PlainValue works out.
const maxPlainEdges = 20

// PlainValue is the value of a graph for the mover by plain minimax: every
// move, no pruning, one array of results. It shares nothing with the table
// builders and the solvers and is what their values are checked against.
// Squares without a way to the ground count for nobody.
func PlainValue(g grid.Graph) (int, error) {
	if len(g.Edges) > maxPlainEdges {
		return 0, fmt.Errorf("plain minimax: %d free segments, at most %d", len(g.Edges), maxPlainEdges)
	}
	p := plain{g: g, value: make([]int8, 1<<len(g.Edges)), known: make([]bool, 1<<len(g.Edges))}
	all := 1<<len(g.Edges) - 1
	v := p.solve(all)
	return v, nil
}

type plain struct {
	g     grid.Graph
	value []int8
	known []bool
}

// grounded counts the squares that hang on the ground.
func (p *plain) grounded(edges int) int {
	in := make([]bool, len(p.g.Squares))
	count := 0
	for again := true; again; {
		again = false
		for i, e := range p.g.Edges {
			if edges>>i&1 == 0 {
				continue
			}
			a, b := e.A == grid.Outside || in[e.A], e.B == grid.Outside || in[e.B]
			if a == b {
				continue
			}
			if a {
				in[e.B] = true
			} else {
				in[e.A] = true
			}
			count++
			again = true
		}
	}
	return count
}

func (p *plain) solve(edges int) int {
	if p.known[edges] {
		return int(p.value[edges])
	}
	before := p.grounded(edges)
	best, moves := 0, 0
	if before > 0 {
		for i := range p.g.Edges {
			next := edges &^ (1 << i)
			if next == edges || !p.alive(edges, i) {
				continue
			}
			v := before - p.grounded(next) - p.solve(next)
			if moves == 0 || v > best {
				best = v
			}
			moves++
		}
	}
	p.known[edges], p.value[edges] = true, int8(best)
	return best
}

// alive says whether edge i still hangs on the ground, so that it can be
// taken: its squares do.
func (p *plain) alive(edges, i int) bool {
	seen := make([]bool, len(p.g.Squares))
	var walk func(v int) bool
	walk = func(v int) bool {
		if v == grid.Outside {
			return true
		}
		if seen[v] {
			return false
		}
		seen[v] = true
		for k, e := range p.g.Edges {
			if edges>>k&1 == 0 {
				continue
			}
			if e.A == v && walk(e.B) || e.B == v && walk(e.A) {
				return true
			}
		}
		return false
	}
	return walk(p.g.Edges[i].A) || walk(p.g.Edges[i].B)
}
