package tables

import (
	"math/bits"
	"slices"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
)

// Final is the solved 4x4 stage: every live stable position of the last
// board with its value and distance. A position is own pieces, opponent's
// pieces, own to move. Turns do not matter there, so play can go in cycles, and
// a position in which neither side can force a win is a tie.
//
// A Final is immutable and may be shared.
type Final struct {
	// value is indexed by the base-3 number of the twelve squares (0 empty,
	// 1 own, 2 opponent): distance of a win, minus the distance of a loss, 0
	// for a tie, noEntry for a position that no game reaches.
	value [finalSize]int8
	// advance has the same index and signs: the number of turns in which the
	// winner forces the end or an elimination that keeps the win, see Within.
	advance [finalSize]int8
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

// Within is Probe for the game that is a tie after left more turns without an
// elimination; left is at least 1.
//
// The limit only adds ties: a side that avoids a loss indefinitely without the
// limit avoids it here, so a value that differs from Probe's is a tie. A win is
// kept if and only if, within left turns, the winner forces the end or an
// elimination after which Probe's value is a win. After it wyb.QuietLimit turns
// are left, and no win takes more than 26, so that the shortest win ends the game
// in time. The last of the left turns counts: a turn that wins comes before the
// limit.
//
// If Probe's distance is at most left, it is the distance here: the winner has time
// for it, and the limit brings no end nearer.
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

// distanceWithin returns the distance of a position that is not a tie within left
// turns. It can exceed Probe's if the winner has no time for the shortest win and
// needs an elimination first. known holds the distances of such positions.
func (f *Final) distanceWithin(own, opp uint64, left int, known map[limited]int) int {
	value, distance, _ := f.Probe(own, opp)
	if distance <= left {
		return distance
	}
	key := limited{finalIndex(own, opp), left}
	if d, ok := known[key]; ok {
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
				continue // a move that does not win
			}
			d = 1 + f.distanceWithin(p, o, rest, known)
		}
		if v == value && (best == 0 || value > 0 && d < best || value < 0 && d > best) {
			best = d
		}
	}
	known[key] = best
	return best
}

// A child of a position is where one of its moves leads: an index of the value
// table, seen from the opponent, with eliminates added if the move eliminates a
// piece; or ended, with the mover's value 1, 0 or -1 added, if it ends the game.
const (
	ended      = -2
	eliminates = 1 << 30
)

// finalNode is a position to be solved and its children, first to last.
type finalNode struct {
	index       uint32
	first, last uint32
}

// NewFinal solves the 4x4 stage, a fraction of a second.
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

// settle fills in the distances of nodes, turn by turn; result returns a number
// with the sign of what a child is worth to the mover as far as it is known. It
// changes nodes.
//
// A position is won in d if some move leads to one lost in d-1 and to none lost
// sooner, lost in d if all moves lead to won ones and the slowest is won in d-1.
// In round d only positions without a value are looked at, so the first round
// that decides a position gives its distance; when a round decides nothing, no
// later round can, and the rest are ties: neither side can force the end.
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
