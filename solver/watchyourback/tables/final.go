package tables

import (
	"math"
	"math/bits"
	"slices"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
)

// Final contains the values of the positions on the 4x4 board in which each side has at least two
// pieces and no piece is surrounded. own are the pieces of the side to move, opp those of its
// opponent. A position in which neither side can force a win is a tie. The distance of a win or
// loss is the number of turns to the end of the game if the winner minimises this number and the
// loser maximises it. A Final is immutable.
type Final struct {
	// value has, by finalIndex, the distance of a win, negative for a loss, 0 for a tie, or noEntry.
	value [finalSize]int8
	// advance contains, by finalIndex, the number of turns in which the winner of a position can
	// force progress: the end of the game, or an elimination after which the winner still wins. It
	// is negative for a loss and 0 for a tie.
	advance [finalSize]int8
}

const (
	finalSquares = 12     // playable squares
	finalSize    = 531441 // 3^12
	noEntry      = -128   // not in a Final
)

// ternary[m] is the base-3 number with digit 1 for each bit of m.
var ternary = func() (t [1 << finalSquares]uint32) {
	for m := range t {
		t[m] = 3*t[m>>1] + uint32(m&1)
	}
	return t
}()

// squeeze12 maps the playable 4x4 squares of an 8x8 set to bits 0..11, row by row.
func squeeze12(s uint64) uint32 {
	return uint32(s>>19&3 | s>>26&15<<2 | s>>34&15<<6 | s>>43&3<<10)
}

// finalIndex returns the base-3 number with digit 1 for squares of own and 2 for those of opp.
func finalIndex(own, opp uint64) uint32 {
	return ternary[squeeze12(own)] + 2*ternary[squeeze12(opp)]
}

// Probe returns the value of a position, 1, 0 or -1, and the distance of a win or loss. The limit
// of quiet turns does not apply. ok is false if f does not contain the position.
func (f *Final) Probe(own, opp uint64) (value, distance int, ok bool) {
	if (own|opp)&^wyb.Playable(wyb.Final) != 0 || own&opp != 0 {
		return 0, 0, false
	}
	v := int(f.value[finalIndex(own, opp)])
	switch {
	case v == noEntry:
		return 0, 0, false
	case v > 0:
		return 1, v, true
	case v < 0:
		return -1, -v, true
	}
	return 0, 0, true
}

// Within returns the results of Probe for a game with the limit of quiet turns: the game is a tie
// after [wyb.QuietLimit] consecutive turns without an elimination. left, at least 1, is the number
// of turns before the limit is reached if no further piece is eliminated.
//
// The limit changes some wins and losses to ties, and nothing else. A win remains a win if and only
// if the winner can force progress (Final.advance) in at most left turns: wyb.QuietLimit turns
// after an elimination exceed the distance of any win. A distance of at most left does not change.
func (f *Final) Within(own, opp uint64, left int) (value, distance int, ok bool) {
	value, distance, ok = f.Probe(own, opp)
	if !ok || distance <= left {
		return value, distance, ok
	}
	if f.tooLate(own, opp, left) {
		return 0, 0, true
	}
	return value, f.distanceWithin(own, opp, left, map[limited]int{}), true
}

// tooLate reports whether the limit changes a win or loss to a tie; left is as in Within.
func (f *Final) tooLate(own, opp uint64, left int) bool {
	n := int(f.advance[finalIndex(own, opp)])
	return max(n, -n) > left
}

type limited struct {
	index uint32
	left  int
}

// distanceWithin returns the distance of a win or loss that the limit does not change to a tie; left
// is as in Within. It exceeds Probe's if an elimination must come first.
func (f *Final) distanceWithin(own, opp uint64, left int, memo map[limited]int) int {
	value, distance, _ := f.Probe(own, opp)
	if distance <= left {
		return distance
	}
	key := limited{finalIndex(own, opp), left}
	if d, ok := memo[key]; ok {
		return d
	}
	var buf [64]engine.Move
	steps := wyb.AppendSteps(buf[:0], own, opp, wyb.Final)
	if len(steps) == 0 {
		steps = append(steps, wyb.Forfeit)
	}
	best := 0
	for _, m := range steps {
		ownAfter, oppAfter, leftAfter := own, opp, left-1
		if m != wyb.Forfeit {
			ownAfter, oppAfter = wyb.MoveStep(own, opp, m, wyb.Final)
		}
		d := 1
		v, over := wyb.Result(ownAfter, oppAfter)
		if !over {
			if bits.OnesCount64(ownAfter|oppAfter) < bits.OnesCount64(own|opp) {
				leftAfter = wyb.QuietLimit
			}
			v, _, _ = f.Probe(oppAfter, ownAfter)
			if v = -v; v != value || f.tooLate(oppAfter, ownAfter, leftAfter) {
				continue
			}
			d += f.distanceWithin(oppAfter, ownAfter, leftAfter, memo)
		}
		better := best == 0 || value > 0 && d < best || value < 0 && d > best
		if v == value && better {
			best = d
		}
	}
	memo[key] = best
	return best
}

// A child, the position after a move, is encoded as its finalIndex for the opponent, plus eliminates
// if the move eliminates a piece. If the game is over, it is ended plus the result for the mover.
const (
	ended      = -2
	eliminates = 1 << 30
)

// finalNode is a position without a value yet. Its children are children[first:last]; see finalNodes.
type finalNode struct {
	index       uint32
	first, last uint32
}

// finalNodes returns the positions of a Final and their children.
func finalNodes() (nodes []finalNode, children []int32) {
	all := uint32(1<<finalSquares - 1)
	for o := range all + 1 {
		if bits.OnesCount32(o) < 2 {
			continue
		}
		own := widen12(o)
		for p := all &^ o; p != 0; p = (p - 1) & (all &^ o) {
			if bits.OnesCount32(p) < 2 {
				continue
			}
			opp := widen12(p)
			if wyb.Surrounded(own, opp, wyb.Final) != 0 {
				continue
			}
			n := finalNode{index: ternary[o] + 2*ternary[p], first: uint32(len(children))}
			children = appendFinalChildren(children, own, opp)
			n.last = uint32(len(children))
			nodes = append(nodes, n)
		}
	}
	return nodes, children
}

// NewFinal computes the values of all positions on the 4x4 board.
func NewFinal() *Final {
	f := new(Final)
	for i := range f.value {
		f.value[i] = noEntry
	}
	nodes, children := finalNodes()
	for _, n := range nodes {
		f.value[n.index] = 0
	}
	result := func(c int32) int32 {
		if c < 0 {
			return c - ended
		}
		return -int32(f.value[c&^eliminates])
	}
	settle(&f.value, slices.Clone(nodes), children, result)
	settle(&f.advance, nodes, children, func(c int32) int32 {
		if c < 0 || c&eliminates != 0 { // progress, if the value stays
			return result(c)
		}
		return -int32(f.advance[c])
	})
	return f
}

// settle computes the distances of nodes by retrograde analysis: positive for a win, negative for a
// loss, unchanged for a tie. result returns the present result of a child for the side that moved:
// positive for a win, negative for a loss, 0 if undecided. settle overwrites nodes.
//
// Round d = 1, 2, … decides the positions with distance d: wins by a positive result, losses by
// negative results only. After a round that decides no position, the remaining positions are ties.
func settle(distances *[finalSize]int8, nodes []finalNode, children []int32, result func(child int32) int32) {
	type decision struct {
		index uint32
		value int8
	}
	for d := 1; len(nodes) > 0; d++ {
		rest := nodes[:0]
		var now []decision
		for _, n := range nodes {
			best := int32(math.MinInt32)
			for _, c := range children[n.first:n.last] {
				if best = max(best, result(c)); best > 0 {
					break
				}
			}
			switch {
			case best > 0:
				now = append(now, decision{n.index, int8(d)})
			case best < 0:
				now = append(now, decision{n.index, int8(-d)})
			default:
				rest = append(rest, n)
			}
		}
		for _, v := range now {
			distances[v.index] = v.value
		}
		nodes = rest
		if len(now) == 0 {
			break
		}
	}
}

func widen12(m uint32) uint64 {
	w := uint64(m)
	return w&3<<19 | w>>2&15<<26 | w>>6&15<<34 | w>>10&3<<43
}

// appendFinalChildren appends the children of a position, encoded as above.
func appendFinalChildren(list []int32, own, opp uint64) []int32 {
	var buf [64]engine.Move
	steps := wyb.AppendSteps(buf[:0], own, opp, wyb.Final)
	if len(steps) == 0 { // a forfeit
		return append(list, int32(finalIndex(opp, own)))
	}
	pieces := bits.OnesCount64(own | opp)
	for _, m := range steps {
		o, p := wyb.MoveStep(own, opp, m, wyb.Final)
		if value, over := wyb.Result(o, p); over {
			list = append(list, int32(ended+value))
		} else if child := int32(finalIndex(p, o)); bits.OnesCount64(o|p) < pieces {
			list = append(list, child|eliminates)
		} else {
			list = append(list, child)
		}
	}
	return list
}
