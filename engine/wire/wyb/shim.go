package wyb

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

//go:embed shim.py
var shimSource string

// ShimName is the file name of the module, different from those of the referee's modules.
const ShimName = "endwise_player.py"

// ShimMark is a sentence that every shim contains.
const ShimMark = `Written by "endwise shim watchyourback"`

// Shim returns the source of a Python module with a class Player, which runs the program next to the
// module with these arguments. pace must be the pace that the arguments set, with a limit per move.
func Shim(arguments []string, pace Pace) string {
	quoted := make([]string, len(arguments))
	for i, a := range arguments {
		quoted[i] = pythonString(a)
	}
	// Twice the longest time of a move, and more for a busy machine.
	answer := 2*pace.longest() + 4*time.Second
	return strings.NewReplacer("@ARGUMENTS@", "["+strings.Join(quoted, ", ")+"]",
		"@ANSWER@", fmt.Sprint(answer.Seconds())).Replace(shimSource)
}

// pythonString returns s as a Python string literal in ASCII. For a byte that is not UTF-8, the
// literal contains the surrogate that Python uses for such a byte in a path.
func pythonString(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\udc%02x`, s[0])
		} else {
			quoted := strconv.QuoteToASCII(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[n:]
	}
	return `"` + b.String() + `"`
}
