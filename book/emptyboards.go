package book

import (
	"context"
	"slices"

	"endwise/data"
	"endwise/engine"
	"endwise/engine/grid"
)

// EmptyBoards is the source of the values of empty boards: values that have a certificate, values that
// a solve has left in the store, and the values of data/results/values.csv, which are cited and not
// used as bounds ([Known.Cite]). It does not prove which move reaches the value.
type EmptyBoards struct {
	Game  engine.Game
	Store string // directory, "" for none
	// Solved returns the bounds of an empty board's value that a solve has left in a store.
	Solved func(store string, b *grid.Board) (BoardValue, error)
}

func (EmptyBoards) Name() string { return "empty board" }

func (EmptyBoards) Stored() {}

// Improve records the values of q.Position, if it is an empty board, and those of the board turned by
// 90 degrees. enough is always false.
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
	if s.Store != "" {
		s.recordSolved(ctx, q.Known, b, turned)
	}
	for _, v := range data.Values() {
		sameBoard := v.Game == s.Game.Name() && v.Empty() && slices.Contains(names, v.Board)
		if sameBoard && !v.Certificate {
			note := "the value was proved in earlier runs, not now: see data/results/values.csv"
			if v.Known != "" {
				note += "; known before: " + v.Known
			}
			q.Known.Cite(v.Value, note)
		}
	}
	return false, nil
}

func (s EmptyBoards) recordSolved(ctx context.Context, k *Known, boards ...*grid.Board) {
	for _, b := range slices.Compact(boards) { // a square board is its own turned board
		if ctx.Err() != nil {
			return
		}
		v, err := s.Solved(s.Store, b)
		if err != nil {
			k.log.Warn("value of the board ignored", "why", err)
			continue
		}
		k.Bound("solved here", v.Lower, v.Upper)
	}
}
