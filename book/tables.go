package book

import (
	"context"
	"slices"

	"endwise/engine"
)

// TableSource is the source of values in solved tables. It is used if tables contain the
// position and all positions after its moves.
type TableSource struct {
	// Value returns the exact value of a position for the side to move, and the name of the
	// table that contains it. ok is false if no table does.
	Value func(engine.Position) (value int, table string, ok bool)
}

// Name implements [Source].
func (TableSource) Name() string { return "table" }

// Stored implements [Stored].
func (TableSource) Stored() {}

// Improve records the values of all moves if tables contain them. enough is always false:
// [Known.Settled] reports whether other sources are needed.
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
	return false, proveValues(ctx, s.Name(), q, moves, "from the table "+name, value)
}

// valuer returns the exact value of a position that is not over, for the side to move. ok is
// false if no table contains the position.
type valuer = func(engine.Position) (value int, ok bool)

// valued is a legal move and its exact value for the side that plays it.
type valued struct {
	move  engine.Move
	value int
}

// movesByValue returns the moves of a position with their values, best first; moves of equal
// value stay in the order of Moves. ok is false if value has none for a position after a move.
func movesByValue(c engine.Position, value valuer) (moves []valued, ok bool, err error) {
	for _, m := range c.Moves() {
		next, err := c.Play(m)
		if err != nil {
			return nil, false, err
		}
		v := c.Gain(next)
		if !next.Over() {
			w, found := value(next)
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

// proveValues records the values of moves, which are sorted best first, with the given source
// and note. For the best move, or for each move with Question.AllMoves, it also records best
// play after the move, which it computes with value. It prefers the first of moves.
func proveValues(
	ctx context.Context, source string, q *Question, moves []valued, note string, value valuer,
) error {
	for i, m := range moves {
		claim := Claim{Move: m.move, Lower: m.value, Upper: m.value, Note: note}
		if i == 0 || q.AllMoves {
			line, err := bestLine(ctx, q.Position, m.move, value)
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

// bestLine returns best play after move m of c, with the first best move in each position. The
// line ends early, without an error, if a value is missing or ctx ends.
func bestLine(
	ctx context.Context, c engine.Position, m engine.Move, value valuer,
) (line []engine.Move, err error) {
	for {
		next, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		if next.Over() || ctx.Err() != nil {
			return line, nil
		}
		c = next
		moves, ok, err := movesByValue(c, value)
		if err != nil || !ok {
			return line, err
		}
		m = moves[0].move
		line = append(line, m)
	}
}
