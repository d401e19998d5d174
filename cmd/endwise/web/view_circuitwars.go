package web

import (
	"fmt"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// CircuitWars is the page of a live game on the Circuit Wars server.
const CircuitWars = "circuitwars.html"

// DrawCircuitWars draws a position of Circuit Wars.
func DrawCircuitWars(p, before engine.Position, last engine.Move) (Drawing, error) {
	q, ok := p.(circuitwars.Position)
	if !ok {
		return Drawing{}, fmt.Errorf("a position of %s where one of Circuit Wars is expected", p.Game())
	}
	segment := -1
	if before != nil {
		segment = int(last)
	}
	owner := func(sq int) int {
		switch o, known := q.Owner(sq); {
		case !q.Captured(sq):
			return 0
		case !known:
			return 3
		default:
			return int(o)
		}
	}
	return Drawing{
		Segments: segmentsOf(q, q.Board(), q.Drawn(), q.Free(), owner, segment),
		Twins:    twinsOf(q, q.Board(), q.Free()),
		News:     captured(before, p, "square", "squares"),
	}, nil
}
