package analysis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"endwise/book"
	"endwise/engine"
)

// Exercise is a position with exactly one move that keeps its value.
type Exercise struct {
	Game     string `json:"game"`
	Position string `json:"position"`
	// Answer is the move that holds.
	Answer string `json:"answer,omitempty"`
	// Played is what was played in the game it is taken from, which lost
	// GaveUp; empty for a made position.
	Played string `json:"played,omitempty"`
	GaveUp int    `json:"gave_up,omitempty"`
	// From says where the position comes from, for people.
	From string `json:"from"`
}

// Exercises takes the positions with one move that holds from analysed games.
func Exercises(games []Analysis) []Exercise {
	var out []Exercise
	for _, g := range games {
		for _, m := range g.Worst {
			if m.Only {
				out = append(out, Exercise{
					Game: g.Game, Position: m.Position, Answer: m.Better, Played: m.Move, GaveUp: m.GaveUp,
					From: fmt.Sprintf("%s, move %d by %s", g.Name, m.Ply, g.Players[m.Player-1].Name),
				})
			}
		}
	}
	return out
}

// maxTries bounds the games that MakeExercise plays for one exercise.
const maxTries = 40

// MakeExercise finds a position with one move that holds by playing games
// between the two players and solving positions near their ends: those with
// between low and high legal moves. start gives each game's first position. Where
// the lookup tells how many turns a win takes, it takes at least so many here.
// The same players and seed find the same exercise if their play and the
// lookup are deterministic.
func MakeExercise(ctx context.Context, start func(*rand.Rand) engine.Position, players [2]engine.Player, ask Asker, seed uint64, low, high, turns int, each time.Duration) (Exercise, error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range maxTries {
		p := start(rng)
		stop := low + rng.IntN(high-low+1)
		for !p.Over() && (len(p.Moves()) > stop || len(p.Moves()) < 2) {
			player := players[p.Turn()-1]
			d, err := player.Choose(ctx, p, engine.Clock{})
			if err != nil {
				return Exercise{}, err
			}
			if p, err = engine.PlayText(p, d.Move); err != nil {
				return Exercise{}, fmt.Errorf("%s plays %q: %w", player.Name(), d.Move, err)
			}
		}
		// Walk on to the end and look at each position on the way.
		for !p.Over() && len(p.Moves()) >= low {
			d, err := ask.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(each), AllMoves: true})
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return Exercise{}, err
			}
			if onlyMove(p, d) && (d.Distance == 0 || d.Distance >= turns) {
				return Exercise{Game: p.Game(), Position: p.String(), Answer: d.Move, From: "made for practice"}, nil
			}
			if p, err = engine.PlayText(p, d.Move); err != nil {
				return Exercise{}, err
			}
		}
	}
	return Exercise{}, fmt.Errorf("no position with one move that holds in %d games", maxTries)
}
