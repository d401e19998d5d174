package kayles

import (
	"fmt"
	"strconv"

	"endwise/engine"
)

var _ engine.Pictured = Position{}

// Sizes of the picture.
const (
	step    = 0.85 // between two pins
	height  = 2.0
	pairY   = 0.3
	pinY    = 0.9
	numberY = 1.7
)

// Picture implements engine.Pictured: a circle for each pin, and above two that
// stand side by side a small one that knocks both down.
func (p Position) Picture(before engine.Position, _ engine.Move) engine.Picture {
	pic := engine.Picture{Width: step * (float64(len(p.pins)) + 1), Height: height}
	at := func(place int) float64 { return step * (float64(place) + 1) }
	from, known := before.(Position)
	stand := 0
	for i, c := range p.pins {
		if c == gap {
			continue
		}
		look := engine.Gone
		switch {
		case c == standing:
			look = engine.Open
			stand++
		case known && from.pins[i] == standing:
			look = engine.Last
		}
		pic.Add(engine.Shape{Kind: engine.Circle, Look: look, X: at(i), Y: pinY, R: 0.26, Move: p.MoveString(engine.Move(2 * i))})
		pic.Add(engine.Shape{Kind: engine.Label, X: at(i), Y: numberY, Text: strconv.Itoa(p.number(i))})
	}
	for i := range p.pins {
		if m := engine.Move(2*i + 1); p.legal(m) {
			pic.Add(engine.Shape{Kind: engine.Circle, Look: engine.Open, X: at(i) + step/2, Y: pairY, R: 0.15, Move: p.MoveString(m)})
		}
	}
	if stand > 0 {
		pic.Facts = fmt.Sprintf("Pins that stand: %d. A small circle is the two below it.", stand)
	}
	return pic
}
