package lenient_test

import (
	"fmt"

	"endwise/engine/wire/lenient"
)

// The move needs the location but not the score.
func Example() {
	var m struct {
		Game     lenient.Text
		Location []lenient.Number
		Score    []lenient.Number
	}
	odd, err := lenient.Unmarshal([]byte(`{"game":17,"location":["2",1.0],"score":"none"}`), &m)
	row, ok := m.Location[0].Whole()
	fmt.Println(m.Game, m.Location, row, ok, err)
	fmt.Println(odd)
	// Output:
	// 17 ["2" 1.0] 2 true <nil>
	// Score: a string is not expected there
}
