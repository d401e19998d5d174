package graph

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// smallGraph is the graph of a position: ground contains the number of edges from each
// square to the ground, inner the edges between squares.
type smallGraph struct {
	ground []int
	inner  [][2]int
}

// parts returns the components as the solver represents them.
func (g smallGraph) parts() (out []Component) {
	number := map[int]byte{} // of a square in its component
	for first := range g.ground {
		if _, ok := number[first]; ok {
			continue
		}
		c := Component{Vertices: []int{first}}
		number[first] = 0
		for i := 0; i < len(c.Vertices); i++ {
			v := c.Vertices[i]
			borders := bytes.Repeat([]byte{Ground}, g.ground[v])
			for w := range g.ground {
				if !g.joined(v, w) {
					continue
				}
				if _, ok := number[w]; !ok {
					number[w] = byte(len(c.Vertices))
					c.Vertices = append(c.Vertices, w)
				}
				borders = append(borders, number[w])
			}
			borders = append(borders, None, None, None, None)
			c.Code = append(c.Code, binary.LittleEndian.Uint32(borders))
		}
		out = append(out, c)
	}
	return out
}

// degree returns the number of edges of a square.
func (g smallGraph) degree(v int) int {
	n := g.ground[v]
	for _, e := range g.inner {
		if e[0] == v || e[1] == v {
			n++
		}
	}
	return n
}

// joined reports whether an edge connects two squares.
func (g smallGraph) joined(v, w int) bool {
	return slices.Contains(g.inner, [2]int{min(v, w), max(v, w)})
}

// larger returns the graphs with one more edge. It reaches every graph: removing an edge
// that is not a bridge, or the only edge of a square, leaves a graph connected to the ground.
func (g smallGraph) larger() (out []smallGraph) {
	squares := len(g.ground)
	with := func(v, w int) { // adds an edge; the second square may be new
		h := smallGraph{slices.Clone(g.ground), append(slices.Clone(g.inner), [2]int{v, w})}
		if w == squares {
			h.ground = append(h.ground, 0)
		}
		out = append(out, h)
	}
	out = append(out, smallGraph{append(slices.Clone(g.ground), 1), g.inner})
	for v := range squares {
		if g.degree(v) == 4 {
			continue
		}
		h := smallGraph{slices.Clone(g.ground), g.inner}
		h.ground[v]++
		out = append(out, h)
		with(v, squares)
		for w := v + 1; w < squares; w++ {
			if g.degree(w) < 4 && !g.joined(v, w) {
				with(v, w)
			}
		}
	}
	return out
}

// value returns the value by plain minimax.
func (g smallGraph) value() int {
	const ground = -1
	edges := slices.Clone(g.inner)
	for v, n := range g.ground {
		edges = append(edges, slices.Repeat([][2]int{{v, ground}}, n)...)
	}
	type state struct {
		free, squares int // edges and number of squares connected to the ground
	}
	flood := func(free int) state {
		s := state{}
		for reached := 0; ; {
			before := s
			for i, e := range edges {
				if free>>i&1 != 0 && s.free>>i&1 == 0 && (e[1] == ground || reached>>e[0]&1 != 0 || reached>>e[1]&1 != 0) {
					s.free |= 1 << i
					reached |= 1 << e[0]
					if e[1] != ground {
						reached |= 1 << e[1]
					}
				}
			}
			s.squares = 0
			for v := range g.ground {
				s.squares += reached >> v & 1
			}
			if s == before {
				return s
			}
		}
	}
	memo := map[int]int{0: 0}
	var value func(s state) int
	value = func(s state) int {
		if v, ok := memo[s.free]; ok {
			return v
		}
		best := -len(g.ground)
		for i := range edges {
			if s.free>>i&1 != 0 {
				after := flood(s.free &^ (1 << i))
				best = max(best, s.squares-after.squares-value(after))
			}
		}
		memo[s.free] = best
		return best
	}
	return value(flood(1<<len(edges) - 1))
}

// mirrors returns the maximum number of squares fixed by an involution of the theorem, -1
// if there is none, by trying all. A fixed square must have an even number of edges to the
// ground; no square can be joined to its image, or a fixed one to another fixed one.
func (g smallGraph) mirrors() int {
	n, best := len(g.ground), -1
	image := slices.Repeat([]int{-1}, n)
	var pair func(v, fixed int)
	pair = func(v, fixed int) {
		if v == n {
			for _, e := range g.inner {
				a, b := image[e[0]], image[e[1]]
				if !g.joined(a, b) || min(a, b) == e[0] && max(a, b) == e[1] {
					return
				}
			}
			best = max(best, fixed)
			return
		}
		if image[v] >= 0 {
			pair(v+1, fixed)
			return
		}
		for w := v; w < n; w++ {
			if image[w] >= 0 || g.ground[v] != g.ground[w] || w == v && g.ground[v]%2 != 0 {
				continue
			}
			image[v], image[w] = w, v
			if w == v {
				pair(v+1, fixed+1)
			} else {
				pair(v+1, fixed)
			}
			image[v], image[w] = -1, -1
		}
	}
	pair(0, 0)
	return best
}

// The theorem holds, by plain minimax, for every graph with up to nine edges (ten with
// ENDWISE_DEEP=1) in which squares have at most four edges, at most one to each other
// square. MirrorFinder finds the maximum number of fixed squares.
func TestMirrorTheoremHoldsForSmallGraphs(t *testing.T) {
	t.Parallel()
	most := 9
	if os.Getenv("ENDWISE_DEEP") != "" {
		most = 10
	}
	var labeler Labeler
	var m MirrorFinder
	graphs, mirrored, tight := 0, 0, 0
	layer := []smallGraph{{}}
	for range most {
		seen := map[string]bool{}
		var next []smallGraph
		for _, g := range layer {
			for _, h := range g.larger() {
				var types []string
				for _, c := range h.parts() {
					types = append(types, fmt.Sprint(labeler.Label(c.Code)))
				}
				slices.Sort(types)
				if name := strings.Join(types, "+"); !seen[name] {
					seen[name] = true
					next = append(next, h)
				}
			}
		}
		layer = next
		for _, g := range layer {
			graphs++
			fixed := g.mirrors()
			if got, ok := m.fixed(g.parts()); ok != (fixed >= 0) || ok && got != fixed {
				t.Fatalf("%v: MirrorFinder returns %d, %v; the maximum is %d", g, got, ok, fixed)
			}
			if fixed < 0 {
				continue
			}
			mirrored++
			if v := g.value(); v > -fixed {
				t.Fatalf("%v: value %d, but an involution fixes %d squares", g, v, fixed)
			} else if v == -fixed {
				tight++
			}
		}
	}
	t.Logf("%d graphs of up to %d edges, %d with an involution, %d with a tight bound", graphs, most, mirrored, tight)
	if mirrored < 100 || tight == 0 {
		t.Errorf("%d graphs, %d with an involution, %d with a tight bound: too few", graphs, mirrored, tight)
	}
}
