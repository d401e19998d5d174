package dotsandboxes

import (
	"context"
	"math/rand/v2"
	"slices"

	"endwise/book"
)

// instantSource looks at the boxes beside each line, in a few microseconds: what
// is played when everything else is late.
type instantSource struct{}

func (instantSource) Name() string { return "instant" }

// givesBoxes is what a line seems to be worth that lets the opponent complete a box.
const givesBoxes = -2

func (s instantSource) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	p, err := positionOf(q)
	if err != nil {
		return false, err
	}
	var guesses []book.Guess
	for _, m := range p.Moves() {
		g := book.Guess{Move: m, Score: p.Captures(m)}
		if g.Score == 0 && !p.Safe(m) {
			g.Score = givesBoxes
		}
		guesses = append(guesses, g)
	}
	// Equal lines are drawn at random: a player without time must not be the
	// same in every game.
	rand.Shuffle(len(guesses), func(i, j int) { guesses[i], guesses[j] = guesses[j], guesses[i] })
	slices.SortStableFunc(guesses, func(a, b book.Guess) int { return b.Score - a.Score })
	q.Known.Estimate(s.Name(), 0, guesses...)
	return false, nil
}
