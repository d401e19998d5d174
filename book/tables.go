package book

import (
	"context"
	"slices"

	"endwise/engine"
)

// TableSource is the source of values in solved tables. It is used if tables contain the position and
// all positions after its moves that are not over.
type TableSource struct {
	// Value returns the exact value of a position for the side to move, and the name of the table that
	// contains it. ok is false if no table does.
	Value func(engine.Position) (value int, table string, ok bool)
}

func (TableSource) Name() string { return "table" }

func (TableSource) Stored() {}

// Improve records the values of all moves if tables contain them, and best play after the best move or,
// with Question.AllMoves, after each move. It prefers the first best move. enough is always false.
func (s TableSource) Improve(ctx context.Context, q *Question) (enough bool, err error) {
	v, name, ok := s.Value(q.Position)
	if !ok {
		return false, nil
	}
	value := func(c engine.Position) (int, bool) {
		v, _, ok := s.Value(c)
		return v, ok
	}
	moves, ok, err := movesByValue(q.Position, value)
	if err != nil || !ok {
		return false, err
	}
	q.Known.Bound(s.Name(), -Unbounded, v)
	for i, m := range moves {
		claim := Claim{Move: m.move, Lower: m.value, Upper: m.value, Note: "from the table " + name}
		if i == 0 || q.AllMoves {
			if claim.Line, err = bestLine(ctx, q.Position, m.move, value); err != nil {
				return false, err
			}
		}
		q.Known.Prove(s.Name(), claim)
	}
	q.Known.Prefer("", moves[0].move)
	return false, nil
}

// valuer returns a position's exact value for the side to move; ok is false if no table contains it.
type valuer = func(engine.Position) (value int, ok bool)

type valued struct {
	move  engine.Move
	value int
}

// movesByValue returns the moves of p with their values, the best first. ok is false if value returns
// false for a position after a move.
func movesByValue(p engine.Position, value valuer) (moves []valued, ok bool, err error) {
	for _, m := range p.Moves() {
		next, err := p.Play(m)
		if err != nil {
			return nil, false, err
		}
		v := p.Gain(next)
		if !next.Over() {
			w, found := value(next)
			if !found {
				return nil, false, nil
			}
			if next.Turn() == p.Turn() {
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

// bestLine returns best play after move m of p, with the first best move in each position. The line ends
// early, without an error, if a value is missing or ctx ends.
func bestLine(
	ctx context.Context, p engine.Position, m engine.Move, value valuer,
) (line []engine.Move, err error) {
	for {
		if p, err = p.Play(m); err != nil {
			return nil, err
		}
		if p.Over() || ctx.Err() != nil {
			return line, nil
		}
		moves, ok, err := movesByValue(p, value)
		if err != nil || !ok {
			return line, err
		}
		m = moves[0].move
		line = append(line, m)
	}
}
