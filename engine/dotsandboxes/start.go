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

// isName reports whether a word can be the name of a start: four or more letters.
func isName(word string) bool {
	return len(word) > 3 && strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz") == ""
}

// unknownStart returns the error for a word that is not the name of a start.
func unknownStart(word string) error {
	return fmt.Errorf("start %.40q: known starts: %s", word, strings.Join(starts, ", "))
}

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
	if len(p.completed()) > 0 {
		return p, fmt.Errorf("start %s: completes the box of a %s board", name, b)
	}
	return p, nil
}
