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

// Shim returns the source of a Python module with a Player class that runs a program
// with some arguments and asks it over the line protocol. move is the time limit per
// move that the arguments set.
func Shim(binary string, arguments []string, move time.Duration) string {
	// A Go string of ASCII characters is a Python string.
	quoted := make([]string, len(arguments))
	for i, a := range arguments {
		quoted[i] = strconv.QuoteToASCII(a)
	}
	// Twice the time of a move, and what a busy machine takes.
	answer := 2*move + 4*time.Second
	return strings.NewReplacer("@BINARY@", strconv.QuoteToASCII(binary), "@ARGUMENTS@", "["+strings.Join(quoted, ", ")+"]",
		"@ANSWER@", fmt.Sprint(answer.Seconds())).Replace(shimSource)
}
