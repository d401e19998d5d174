package why

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/plain"
)

// plainCircuit is a proved decision with all moves by plain minimax.
func plainCircuit(_ context.Context, p engine.Position) (engine.Decision, error) {
	a, err := new(plain.CircuitWars).Solve(p.String())
	d := engine.Decision{Score: a.Value, Proof: engine.Exact, Nodes: 1}
	for _, m := range p.Moves() {
		v := engine.MoveValue{Move: p.MoveString(m), Score: a.Moves[p.MoveString(m)], Proof: engine.Exact}
		d.Moves = append(d.Moves, v)
		if v.Score == d.Score {
			d.Move = v.Move
		}
	}
	return d, err
}

// Every fact about 200 random positions, and about positions with a symmetry and with a move
// that makes one, follows from the rules.
func TestCircuitWars(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 3))
	seen := map[Kind]int{}
	for n := range 260 {
		b := randomBoard(t, r, "2x3", "3x3", "2x4", "3x4", "4x4")
		p := booktest.RandomCircuitWars(t, r, b, 6+r.IntN(8))
		if n%4 == 3 {
			p = symmetric(t, r, b, n%8 == 3)
		}
		if p.Over() {
			continue
		}
		d, err := plainCircuit(t.Context(), p)
		testenv.OK(t, err)
		reasons := circuitChecker.check(t, p, d, plainCircuit)
		for _, r := range reasons {
			seen[r.Kind]++
		}
		explained := slices.ContainsFunc(reasons, func(r Reason) bool {
			v, ok := r.Numbers["value"]
			return r.Kind == Areas && ok && v == d.Score
		})
		if unexplained := reasons[len(reasons)-1].Kind == Unexplained; explained == unexplained {
			t.Errorf("%s: explained %v and unexplained %v", p, explained, unexplained)
		}
	}
	for kind := range circuitChecker {
		if seen[kind] < 5 {
			t.Errorf("only %d positions with %q", seen[kind], kind)
		}
	}
	t.Log(seen)
}

// symmetric plays pairs of segments that a half-turn exchanges, and with one one more move.
func symmetric(t *testing.T, r *rand.Rand, b *grid.Board, one bool) circuitwars.Position {
	p, err := circuitwars.New(b.Rows, b.Cols)
	testenv.OK(t, err)
	half := b.Symmetries()[grid.HalfTurn]
	for p.Free().Len() > 14 {
		m := p.Moves()[r.IntN(len(p.Moves()))]
		p, err = p.Occupy(int(m))
		testenv.OK(t, err)
		if p.Free().Has(half.Segment[m]) {
			p, err = p.Occupy(half.Segment[m])
			testenv.OK(t, err)
		}
	}
	if one && p.Free().Len() > 0 {
		p, err = p.Occupy(p.Free().Segments()[0])
		testenv.OK(t, err)
	}
	return p
}

// takes returns what a segment captures.
func takes(t *testing.T, p circuitwars.Position, segment int) (circuitwars.Position, int) {
	q, err := p.Occupy(segment)
	testenv.OK(t, err)
	return q, engine.Gained(p, q)
}

// bestTake returns the most that a segment captures.
func bestTake(t *testing.T, p circuitwars.Position) (most int) {
	for _, l := range p.Free().Segments() {
		_, n := takes(t, p, l)
		most = max(most, n)
	}
	return most
}

func valueOf(t *testing.T, p circuitwars.Position) int {
	v, err := plain.CircuitWarsValue(p.BoardName(), p.Free().Segments())
	testenv.OK(t, err)
	return v
}

// bestMove returns the position after the best move that the check's decision has.
func bestMove(t *testing.T, p circuitwars.Position) (circuitwars.Position, int) {
	d, err := plainCircuit(t.Context(), p)
	testenv.OK(t, err)
	m, err := p.ParseMove(d.Move)
	testenv.OK(t, err)
	return takes(t, p, int(m))
}

// countQuiet returns the number of segments that capture and open nothing, and the least that
// can be captured after a segment that captures nothing.
func countQuiet(t *testing.T, p circuitwars.Position) (quiet, opens int) {
	opens = 1000
	for _, l := range p.Free().Segments() {
		q, n := takes(t, p, l)
		if n > 0 {
			continue
		}
		isQuiet := true
		for _, k := range q.Free().Segments() {
			_, after := takes(t, q, k)
			_, before := takes(t, p, k)
			isQuiet = isQuiet && after <= before
		}
		if isQuiet {
			quiet++
		}
		opens = min(opens, bestTake(t, q))
	}
	return quiet, opens
}

var circuitChecker = checker{
	Mirror: func(t *testing.T, at engine.Position, r Reason) {
		p := at.(circuitwars.Position)
		if v := valueOf(t, p); v > -r.Numbers["fixed"] {
			t.Errorf("%s: value %+d, the mirror fixes %d", p, v, r.Numbers["fixed"])
		}
		if len(r.Parts) == 0 {
			return
		}
		image := map[string]string{}
		for _, pair := range r.Parts {
			image[pair.Moves[0]], image[pair.Moves[1]] = pair.Moves[1], pair.Moves[0]
		}
		if len(image) != p.Free().Len() {
			t.Errorf("%s: pairs of %d segments, want %d", p, len(image), p.Free().Len())
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for range 10 {
			q := engine.Position(p)
			for !q.Over() {
				m := q.Moves()[rng.IntN(len(q.Moves()))]
				answer := image[q.MoveString(m)]
				q = enginetest.Play(t, enginetest.Play(t, q, q.MoveString(m)), answer)
			}
			if lead := engine.Lead(q, r.Side) - engine.Lead(p, r.Side); lead < r.Numbers["fixed"] {
				t.Errorf("%s: mirroring gave %+d, want %d", p, lead, r.Numbers["fixed"])
			}
		}
	},
	MirrorMove: func(t *testing.T, at engine.Position, r Reason) {
		q, gain := bestMove(t, at.(circuitwars.Position))
		same(t, at, r, "gain", gain)
		same(t, at, r, "least", gain+r.Numbers["fixed"])
		if pairs := len(r.Parts) - 1; pairs > 0 && 2*pairs != q.Free().Len() {
			t.Errorf("%s: %d pairs of %d free segments", at, pairs, q.Free().Len())
		}
		if v := valueOf(t, q); v > -r.Numbers["fixed"] {
			t.Errorf("%s: worth %+d after the best move, the mirror fixes %d", at, v, r.Numbers["fixed"])
		}
	},
	// A border segment captures something if and only if it is the only one of an area.
	Areas: func(t *testing.T, at engine.Position, r Reason) {
		p := at.(circuitwars.Position)
		b := p.Board()
		var want, got []string
		for _, l := range p.Free().Segments() {
			if q, n := takes(t, p, l); n > 0 && b.Sides(l)[1] == grid.Outside {
				var squares []string
				for sq := range b.Squares() {
					before, _ := p.Owner(sq)
					if after, _ := q.Owner(sq); after != before {
						x, y := b.XY(sq)
						squares = append(squares, fmt.Sprintf("(%d,%d)", x, y))
					}
				}
				want = append(want, fmt.Sprint(n, squares, []string{p.MoveString(engine.Move(l))}))
			}
		}
		for _, a := range r.Parts {
			got = append(got, fmt.Sprint(a.Size, a.Squares, a.Moves))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: areas %q, want %q", p, got, want)
		}
		if v, ok := r.Numbers["value"]; ok {
			same(t, at, r, "value", valueOf(t, p))
			inAreas := 0
			for _, a := range r.Parts {
				inAreas += a.Size
			}
			if inAreas != p.Left() {
				t.Errorf("%s: %+d from areas of %d of %d squares", p, v, inAreas, p.Left())
			}
		}
	},
	Segments: func(t *testing.T, at engine.Position, r Reason) {
		p := at.(circuitwars.Position)
		same(t, at, r, "capture", bestTake(t, p))
		quiet, opens := countQuiet(t, p)
		same(t, at, r, "quiet", quiet)
		if _, ok := r.Numbers["opens"]; ok {
			same(t, at, r, "opens", opens)
		}
	},
	Leave: func(t *testing.T, at engine.Position, r Reason) {
		p, area := at.(circuitwars.Position), r.Parts[0]
		q, n := bestMove(t, p)
		same(t, at, r, "takes", n)
		same(t, at, r, "value", n-valueOf(t, q))
		m, err := p.ParseMove(area.Moves[0])
		testenv.OK(t, err)
		whole, size := takes(t, p, int(m))
		same(t, at, r, "all", size-valueOf(t, whole))
		same(t, at, r, "left", size-n)
		if r.Numbers["all"] >= r.Numbers["value"] {
			t.Errorf("%s: taking all of the area is worth %+d, leaving a part %+d", p, r.Numbers["all"], r.Numbers["value"])
		}
		if _, left := takes(t, q, int(m)); left != size-n {
			t.Errorf("%s: %d squares hang by %s after the best move, want %d", p, left, area.Moves[0], size-n)
		}
	},
	Opens: func(t *testing.T, at engine.Position, r Reason) {
		q, _ := bestMove(t, at.(circuitwars.Position))
		opens := 1000
		for _, l := range q.Free().Segments() {
			after, n := takes(t, q, l)
			if n > 0 {
				t.Errorf("%s: %d squares can be captured after the best move", at, n)
			}
			opens = min(opens, bestTake(t, after))
		}
		same(t, at, r, "opens", opens)
	},
}
