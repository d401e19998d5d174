package dotsandboxes

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
)

func TestAnswersFile(t *testing.T) {
	want := []exact.Proved{
		{Key: [2]uint64{1 << 60, 2 << 40}, Lower: -3, Upper: 5},
		{Key: [2]uint64{1 << 20, 7 << 40}, Lower: -16, Upper: 0},
	}
	var b bytes.Buffer
	testenv.OK(t, WriteAnswers(&b, []exact.Proved{want[1], want[0]}))
	if got, err := readAnswers(b.Bytes()); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"", "other\n", answersTitle + "short", answersTitle + "0123456789\x05\x04"} {
		if got, err := readAnswers([]byte(bad)); err == nil {
			t.Errorf("%q: no error, %d answers", bad, len(got))
		}
	}
}

// opponents are the built-in levels and a player of random safe lines, which
// leads far away from usual openings.
func opponents(t *testing.T, seed uint64) map[string]engine.Player {
	all := map[string]engine.Player{"random safe lines": randomSafe{rand.New(rand.NewPCG(seed, 1))}}
	for n := 1; n <= levels.Count; n++ {
		l, err := levels.New(n, seed)
		testenv.OK(t, err)
		all[l.Name()] = l
	}
	return all
}

type randomSafe struct{ r *rand.Rand }

func (randomSafe) Name() string { return "random safe lines" }

func (o randomSafe) Choose(_ context.Context, pos engine.Position, _ engine.Clock) (engine.Decision, error) {
	p := pos.(dotsandboxes.Position)
	lines := slices.DeleteFunc(slices.Clone(p.Moves()), func(m engine.Move) bool { return !p.Safe(m) })
	if len(lines) == 0 {
		lines = p.Moves()
	}
	return engine.Decision{Move: p.MoveString(lines[o.r.IntN(len(lines))])}, nil
}

// With the shipped proof a player of 4x4 gets at least a tie from either side,
// and never needs more than a moment for it: expansions are counted, on one
// thread, as they are the same everywhere.
func TestNeverBelowTheValueOf4x4(t *testing.T) {
	const moment = 150_000 // a fifth of a second
	games := 1
	if os.Getenv("ENDWISE_DEEP") != "" {
		games = 50
	}
	most := uint64(0)
	for seed := range uint64(games) {
		for name, o := range opponents(t, seed) {
			for side := engine.First; side <= engine.Second; side++ {
				s := exact.New(exact.Options{Threads: 1, TableBytes: 16 << 20}) // knows nothing yet
				s.Learn(shippedAnswers())
				score := playAgainst(t, o, "4x4", side, func(p dotsandboxes.Position) string {
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
		for name, o := range opponents(t, seed) {
			for side := engine.First; side <= engine.Second; side++ {
				score := playAgainst(t, o, "4x4", side, func(p dotsandboxes.Position) string {
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

// playAgainst plays a game and returns the margin for side.
func playAgainst(t *testing.T, o engine.Player, board string, side engine.Side, move func(dotsandboxes.Position) string) int {
	t.Helper()
	p := dotsandboxes.New(enginetest.Board(t, board))
	for !p.Over() {
		text := ""
		if p.Turn() == side {
			text = move(p)
		} else {
			d, err := o.Choose(t.Context(), p, engine.ClockFor(time.Minute))
			testenv.OK(t, err)
			text = d.Move
		}
		m, err := p.ParseMove(text)
		if err == nil {
			p, err = p.DrawLine(m)
		}
		testenv.OK(t, err)
	}
	s := p.Score()
	return s[side-1] - s[side.Other()-1]
}
