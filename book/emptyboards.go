package book

import (
	"context"
	"slices"

	"endwise/data"
	"endwise/engine"
	"endwise/engine/grid"
	"endwise/solver"
)

// EmptyBoards is the source of the values of empty boards: values that have a certificate,
// values that a solve has left in the store, and values published in the literature. It
// proves the value of the position, but not which move reaches it.
type EmptyBoards struct {
	Game engine.Game
	// Store is the directory of the store, "" for none.
	Store string
	// Solved returns the bounds of an empty board's value that a solve has left in a store.
	Solved func(store string, b *grid.Board) (solver.Bounds, error)
}

// Name returns "empty board"; each value carries the name of its own source.
func (EmptyBoards) Name() string { return "empty board" }

// Stored implements [Stored].
func (EmptyBoards) Stored() {}

// Improve records the known values of q.Position, if it is an empty board. The board turned by
// 90 degrees has the same value.
func (s EmptyBoards) Improve(ctx context.Context, q *Question) (enough bool, err error) {
	p, ok := q.Position.(interface {
		Board() *grid.Board
		Free() grid.Set
	})
	if !ok || p.Free() != p.Board().All() {
		return false, nil
	}
	b := p.Board()
	turned, err := grid.New(b.Cols, b.Rows)
	if err != nil {
		return false, err
	}
	names := []string{b.String(), turned.String()}
	for _, c := range data.Certificates() {
		if c.Game == s.Game.Name() && slices.Contains(names, c.Board) {
			q.Known.Bound("certificate", c.Value, c.Value)
		}
	}
	boards := []*grid.Board{b, turned}
	for _, board := range slices.Compact(boards) { // a square board is its own turned board
		if s.Store == "" || ctx.Err() != nil {
			break
		}
		v, err := s.Solved(s.Store, board)
		if err != nil {
			q.Known.log.Warn("value of the board ignored", "why", err)
			continue
		}
		q.Known.Bound("solved here", v.Lower, v.Upper)
	}
	for _, v := range data.Values() {
		if v.Game == s.Game.Name() && v.Empty() && !v.Certificate && slices.Contains(names, v.Board) {
			by := "Endwise, data/results/values.csv"
			if v.Known != "" {
				by = v.Known + "; " + by
			}
			q.Known.Cite(v.Value, "published value: "+by)
		}
	}
	return false, nil
}
