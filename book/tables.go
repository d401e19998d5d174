package book

import (
	"context"
	"fmt"
	"math"
	"slices"

	"endwise/engine"
)

// TableSource answers from solved tables where these know the position and all
// positions one move later.
type TableSource struct {
	// Know gives the exact value of a position for its mover, and the name of
	// the table that knows it; ok is false where none does.
	Know func(engine.Canonical) (value int, table string, ok bool)
}

func (TableSource) Name() string { return "table" }

func (s TableSource) Improve(ctx context.Context, q *Question) (enough bool, err error) {
	c, err := CanonicalPosition(q)
	if err != nil {
		return false, err
	}
	v, name, ok := s.Know(c)
	if !ok {
		return false, nil
	}
	value := func(c engine.Canonical) (int, bool) {
		v, _, ok := s.Know(c)
		return v, ok
	}
	moves, ok, err := movesByValue(c, value)
	if err != nil || !ok {
		return false, err
	}
	q.Known.Bound(s.Name(), -Unbounded, v)
	return false, proveValues(ctx, s.Name(), q, c, moves, math.MaxInt, "from the table "+name, value)
}

// CanonicalPosition is the question's position with its keys.
func CanonicalPosition(q *Question) (engine.Canonical, error) {
	c, ok := q.Position.(engine.Canonical)
	if !ok {
		return nil, fmt.Errorf("a position of %s where one with a canonical key is expected", q.Position.Game())
	}
	return c, nil
}

// valued is a legal move and its exact value for the side that plays it.
type valued struct {
	move  engine.Move
	value int
}

// movesByValue are the moves of a position, best first, from the values of the
// positions behind them; ok is false where one is not known.
func movesByValue(c engine.Canonical, value func(engine.Canonical) (int, bool)) (moves []valued, ok bool, err error) {
	for _, m := range c.Moves() {
		next, err := c.Play(m)
		if err != nil {
			return nil, false, err
		}
		v := c.Gain(next)
		if !next.Over() {
			w, found := value(next.(engine.Canonical))
			if !found {
				return nil, false, nil
			}
			if next.Turn() == c.Turn() {
				v += w
			} else {
				v -= w
			}
		}
		moves = append(moves, valued{m, v})
	}
	slices.SortStableFunc(moves, func(a, b valued) int { return b.value - a.value })
	return moves, true, nil
}

// proveValues tells the values of moves, the best of which come first, with best
// play of at most length moves behind the first, or with all moves asked for
// behind each.
func proveValues(ctx context.Context, source string, q *Question, c engine.Canonical, moves []valued, length int, note string, value func(engine.Canonical) (int, bool)) error {
	for i, m := range moves {
		claim := Claim{Move: m.move, Lower: m.value, Upper: m.value, Note: note}
		if i == 0 || q.AllMoves {
			line, err := bestLine(ctx, c, m.move, length, value)
			if err != nil {
				return err
			}
			claim.Line = line
		}
		q.Known.Prove(source, claim)
	}
	q.Known.Prefer("", moves[0].move)
	return nil
}

// bestLine is best play of at most length moves after a move, always the first
// move that keeps the value. It ends earlier where a value is not known or the
// context ends: the move is worth saying without its line.
func bestLine(ctx context.Context, c engine.Canonical, m engine.Move, length int, value func(engine.Canonical) (int, bool)) (line []engine.Move, err error) {
	for {
		next, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		if next.Over() || len(line) == length || ctx.Err() != nil {
			return line, nil
		}
		c = next.(engine.Canonical)
		moves, ok, err := movesByValue(c, value)
		if err != nil || !ok {
			return line, err
		}
		m = moves[0].move
		line = append(line, m)
	}
}
