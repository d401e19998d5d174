package mcts

import (
	"endwise/engine/grid"
	"endwise/solver/tt"
)

const maxBoxes = grid.MaxSegments / 2

// state is a position of a playout. Between moves no box can be captured.
type state struct {
	free grid.Set
	open [maxBoxes]uint8 // number of free lines of a box
	lead int             // boxes so far of the side to move minus the opponent's
	hash [8]uint64       // of free, under each symmetry of the board
}

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

// key returns the hash of a state. Symmetric states have the same key.
func (t *tree) key(st *state) uint64 {
	k := st.hash[0]
	if t.terms&noSymmetry == 0 {
		for _, h := range st.hash[1:] {
			k = min(k, h)
		}
	}
	return tt.Mix(k + uint64(st.lead+128)*0x9e3779b97f4a7c15)
}

// oriented returns the image of a state in the orientation of its node and the node's edges.
func (t *tree) oriented(st state) state {
	best := t.symmetry(&st)
	if best == 0 {
		return st
	}
	return t.newState(t.b.Symmetries()[best].Apply(st.free), st.lead)
}

// symmetry returns the index of the board symmetry that maps a state to the orientation of its node.
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

// quiet reports whether drawing the free line s gives away no box.
func (t *tree) quiet(st *state, s int) bool {
	for _, q := range t.b.Sides(s) {
		if q != grid.Outside && st.open[q] <= 2 {
			return false
		}
	}
	return true
}

// remove draws a line. It does not change lead.
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

// draw draws a line that completes no box, and changes the side to move.
func (t *tree) draw(st *state, s int) {
	t.remove(st, s)
	st.lead = -st.lead
}

// play draws a line, captures for the opponent all boxes that it gives away, and changes the side
// to move. It returns the number of boxes captured.
func (t *tree) play(st *state, s int) (taken int) {
	t.remove(st, s)
	queue := t.scratch[:0] // boxes with one free line, and captured ones
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
		last := t.lastLine(st, q)
		t.remove(st, last)
		taken++
		sides := t.b.Sides(last)
		if o := sides[0] + sides[1] - q; o != grid.Outside {
			switch st.open[o] {
			case 0: // the line completes both boxes
				taken++
			case 1:
				queue = append(queue, o)
			}
		}
	}
	t.scratch = queue[:0]
	st.lead = -st.lead + taken
	return taken
}

func (t *tree) lastLine(st *state, box int) int {
	for _, s := range t.b.Around(box) {
		if st.free.Has(s) {
			return s
		}
	}
	panic("mcts: a box without free lines")
}
