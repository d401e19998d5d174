package dotsandboxes

import (
	"os"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
)

// safe says whether a line gives no box away.
func safe(p engine.Position, m engine.Move) bool { return p.(dotsandboxes.Position).Safe(m) }

// With the shipped proof a player of 4x4 gets at least a tie from either side,
// and never needs more than a moment for it: expansions are counted, on one
// thread, as they are the same everywhere.
func TestNeverBelowTheValueOf4x4(t *testing.T) {
	const moment = 150_000 // a fifth of a second
	games := 1
	if os.Getenv("ENDWISE_DEEP") != "" {
		games = 50
	}
	empty, most := dotsandboxes.New(enginetest.Board(t, "4x4")), uint64(0)
	for seed := range uint64(games) {
		for name, o := range booktest.Opponents(t, seed, safe) {
			for side := engine.First; side <= engine.Second; side++ {
				s := exact.New(exact.Options{Threads: 1, TableBytes: 16 << 20}) // knows nothing yet
				s.Learn(shippedAnswers())
				score := booktest.PlayAgainst(t, o, empty, side, func(now engine.Position) string {
					p := now.(dotsandboxes.Position)
					known, _, err := s.Known(p.Board(), p.Free())
					testenv.OK(t, err)
					m := known[0]
					if need := notLosing(p); m.Lower < need {
						var r solver.Result
						if m, r, err = s.Secure(t.Context(), p.Board(), p.Free(), need); err != nil || m.Segment < 0 {
							t.Fatalf("%s: no line holds the game: %s, %v", p, r, err)
						}
						if most = max(most, r.Nodes); r.Nodes > moment {
							t.Errorf("%s: %d expansions", p, r.Nodes)
						}
					}
					return p.MoveString(engine.Move(m.Segment))
				})
				if score < 0 {
					t.Errorf("as %s against %s: %+d", side, name, score)
				}
			}
		}
	}
	t.Logf("at most %d expansions", most)
}

// The lookup knows the proof without a store, and needs no search for the
// first line; with ENDWISE_DEEP=1 it plays games of half a second a move.
func TestPlayerHolds4x4(t *testing.T) {
	l := booktest.Open(t, Open, book.Options{Threads: 2, HashBytes: 64 << 20})
	q := book.Question{Position: dotsandboxes.New(enginetest.Board(t, "4x4")), Clock: engine.ClockFor(10 * time.Minute)}
	if d, err := l.Decide(t.Context(), q); err != nil || !d.Exact || d.Score != 0 || d.Nodes != 0 {
		t.Errorf("the empty board: %+v, %v", d, err)
	}
	if os.Getenv("ENDWISE_DEEP") == "" {
		return
	}
	for seed := range uint64(3) {
		for name, o := range booktest.Opponents(t, seed, safe) {
			for side := engine.First; side <= engine.Second; side++ {
				score := booktest.PlayAgainst(t, o, q.Position, side, func(p engine.Position) string {
					d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(500 * time.Millisecond)})
					testenv.OK(t, err)
					return d.Move
				})
				if score < 0 {
					t.Errorf("as %s against %s: %+d, the value is 0", side, name, score)
				}
			}
		}
	}
}
