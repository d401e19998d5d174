package anygame

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine"
	"endwise/solver/farm"
	"endwise/solver/negamax"
	"endwise/solver/plain"
)

// How many games are played at random to find positions to compare, and how
// many positions plain minimax may visit for one.
const (
	positionSamples = 300
	plainVisits     = 1000
)

// check compares values of a table with plain minimax: those of positions met
// in random play, or all where the extent is Whole and plain minimax reaches.
func (t *positionTable) check(ctx context.Context, extent book.Extent, p *farm.Progress) (checked uint64, err error) {
	h := t.Header()
	if err := t.CheckSpread(ctx); err != nil {
		return 0, err
	}
	start, err := firstPosition(t.game, t.board)
	if err != nil {
		return 0, err
	}
	judge := &plain.Rules{Game: t.game, Visits: plainVisits}
	seen := map[negamax.Key]bool{}
	compare := func(c engine.Canonical) (again bool, err error) {
		k := negamax.KeyOf(c)
		if seen[k] || ctx.Err() != nil {
			return true, ctx.Err()
		}
		seen[k] = true
		checked++
		return false, t.compare(c, judge)
	}
	if extent == book.Share {
		p.Begin("verify "+h.Name, "games", 0, positionSamples)
		r := rand.New(rand.NewPCG(20, 26))
		for range positionSamples {
			line, err := randomGame(start, r)
			if err == nil {
				_, err = compare(line[r.IntN(len(line))])
			}
			if err != nil {
				return checked, err
			}
			p.Add(1)
		}
		return checked, nil
	}
	p.Begin("compare "+h.Name, "positions", 0, h.Positions)
	for todo := []engine.Canonical{start}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		again, err := compare(c)
		if err != nil {
			return checked, err
		}
		if again {
			continue
		}
		p.Add(1)
		for _, m := range c.Moves() {
			q, err := c.Play(m)
			if err != nil {
				return checked, err
			}
			if !q.Over() {
				todo = append(todo, q.(engine.Canonical))
			}
		}
	}
	if checked != h.Positions {
		return checked, fmt.Errorf("%s: %w: %d positions can be reached, the table has %d", t.Path(), store.ErrDamaged, checked, h.Positions)
	}
	return checked, nil
}

// randomGame is the positions of a game of random moves.
func randomGame(c engine.Canonical, r *rand.Rand) (line []engine.Canonical, err error) {
	for {
		line = append(line, c)
		moves := c.Moves()
		q, err := c.Play(moves[r.IntN(len(moves))])
		if err != nil || q.Over() {
			return line, err
		}
		c = q.(engine.Canonical)
	}
}

// compare compares the value of a position with plain minimax or, where that is
// too much, with what follows by the rules from the values behind its moves.
func (t *positionTable) compare(c engine.Canonical, judge *plain.Rules) error {
	got, known, err := t.value(c)
	if err != nil {
		return err
	}
	var want int
	switch a, err := judge.Solve(c.String()); {
	case err == nil:
		want = a.Value
	case errors.Is(err, plain.ErrTooLarge):
		var failed error
		moves, ok, err := book.MovesByValue(c, func(q engine.Canonical) (int, bool) {
			v, known, err := t.value(q)
			failed = errors.Join(failed, err)
			return v, known && err == nil
		})
		if err = errors.Join(err, failed); err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s: the table lacks a position after it", c)
		}
		want = moves[0].Value
	default:
		return err
	}
	if !known || got != want {
		return fmt.Errorf("position %s: the table says %+d (there: %v), the rules say %+d", c, got, known, want)
	}
	return nil
}
