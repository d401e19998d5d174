package negamax

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/kayles"
	"endwise/engine/testenv"
	"endwise/solver/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// judges are games with boards that plain minimax reaches: one that is won or
// lost, and two with scores where a capture gives another turn or does not.
func judges() map[string]struct {
	game  engine.Game
	board string
	judge plain.Solver
} {
	type j = struct {
		game  engine.Game
		board string
		judge plain.Solver
	}
	return map[string]j{
		"kayles":         {kayles.Game{}, "4-3-5", &plain.Rules{Game: kayles.Game{}}},
		"dots and boxes": {dotsandboxes.Game{}, "2x2", &plain.DotsAndBoxes{}},
		"circuit wars":   {circuitwars.Game{}, "2x2", &plain.CircuitWars{}},
	}
}

// randomPosition is one with at most so many moves left that is not over.
func randomPosition(t *testing.T, r *rand.Rand, g engine.Game, board string) engine.Canonical {
	t.Helper()
	for {
		p, err := g.Start(board)
		testenv.OK(t, err)
		for range r.IntN(8) {
			moves := p.Moves()
			if len(moves) == 0 {
				break
			}
			p, err = p.Play(moves[r.IntN(len(moves))])
			testenv.OK(t, err)
		}
		if !p.Over() {
			return p.(engine.Canonical)
		}
	}
}

// Every move has the value that plain minimax gives it: from a cold and a warm
// table, with room in it and without.
func TestAgainstPlainMinimax(t *testing.T) {
	for name, j := range judges() {
		r := rand.New(rand.NewPCG(1, 2))
		warm := New(1 << 20)
		for range 25 {
			p := randomPosition(t, r, j.game, j.board)
			want, err := j.judge.Solve(p.String())
			testenv.OK(t, err)
			solvers := []*Solver{warm, New(1 << 20)}
			if len(p.Moves()) <= 6 {
				solvers = append(solvers, New(0)) // four entries
			}
			for _, s := range solvers {
				moves, complete, _, err := s.Moves(t.Context(), p, true)
				if err != nil || !complete || len(moves) != len(want.Moves) {
					t.Fatalf("%s %s: %d moves of %d, complete %v, %v", name, p, len(moves), len(want.Moves), complete, err)
				}
				for i, m := range moves {
					if w, ok := want.Moves[p.MoveString(m.Move)]; !ok || w != m.Value || i > 0 && m.Value > moves[i-1].Value {
						t.Fatalf("%s %s: move %s is worth %+d, want %+d", name, p, p.MoveString(m.Move), m.Value, w)
					}
				}
				best, _, _, err := s.Moves(t.Context(), p, false)
				if err != nil || best[0].Value != want.Value || want.Moves[p.MoveString(best[0].Move)] != want.Value {
					t.Fatalf("%s %s: best %v, %v, want %+d", name, p, best, err, want.Value)
				}
				if v, _, err := s.Value(t.Context(), p); err != nil || v != want.Value {
					t.Fatalf("%s %s: value %+d, %v, want %+d", name, p, v, err, want.Value)
				}
			}
		}
	}
}

// boasting says of itself that it is worth more than any position of its game.
type boasting struct{ engine.Canonical }

func (boasting) ValueBounds() (lower, upper int) { return 5, 9 }

// A game that is wrong about its bounds gets an error, not a value.
func TestWrongBounds(t *testing.T) {
	p, err := kayles.Game{}.Start("5")
	testenv.OK(t, err)
	if v, _, err := New(1<<20).Value(t.Context(), boasting{p.(engine.Canonical)}); err == nil {
		t.Errorf("valued %+d", v)
	}
}

// A search that is stopped says what it knows, and no more.
func TestStopped(t *testing.T) {
	p, err := kayles.Game{}.Start("30")
	testenv.OK(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := New(1 << 20)
	moves, complete, _, err := s.Moves(ctx, p.(engine.Canonical), true)
	if err != nil || complete || len(moves) != 0 {
		t.Errorf("stopped at once: %v, complete %v, %v", moves, complete, err)
	}
	if _, _, err := s.Value(ctx, p.(engine.Canonical)); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped at once: %v", err)
	}
	if _, err := (&Exhaust{Values: map[Key]int16{}, Limit: 1000}).Run(t.Context(), p.(engine.Canonical)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a board without room: %v", err)
	}
}

// Exhaust finds every position once, with the value of the search, and goes on
// from any part of what it has found.
func TestExhaust(t *testing.T) {
	for name, j := range judges() {
		start, err := j.game.Start(j.board)
		testenv.OK(t, err)
		p := start.(engine.Canonical)
		var keys []Key
		whole := Exhaust{Values: map[Key]int16{}, Limit: 1 << 20, Found: func(k Key, _ int) error {
			keys = append(keys, k)
			return nil
		}}
		value, err := whole.Run(t.Context(), p)
		testenv.OK(t, err)
		want, err := j.judge.Solve(p.String())
		if err != nil || value != want.Value || len(keys) != len(whole.Values) {
			t.Errorf("%s: %+d, want %+d, %v; %d of %d found once", name, value, want.Value, err, len(whole.Values), len(keys))
		}
		r := rand.New(rand.NewPCG(3, 4))
		for range 5 {
			part := map[Key]int16{}
			for _, k := range keys[:r.IntN(len(keys))] {
				part[k] = whole.Values[k]
			}
			again := Exhaust{Values: part, Limit: 1 << 20}
			if v, err := again.Run(t.Context(), p); err != nil || v != value || len(part) != len(keys) {
				t.Fatalf("%s, resumed: %+d and %d positions, want %+d and %d, %v", name, v, len(part), value, len(keys), err)
			}
		}
		for range 10 {
			q := randomPosition(t, r, j.game, j.board)
			v, _, err := New(1<<20).Value(t.Context(), q)
			if err != nil || int(whole.Values[KeyOf(q)]) != v {
				t.Fatalf("%s %s: %+d, the search says %+d, %v", name, q, whole.Values[KeyOf(q)], v, err)
			}
		}
	}
}

// listed is a position that hands out its own list of moves.
type listed struct {
	engine.Canonical
	moves []engine.Move
}

func (l listed) Moves() []engine.Move { return l.moves }

// The list that a position hands out stays as it was.
func TestMovesAreLeftAlone(t *testing.T) {
	p, err := dotsandboxes.Game{}.Start("2x2")
	testenv.OK(t, err)
	for _, m := range []string{"h0,0", "v0,0", "v0,1"} { // the next line to come takes a box
		p = enginetest.Play(t, p, m)
	}
	q := listed{p.(engine.Canonical), slices.Clone(p.Moves())}
	if _, _, _, err := New(1<<20).Moves(t.Context(), q, false); err != nil || !slices.Equal(q.moves, p.Moves()) {
		t.Errorf("moves %v became %v, %v", p.Moves(), q.moves, err)
	}
}
