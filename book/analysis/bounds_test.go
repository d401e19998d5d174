package analysis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	cwbook "endwise/book/circuitwars"
	wybbook "endwise/book/watchyourback"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/solver/plain"
)

// recorder passes questions on and records the first decision about each position.
type recorder struct {
	Decider
	decided map[string]engine.Decision
}

func (r recorder) Decide(ctx context.Context, q book.Question) (engine.Decision, error) {
	d, err := r.Decider.Decide(ctx, q)
	if _, again := r.decided[q.Position.String()]; !again {
		r.decided[q.Position.String()] = d
	}
	return d, err
}

// checkConsistent fails the test if an analysis contradicts itself or its decisions: an
// estimate must lie within its bounds and those that follow from the previous position, the
// best move must not be proved to be worth less than the played one, and a loss must be
// neither negative nor larger than the bounds allow.
func checkConsistent(t *testing.T, rules Rules, r Record, decided map[string]engine.Decision, a Analysis) {
	t.Helper()
	scale := rules.ProofScale()
	for i, m := range a.Moves {
		p, next := r.Positions[i], r.Positions[i+1]
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%s, move %d, %s: %s", r.Name, m.Ply, p, fmt.Sprintf(format, args...))
		}
		b := m.Before
		if b.Lower != nil && b.Upper != nil && *b.Lower > *b.Upper {
			fail("the bounds are %d and %d", *b.Lower, *b.Upper)
		}
		if e := b.Estimate; e != nil && (b.Lower != nil && *e < *b.Lower*scale || b.Upper != nil && *e > *b.Upper*scale) {
			fail("the estimate is %d, not within %+v", *e, b)
		}
		played := playedTruth(rules, p, next, a, i+1)
		if e := b.Estimate; e != nil && played.Lower != nil && *e < *played.Lower*scale {
			fail("the estimate is %d, the played move is worth %d or more", *e, *played.Lower)
		}
		if i+1 < len(a.Moves) && b.Upper != nil {
			if after := playedEstimate(rules, p, next, a.Moves[i+1].Before); after != nil && *after > *b.Upper*scale {
				fail("worth %d at most, and an estimate of %d after the move", *b.Upper, *after)
			}
		}
		for _, v := range decided[p.String()].Moves {
			if v.Move == m.Best && v.Move != m.Move && (v.Proof == engine.Exact || v.Proof == engine.Upper) && played.Lower != nil && v.Score < *played.Lower {
				fail("%s is called best and worth %d at most, %s is worth %d or more", v.Move, v.Score, m.Move, *played.Lower)
			}
			if v.Move == m.Best && v.Move != m.Move && v.Proof == engine.Estimate && played.Lower != nil && v.Score < *played.Lower*scale {
				fail("%s is called best with an estimate of %d, %s is worth %d or more", v.Move, v.Score, m.Move, *played.Lower)
			}
		}
		switch loss := m.ProvedLoss(); {
		case loss < 0:
			fail("it gives up %d", loss)
		case loss > 0 && b.Upper != nil && played.Lower != nil && loss > *b.Upper-*played.Lower:
			fail("it gives up %d, at most %d is possible", loss, *b.Upper-*played.Lower)
		}
	}
}

// playedTruth returns the bounds of a move that follow from the position after it, which is
// position i of the analysis.
func playedTruth(rules Rules, p, next engine.Position, a Analysis, i int) Truth {
	var after Truth
	if i < len(a.Moves) {
		after = a.Moves[i].Before
	} else if next.Over() && rules.Scored {
		after = Truth{Lower: new(0), Upper: new(0)}
	} else if next.Over() {
		after = Truth{Lower: new(engine.Outcome(next, next.Turn())), Upper: new(engine.Outcome(next, next.Turn()))}
	}
	gain, sign := 0, 1
	if rules.Scored {
		gain = engine.Lead(next, p.Turn()) - engine.Lead(p, p.Turn())
	}
	if next.Turn() != p.Turn() {
		sign, after.Lower, after.Upper = -1, after.Upper, after.Lower
	}
	if after.Lower != nil {
		after.Lower = new(gain + sign**after.Lower)
	}
	if after.Upper != nil {
		after.Upper = new(gain + sign**after.Upper)
	}
	return after
}

// playedEstimate returns the estimate of a move, in points of an estimate.
func playedEstimate(rules Rules, p, next engine.Position, after Truth) *int {
	if after.Estimate == nil {
		return nil
	}
	gain, sign := 0, 1
	if rules.Scored {
		gain = engine.Lead(next, p.Turn()) - engine.Lead(p, p.Turn())
	}
	if next.Turn() != p.Turn() {
		sign = -1
	}
	return new(gain + sign**after.Estimate)
}

// With hardly any time, an analysis of real games does not contradict itself.
func TestAnalysisOfRealGamesIsConsistent(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(enginetest.Recorded(t, "circuitwars", "games"), "*.log"))
	testenv.OK(t, err)
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	for i := 0; i < len(files); i += 36 {
		r, err := ReadRecord(filepath.Base(files[i]), testenv.ReadFile(t, files[i]), CircuitWarsReader(7, 7))
		testenv.OK(t, err)
		ask := recorder{l, map[string]engine.Decision{}}
		limits := Limits{Solve: time.Millisecond, Estimate: time.Millisecond, Unsolved: 1}
		a, err := Analyze(t.Context(), circuitWarsRules, r, ask, limits, nil)
		testenv.OK(t, err)
		checkConsistent(t, circuitWarsRules, r, ask.decided, a)
	}
}

// partial answers with a part of the truth about a position and its moves: values, bounds,
// and estimates that may be far off.
type partial struct {
	rng   *rand.Rand
	game  engine.Game
	truth func(p engine.Position) map[string]int
}

func (s partial) Decide(_ context.Context, q book.Question) (engine.Decision, error) {
	k := book.NewKnown(q.Position, s.game, nil)
	scale := s.game.ProofScale()
	truth := s.truth(q.Position)
	if s.rng.IntN(3) == 0 {
		k.Bound("bound", -book.Unbounded, slices.Max(slices.Collect(maps.Values(truth)))+s.rng.IntN(2))
	}
	for text, v := range truth {
		m, err := q.Position.ParseMove(text)
		if err != nil {
			return engine.Decision{}, err
		}
		k.Estimate("guess", 1, book.Estimate{Move: m, Score: s.rng.IntN(9*scale) - 4*scale})
		switch s.rng.IntN(5) {
		case 0:
			k.Prove("exact", book.Claim{Move: m, Lower: v, Upper: v})
		case 1:
			k.Prove("lower", book.Claim{Move: m, Lower: v - s.rng.IntN(2), Upper: book.Unbounded})
		case 2:
			k.Prove("upper", book.Claim{Move: m, Lower: -book.Unbounded, Upper: v + s.rng.IntN(2)})
		}
	}
	d, _, ok := k.Decide(q.AllMoves)
	if !ok {
		return d, errors.New("nothing is known")
	}
	return d, nil
}

// With any part of the truth an analysis does not contradict itself, and its proofs are
// true.
func TestAnalysisOfPartialKnowledgeIsConsistent(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	solved := func(judge plain.Solver) func(engine.Position) map[string]int {
		return func(p engine.Position) map[string]int { return minimax(t, judge, p).Moves }
	}
	tables := booktest.Open(t, wybbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	looked := func(p engine.Position) map[string]int {
		d, err := tables.Decide(t.Context(), book.Question{Position: p, AllMoves: true})
		testenv.OK(t, err)
		out := map[string]int{}
		for _, m := range d.Moves {
			out[m.Move] = m.Score
		}
		return out
	}
	for _, c := range []struct {
		rules Rules
		truth func(engine.Position) map[string]int
		start string
	}{
		{circuitWarsRules, solved(&plain.CircuitWars{}), "2x2"},
		{Rules{Game: dotsandboxes.Game{}, Scored: true, Unit: "box"}, solved(&plain.DotsAndBoxes{}), "2x2"},
		{Rules{Game: watchyourback.Game{}, EstimateScale: 800}, looked, endOfWatchYourBack},
	} {
		start, err := c.rules.Parse(c.start)
		testenv.OK(t, err)
		credited, judgedMoves := 0, 0
		for range 60 {
			r := randomRecord(t, rng, start)
			ask := recorder{partial{rng, c.rules.Game, c.truth}, map[string]engine.Decision{}}
			a, err := Analyze(t.Context(), c.rules, r, ask, Limits{Solve: time.Second, Estimate: time.Second, Unsolved: 1000}, nil)
			testenv.OK(t, err)
			checkConsistent(t, c.rules, r, ask.decided, a)
			for i, m := range a.Moves {
				moves := c.truth(r.Positions[i])
				value := slices.Max(slices.Collect(maps.Values(moves)))
				if b := m.Before; b.Lower != nil && *b.Lower > value || b.Upper != nil && *b.Upper < value {
					t.Errorf("%s is worth %d, not within %+v", r.Positions[i], value, b)
				}
				loss := value - moves[m.Move]
				if m.Loss != nil && *m.Loss != loss || m.MinLoss != nil && *m.MinLoss > loss {
					t.Errorf("%s: %s gives up %d, not %+v", r.Positions[i], m.Move, loss, m)
				}
				if m.Best != ask.decided[r.Positions[i].String()].Move {
					credited++
				}
				if m.Loss != nil || m.MinLoss != nil {
					judgedMoves++
				}
			}
		}
		if credited == 0 || judgedMoves == 0 {
			t.Errorf("%s: the played move was best %d times instead of the source's, %d moves were judged", c.rules.Name(), credited, judgedMoves)
		}
	}
}

// If sources contradict each other, the move is not judged and no loss is negative.
func TestContradictionsAreNotJudged(t *testing.T) {
	start, err := circuitwars.Game{}.Start("1x2")
	testenv.OK(t, err)
	r := randomRecord(t, rand.New(rand.NewPCG(1, 1)), start)
	s := script{}
	for _, p := range r.Positions[:len(r.Positions)-1] {
		s[p.String()] = engine.Decision{Move: p.MoveString(p.Moves()[0]), Score: -3, Proof: engine.Exact, Source: "script"}
	}
	a, err := Analyze(t.Context(), circuitWarsRules, r, s, Limits{Solve: time.Second, Estimate: time.Second, Unsolved: 1000, Worst: 9}, nil)
	testenv.OK(t, err)
	for _, m := range a.Moves {
		if m.Loss != nil || m.MinLoss != nil {
			t.Errorf("move %d gives up %d", m.Ply, m.ProvedLoss())
		}
		if v, ok := m.Before.Exact(); !ok || v != -3 {
			t.Errorf("move %d: the value is %+v, the source says -3", m.Ply, m.Before)
		}
	}
}
