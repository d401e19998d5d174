package wyb_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"endwise/engine/levels"
	"endwise/engine/wire/wyb"
)

// A bot answers each line of the referee with one line.
func ExampleBot() {
	level, err := levels.NewWatchYourBack("mirror", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	questions := strings.NewReader(`{"type":"start","colour":"black"}
{"type":"update","action":[3,4]}
{"type":"action","turns":1}
{"type":"update","action":[0,0]}
{"type":"end","winner":"black"}
`)
	bot := wyb.Bot{Player: level}
	if err := bot.Serve(context.Background(), questions, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"type":"ready"}
	// {"type":"ok"}
	// {"type":"action","action":[4,3]}
	// {"type":"error","text":"update (0, 0): illegal move: (0,0) is a corner"}
}
