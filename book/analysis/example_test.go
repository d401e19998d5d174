package analysis_test

import (
	"fmt"

	"endwise/book/analysis"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// One of two games was judged: ann lost two boxes with one of four moves.
func ExampleSummarize() {
	two := 2
	first := analysis.Analysis{Players: [2]analysis.Player{{Name: "ann", Moves: 4, Evaluated: 4, Mistakes: 1, Loss: 2}, {Name: "bob", Moves: 4}}, Winner: 2}
	first.Moves = []analysis.Move{{Ply: 3, Player: 1, Loss: &two}}
	second := analysis.Analysis{Players: [2]analysis.Player{{Name: "bob"}, {Name: "ann"}}}
	for _, p := range analysis.Summarize([]analysis.Analysis{first, second}).Players {
		share, judged := p.Accuracy()
		fmt.Println(p.Name, p.Won, p.Tied, p.Lost, share, judged)
	}
	// Output:
	// ann 0 1 1 0.75 true
	// bob 1 1 0 0 false
}

// The plain format: a header, an empty line, one move per line.
func ExampleReadRecord() {
	r, err := analysis.ReadRecord("class.txt", []byte(`game: dotsandboxes
start: 1x1
player_1: Ann
player_2: Bo

h0,0
h1,0
v0,0
v0,1
`), analysis.PlainReader(dotsandboxes.Game{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	end := r.Positions[len(r.Positions)-1]
	fmt.Println(r.Players, len(r.Moves), end.Score(), engine.Winner(end))
	// Output:
	// [Ann Bo] 4 [0 1] player 2
}
