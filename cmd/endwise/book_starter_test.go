package main

import (
	"context"
	"testing"

	"endwise/book/opening"
	"endwise/cmd/endwise/books"
	"endwise/data"
	"endwise/engine/testenv"
)

// Every game has a starter book for its usual board, and nothing is wrong with any
// of them under today's rules.
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
