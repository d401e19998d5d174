package book_test

import (
	"context"
	"os"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	wybbook "endwise/book/watchyourback"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
)

// The tests of this file play whole games and check the proved results that the player
// reports: they never fall unless it loses, and the end of the game confirms them. Clocks
// set a target time and no deadline, so the player may take as long as it needs to prove a
// result again on a busy machine: the tests check that it does, not how quickly.

// result returns the result of a game for the side to move from a value.
func result(p engine.Position, value int) int {
	if _, ok := p.(watchyourback.Position); ok {
		return value
	}
	return engine.Lead(p, p.Turn()) + value
}

// ended returns the result of a finished game for a side.
func ended(p engine.Position, side engine.Side) int {
	if _, ok := p.(watchyourback.Position); ok {
		return engine.Outcome(p, side)
	}
	return engine.Lead(p, side)
}

// bookish plays the book's move if the book has one, and otherwise another player's.
type bookish struct {
	books *book.Lookup
	else_ engine.Player
}

func (bookish) Name() string { return "book" }

func (o bookish) Choose(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
	if d, err := o.books.Decide(ctx, book.Question{Position: p}); err == nil {
		return d, nil
	}
	return o.else_.Choose(ctx, p, c)
}

// onlyBooks returns a lookup whose sources are the opening books of l.
func onlyBooks(l *book.Lookup) *book.Lookup {
	out := &book.Lookup{Game: l.Game}
	for _, s := range l.Sources {
		if s.Name() == "book" {
			out.Sources = append(out.Sources, s)
		}
	}
	return out
}

// holds plays a game from a position to its end and checks the proved results. floor is the
// result proved so far, -1 for none.
func holds(t *testing.T, l *book.Lookup, opponent engine.Player, p engine.Position, side engine.Side, floor int, clock engine.Clock, ponder bool) {
	t.Helper()
	us := book.Player{Label: "endwise", Lookup: l}
	from := "the start"
	game := p.String()
	for !p.Over() {
		var d engine.Decision
		var err error
		if p.Turn() == side {
			if d, err = us.Choose(t.Context(), p, clock); err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			now := -1
			if d.Proof == engine.Exact || d.Proof == engine.Lower {
				now = max(now, result(p, d.Score))
			}
			if now < floor {
				t.Fatalf("%s: %s by %s proves %d (%s), %d was proved before by %s; the game: %s", p, d.Move, d.Source, now, d.Proof, floor, from, game)
			}
			if now > floor {
				floor, from = now, d.Source+" "+d.Move
			}
		} else {
			if ponder {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
				us.Ponder(ctx, p)
				cancel()
			}
			if d, err = opponent.Choose(t.Context(), p, engine.Clock{}); err != nil {
				t.Fatalf("%s: %v", p, err)
			}
		}
		p = enginetest.Play(t, p, d.Move)
		game += " " + d.Move
	}
	if got := ended(p, side); floor >= 0 && got < floor {
		t.Fatalf("ended with %d, %d was proved by %s: %s", got, floor, from, game)
	}
}

// A proved result holds to the end of the game, on every board, against every opponent,
// with and without an opening book and pondering. With ENDWISE_DEEP=1 some thousand games
// are played.
func TestProvedResultHoldsToTheEnd(t *testing.T) {
	games, clocks := 1, []time.Duration{3 * time.Millisecond}
	if os.Getenv("ENDWISE_DEEP") != "" {
		games, clocks = 20, []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, time.Second}
	}
	store := t.TempDir()
	for _, g := range []struct {
		game   engine.Game
		open   func(book.Options) (*book.Lookup, error)
		boards []string
	}{
		{circuitwars.Game{}, cwbook.Open, []string{"7x7", "5x5", "4x4", "1x9"}},
		{dotsandboxes.Game{}, dabbook.Open, []string{"3x3", "4x4", "5x5"}},
		{watchyourback.Game{}, wybbook.Open, []string{""}},
	} {
		with := booktest.Open(t, g.open, book.Options{Threads: 1, HashBytes: 16 << 20, Store: store, Starter: data.Books()})
		without := booktest.Open(t, g.open, book.Options{Threads: 1, HashBytes: 16 << 20})
		for _, board := range g.boards {
			t.Run(g.game.Name()+" "+board, func(t *testing.T) {
				for n := range games {
					for i, clock := range clocks {
						seed := uint64(100*n + 10*i)
						greedy, err := greedy(g.game, seed)
						testenv.OK(t, err)
						for k, opponent := range []engine.Player{booktest.Random(seed, nil), greedy, bookish{onlyBooks(with), greedy}} {
							start, err := g.game.Start(board)
							testenv.OK(t, err)
							l := []*book.Lookup{without, with}[(n+k+1)%2]
							side := engine.First + engine.Side((n+k)%2)
							holds(t, l, opponent, start, side, -1, engine.Clock{MoveTime: clock}, (n+k)%3 == 0)
						}
					}
				}
			})
		}
	}
}

// greedy returns the practice level that takes the greatest immediate gain.
func greedy(g engine.Game, seed uint64) (engine.Player, error) {
	if _, ok := g.(watchyourback.Game); ok {
		return levels.NewWatchYourBack("greedy", seed)
	}
	return levels.New(2, seed)
}

// A win that was proved for one move of a turn binds the next move of the turn, and a
// proved score binds the following turns. The positions are those of games that lost a
// proved result.
func TestProofBindsNextDecision(t *testing.T) {
	for _, c := range []struct {
		game  engine.Game
		open  func(book.Options) (*book.Lookup, error)
		start string
		value int
	}{
		{dotsandboxes.Game{}, dabbook.Open, "4x4 h0001/0001/0000/0000/0000 v00100/00111/00100/00100 0-0 1", 2},
		{circuitwars.Game{}, cwbook.Open, "0,0,bottom 5,6,right 0,0,left", 7},
	} {
		p, err := c.game.Parse(c.start)
		testenv.OK(t, err)
		l := booktest.Open(t, c.open, book.Options{Threads: 1, HashBytes: 16 << 20})
		d, err := l.Decide(t.Context(), book.Question{Position: p, Play: true, Clock: engine.Clock{MoveTime: time.Minute}})
		if err != nil || d.Score < c.value || d.Proof == engine.Estimate {
			t.Fatalf("%s: %+v, %v; want %d", p, d, err, c.value)
		}
		next := enginetest.Play(t, p, d.Move)
		for seed := range uint64(3) {
			holds(t, l, booktest.Random(seed, nil), next, p.Turn(), c.value, engine.Clock{MoveTime: time.Millisecond}, false)
		}
	}
}
