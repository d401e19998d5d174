package main

import (
	"context"
	"errors"
	"testing"

	"endwise/book/opening"
	"endwise/cmd/endwise/books"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/testenv"
)

// Every game has a starter book for its usual board, and each is sound under the current
// rules.
func TestStarterBooksAreSound(t *testing.T) {
	t.Parallel()
	for _, g := range games() {
		names, err := opening.StarterBooks(data.Books(), g.Name())
		testenv.OK(t, err)
		board, err := books.BoardName(g, "")
		testenv.OK(t, err)
		usual := false
		for _, name := range names {
			usual = usual || name == opening.TableName(g.Name(), board)
			path, err := opening.Unpack(data.Books(), name, t.TempDir())
			testenv.OK(t, err)
			if board != "" && name != opening.TableName(g.Name(), board) && !testenv.Deep() {
				continue // endwise verify reads all of them in CI
			}
			n, err := opening.CheckPublished(context.Background(), path, g.Game, func(err error) { t.Errorf("%s: %s", name, err) }, nil)
			if err != nil || n < 500 && name == opening.TableName(g.Name(), board) {
				t.Errorf("%s: %d positions (%v)", name, n, err)
			}
		}
		if !usual {
			t.Errorf("%s: no starter book of %s among %v", g.Name(), board, names)
		}
	}
}

// A new book has what the embedded book of its board says, position by position, and
// nothing is wrong with it; an existing one is left as it is.
func TestBooksBeginWithTheEmbeddedOne(t *testing.T) {
	t.Parallel()
	for _, g := range games() {
		names, err := opening.StarterBooks(data.Books(), g.Name())
		testenv.OK(t, err)
		for _, name := range names {
			path, err := opening.Unpack(data.Books(), name, t.TempDir())
			testenv.OK(t, err)
			embedded, err := opening.OpenPublished(path, g.Game)
			testenv.OK(t, err)
			dir, board := t.TempDir(), embedded.Board()
			begun, err := opening.OpenFrom(t.Context(), dir, g.Game, board, embedded)
			testenv.OK(t, err)
			n, wrong := 0, 0
			testenv.OK(t, embedded.Each(t.Context(), func(p engine.Position, e opening.Entry) error {
				n++
				if got, _, ok, err := begun.Lookup(p); (!ok || err != nil || got != e) && wrong < 3 {
					wrong++
					t.Errorf("%s: %s: %+v (%v), want %+v", name, p, got, err, e)
				}
				return nil
			}))
			if n == 0 || begun.Len() != n {
				t.Errorf("%s: %d positions, want %d", name, begun.Len(), n)
			}
			testenv.OK(t, begun.Close())
			checked, err := opening.Check(t.Context(), dir, g.Game, func(p opening.Problem) { t.Errorf("%s: %s", name, p) })
			if err != nil || checked != n {
				t.Errorf("%s: %d positions checked of %d (%v)", name, checked, n, err)
			}
			old := t.TempDir()
			empty, err := opening.Open(old, g.Game, board)
			testenv.OK(t, err)
			testenv.OK(t, empty.Close())
			again, err := opening.OpenFrom(t.Context(), old, g.Game, board, embedded)
			testenv.OK(t, err)
			if again.Len() != 0 {
				t.Errorf("%s: an existing book gets %d positions", name, again.Len())
			}
			testenv.OK(t, errors.Join(again.Close(), embedded.Close()))
		}
	}
}
