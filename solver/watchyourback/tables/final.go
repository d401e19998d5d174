package tables

import (
	"math/bits"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
)

// Final is the solved 4x4 stage: every live stable position of the last
// board with its value and distance. A position is own pieces, opponent's
// pieces, own to move; turns do not matter there, so play can go in cycles and
// whatever neither side can win is a tie.
//
// A Final is immutable and may be shared.
type Final struct {
	// value is indexed by the base-3 number of the twelve squares (0 empty,
	// 1 own, 2 opponent): distance of a win, minus the distance of a loss, 0
	// for a tie, noEntry for a position that no game reaches.
	value [finalSize]int8
}

const (
	finalSquares = 12
	finalSize    = 531441 // 3^12
	noEntry      = -128
)

// ternary[m] is the base-3 number with digit 1 where m has a bit.
var ternary = func() (t [1 << finalSquares]uint32) {
	for m := range t {
		t[m] = 3*t[m>>1] + uint32(m&1)
	}
	return t
}()

// squeeze12 maps the playable 4x4 squares of an 8x8 set to bits 0..11: rows
// of 2, 4, 4 and 2 squares.
func squeeze12(s uint64) uint32 {
	return uint32(s>>19&3 | s>>26&15<<2 | s>>34&15<<6 | s>>43&3<<10)
}

func finalIndex(own, opp uint64) uint32 {
	return ternary[squeeze12(own)] + 2*ternary[squeeze12(opp)]
}

// Probe returns the value of a 4x4 position for the side to move, 1, 0 or -1,
// and for a win or a loss the number of turns to the end under best play: the
// winner hurries, the loser delays. Both sides must have two pieces or more
// and stand on the playable squares of the 4x4 board, none of them
// surrounded; ok is false otherwise.
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

// ended stands, with the mover's value 1, 0 or -1 added, for the index of a child
// where a move ends the game.
const ended = -2

// NewFinal solves the 4x4 stage, a fraction of a second.
//
// Distances grow one turn at a time. A position is won in d if some move
// leads to one lost in d-1 and to none lost sooner, lost in d if all moves
// lead to won ones and the slowest is won in d-1. In round d only positions
// without a value are looked at, so the first round that decides a position
// gives its distance; when a round decides nothing, no later round can, and
// the rest are ties: neither side can force the end.
func NewFinal() *Final {
	f := new(Final)
	for i := range f.value {
		f.value[i] = noEntry
	}
	type node struct {
		index       uint32
		first, last uint32 // children[first:last]
	}
	type decision struct {
		index uint32
		value int8
	}
	var nodes []node
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
			n := node{index: ternary[o] + 2*ternary[p], first: uint32(len(children))}
			children = appendFinalChildren(children, own, opp)
			n.last = uint32(len(children))
			f.value[n.index] = 0
			nodes = append(nodes, n)
		}
	}
	for d := 1; len(nodes) > 0; d++ {
		rest := nodes[:0]
		var now []decision
		for _, n := range nodes {
			won, lost := false, true
			for _, c := range children[n.first:n.last] {
				v := c - ended
				if c >= 0 {
					v = -int32(f.value[c])
				}
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
			f.value[v.index] = v.value
		}
		nodes = rest
		if len(now) == 0 {
			break
		}
	}
	return f
}

func widen12(m uint32) uint64 {
	w := uint64(m)
	return w&3<<19 | w>>2&15<<26 | w>>6&15<<34 | w>>10&3<<43
}

// appendFinalChildren appends where the moves of own lead: an index of the
// value table, seen from the opponent, or how the game ends.
func appendFinalChildren(list []int32, own, opp uint64) []int32 {
	var buf [64]engine.Move
	steps := wyb.AppendSteps(buf[:0], own, opp, wyb.Final)
	if len(steps) == 0 { // a forfeit
		return append(list, int32(finalIndex(opp, own)))
	}
	for _, m := range steps {
		o, p := wyb.MoveStep(own, opp, m, wyb.Final)
		if value, over := wyb.Result(o, p); over {
			list = append(list, int32(ended+value))
		} else {
			list = append(list, int32(finalIndex(p, o)))
		}
	}
	return list
}
