package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/levels"
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
	// By is the player who missed the answer; empty for a made position.
	By string `json:"by,omitempty"`
	// Difficulty is one of [Difficulties]; empty for a made position.
	Difficulty string `json:"difficulty,omitempty"`
}

// Difficulties are the difficulties of exercises, the easiest first: a player that
// considers the reply finds the answer, a player that looks ahead a few moves does, and
// neither does.
var Difficulties = []string{"easy", "medium", "hard"}

// difficulty returns the difficulty of finding the answer.
func difficulty(ctx context.Context, p engine.Position, answer string) (string, error) {
	for i, level := range []int{3, 4} {
		found := true
		for seed := uint64(0); seed < 3 && found; seed++ { // equal moves are chosen at random
			player, err := levels.New(level, seed)
			if err != nil {
				return "", err
			}
			d, err := player.Choose(ctx, p, engine.Clock{})
			if err != nil {
				return "", err
			}
			found = d.Move == answer
		}
		if found {
			return Difficulties[i], nil
		}
	}
	return Difficulties[2], nil
}

// Exercises returns the positions of analysed games in which only one move would have kept
// the value, the easiest first; rules returns the game with a name.
func Exercises(ctx context.Context, rules func(name string) engine.Game, games []Analysis) ([]Exercise, error) {
	var out []Exercise
	for _, g := range games {
		for _, m := range g.Worst {
			if !m.Only {
				continue
			}
			p, err := rules(g.Game).Parse(m.Position)
			if err != nil {
				return nil, err
			}
			hard, err := difficulty(ctx, p, m.Better)
			if err != nil {
				return nil, err
			}
			by := g.Players[m.Player-1].Name
			out = append(out, Exercise{
				Game: g.Game, Position: m.Position, Answer: m.Better, Played: m.Move, Loss: m.Loss, By: by, Difficulty: hard,
				From: fmt.Sprintf("%s, move %d by %s", g.Name, m.Ply, by),
			})
		}
	}
	slices.SortStableFunc(out, func(x, y Exercise) int {
		return cmp.Compare(slices.Index(Difficulties, x.Difficulty), slices.Index(Difficulties, y.Difficulty))
	})
	return out, nil
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
