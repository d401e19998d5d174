package dotsandboxes

import (
	"fmt"
	"slices"
	"strings"

	"endwise/engine/grid"
)

// starts are the named starts: without drawn lines, with the border lines at the bottom and left,
// and with all border lines.
var starts = []string{"american", "icelandic", "swedish"}

func isStart(word string) bool { return slices.Contains(starts, strings.ToLower(word)) }

// isName reports whether a word consists of four or more letters.
func isName(word string) bool {
	return len(word) > 3 && strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz") == ""
}

func unknownStart(word string) error {
	return fmt.Errorf("start %.40q: known starts: %s", word, strings.Join(starts, ", "))
}

// startOf returns the position before the first move on b with a named start in lower case; ""
// means no line is drawn. It returns an error if the start would complete a box.
func startOf(b *grid.Board, name string) (Position, error) {
	p := New(b)
	for s := range b.Segments() {
		r, c, horizontal := b.Line(s)
		bottomLeft := horizontal && r == b.Rows || !horizontal && c == 0
		topRight := horizontal && r == 0 || !horizontal && c == b.Cols
		if bottomLeft && name == "icelandic" || (bottomLeft || topRight) && name == "swedish" {
			p.drawn.Add(s)
		}
	}
	if len(p.completed()) > 0 {
		return p, fmt.Errorf("start %s: completes the box of a %s board", name, b)
	}
	return p, nil
}
