package lines_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
	"endwise/engine/wire/lines"
)

// Any program can ask for moves: a line of JSON in, a line out, matched by the id.
func ExampleServe() {
	player, err := levels.New(2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	questions := strings.NewReader(`{"id": 7, "position": "2x2 h0,0"}` + "\n" + `{"id": 8, "position": "2x2 h9,9"}` + "\n")
	var answers strings.Builder
	err = lines.Serve(context.Background(), questions, &answers, dotsandboxes.Game{}, player, false)
	for line := range strings.Lines(answers.String()) {
		fmt.Fprintf(os.Stdout, "%.50s\n", strings.TrimSpace(line))
	}
	fmt.Println(err)
	// Unordered output:
	// {"id":8,"error":"move 1: line h9,9: outside the 2x
	// {"id":7,"move":"v1,1","score":0,"proof":"estimate"
	// <nil>
}
