package wyb

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"
)

//go:embed shim.py
var shimSource string

// ShimName is the file that Shim is the content of. Modules of common names
// would be shadowed by the referee's own.
const ShimName = "endwise_player.py"

// ShimMark is a sentence that every shim contains.
const ShimMark = `Written by "endwise shim watchyourback"`

// ShimConfig is what a shim knows of the program that it asks.
type ShimConfig struct {
	Binary    string
	Arguments []string
	// Move is the most for a move, Game the processor time for a game, 0 for no
	// limit; the program is told the rest of it where it had to be started again.
	Move, Game time.Duration
}

// Shim is a Python module with a Player class that runs a program and asks it
// over the line protocol.
func Shim(c ShimConfig) string {
	// A Go string of ASCII characters is a Python string.
	arguments := make([]string, len(c.Arguments))
	for i, a := range c.Arguments {
		arguments[i] = strconv.QuoteToASCII(a)
	}
	// Twice the time of a move, and what a busy machine takes.
	answer := 2*c.Move + 4*time.Second
	return strings.NewReplacer("@BINARY@", strconv.QuoteToASCII(c.Binary), "@ARGUMENTS@", "["+strings.Join(arguments, ", ")+"]",
		"@GAME_TIME@", fmt.Sprint(c.Game.Seconds()), "@ANSWER@", fmt.Sprint(answer.Seconds())).Replace(shimSource)
}
