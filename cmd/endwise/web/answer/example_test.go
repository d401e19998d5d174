package answer_test

import (
	"context"
	"fmt"

	"endwise/book/analysis"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine/kayles"
)

// A question is words and parameters, wherever they come from.
func ExampleDesk_Answer() {
	desk, err := answer.NewDesk(answer.Desk{Games: []answer.Game{{Rules: analysis.Rules{Game: kayles.Game{}}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	none := func(string) string { return "" }
	v, err := desk.Answer(context.Background(), answer.Question{What: "kayles/view", Params: none, Body: "3"}, func(any) {})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.(answer.View).Position, v.(answer.View).Moves)
	_, err = desk.Answer(context.Background(), answer.Question{What: "chess/view", Params: none}, func(any) {})
	fmt.Println(err)
	// Output:
	// 3:III:1 [1 1-2 2 2-3 3]
	// unknown game "chess"
}
