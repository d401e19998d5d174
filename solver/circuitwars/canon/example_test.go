package canon_test

import (
	"fmt"

	"endwise/engine/circuitwars"
	"endwise/solver/circuitwars/canon"
)

// Two endings that look different have components of the same types, so they
// have the same key and the same value.
func ExampleKeyOf() {
	var labeler canon.Labeler
	for _, moves := range []string{"1x3 0,0,top 2,0,bottom", "1x3 2,0,top 0,0,bottom"} {
		p, err := circuitwars.Parse(moves)
		if err != nil {
			fmt.Println(err)
			return
		}
		components, err := canon.Components(p.Board(), p.Free())
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, c := range components {
			fmt.Println(len(c.Vertices), "squares", canon.KeyOf(labeler.Label(c.Code)))
		}
	}
	// Output:
	// 3 squares {6467961061282858249 5487302294318046154}
	// 3 squares {6467961061282858249 5487302294318046154}
}
