package plain

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver"
	cwexact "endwise/solver/circuitwars/exact"
	dbexact "endwise/solver/dotsandboxes/exact"
)

// The differential tests compare the solvers with plain minimax on random positions:
// by default a few, the same in every run; with ENDWISE_DEEP=1 the number in
// ENDWISE_DEEP_POSITIONS (default: a million) per game, with the seed in ENDWISE_DEEP_SEED
// (default: a new one, which is logged). Position i depends only on the seed and i.

// forPositions calls compare with few positions, or in deep runs with one in oneIn of the
// configured number. It logs the rate, and ends before the time limit of go test.
func forPositions(t *testing.T, few, oneIn int, compare func(rng *rand.Rand, i int)) {
	t.Helper()
	n, seed := few, uint64(1)
	number := func(name string, otherwise uint64) uint64 {
		text := os.Getenv(name)
		if text == "" {
			return otherwise
		}
		v, err := strconv.ParseUint(text, 10, 62)
		if err != nil {
			t.Fatalf("%s=%q: want a number", name, text)
		}
		return v
	}
	if deep {
		n = max(1, int(number("ENDWISE_DEEP_POSITIONS", 1_000_000))/oneIn)
		seed = number("ENDWISE_DEEP_SEED", rand.Uint64N(1<<40))
	}
	t.Logf("seed %d", seed)
	began := time.Now()
	deadline, limited := t.Deadline()
	i := 0
	for ; i < n; i++ {
		if deep && limited && time.Until(deadline) < 15*time.Second {
			break
		}
		compare(rand.New(rand.NewPCG(seed, uint64(i))), i)
		if t.Failed() {
			t.Fatalf("position %d of seed %d", i, seed)
		}
	}
	took := time.Since(began)
	t.Logf("%d positions in %v, %.0f per second", i, took.Round(time.Millisecond), float64(i)/took.Seconds())
}

// boardSizes are the boards of the segment games; small ones are listed more often.
var boardSizes = []string{
	"1x1", "1x2", "1x3", "1x4", "1x5", "2x1", "3x1", "4x1", "2x2", "2x2", "2x3", "2x3", "3x2", "3x2",
	"1x6", "1x9", "2x4", "2x5", "5x2", "3x3", "3x3", "2x8", "3x4", "4x4", "5x5", "3x7", "6x6", "7x7",
}

// randomSegments returns random free segments of a board: scattered, or a connected patch.
func randomSegments(rng *rand.Rand, l *lattice) segments {
	n := len(l.sides)
	most := n
	switch {
	case n > 60:
		most = 9
	case n > 17:
		most = 11
	}
	free := 1 + rng.IntN(most)
	if rng.IntN(2) == 0 || n <= 17 {
		s := make([]byte, n)
		for i, o := range occupiedAtRandom(rng, n, free) {
			s[i] = ".#"[map[bool]int{true: 1}[o]]
		}
		return segments(s)
	}
	s := bytes.Repeat([]byte{'#'}, n)
	at := []int{rng.IntN(len(l.around))}
	for range free {
		sq := at[rng.IntN(len(at))]
		i := l.around[sq][rng.IntN(4)]
		s[i] = '.'
		for _, next := range l.sides[i] {
			if next >= 0 {
				at = append(at, next)
			}
		}
	}
	return segments(s)
}

// occupied reports for each segment whether it is drawn.
func (s segments) occupied() []bool {
	out := make([]bool, len(s))
	for i := range s {
		out[i] = s[i] == '#'
	}
	return out
}

// interrupted returns a context that ends after a random time, sometimes immediately.
func interrupted(rng *rand.Rand) (context.Context, context.CancelFunc) {
	if rng.IntN(4) == 0 {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return ctx, cancel
	}
	return context.WithTimeout(context.Background(), time.Duration(rng.IntN(200))*time.Microsecond)
}

func TestDifferentialCircuitWars(t *testing.T) {
	// The type memory is small enough to overflow now and then.
	small := cwexact.New(cwexact.Options{TableBytes: 1 << 20, TypeBytes: 8 << 20})
	large := cwexact.New(cwexact.Options{TableBytes: 16 << 20, TypeBytes: 32 << 20, Threads: 2})
	limited := cwexact.New(cwexact.Options{TableBytes: 1 << 20, TypeBytes: 8 << 20, NodeLimit: 3})
	oracle := &CircuitWars{}
	forPositions(t, 120, 1, func(rng *rand.Rand, i int) {
		size := boardSizes[rng.IntN(len(boardSizes))]
		l, err := newLattice(size)
		testenv.OK(t, err)
		text := circuitText(size, randomSegments(rng, l).occupied())
		_, _, s, err := readCircuit(text)
		testenv.OK(t, err)
		// The same position without segments in closed areas, and with a score.
		_, open := l.settle(s)
		text = strings.Replace(circuitText(size, s.occupied()), "0-0", fmt.Sprintf("%d-0", len(l.around)-open), 1)
		want := solve(t, oracle, text)
		p, err := circuitwars.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		sameRulesCircuit(t, l, s, p, want)
		b, free := p.Board(), p.Free()
		if want.Over {
			return
		}
		c := comparison{t, &circuitRules, text, l, s, b, free, want}
		// Interrupted solves come first, so that the later ones use what they leave.
		ctx, cancel := interrupted(rng)
		for _, solver := range []*cwexact.Solver{small, large, limited} {
			c.bounds(ctx, solver)
		}
		cancel()
		c.bounds(context.Background(), limited)
		if i%4 == 0 {
			c.answers(rng, large)
		} else {
			c.answers(rng, small)
		}
	})
}

// segmentSolver is implemented by the solvers of both segment games.
type segmentSolver interface {
	Value(context.Context, *grid.Board, grid.Set) (solver.Result, error)
	AtLeast(context.Context, *grid.Board, grid.Set, int) (solver.Result, error)
	Secure(context.Context, *grid.Board, grid.Set, int) (solver.MoveBounds, solver.Result, error)
	Best(context.Context, *grid.Board, grid.Set) (solver.MoveBounds, solver.Result, error)
	Moves(context.Context, *grid.Board, grid.Set) ([]solver.MoveBounds, solver.Result, error)
}

// comparison compares a solver with the known values of a position.
type comparison struct {
	*testing.T
	rules *segmentRules
	text  string
	l     *lattice
	s     segments
	b     *grid.Board
	free  grid.Set
	want  Answer
}

// bounds checks the bounds of the value and of all moves when the context ends.
func (c comparison) bounds(ctx context.Context, s segmentSolver) {
	c.Helper()
	want := c.want.Value
	if r, err := s.Value(ctx, c.b, c.free); err != nil || r.Lower > want || r.Upper < want {
		c.Errorf("%s: interrupted: %v, %v, value %d", c.text, r, err, want)
	}
	moves, r, err := s.Moves(ctx, c.b, c.free)
	if err != nil || r.Lower > want || r.Upper < want {
		c.Errorf("%s: moves, interrupted: %v, %v, value %d", c.text, r, err, want)
	}
	for _, m := range moves {
		name := c.rules.name(c.l, m.Segment)
		// A move worse than the best one may have the value as its upper bound.
		if v := c.want.Moves[name]; m.Lower > v || m.Upper < v {
			c.Errorf("%s: interrupted: %s %v, value %d", c.text, name, m.Bounds, v)
		}
	}
}

// answers checks all methods of a solver without interruption.
func (c comparison) answers(rng *rand.Rand, s segmentSolver) {
	c.Helper()
	ctx, value := context.Background(), c.want.Value
	need := value - 3 + rng.IntN(7)
	for _, need := range []int{need, value, value + 1} {
		r, err := s.AtLeast(ctx, c.b, c.free, need)
		yes, no := r.Lower >= need, r.Upper < need
		if err != nil || yes == no || yes != (value >= need) || r.Lower > value || r.Upper < value {
			c.Errorf("%s: at least %d: %v, %v, value %d", c.text, need, r, err, value)
		}
	}
	m, r, err := s.Secure(ctx, c.b, c.free, need)
	switch {
	case err != nil || r.Lower > value || r.Upper < value,
		(m.Segment >= 0) != (value >= need),
		m.Segment >= 0 && (m.Lower < need || c.want.Moves[c.rules.name(c.l, m.Segment)] < m.Lower):
		c.Errorf("%s: move for %d: %+v %v, %v, value %d", c.text, need, m, r, err, value)
	}
	if r, err := s.Value(ctx, c.b, c.free); err != nil || r.Lower != value || !r.Exact() {
		c.Errorf("%s: %v, %v, value %d", c.text, r, err, value)
	}
	best, _, err := s.Best(ctx, c.b, c.free)
	if err != nil || best.Segment < 0 || best.Lower != value {
		c.Errorf("%s: best move %+v, %v, value %d", c.text, best, err, value)
	} else {
		c.line(append([]int{best.Segment}, best.Line...), value)
	}
	moves, r, err := s.Moves(ctx, c.b, c.free)
	if err != nil || r.Lower != value || !r.Exact() || len(moves) != len(c.want.Moves) {
		c.Errorf("%s: %d moves %v, %v, value %d and %d moves", c.text, len(moves), r, err, value, len(c.want.Moves))
	}
	for k, m := range moves {
		name := c.rules.name(c.l, m.Segment)
		if v, ok := c.want.Moves[name]; !ok || m.Lower != v || m.Upper != v {
			c.Errorf("%s: move %s %v, want %d (legal %v)", c.text, name, m.Bounds, v, ok)
		}
		if _, gain, _ := c.rules.play(c.l, c.s, m.Segment); m.Gain != gain {
			c.Errorf("%s: move %s gains %d, want %d", c.text, name, m.Gain, gain)
		}
		if k > 0 && m.Lower > moves[k-1].Lower {
			c.Errorf("%s: moves out of order", c.text)
		}
		c.line(append([]int{m.Segment}, m.Line...), c.want.Moves[name])
	}
}

// line checks that a line of best play ends the game with the given value.
func (c comparison) line(line []int, value int) {
	c.Helper()
	total, sign, s := 0, 1, c.s
	for _, i := range line {
		if i < 0 || i >= len(s) || s[i] != '.' {
			c.Errorf("%s: line %v: %d is not free", c.text, line, i)
			return
		}
		next, gain, again := c.rules.play(c.l, s, i)
		total += sign * gain
		if s = next; !again {
			sign = -sign
		}
	}
	if total != value || s.free() > 0 {
		c.Errorf("%s: line %v gains %d and leaves %d segments, want %d and none", c.text, line, total, s.free(), value)
	}
}

// sameRulesCircuit compares the moves and successors by package circuitwars with those by
// this package.
func sameRulesCircuit(t *testing.T, l *lattice, s segments, p circuitwars.Position, want Answer) {
	t.Helper()
	if p.Over() != want.Over || len(p.Moves()) != len(want.Moves) {
		t.Errorf("%s: over %v with %d moves, want %v with %d", p, p.Over(), len(p.Moves()), want.Over, len(want.Moves))
	}
	for _, m := range p.Moves() {
		next, gain, _ := playCircuit(l, s, int(m))
		q, err := p.Play(m)
		if err != nil || p.MoveString(m) != circuitSegmentName(l, int(m)) {
			t.Errorf("%s: move %s, want %s: %v", p, p.MoveString(m), circuitSegmentName(l, int(m)), err)
			continue
		}
		after := q.(circuitwars.Position)
		turn := p.Turn().Other()
		if after.Free() != l.set(next) || q.Score()[p.Turn()-1]-p.Score()[p.Turn()-1] != gain || !q.Over() && q.Turn() != turn {
			t.Errorf("%s: after %s %s, want %s and a gain of %d", p, p.MoveString(m), q, next, gain)
		}
	}
}

// set returns the free segments as a [grid.Set].
func (l *lattice) set(s segments) (free grid.Set) {
	for _, i := range s.list() {
		free.Add(i)
	}
	return free
}

func TestDifferentialDotsAndBoxes(t *testing.T) {
	small := dbexact.New(dbexact.Options{Threads: 1, TableBytes: 1 << 20})
	large := dbexact.New(dbexact.Options{Threads: 2, TableBytes: 32 << 20})
	oracle := &DotsAndBoxes{}
	sizes := append([]string{"9x9"}, boardSizes...) // too large for Circuit Wars
	forPositions(t, 200, 1, func(rng *rand.Rand, i int) {
		size := sizes[rng.IntN(len(sizes))]
		l, err := newLattice(size)
		testenv.OK(t, err)
		s := randomSegments(rng, l)
		text := dotsText(l.rows, l.cols, s.occupied())
		want := solve(t, oracle, text)
		b := enginetest.Board(t, size)
		sameRulesDots(t, l, s, b, want)
		if want.Over {
			return
		}
		solver := small
		if i%4 == 0 {
			solver = large
		}
		c := comparison{t, &dotsRules, text, l, s, b, l.set(s), want}
		ctx, cancel := interrupted(rng)
		c.bounds(ctx, solver)
		cancel()
		c.answers(rng, solver)
	})
}

// sameRulesDots compares the moves, gains and turns by package dotsandboxes with those by
// this package.
func sameRulesDots(t *testing.T, l *lattice, s segments, b *grid.Board, want Answer) {
	t.Helper()
	drawn, boxes := b.All().Minus(l.set(s)), 0
	for _, around := range l.around {
		if !slices.ContainsFunc(around, func(i int) bool { return s[i] == '.' }) {
			boxes++
		}
	}
	p, err := dotsandboxes.FromLines(b, drawn, [2]int{boxes, 0}, engine.First)
	if err != nil {
		t.Errorf("%s: %v", s, err)
		return
	}
	if read, err := dotsandboxes.Parse(p.String()); err != nil || read.Drawn() != drawn {
		t.Errorf("%s is read back as %s: %v", p, read, err)
	}
	if p.Over() != want.Over || len(p.Moves()) != len(want.Moves) {
		t.Errorf("%s: over %v with %d moves, want %v with %d", p, p.Over(), len(p.Moves()), want.Over, len(want.Moves))
	}
	for _, m := range p.Moves() {
		_, gain, _ := playDots(l, s, int(m))
		q, err := p.Play(m)
		if err != nil || p.MoveString(m) != dotsLineName(l, int(m)) {
			t.Errorf("%s: move %s, want %s: %v", p, p.MoveString(m), dotsLineName(l, int(m)), err)
			continue
		}
		again := q.Turn() == p.Turn()
		if q.Score()[0]-boxes != gain || !q.Over() && again != (gain > 0) {
			t.Errorf("%s: after %s %s, want a gain of %d", p, p.MoveString(m), q, gain)
		}
	}
}
