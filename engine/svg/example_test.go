package svg_test

import (
	"fmt"
	"strings"

	"endwise/engine"
	"endwise/engine/svg"
)

// A picture consists of shapes; a mark adds a class of the style sheet to a move's shape.
func ExampleWrite() {
	var p engine.Picture
	p.Width, p.Height = 2, 1
	p.Add(engine.Shape{Kind: "line", X: 0.5, Y: 0.5, X2: 1.5, Y2: 0.5, Move: "h0,0"})
	var b strings.Builder
	svg.Write(&b, p, map[string]svg.Mark{"h0,0": {Class: "best"}})
	fmt.Println(svg.ViewBox(p))
	fmt.Println(strings.TrimSpace(b.String()))
	// Output:
	// 0 0 200 100
	// <line class="line best" x1="65" y1="50" x2="135" y2="50"/>
}
