package engine

import (
	"fmt"
	"strings"
)

// Notations are the notations that [Write] supports for every game.
var Notations = []string{"position", "drawing", "record"}

// Write implements [Game].Write for [Notations].
func Write(g Game, notation string, start Position, moves []Move) (string, error) {
	end, err := PlayAll(start, moves)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	switch notation {
	case "position":
		return end.String(), nil
	case "drawing":
		err := end.Draw(&b, DrawStyle{})
		return b.String() + PositionWord + end.String(), err
	case "record":
		fmt.Fprintf(&b, "game: %s\nstart: %s\n", g.Name(), start)
		if end.Over() {
			fmt.Fprintf(&b, "winner: %d\nscore: %d-%d\nend: played\n", Winner(end), end.Score()[0], end.Score()[1])
		}
		b.WriteString("\n")
		for _, m := range moves {
			b.WriteString(start.MoveString(m) + "\n")
			start, _ = start.Play(m) // PlayAll has checked the moves
		}
		return b.String(), nil
	}
	return "", fmt.Errorf("notation %.40q: want %s", notation, strings.Join(g.Notations(), ", "))
}
