package search

import (
	"math/bits"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
)

// node is a position in the search, from the view of the side to move.
type node struct {
	own, opp uint64
	turns    int16 // turns played in the phase
	moving   bool
	stage    wyb.Stage
}

// nodeOf returns the node of a position.
func nodeOf(p wyb.Position) node {
	own, opp := p.OwnOpp()
	turns := p.Turns()
	if most := 1 << 14; turns > most { // long after the shrinks only the parity matters
		turns = most + turns&1
	}
	return node{own, opp, int16(turns), p.Phase() == wyb.Moving, p.Stage()}
}

// toShrink returns the number of turns to the next shrink.
func (n node) toShrink() int {
	switch {
	case !n.moving:
		return wyb.PlacingTurns - int(n.turns) + wyb.FirstShrink
	case n.stage == wyb.Full:
		return wyb.FirstShrink - int(n.turns)
	}
	return wyb.SecondShrink - int(n.turns)
}

// lastTurns is the number of turns before a shrink whose positions are never leaves.
const lastTurns = 2

// extends reports whether a line that ends here is searched to the next shrink.
func (n node) extends() bool {
	return n.moving && n.stage < wyb.Final && n.toShrink() <= lastTurns
}

// stamp encodes the phase and the turn.
func (n node) stamp() int16 {
	if n.moving {
		return n.turns + wyb.PlacingTurns
	}
	return n.turns
}

// hash returns a hash of everything that determines the node's value.
func (n node) hash() uint64 {
	h := n.own * 0x9E3779B97F4A7C15
	h ^= bits.RotateLeft64(n.opp*0xC2B2AE3D27D4EB4F, 31)
	h ^= uint64(n.stamp()) * 0x165667B19E3779F9
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	return h ^ h>>32
}

// after returns the position after a move that leaves own and opp, both from the view of
// the mover. If the game is over, value is the mover's.
func (n node) after(own, opp uint64) (m node, value int, over bool) {
	m = node{own: opp, opp: own, turns: n.turns + 1, moving: n.moving, stage: n.stage}
	if !n.moving {
		if m.turns < wyb.PlacingTurns {
			return m, 0, false
		}
		m.moving, m.turns = true, 0
	}
	value, over = wyb.Result(own, opp)
	if !over && (m.turns == wyb.FirstShrink || m.turns == wyb.SecondShrink) {
		m.stage++
		m.own, m.opp = wyb.Shrink(m.own, m.opp, m.stage)
		value, over = wyb.Result(m.opp, m.own)
	}
	return m, value, over
}

// candidate is a move with the resulting sides.
type candidate struct {
	own, opp uint64
	order    int32
	move     engine.Move
}

// pick moves the best candidate of list[i:] to index i. It avoids sorting the list, because
// the first moves usually suffice.
func pick(list []candidate, i int) *candidate {
	top := i
	for j := i + 1; j < len(list); j++ {
		if list[j].order > list[top].order {
			top = j
		}
	}
	list[i], list[top] = list[top], list[i]
	return &list[i]
}

// candidates returns the moves of a node, unsorted, with captures as order.
func (w *worker) candidates(n node, ply int) []candidate {
	list := w.buffers[ply][:0]
	before := bits.OnesCount64(n.opp)
	if !n.moving {
		for free := n.zone() &^ (n.own | n.opp); free != 0; free &= free - 1 {
			sq := bits.TrailingZeros64(free)
			own, opp := wyb.Enter(n.own|1<<sq, n.opp, sq, wyb.Full)
			list = append(list, candidate{own, opp, gain(before, n.own, own, opp, 1), wyb.Place(sq)})
		}
	} else {
		var buf [4 * wyb.MaxPieces]engine.Move
		steps := wyb.AppendSteps(buf[:0], n.own, n.opp, n.stage)
		for _, m := range steps {
			own, opp := wyb.MoveStep(n.own, n.opp, m, n.stage)
			list = append(list, candidate{own, opp, gain(before, n.own, own, opp, 0), m})
		}
		if len(steps) == 0 {
			list = append(list, candidate{n.own, n.opp, 0, wyb.Forfeit})
		}
	}
	w.buffers[ply] = list
	return list
}

// zone returns the squares on which the side to move can place pieces.
func (n node) zone() uint64 { return wyb.Zone(engine.First + engine.Side(n.turns&1)) }

// gain returns the order of a move: captures first, eliminations of own pieces last.
func gain(oppBefore int, ownBefore, own, opp uint64, placed int) int32 {
	taken := oppBefore - bits.OnesCount64(opp)
	lost := bits.OnesCount64(ownBefore) + placed - bits.OnesCount64(own)
	return int32(taken-lost) * 1_000_000
}
