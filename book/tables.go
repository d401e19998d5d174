package book

import (
	"context"
	"fmt"
	"math"
	"slices"

	"endwise/engine"
	"endwise/solver/negamax"
)

// TableSource answers from solved tables where these know the position and all
// positions one move later.
type TableSource struct {
	// Know gives the exact value of a position for its mover, and the name of
	// the table that knows it; ok is false where none does.
	Know func(engine.Canonical) (value int, table string, ok bool)
}

func (TableSource) Name() string { return "table" }

func (s TableSource) Answer(ctx context.Context, q *Question) (engine.Decision, bool, error) {
	c, err := CanonicalPosition(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	_, name, ok := s.Know(c)
	if !ok {
		return engine.Decision{}, false, nil
	}
	value := func(c engine.Canonical) (int, bool) {
		v, _, ok := s.Know(c)
		return v, ok
	}
	moves, ok, err := MovesByValue(c, value)
	if err != nil || !ok || len(moves) == 0 {
		return engine.Decision{}, false, err
	}
	lines := 1
	if q.AllMoves {
		lines = len(moves)
	} else {
		moves = moves[:1]
	}
	d := ExactDecision(q, c, s.Name(), moves)
	d.Note = "from the table " + name
	return d, true, AddLines(ctx, &d, c, moves[:lines], math.MaxInt, value)
}

// CanonicalPosition is the question's position with its keys.
func CanonicalPosition(q *Question) (engine.Canonical, error) {
	c, ok := q.Position.(engine.Canonical)
	if !ok {
		return nil, fmt.Errorf("a position of %s where one with a canonical key is expected", q.Position.Game())
	}
	return c, nil
}

// MovesByValue are the moves of a position, best first, from the values of the
// positions behind them; ok is false where one is not known.
func MovesByValue(c engine.Canonical, value func(engine.Canonical) (int, bool)) (moves []negamax.Move, ok bool, err error) {
	for _, m := range c.Moves() {
		next, err := c.Play(m)
		if err != nil {
			return nil, false, err
		}
		v := c.Gain(next)
		if !next.Over() {
			w, known := value(next.(engine.Canonical))
			if !known {
				return nil, false, nil
			}
			if next.Turn() == c.Turn() {
				v += w
			} else {
				v -= w
			}
		}
		moves = append(moves, negamax.Move{Move: m, Value: v})
	}
	slices.SortStableFunc(moves, func(a, b negamax.Move) int { return b.Value - a.Value })
	return moves, true, nil
}

// ExactDecision is the answer where moves, best first, have known values and no
// other move is better.
func ExactDecision(q *Question, c engine.Canonical, source string, moves []negamax.Move) engine.Decision {
	d := engine.Decision{Proof: engine.Exact, Source: source, Nodes: q.Nodes}
	for _, m := range moves {
		d.Moves = append(d.Moves, engine.MoveValue{Move: c.MoveString(m.Move), Score: m.Value, Proof: engine.Exact, Source: source})
	}
	d.Move, d.Score = d.Moves[0].Move, d.Moves[0].Score
	return d
}

// AddLines shows best play of at most length moves after the first moves of a
// decision, as far as values are known.
func AddLines(ctx context.Context, d *engine.Decision, c engine.Canonical, moves []negamax.Move, length int, value func(engine.Canonical) (int, bool)) (err error) {
	for i, m := range moves {
		if d.Moves[i].Line, err = bestLine(ctx, c, m.Move, length, value); err != nil {
			return err
		}
	}
	d.Line = append([]string{d.Move}, d.Moves[0].Line...)
	return nil
}

// bestLine is best play of at most length moves after a move, always the first
// move that keeps the value. It ends earlier where a value is not known or the
// context ends: the move is worth saying without its line.
func bestLine(ctx context.Context, c engine.Canonical, m engine.Move, length int, value func(engine.Canonical) (int, bool)) ([]string, error) {
	var line []string
	for {
		next, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		if next.Over() || len(line) == length || ctx.Err() != nil {
			return line, nil
		}
		c = next.(engine.Canonical)
		moves, ok, err := MovesByValue(c, value)
		if err != nil || !ok {
			return line, err
		}
		m = moves[0].Move
		line = append(line, c.MoveString(m))
	}
}
