package web

import (
	"fmt"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// DotsAndBoxes is the page where people and agents play Dots and Boxes.
const DotsAndBoxes = "dotsandboxes.html"

// DrawDotsAndBoxes draws a position of Dots and Boxes.
func DrawDotsAndBoxes(p, before engine.Position, last engine.Move) (Drawing, error) {
	q, ok := p.(dotsandboxes.Position)
	if !ok {
		return Drawing{}, fmt.Errorf("a position of %s where one of Dots and Boxes is expected", p.Game())
	}
	line := -1
	if before != nil {
		line = int(last)
	}
	owner := func(box int) int {
		if o := q.Owner(box); o != engine.None {
			return int(o)
		}
		if q.Completed(box) {
			return 3
		}
		return 0
	}
	return Drawing{
		Segments: segmentsOf(q, q.Board(), q.Drawn(), q.Free(), owner, line),
		Twins:    twinsOf(q, q.Board(), q.Free()),
		News:     captured(before, p, "box", "boxes"),
	}, nil
}
