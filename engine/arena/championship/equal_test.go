package championship

import (
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// The teams between which only the order of names decides are named under the table, once the group
// is complete.
func TestEqualTeamsAreNamed(t *testing.T) {
	first, err := circuitwars.Game{}.Start("3x3")
	testenv.OK(t, err)
	var results []arena.Result
	for _, pair := range [][2]string{{"ada", "bob"}, {"bob", "ada"}, {"ada", "cleo"}, {"cleo", "ada"}, {"bob", "cleo"}, {"cleo", "bob"}} {
		r := arena.Result{ID: "a-" + pair[0] + "-" + pair[1], Players: pair, End: arena.Played, Winner: engine.First, Score: [2]int{2, 0}}
		if pair[1] == "ada" { // ada wins all games
			r.Winner, r.Score = engine.Second, [2]int{0, 2}
		}
		results = append(results, r)
	}
	const line = "Equal in points and ratio: bob and cleo. The order of names decides between"
	for n, want := range map[int]bool{5: false, 6: true} {
		var b strings.Builder
		o := Championship{Config: arena.Config{First: first}}.Recorded(results[:n])
		if err := o.WriteText(&b, false, 0); err != nil || strings.Contains(b.String(), line) != want {
			t.Errorf("%d games, %v: line shown %v, want %v\n%s", n, err, !want, want, &b)
		}
	}
}
