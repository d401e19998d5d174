package dotsandboxes

import (
	"fmt"
	"slices"
	"strings"

	"endwise/engine/grid"
)

// starts are the named starts: no line drawn, the bottom and left border lines, or all
// border lines.
var starts = []string{"american", "icelandic", "swedish"}

// startNamed reports whether a word names a start.
func startNamed(word string) bool { return slices.Contains(starts, strings.ToLower(word)) }

// startOf returns the position before the first move of a named start.
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
