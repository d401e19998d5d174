package championship_test

import (
	"fmt"

	"endwise/engine/arena"
	"endwise/engine/arena/championship"
)

// Two teams played once from either side; their points are equal, so the score ratio ranks
// them.
func ExampleTable() {
	results := []arena.Result{
		{Players: [2]string{"red", "blue"}, Winner: 1, Score: [2]int{30, 19}, End: arena.Played},
		{Players: [2]string{"blue", "red"}, Winner: 1, Score: [2]int{26, 23}, End: arena.Played},
	}
	for _, s := range championship.Table([]string{"blue", "red"}, results, []int{2, 1}) {
		fmt.Println(s.Place, s.Team, s.Won, s.Lost, s.For, s.Against, s.Bonus)
	}
	// Output:
	// 1 red 1 1 53 45 2
	// 2 blue 1 1 45 53 1
}
