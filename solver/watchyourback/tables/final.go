package tables

import (
	"math/bits"
	"slices"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
)

// Final contains the value and distance of every position on the 4x4 board in which both
// sides have at least two pieces and none is surrounded. A position is own pieces and
// opponent's pieces, own to move. The number of turns does not matter, so play can cycle; a
// position in which neither side can force a win is a tie.
//
// A Final is immutable and can be shared.
type Final struct {
	// value is indexed by the base-3 number of the twelve squares (0 empty, 1 own, 2
	// opponent): distance of a win, minus the distance of a loss, 0 for a tie, noEntry for
	// an unreachable position.
	value [finalSize]int8
	// advance has the same index and signs: the number of turns within which the winner
	// forces the end, or an elimination that keeps the win; see Within.
	advance [finalSize]int8
}

const (
	finalSquares = 12
	finalSize    = 531441 // 3^12
	noEntry      = -128
)

// ternary[m] is the base-3 number with digit 1 for each bit of m.
var ternary = func() (t [1 << finalSquares]uint32) {
	for m := range t {
		t[m] = 3*t[m>>1] + uint32(m&1)
	}
	return t
}()

// squeeze12 maps the playable 4x4 squares of an 8x8 set, rows of 2, 4, 4 and 2 squares, to
// bits 0..11.
func squeeze12(s uint64) uint32 {
	return uint32(s>>19&3 | s>>26&15<<2 | s>>34&15<<6 | s>>43&3<<10)
}

// finalIndex returns the index of a position of the 4x4 stage.
func finalIndex(own, opp uint64) uint32 {
	return ternary[squeeze12(own)] + 2*ternary[squeeze12(opp)]
}

// Probe returns the value of a 4x4 position for the side to move, 1, 0 or -1, and for a win
// or loss the number of turns to the end under best play, in which the winner minimises and
// the loser maximises it. ok is false unless both sides have at least two pieces, on
// playable squares of the 4x4 board, and none is surrounded.
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

// Within is Probe for games that are a tie after left more turns without an elimination;
// left is at least 1.
//
// The limit only adds ties: a side that avoids a loss indefinitely without the limit avoids
// it here too. So a value that differs from Probe's is a tie. A win remains a win if and only
// if the winner can force, within left turns, the end or an elimination after which Probe's
// value is a win. An elimination restarts the count at wyb.QuietLimit, and no win takes more than
// 26 turns, so the shortest win after it is in time. A win in the last of the left
// turns counts, because it comes before the limit.
//
// If Probe's distance is at most left, it is the distance here as well: the winner has time
// for it, and the limit ends no game earlier.
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

// tooLate reports whether a win or loss becomes a tie because of the limit.
func (f *Final) tooLate(own, opp uint64, left int) bool {
	n := int(f.advance[finalIndex(own, opp)])
	return max(n, -n) > left
}

// limited is a position and the turns left to the limit.
type limited struct {
	index uint32
	left  int
}

// distanceWithin returns the distance of a position that is not a tie within left turns. It
// can exceed Probe's if the winner has no time for the shortest win and needs an elimination
// first. memo contains the distances computed so far.
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
		o, p, rest := own, opp, left-1
		if m != wyb.Forfeit {
			o, p = wyb.MoveStep(own, opp, m, wyb.Final)
		}
		d := 1
		v, over := wyb.Result(o, p)
		if !over {
			if bits.OnesCount64(o|p) < bits.OnesCount64(own|opp) {
				rest = wyb.QuietLimit
			}
			v, _, _ = f.Probe(p, o)
			if v = -v; v != value || f.tooLate(p, o, rest) {
				continue // the move changes the result
			}
			d = 1 + f.distanceWithin(p, o, rest, memo)
		}
		if v == value && (best == 0 || value > 0 && d < best || value < 0 && d > best) {
			best = d
		}
	}
	memo[key] = best
	return best
}

// A child is the position after a move: an index of the value table, from the opponent's
// view, plus eliminates if the move eliminates a piece; or, if the move ends the game, ended
// plus the mover's value 1, 0 or -1.
const (
	ended      = -2
	eliminates = 1 << 30
)

// finalNode is an unsolved position with the range of its children.
type finalNode struct {
	index       uint32
	first, last uint32
}

// NewFinal solves the 4x4 stage.
func NewFinal() *Final {
	f := new(Final)
	for i := range f.value {
		f.value[i] = noEntry
	}
	var nodes []finalNode
	var children []int32
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
			f.value[n.index] = 0
			nodes = append(nodes, n)
		}
	}
	result := func(c int32) int32 {
		if c < 0 {
			return c - ended
		}
		return -int32(f.value[c&^eliminates])
	}
	settle(&f.value, slices.Clone(nodes), children, result)
	settle(&f.advance, nodes, children, func(c int32) int32 {
		if c < 0 || c&eliminates != 0 {
			return result(c)
		}
		return -int32(f.advance[c])
	})
	return f
}

// settle computes the distances of nodes in rounds. result returns the sign of a child's
// value for the mover, as far as it is known. settle changes nodes.
//
// A position is won in d if a move leads to a position lost in d-1 and none to one lost
// earlier. It is lost in d if all moves lead to won positions, and the latest is won in d-1.
// Round d considers only positions without a value, so the first round that decides a
// position determines its distance. If a round decides nothing, no later round can, and the
// remaining positions are ties.
func settle(distances *[finalSize]int8, nodes []finalNode, children []int32, result func(child int32) int32) {
	type decision struct {
		index uint32
		value int8
	}
	for d := 1; len(nodes) > 0; d++ {
		rest := nodes[:0]
		var now []decision
		for _, n := range nodes {
			won, lost := false, true
			for _, c := range children[n.first:n.last] {
				v := result(c)
				lost = lost && v < 0
				if won = v > 0; won {
					break
				}
			}
			switch {
			case won:
				now = append(now, decision{n.index, int8(d)})
			case lost:
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

// widen12 is the inverse of squeeze12.
func widen12(m uint32) uint64 {
	w := uint64(m)
	return w&3<<19 | w>>2&15<<26 | w>>6&15<<34 | w>>10&3<<43
}

// appendFinalChildren appends the children of a position.
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
