package wyb_test

import (
	"context"
	"fmt"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/levels"
	"endwise/engine/wire/wyb"
)

// Two built-in opponents play under the referee.
func ExampleReferee() {
	player := func(name string) arena.Participant {
		return arena.Participant{Name: name, Open: func(_ context.Context, s arena.Setup) (engine.Player, error) {
			return levels.NewWatchYourBack(name, s.Seed)
		}}
	}
	r, err := wyb.Referee{}.Play(context.Background(), player("look-ahead"), player("random"), 1)
	fmt.Println(r.Winner, r.Last.Over(), err)
	// Output: player 1 true <nil>
}
