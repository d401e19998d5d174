package circuitwars

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/search"
)

func openWith(t *testing.T, threads int) *book.Lookup {
	t.Helper()
	return booktest.Open(t, Open, book.Options{Threads: threads, HashBytes: 4 << 20})
}

// The reported values of positions during a game are true, whether they are won, tied or
// lost, with one thread and two. A won position is never lost, a tie only if it could not
// be reached, and the bound of a loss holds.
func TestPlayedDecisionsAreTrue(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	memo := map[grid.Set]int{}
	lookups := []*book.Lookup{openWith(t, 1), openWith(t, 2)}
	kinds := [3]int{}
	for i := range 80 {
		p := booktest.RandomCircuitWars(t, rng, enginetest.Board(t, []string{"3x3", "3x4"}[i%2]), 9)
		if p.Over() {
			continue
		}
		clear(memo)
		value, need := booktest.CircuitWarsValue(t, p, memo), winningValue(p)
		for n, l := range lookups {
			d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(time.Minute), Play: true})
			testenv.OK(t, err)
			q := enginetest.Play(t, p, d.Move)
			worth := p.Left() - q.Left() - booktest.CircuitWarsValue(t, q, memo)
			switch {
			case d.Proof == engine.Exact && d.Score != value,
				d.Proof == engine.Upper && d.Score < value,
				d.Proof == engine.Lower && (d.Score > value || worth < d.Score):
				t.Errorf("%s, %d threads: %s by %s says %d (%v), the value is %d", p, n+1, d.Move, d.Source, d.Score, d.Proof, value)
			}
			switch {
			case value >= need:
				kinds[0]++
				if worth < value {
					t.Errorf("%s, %d threads: %s is worth %d in a won position of %d", p, n+1, d.Move, worth, value)
				}
			case value == need-1:
				kinds[1]++
				if worth < value {
					t.Errorf("%s, %d threads: %s gives the tie away", p, n+1, d.Move)
				}
			default:
				kinds[2]++
			}
		}
	}
	if kinds[0] == 0 || kinds[1] == 0 || kinds[2] == 0 {
		t.Errorf("%d won, %d tied and %d lost positions: want some of each", kinds[0], kinds[1], kinds[2])
	}
}

// In a lost position a move after which the opponent is likely to make a mistake comes
// before others that lose as much: among the moves with the smallest loss, the chance of
// the chosen one is near the best.
func TestLostPositionIsPlayedForMistakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	l := openWith(t, 1)
	memo := map[grid.Set]int{}
	lost, found := 0, 0
	for range 400 {
		p := booktest.RandomCircuitWars(t, rng, enginetest.Board(t, "3x3"), 10)
		if p.Over() {
			continue
		}
		clear(memo)
		value := booktest.CircuitWarsValue(t, p, memo)
		if value >= winningValue(p) || len(mirrorMoves(p)) > 0 {
			continue
		}
		guide := search.NewGuide(p.Board())
		// chance returns the weight of the replies after which the game is won.
		chance := func(s int) (c float64, keeps bool) {
			q, err := p.Occupy(s)
			testenv.OK(t, err)
			for _, r := range guide.Replies(q) {
				after, err := q.Occupy(r.Segment)
				testenv.OK(t, err)
				if booktest.CircuitWarsValue(t, after, memo) >= winningValue(after) {
					c += r.Weight
				}
			}
			return c, p.Left()-q.Left()-booktest.CircuitWarsValue(t, q, memo) == value
		}
		best := 0.0
		for _, s := range p.Free().Segments() {
			if c, keeps := chance(s); keeps {
				best = max(best, c)
			}
		}
		d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(time.Minute), Play: true})
		testenv.OK(t, err)
		m, err := p.ParseMove(d.Move)
		testenv.OK(t, err)
		lost++
		if best < 0.5 {
			continue // later turns count as well
		}
		found++
		if c, _ := chance(int(m)); c < best-0.05 {
			t.Errorf("%s: %s has a chance of %.2f, the best is %.2f", p, d.Move, c, best)
		}
	}
	if lost < 10 || found < 3 {
		t.Errorf("%d lost positions, %d of them with a good chance: too few to tell", lost, found)
	}
}

// Pondering ends with its context, does not change the next answer, and ends by itself when
// everything is solved.
func TestPonder(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	l := openWith(t, 2)
	for range 5 {
		p := booktest.RandomCircuitWars(t, rng, enginetest.Board(t, "3x3"), 10)
		l.Ponder(t.Context(), p) // small enough to be solved
		free := p.Free().Segments()
		if len(free) == 0 {
			continue
		}
		q, err := p.Occupy(free[rng.IntN(len(free))])
		testenv.OK(t, err)
		if q.Over() {
			continue
		}
		d, err := l.Decide(t.Context(), book.Question{Position: q, Clock: engine.ClockFor(time.Minute)})
		if want := booktest.CircuitWarsValue(t, q, map[grid.Set]int{}); err != nil || d.Score != want || d.Proof != engine.Exact {
			t.Errorf("%s: %d (%v), want %d: %v", q, d.Score, d.Proof, want, err)
		}
	}
	big := booktest.RandomCircuitWars(t, rng, enginetest.Board(t, "7x7"), 70)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Ponder(ctx, big)
	}()
	cancel()
	<-done
	if d, err := l.Decide(t.Context(), book.Question{Position: big, Clock: engine.ClockFor(50 * time.Millisecond), Play: true}); err != nil {
		t.Error(err)
	} else if _, err := big.ParseMove(d.Move); err != nil {
		t.Error(err)
	}
}

// A whole game with clocks so short that every step of the sources is interrupted
// somewhere, with all threads solving and with one that runs the heuristic search.
func TestShortClocksGiveLegalMoves(t *testing.T) {
	for _, threads := range []int{minConcurrent - 1, minConcurrent} {
		l := openWith(t, threads)
		p, err := circuitwars.New(7, 7)
		testenv.OK(t, err)
		for n := 0; !p.Over(); n++ {
			d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(time.Duration(5+n%20) * time.Millisecond), Play: true})
			testenv.OK(t, err)
			m, err := p.ParseMove(d.Move)
			if err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			p, err = p.Occupy(int(m))
			testenv.OK(t, err)
		}
		// Sources of earlier questions may still be running; this question waits for them.
		last, err := circuitwars.New(1, 1)
		testenv.OK(t, err)
		if d, err := l.Decide(t.Context(), book.Question{Position: last, Play: true}); err != nil || d.Score != -1 {
			t.Errorf("%d threads: %d, %v", threads, d.Score, err)
		}
	}
}
