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

// Exercise is a position with exactly one move that keeps its value, or several if Several is set.
type Exercise struct {
	Game     string `json:"game"`
	Position string `json:"position"`
	// Answer is a move that keeps the value.
	Answer string `json:"answer,omitempty"`
	// Several reports whether other moves may keep the value too.
	Several bool `json:"several,omitempty"`
	// Played is the move of the original game, and Loss its loss; empty for [MakeExercise].
	Played string `json:"played,omitempty"`
	Loss   int    `json:"gave_up,omitempty"`
	// From describes the origin of the position for users.
	From string `json:"from"`
	// By is the player who missed the answer; empty for an exercise of [MakeExercise].
	By string `json:"by,omitempty"`
	// Class is the title of the list to which the exercise belongs; empty if it has none.
	Class string `json:"class,omitempty"`
	// Difficulty is one of [Difficulties], or empty if it was not determined.
	Difficulty string `json:"difficulty,omitempty"`
	// Rivals is the number of other moves that look at least as good to a player that considers the
	// reply, Glances the number of those that gain at least as much at once, and Moves that of all moves.
	Rivals  int `json:"rivals"`
	Glances int `json:"-"`
	Moves   int `json:"-"`
}

// Difficulties are the values of Exercise.Difficulty: the thirds of a list in the order of [Grade]. An
// exercise of [MakeExercise] is easy without rivals, medium with one or two, and hard with more.
var Difficulties = []string{"easy", "medium", "hard"}

// compare sets e.Rivals, e.Glances and e.Moves. p is the position of the exercise.
func (e *Exercise) compare(p engine.Position) (err error) {
	e.Moves = len(p.Moves())
	if e.Glances, err = levels.Rivals(p, e.Answer, 1); err == nil {
		e.Rivals, err = levels.Rivals(p, e.Answer, 2)
	}
	return err
}

// Grade sorts exercises by Rivals, Glances and Moves, the easiest first, and sets their difficulties.
func Grade(exercises []Exercise) {
	slices.SortStableFunc(exercises, func(x, y Exercise) int {
		return cmp.Or(cmp.Compare(x.Rivals, y.Rivals), cmp.Compare(x.Glances, y.Glances), cmp.Compare(x.Moves, y.Moves))
	})
	for i := range exercises {
		exercises[i].Difficulty = Difficulties[i*len(Difficulties)/len(exercises)]
	}
}

// Exercises returns an exercise for each mistake in the lists Worst of the analysed games, if exactly
// one move kept the value of the position. Of several in a game with the same answer or almost the
// same position, only the first in Worst is returned. If a game has none, the exercise is its turning
// point. rules returns the game of the given name.
func Exercises(rules func(name string) engine.Game, games []Analysis) ([]Exercise, error) {
	var out []Exercise
	for _, g := range games {
		var kept []Mistake
		worst := g.Worst
		if !slices.ContainsFunc(worst, func(m Mistake) bool { return m.Only }) {
			worst = slices.DeleteFunc(slices.Clone(worst), func(m Mistake) bool { return m.Ply != g.Turned })
		}
		for _, m := range worst {
			like := func(k Mistake) bool { return k.Better == m.Better || Near(k.Ply, m.Ply) }
			if !m.Only && m.Ply != g.Turned || slices.ContainsFunc(kept, like) {
				continue
			}
			kept = append(kept, m)
			p, err := rules(g.Game).Parse(m.Position)
			if err != nil {
				return nil, err
			}
			by := g.Players[m.Player-1].Name
			e := Exercise{
				Game: g.Game, Position: m.Position, Answer: m.Better, Several: !m.Only, Played: m.Move, Loss: m.Loss, By: by,
				From: fmt.Sprintf("%s, move %d by %s", g.Title(), m.Ply, by),
			}
			if err := e.compare(p); err != nil {
				return nil, err
			}
			out = append(out, e)
		}
	}
	return out, nil
}

// Near reports whether two move numbers of a game differ by less than six.
func Near(ply, other int) bool { return max(ply, other)-min(ply, other) < 6 }

// ExerciseOptions configure [MakeExercise].
type ExerciseOptions struct {
	Rules   Rules
	Start   func(*rand.Rand) engine.Position // returns the first position of a game
	Players [2]engine.Player
	Lookup  Decider
	Time    time.Duration // for the evaluation of a position
	Seed    uint64
	// MinMoves and MaxMoves limit the number of legal moves in the position of the exercise.
	MinMoves, MaxMoves int
	// Difficulty is one of [Difficulties], or "" for any.
	Difficulty string
}

const maxGames = 80

// MakeExercise plays up to maxGames games. It returns the first position of the requested difficulty
// that the side to move wins, in which exactly one move keeps the value and another gains at least as
// much at once. If there is none, it returns the last one with another difficulty, or else an error. If
// the players and the lookup are deterministic, so is the exercise.
func MakeExercise(ctx context.Context, o ExerciseOptions) (Exercise, error) {
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	var e Exercise // with another difficulty
	for range maxGames {
		p, err := o.playOpening(ctx, rng)
		if err != nil {
			return Exercise{}, err
		}
		if found, err := o.findExercise(ctx, p, &e); found || err != nil {
			return e, err
		}
	}
	if e.Answer != "" {
		return e, nil
	}
	return Exercise{}, fmt.Errorf("no win that only one move keeps in %d games", maxGames)
}

// playOpening plays a game until a position has at least two legal moves and at most a random number of
// them, between MinMoves and MaxMoves. It returns this position, or the last one of the game.
func (o *ExerciseOptions) playOpening(ctx context.Context, rng *rand.Rand) (engine.Position, error) {
	p := o.Start(rng)
	limit := o.MinMoves + rng.IntN(o.MaxMoves-o.MinMoves+1)
	for !p.Over() && (len(p.Moves()) > limit || len(p.Moves()) < 2) {
		player := o.Players[p.Turn()-1]
		d, err := player.Choose(ctx, p, engine.Clock{})
		if err != nil {
			return nil, err
		}
		if p, err = engine.PlayText(p, d.Move); err != nil {
			return nil, fmt.Errorf("%s plays %q: %w", player.Name(), d.Move, err)
		}
	}
	return p, nil
}

// findExercise plays best moves from p on until a position has fewer than MinMoves legal moves or is an
// exercise with the requested difficulty, which found reports. It stores the last exercise in e.
func (o *ExerciseOptions) findExercise(ctx context.Context, p engine.Position, e *Exercise) (found bool, err error) {
	for !p.Over() && len(p.Moves()) >= o.MinMoves {
		d, err := o.Lookup.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(o.Time), AllMoves: true})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return false, err
		}
		value := d.Score
		if o.Rules.Scored {
			value += engine.Lead(p, p.Turn())
		}
		if value > 0 && hasOnlyMove(p, d) {
			made := Exercise{Game: p.Game(), Position: p.String(), Answer: d.Move, From: "made for practice"}
			if err = made.compare(p); err != nil {
				return false, err
			}
			made.Difficulty = Difficulties[min((made.Rivals+1)/2, 2)]
			if made.Glances > 0 {
				*e = made
				if o.Difficulty == "" || o.Difficulty == made.Difficulty {
					return true, nil
				}
			}
		}
		if p, err = engine.PlayText(p, d.Move); err != nil {
			return false, err
		}
	}
	return false, nil
}
