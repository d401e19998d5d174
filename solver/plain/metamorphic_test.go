package plain

import (
	"context"
	"math/rand/v2"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	cwexact "endwise/solver/circuitwars/exact"
	dbexact "endwise/solver/dotsandboxes/exact"
)

// The metamorphic tests compare values that the solvers compute for different but
// equivalent positions, which may be too large for minimax.

// Borders of a square, in the order of lattice.around.
const (
	top = iota
	bottom
	left
	right
)

// edge is a border of a square in a shape.
type edge struct{ y, x, border int }

// shape is a set of free segments at the top edge of a board. It reaches the outside only
// through top borders of row 0, so it can be moved along the edge and to other edges.
type shape struct {
	rows, cols int
	free       []edge
}

// randomShape returns a random shape with the given number of outer segments.
func randomShape(rng *rand.Rand, rows, cols, ways int) shape {
	h := shape{rows: rows, cols: cols}
	for y := range rows {
		for x := range cols {
			if x+1 < cols && rng.IntN(4) > 0 {
				h.free = append(h.free, edge{y, x, right})
			}
			if y+1 < rows && rng.IntN(4) > 0 {
				h.free = append(h.free, edge{y, x, bottom})
			}
		}
	}
	for _, x := range rng.Perm(cols)[:min(ways, cols)] {
		h.free = append(h.free, edge{0, x, top})
	}
	return h
}

// put adds a shape to the free segments of a board, at an edge and with an offset along it.
func (h shape) put(l *lattice, free []bool, at, offset int, mirrored bool) {
	for _, e := range h.free {
		if mirrored {
			e.x = h.cols - 1 - e.x
			e.border = [4]int{top, bottom, right, left}[e.border]
		}
		e.x += offset
		if at == left || at == right {
			e.y, e.x = e.x, e.y
			e.border = [4]int{left, right, top, bottom}[e.border]
		}
		switch at {
		case bottom:
			e.y = l.rows - 1 - e.y
			e.border = [4]int{bottom, top, left, right}[e.border]
		case right:
			e.x = l.cols - 1 - e.x
			e.border = [4]int{top, bottom, right, left}[e.border]
		}
		free[l.around[e.y*l.cols+e.x][e.border]] = true
	}
}

// random puts a shape at a random place of the border. The board must be large enough.
func (h shape) random(rng *rand.Rand, l *lattice, free []bool) {
	at := rng.IntN(4)
	along := l.cols
	if at == left || at == right {
		along = l.rows
	}
	h.put(l, free, at, rng.IntN(along-h.cols+1), rng.IntN(2) == 0)
}

// set returns the free segments as a [grid.Set].
func set(free []bool) grid.Set {
	var s grid.Set
	for i, f := range free {
		if f {
			s.Add(i)
		}
	}
	return s
}

// board returns a board as a lattice and as a [grid.Board].
func board(t *testing.T, size string) (*lattice, *grid.Board) {
	t.Helper()
	l, err := newLattice(size)
	testenv.OK(t, err)
	b := enginetest.Board(t, size)
	return l, b
}

// values contains solvers of the two segment games, with different settings per solver.
type values struct {
	circuit     []*cwexact.Solver
	dots        []*dbexact.Solver
	dotsOptions []dbexact.Options
}

// newValues returns solvers whose settings must not affect values.
func newValues() values {
	v := values{
		circuit: []*cwexact.Solver{
			cwexact.New(cwexact.Options{TableBytes: 32 << 20, TypeBytes: 32 << 20}),
			cwexact.New(cwexact.Options{TableBytes: 1 << 20, TypeBytes: 8 << 20, Threads: 2}),
			cwexact.New(cwexact.Options{TableBytes: 8 << 20, TypeBytes: 16 << 20, NoReduce: true, NoMirror: true}),
		},
		dotsOptions: []dbexact.Options{{Threads: 1, TableBytes: 32 << 20}, {Threads: 2, TableBytes: 1 << 20}},
	}
	for _, o := range v.dotsOptions {
		v.dots = append(v.dots, dbexact.New(o))
	}
	return v
}

// circuitValue returns the value by solver i modulo their number.
func (v values) circuitValue(t *testing.T, rng *rand.Rand, i int, b *grid.Board, free grid.Set) int {
	t.Helper()
	free, _ = b.Live(free)
	s := v.circuit[i%len(v.circuit)]
	if rng.IntN(4) == 0 {
		s.Clear()
	}
	return interruptedValue(t, rng, s, b, free)
}

// dotsValue is circuitValue for Dots and Boxes.
func (v values) dotsValue(t *testing.T, rng *rand.Rand, i int, b *grid.Board, free grid.Set) int {
	t.Helper()
	i %= len(v.dots)
	if rng.IntN(4) == 0 {
		v.dots[i] = dbexact.New(v.dotsOptions[i])
	}
	return interruptedValue(t, rng, v.dots[i], b, free)
}

// interruptedValue returns the value by a solver that is first interrupted at a random
// time and then resumed.
func interruptedValue(t *testing.T, rng *rand.Rand, s segmentSolver, b *grid.Board, free grid.Set) int {
	t.Helper()
	ctx, cancel := interrupted(rng)
	defer cancel()
	early, err := s.Value(ctx, b, free)
	testenv.OK(t, err)
	r, err := s.Value(context.Background(), b, free)
	if err != nil || !r.Exact() || r.Lower < early.Lower || r.Upper > early.Upper {
		t.Errorf("%s %v: %v when stopped, %v at the end, %v", b, free.Segments(), early, r, err)
	}
	return r.Lower
}

// The value of a shape depends neither on its place nor on its orientation.
func TestMovedShapesKeepTheirValue(t *testing.T) {
	v := newValues()
	l1, b1 := board(t, "4x4")
	l2, b2 := board(t, "6x7")
	forPositions(t, 40, 100, func(rng *rand.Rand, i int) {
		h := randomShape(rng, 2+rng.IntN(2), 3+rng.IntN(2), 1+rng.IntN(3))
		free1, free2 := make([]bool, len(l1.sides)), make([]bool, len(l2.sides))
		h.put(l1, free1, top, 0, false)
		h.random(rng, l2, free2)
		if a, b := v.circuitValue(t, rng, i, b1, set(free1)), v.circuitValue(t, rng, i+1, b2, set(free2)); a != b {
			t.Errorf("circuit wars: %v is worth %d on 4x4, %v %d on 6x7", set(free1).Segments(), a, set(free2).Segments(), b)
		}
		if a, b := v.dotsValue(t, rng, i, b1, set(free1)), v.dotsValue(t, rng, i+1, b2, set(free2)); a != b {
			t.Errorf("dots and boxes: %v is worth %d on 4x4, %v %d on 6x7", set(free1).Segments(), a, set(free2).Segments(), b)
		}
	})
}

// Two equal components do not change the value if each has one ground edge (Circuit
// Wars), or if they are isolated chains of one or two boxes (Dots and Boxes).
func TestEqualPairsCancel(t *testing.T) {
	v := newValues()
	l, b := board(t, "6x6")
	forPositions(t, 40, 100, func(rng *rand.Rand, i int) {
		rest := randomShape(rng, 2+rng.IntN(2), 3, 1+rng.IntN(3))
		without := make([]bool, len(l.sides))
		rest.put(l, without, top, rng.IntN(4), rng.IntN(2) == 0)

		with := append([]bool(nil), without...)
		hot := randomShape(rng, 1+rng.IntN(2), 1+rng.IntN(3), 1)
		hot.put(l, with, bottom, 0, rng.IntN(2) == 0)
		hot.put(l, with, bottom, 3, rng.IntN(2) == 0)
		if a, c := v.circuitValue(t, rng, i, b, set(without)), v.circuitValue(t, rng, i+1, b, set(with)); a != c {
			t.Errorf("circuit wars: %v is worth %d, with a pair %v %d", set(without).Segments(), a, set(with).Segments(), c)
		}

		with = append([]bool(nil), without...)
		if rng.IntN(2) == 0 {
			pair := shape{1, 2, []edge{{0, 0, top}, {0, 0, right}, {0, 1, top}}}
			pair.put(l, with, bottom, 0, false)
			pair.put(l, with, bottom, 2+rng.IntN(3), false)
		} else { // boxes in two corners, open both ways to the outside
			shape{1, 1, []edge{{0, 0, top}, {0, 0, left}}}.put(l, with, bottom, 0, false)
			shape{1, 1, []edge{{0, 0, top}, {0, 0, right}}}.put(l, with, bottom, 5, false)
		}
		if a, c := v.dotsValue(t, rng, i, b, set(without)), v.dotsValue(t, rng, i+1, b, set(with)); a != c {
			t.Errorf("dots and boxes: %v is worth %d, with a pair %v %d", set(without).Segments(), a, set(with).Segments(), c)
		}
	})
}

// Positions too large for minimax have the same value under all symmetries of the board
// and with all settings.
func TestSymmetriesAndSettingsKeepTheValue(t *testing.T) {
	v := newValues()
	boards := []string{"3x4", "4x4", "5x5"}
	forPositions(t, 8, 1000, func(rng *rand.Rand, i int) {
		l, b := board(t, boards[rng.IntN(len(boards))])
		free := make([]bool, len(l.sides))
		for _, s := range rng.Perm(len(free))[:16+rng.IntN(7)] {
			free[s] = true
		}
		want := v.circuitValue(t, rng, i, b, set(free))
		wantDots := v.dotsValue(t, rng, i, b, set(free))
		for k, y := range b.Symmetries() {
			image := y.Apply(set(free))
			if got := v.circuitValue(t, rng, i+k, b, image); got != want {
				t.Errorf("circuit wars %s: %v is worth %d, its image %v %d", b, set(free).Segments(), want, image.Segments(), got)
			}
			if got := v.dotsValue(t, rng, i+k, b, image); got != wantDots {
				t.Errorf("dots and boxes %s: %v is worth %d, its image %v %d", b, set(free).Segments(), wantDots, image.Segments(), got)
			}
		}
	})
}
