package answer_test

import (
	"fmt"

	"endwise/book/analysis"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// Values read the same on pages, in reports and in the terminal.
func ExampleGame_Value() {
	g := answer.Game{Rules: analysis.Rules{Game: dotsandboxes.Game{}, Scored: true, Unit: "box", Units: "boxes", EstimateScale: 1}}
	fmt.Println(g.Value(3, engine.Exact), g.Value(1, engine.Lower), g.Value(-2, engine.Estimate))
	fmt.Println(answer.Signed(-4))
	// Output:
	// +3 +1 -2
	// -4
}
