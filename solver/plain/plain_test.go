package plain

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// deep enables the runs that take minutes to hours.
var deep = os.Getenv("ENDWISE_DEEP") == "1"

// solve solves a position and fails the test on an error.
func solve(t *testing.T, s Solver, position string) Answer {
	t.Helper()
	a, err := s.Solve(position)
	if err != nil {
		t.Fatalf("%s: %v", position, err)
	}
	return a
}

// checkBest checks that the value is the best move's.
func checkBest(t *testing.T, position string, a Answer) {
	t.Helper()
	if a.Over != (len(a.Moves) == 0) {
		t.Errorf("%s: over %v with %d moves", position, a.Over, len(a.Moves))
	}
	best := -1 << 30
	for _, v := range a.Moves {
		best = max(best, v)
	}
	if !a.Over && best != a.Value {
		t.Errorf("%s: value %d, best move %d", position, a.Value, best)
	}
}

// circuitText returns the notation of a Circuit Wars position with the given segments drawn.
func circuitText(size string, occupied []bool) string {
	var b strings.Builder
	for i := 0; i < len(occupied); i += 4 {
		d := 0
		for k := 0; k < 4 && i+k < len(occupied); k++ {
			if occupied[i+k] {
				d |= 8 >> k
			}
		}
		fmt.Fprintf(&b, "%x", d)
	}
	return size + ":" + b.String() + ":0-0:1"
}

// dotsText returns the notation of a Dots and Boxes position with the given lines drawn.
func dotsText(rows, cols int, drawn []bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%dx%d", rows, cols)
	for i, d := range drawn {
		h := (rows + 1) * cols
		switch {
		case i == 0:
			b.WriteString(" h")
		case i == h:
			b.WriteString(" v")
		case i < h && i%cols == 0, i > h && (i-h)%(cols+1) == 0:
			b.WriteByte('/')
		}
		b.WriteByte("01"[map[bool]int{true: 1}[d]])
	}
	b.WriteString(" 0-0 1")
	return b.String()
}

// occupiedAtRandom returns n segments, all drawn except free random ones.
func occupiedAtRandom(rng *rand.Rand, n, free int) []bool {
	occupied := make([]bool, n)
	for _, i := range rng.Perm(n)[min(free, n):] {
		occupied[i] = true
	}
	return occupied
}

// empty returns the empty board of a segment game and its number of segments.
func empty(t *testing.T, game Solver, size string) (position string, segments int) {
	t.Helper()
	l, err := newLattice(size)
	testenv.OK(t, err)
	free := make([]bool, len(l.sides))
	if _, dots := game.(*DotsAndBoxes); dots {
		return dotsText(l.rows, l.cols, free), len(free)
	}
	return circuitText(size, free), len(free)
}

func TestEmptyBoardsHaveKnownValues(t *testing.T) {
	for _, c := range []struct {
		solver Solver
		known  map[string]int
	}{
		{&CircuitWars{}, map[string]int{
			"1x1": -1, "1x2": 2, "1x3": -1, "1x4": 2, "1x5": -3,
			"2x1": 2, "3x1": -1, "2x2": -2, "2x3": 2,
		}},
		{&DotsAndBoxes{}, map[string]int{
			"1x1": -1, "1x2": 0, "1x3": -1, "1x4": 0, "1x5": -1,
			"2x1": 0, "3x1": -1, "2x2": 2, "2x3": -2, "3x2": -2,
		}},
	} {
		for size, want := range c.known {
			position, segments := empty(t, c.solver, size)
			a := solve(t, c.solver, position)
			checkBest(t, position, a)
			if a.Value != want || len(a.Moves) != segments {
				t.Errorf("%T %s: value %d with %d moves, want %d with %d", c.solver, size, a.Value, len(a.Moves), want, segments)
			}
		}
	}
}

// Values found by hand. Circuit Wars: closing a square with one free segment scores it; an
// area that is closed has no moves left.
func TestSegmentGamesAgreeWithValuesByHand(t *testing.T) {
	for _, c := range []struct {
		solver   Solver
		position string
		value    int
		moves    string
	}{
		{&CircuitWars{}, "1x1:e:0-0:1", 1, "map[0,0,right:1]"},
		{&CircuitWars{}, "1x1:c:0-0:1", -1, "map[0,0,left:-1 0,0,right:-1]"},
		{&CircuitWars{}, "1x1:f:1-0:2", 0, "map[]"},
		// Two squares in a row, open to the left and between: the mover takes
		// both by the outer segment, one by the inner one.
		{&CircuitWars{}, "1x2:f2:0-0:1", 2, "map[0,0,left:2 0,0,right:0]"},
		// Closed all round: the segment between is not free.
		{&CircuitWars{}, "1x2:fa:0-2:1", 0, "map[]"},

		{&DotsAndBoxes{}, "1x1 h1/1 v10 0-0 1", 1, "map[v0,1:1]"},
		{&DotsAndBoxes{}, "1x1 h1/0 v10 0-0 2", -1, "map[h1,0:-1 v0,1:-1]"},
		// One line completes two boxes.
		{&DotsAndBoxes{}, "1x2 h11/11 v101 0-0 1", 2, "map[v0,1:2]"},
		// The mover takes one box and then the other, or gives away both.
		{&DotsAndBoxes{}, "1x2 h11/11 v100 0-0 1", 2, "map[v0,1:2 v0,2:-2]"},
		{&DotsAndBoxes{}, "1x1 h1/1 v11 1-0 1 o1", 0, "map[]"},
	} {
		a := solve(t, c.solver, c.position)
		if got := fmt.Sprint(a.Moves); a.Value != c.value || got != c.moves {
			t.Errorf("%s: %d %s, want %d %s", c.position, a.Value, got, c.value, c.moves)
		}
	}
}

// bare returns the value by minimax without memoisation.
func (r *segmentRules) bare(l *lattice, s segments) int {
	best, free := -1<<30, s.list()
	if len(free) == 0 {
		return 0
	}
	for _, i := range free {
		next, gain, again := r.play(l, s, i)
		v := r.bare(l, next)
		if !again {
			v = -v
		}
		best = max(best, gain+v)
	}
	return best
}

// Dynamic programming and minimax without memoisation give the same values.
func TestDynamicProgrammingEqualsMinimax(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	sizes := []string{"1x4", "2x2", "2x3", "3x3", "2x5", "5x5"}
	circuit, dots := &CircuitWars{}, &DotsAndBoxes{}
	for i := range 120 {
		size := sizes[i%len(sizes)]
		l, err := newLattice(size)
		testenv.OK(t, err)
		occupied := occupiedAtRandom(rng, len(l.sides), 1+rng.IntN(7))
		for _, c := range []struct {
			solver Solver
			rules  segmentRules
			text   string
		}{
			{circuit, circuitRules, circuitText(size, occupied)},
			{dots, dotsRules, dotsText(l.rows, l.cols, occupied)},
		} {
			a := solve(t, c.solver, c.text)
			checkBest(t, c.text, a)
			_, l, s, err := c.rules.read(c.text)
			testenv.OK(t, err)
			if v := c.rules.bare(l, s); v != a.Value {
				t.Errorf("%s: %d, by minimax %d", c.text, a.Value, v)
			}
			if v, err := c.rules.value(size, s.list()); err != nil || v != a.Value {
				t.Errorf("%s: %d, by its free segments %d, %v", c.text, a.Value, v, err)
			}
		}
	}
}

func TestInvalidAndLargePositionsAreRefused(t *testing.T) {
	for _, c := range []struct {
		solver   Solver
		position string
		tooLarge bool
	}{
		{&CircuitWars{}, "7x7:0000000000000000000000000000:0-0:1", true},
		{&CircuitWars{MaxFree: 11}, "2x2:000:0-0:1", true},
		{&CircuitWars{}, "2x2:00:0-0:1", false},
		{&CircuitWars{}, "2x2:00g:0-0:1", false},
		{&CircuitWars{}, "1x1:f", false},
		{&CircuitWars{}, "0x1:f:0-0:1", false},
		{&DotsAndBoxes{}, "3x3 h000/000/000/000 v0000/0000/0000 0-0 1", true},
		{&DotsAndBoxes{}, "1x1 h1/1 v1 0-0 1", false},
		{&DotsAndBoxes{}, "1x1 h1/2 v11 0-0 1", false},
		{&DotsAndBoxes{}, "1x1", false},
		{&WatchYourBack{}, backStart, true},
		{&WatchYourBack{}, strings.Replace(backStart, "placing", "resting", 1), false},
		{&WatchYourBack{}, "X", false},
	} {
		a, err := c.solver.Solve(c.position)
		if err == nil || errors.Is(err, ErrTooLarge) != c.tooLarge || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v; want a one-line error, too large %v", c.position, a, err, c.tooLarge)
		}
	}
}

// The values of whole boards equal those of single positions.
func TestWholeBoardsEqualSinglePositions(t *testing.T) {
	for _, size := range []string{"1x1", "1x3", "2x2"} {
		l, err := newLattice(size)
		testenv.OK(t, err)
		circuit, err := CircuitWarsBoard(t.Context(), size, nil)
		testenv.OK(t, err)
		dots, err := DotsAndBoxesBoard(t.Context(), size, nil)
		testenv.OK(t, err)
		c, d := &CircuitWars{}, &DotsAndBoxes{}
		for m := range circuit {
			occupied := make([]bool, len(l.sides))
			for i := range occupied {
				occupied[i] = m>>i&1 == 0
			}
			if text := circuitText(size, occupied); solve(t, c, text).Value != int(circuit[m]) {
				t.Fatalf("%s: %d, on the whole board %d", text, solve(t, c, text).Value, circuit[m])
			}
			if text := dotsText(l.rows, l.cols, occupied); solve(t, d, text).Value != int(dots[m]) {
				t.Fatalf("%s: %d, on the whole board %d", text, solve(t, d, text).Value, dots[m])
			}
		}
	}
	if _, err := DotsAndBoxesBoard(t.Context(), "4x4", nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("4x4: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CircuitWarsBoard(ctx, "2x3", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := CircuitWarsValue("7x7", make([]int, 21)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("21 free segments: %v", err)
	}
	if _, err := DotsAndBoxesValue("1x1", []int{4}); err == nil {
		t.Error("a segment off the board is accepted")
	}
	if err := WatchYourBackMiddle(t.Context(), 6, nil, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("6 pieces: %v", err)
	}
}
