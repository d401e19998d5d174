package mcts

import (
	"endwise/engine/grid"
	"endwise/solver/tt"
)

const maxBoxes = grid.MaxSegments / 2

// state is an R-type position on the way down the tree.
type state struct {
	free grid.Set
	open [maxBoxes]uint8
	lead int // boxes of the side to move minus the other's, so far
	hash [8]uint64
}

// newState sets up a position.
func (t *tree) newState(free grid.Set, lead int) state {
	st := state{free: free, lead: lead}
	for q := range t.b.Squares() {
		for _, s := range t.b.Around(q) {
			if free.Has(s) {
				st.open[q]++
			}
		}
	}
	for _, s := range free.Segments() {
		for k := range st.hash {
			st.hash[k] ^= t.table[s][k]
		}
	}
	return st
}

// key names a state up to board symmetry, the lead included.
func (t *tree) key(st *state) uint64 {
	k := st.hash[0]
	if t.terms&noSymmetry == 0 {
		for _, h := range st.hash[1:] {
			k = min(k, h)
		}
	}
	return tt.Mix(k + uint64(st.lead+128)*0x9e3779b97f4a7c15)
}

// oriented is the state as it lies in the node of its key: the edges of a node
// name lines, so that all ways into it must see the board in one orientation.
func (t *tree) oriented(st state) state {
	best := t.symmetry(&st)
	if best == 0 {
		return st
	}
	return t.newState(t.b.Symmetries()[best].Apply(st.free), st.lead)
}

// symmetry is the number of the one that turns a state into its node's.
func (t *tree) symmetry(st *state) int {
	best := 0
	if t.terms&noSymmetry != 0 {
		return best
	}
	for k, h := range st.hash {
		if h < st.hash[best] {
			best = k
		}
	}
	return best % len(t.b.Symmetries())
}

// quiet says whether a free line gives no box away.
func (t *tree) quiet(st *state, s int) bool {
	for _, q := range t.b.Sides(s) {
		if q != grid.Outside && st.open[q] <= 2 {
			return false
		}
	}
	return true
}

// remove draws a line without looking at what it completes.
func (t *tree) remove(st *state, s int) {
	st.free.Remove(s)
	for _, q := range t.b.Sides(s) {
		if q != grid.Outside {
			st.open[q]--
		}
	}
	for k := range st.hash {
		st.hash[k] ^= t.table[s][k]
	}
}

// draw draws a quiet line; the sides change.
func (t *tree) draw(st *state, s int) {
	t.remove(st, s)
	st.lead = -st.lead
}

// play draws a line and lets the opponent take what it gives away; the sides
// change. It returns the boxes taken.
func (t *tree) play(st *state, s int) (taken int) {
	t.remove(st, s)
	queue := t.scratch[:0]
	for _, q := range t.b.Sides(s) {
		if q != grid.Outside && st.open[q] == 1 {
			queue = append(queue, q)
		}
	}
	for len(queue) > 0 {
		q := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if st.open[q] != 1 {
			continue
		}
		for _, l := range t.b.Around(q) {
			if !st.free.Has(l) {
				continue
			}
			t.remove(st, l)
			taken++
			for _, o := range t.b.Sides(l) {
				if o != grid.Outside && o != q {
					switch st.open[o] {
					case 0:
						taken++
					case 1:
						queue = append(queue, o)
					}
				}
			}
		}
	}
	t.scratch = queue[:0]
	st.lead = -st.lead + taken
	return taken
}
