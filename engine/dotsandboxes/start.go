package dotsandboxes

import (
	"fmt"
	"slices"
	"strings"

	"endwise/engine/grid"
)

// starts are the named starts. The first has no line drawn, the second the border lines at
// the bottom and left, the third all border lines.
var starts = []string{"american", "icelandic", "swedish"}

// isStart reports whether a word names a start.
func isStart(word string) bool { return slices.Contains(starts, strings.ToLower(word)) }

// startOf returns the position before the first move on b with a named start in lower case; ""
// means no line is drawn. It returns an error if the start would complete a box.
func startOf(b *grid.Board, name string) (Position, error) {
	p := New(b)
	if name == "icelandic" || name == "swedish" {
		for c := range b.Cols {
			p.drawn.Add(b.H(b.Rows, c))
		}
		for r := range b.Rows {
			p.drawn.Add(b.V(r, 0))
		}
	}
	if name == "swedish" {
		for c := range b.Cols {
			p.drawn.Add(b.H(0, c))
		}
		for r := range b.Rows {
			p.drawn.Add(b.V(r, b.Cols))
		}
	}
	if p.completed() > 0 {
		return p, fmt.Errorf("start %s: completes the box of a %s board", name, b)
	}
	return p, nil
}
