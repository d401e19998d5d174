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
	if extent == book.Whole {
		return t.checkWhole(ctx, start, judge, p)
	}
	p.Begin("verify "+h.Name, "games", 0, positionSamples)
	compared := map[negamax.Key]bool{}
	r := rand.New(rand.NewPCG(20, 26))
	for range positionSamples {
		if err := ctx.Err(); err != nil {
			return checked, err
		}
		// A game to its end, of which one position is compared.
		line := []engine.Canonical{start}
		for c := start; ; {
			moves := c.Moves()
			q, err := c.Play(moves[r.IntN(len(moves))])
			if err != nil {
				return checked, err
			}
			if q.Over() {
				break
			}
			c = q.(engine.Canonical)
			line = append(line, c)
		}
		p.Add(1)
		c := line[r.IntN(len(line))]
		if k := negamax.KeyOf(c); !compared[k] {
			compared[k] = true
			if err := t.compare(c, judge); err != nil {
				return checked, err
			}
			checked++
		}
	}
	return checked, nil
}

// checkWhole compares every position once.
func (t *positionTable) checkWhole(ctx context.Context, start engine.Canonical, judge *plain.Rules, p *farm.Progress) (checked uint64, err error) {
	h := t.Header()
	p.Begin("compare "+h.Name, "positions", 0, h.Positions)
	seen := map[negamax.Key]bool{negamax.KeyOf(start): true}
	for todo := []engine.Canonical{start}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if err := ctx.Err(); err != nil {
			return checked, err
		}
		if err := t.compare(c, judge); err != nil {
			return checked, err
		}
		checked++
		p.Add(1)
		for _, m := range c.Moves() {
			q, err := c.Play(m)
			if err != nil {
				return checked, err
			}
			if q.Over() {
				continue
			}
			next := q.(engine.Canonical)
			if k := negamax.KeyOf(next); !seen[k] {
				seen[k] = true
				todo = append(todo, next)
			}
		}
	}
	if checked != h.Positions {
		return checked, fmt.Errorf("%s: %w: %d positions can be reached, the table has %d", t.Path(), store.ErrDamaged, checked, h.Positions)
	}
	return checked, nil
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
