package why

import "slices"

// loonyEnding returns the value of an ending that consists of isolated chains of at least three boxes
// and of isolated loops, given their lengths. The value is for the side to move, which has to open a
// chain or loop. Best play is to open the shortest chain or the shortest loop. The opponent then
// takes all its boxes and has to open the next one, or leaves the last two boxes of the chain (four
// of the loop). To leave them costs the opponent 4 (8) in the difference of boxes, but the same side
// has to open again.
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
				best = max(best, -chains[i]-max(rest, -4-rest))
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
