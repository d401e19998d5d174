package book

import (
	"context"

	"endwise/engine"
)

// tableSource answers from solved tables where these know the position and all
// positions one move later.
type tableSource struct {
	// know gives the exact value of a position for its mover, and the name of
	// the table that knows it; ok is false where none does.
	know func(engine.Canonical) (value int, table string, ok bool)
}

func (tableSource) Name() string { return "table" }

func (s tableSource) Answer(ctx context.Context, q *Question) (engine.Decision, bool, error) {
	c, err := canonical(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	_, name, ok := s.know(c)
	if !ok {
		return engine.Decision{}, false, nil
	}
	moves, ok, err := movesByValue(c, s.value)
	if err != nil || !ok || len(moves) == 0 {
		return engine.Decision{}, false, err
	}
	d := engine.Decision{Source: s.Name(), Proof: engine.Exact, Nodes: q.Nodes, Note: "from the table " + name}
	for i, m := range moves {
		v := engine.MoveValue{Move: c.MoveString(m.Move), Score: m.Value, Proof: engine.Exact, Source: s.Name()}
		if i == 0 || q.AllMoves {
			if v.Line, err = s.line(ctx, c, m.Move); err != nil {
				return engine.Decision{}, false, err
			}
		}
		d.Moves = append(d.Moves, v)
	}
	d.Move, d.Score = d.Moves[0].Move, d.Moves[0].Score
	d.Line = append([]string{d.Move}, d.Moves[0].Line...)
	return d, true, nil
}

func (s tableSource) value(c engine.Canonical) (int, bool) {
	v, _, ok := s.know(c)
	return v, ok
}

// line is best play after a move to the end, always the first move that keeps
// the value. It ends earlier where a table is left out on the way.
func (s tableSource) line(ctx context.Context, c engine.Canonical, m engine.Move) ([]string, error) {
	var line []string
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		if next.Over() {
			return line, nil
		}
		c = next.(engine.Canonical)
		moves, ok, err := movesByValue(c, s.value)
		if err != nil || !ok {
			return line, err
		}
		m = moves[0].Move
		line = append(line, c.MoveString(m))
	}
}
