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
	// Answer is the move that keeps the value.
	Answer string `json:"answer,omitempty"`
	// Played is the move of the original game, and Loss its loss; empty for a made position.
	Played string `json:"played,omitempty"`
	Loss   int    `json:"gave_up,omitempty"`
	// From describes the origin of the position for users.
	From string `json:"from"`
}

// Exercises returns the positions of analysed games in which only one move would have kept
// the value.
func Exercises(games []Analysis) []Exercise {
	var out []Exercise
	for _, g := range games {
		for _, m := range g.Worst {
			if m.Only {
				out = append(out, Exercise{
					Game: g.Game, Position: m.Position, Answer: m.Better, Played: m.Move, Loss: m.Loss,
					From: fmt.Sprintf("%s, move %d by %s", g.Name, m.Ply, g.Players[m.Player-1].Name),
				})
			}
		}
	}
	return out
}

// maxGames is the maximum number of games that [MakeExercise] plays for one exercise.
const maxGames = 40

// MakeExercise plays games between the two players and solves positions near their ends
// until one has exactly one move that keeps its value. The positions have between low and
// high legal moves. start returns each game's first position. If the lookup reports the
// number of turns to a win, a win takes at least the given number. The same players and
// seed give the same exercise if their play and the lookup are deterministic.
func MakeExercise(ctx context.Context, start func(*rand.Rand) engine.Position, players [2]engine.Player, lookup Decider, seed uint64, low, high, turns int, each time.Duration) (Exercise, error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range maxGames {
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
		// Continue to the end and test each position on the way.
		for !p.Over() && len(p.Moves()) >= low {
			d, err := lookup.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(each), AllMoves: true})
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return Exercise{}, err
			}
			if hasOnlyMove(p, d) && (d.Distance == 0 || d.Distance >= turns) {
				return Exercise{Game: p.Game(), Position: p.String(), Answer: d.Move, From: "made for practice"}, nil
			}
			if p, err = engine.PlayText(p, d.Move); err != nil {
				return Exercise{}, err
			}
		}
	}
	return Exercise{}, fmt.Errorf("no position with one move that holds in %d games", maxGames)
}
