package why

import (
	"fmt"
	"slices"
	"strings"

	"endwise/engine"
)

// loonyEnding returns the value, for the side to move, of an ending that consists of isolated chains
// and isolated loops of the given lengths. The side to move has to open one: best is the shortest chain
// or the shortest loop. The opponent then takes all its boxes and has to open the next one, or leaves
// the last two boxes of the chain (four of the loop). To leave them costs the opponent 4 (8) in the
// difference of boxes, but the same side has to open again. No box of a chain of one or two is left.
func loonyEnding(chains, loops []int) int {
	chains, loops = slices.Sorted(slices.Values(chains)), slices.Sorted(slices.Values(loops))
	value := make([][]int, len(chains)+1) // by the numbers of chains and loops opened
	for i := len(chains); i >= 0; i-- {
		value[i] = make([]int, len(loops)+1)
		for j := len(loops); j >= 0; j-- {
			if i == len(chains) && j == len(loops) {
				continue
			}
			best := -1 << 20 // less than every value
			if i < len(chains) {
				rest := value[i+1][j]
				if chains[i] >= 3 {
					rest = max(rest, -4-rest)
				}
				best = -chains[i] - rest
			}
			if j < len(loops) {
				rest := value[i][j+1]
				best = max(best, -loops[j]-max(rest, -8-rest))
			}
			value[i][j] = best
		}
	}
	return value[0][0]
}

// bestOpenings describes best play in an ending that consists of chains and loops: who opens which
// one, and the difference of boxes that this gives to the side to move, me.
func bestOpenings(chains, loops []int, me engine.Side) string {
	chains, loops = slices.Sorted(slices.Values(chains)), slices.Sorted(slices.Values(loops))
	var out []string
	for opener := me; len(chains)+len(loops) > 0; {
		kind, lengths, leave := chainPart, &chains, 2
		if len(loops) > 0 {
			rest := loonyEnding(chains, loops[1:])
			if loonyEnding(chains, loops) == -loops[0]-max(rest, -8-rest) { // opening a loop is best
				kind, lengths, leave = loopPart, &loops, 4
			}
		}
		n := (*lengths)[0]
		*lengths = (*lengths)[1:]
		text, next := fmt.Sprintf("%s opens a %s of %d", opener, kind, n), opener.Other()
		if n >= 3 && -leave > loonyEnding(chains, loops) {
			text += fmt.Sprintf(" and %s leaves %d of it", next, leave)
			n, next = n-2*leave, opener
		}
		if opener == me {
			n = -n
		}
		out, opener = append(out, fmt.Sprintf("%s (%s)", text, signed(n))), next
	}
	return strings.Join(out, ", ")
}

// controlValue returns the value of an ending for the opponent of the side to move if the opponent
// keeps control: it leaves two boxes of every chain and four of every loop except the last one, which
// is a chain if there is one. The ending must not be empty.
func controlValue(chains, loops []int) int {
	v := 4
	if len(chains) == 0 {
		v = 8
	}
	for _, c := range chains {
		v += c - 4
	}
	for _, l := range loops {
		v += l - 8
	}
	return v
}
