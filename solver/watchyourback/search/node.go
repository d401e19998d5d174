package search

import (
	"math/bits"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
)

// node is a position in the search. It has no count of quiet turns; see inTime.
type node struct {
	own, opp uint64 // of the side to move, and of its opponent
	turns    int16  // played in the phase
	moving   bool
	stage    wyb.Stage
}

func nodeOf(p wyb.Position) node {
	own, opp := p.OwnOpp()
	turns := p.Turns()
	if limit := 1 << 14; turns > limit { // after the shrinks only the parity matters
		turns = limit + turns&1
	}
	return node{own, opp, int16(turns), p.Phase() == wyb.Moving, p.Stage()}
}

// toShrink returns the number of turns to the next shrink, including the rest of the placing phase. The
// board must not be 4x4.
func (n node) toShrink() int {
	switch {
	case !n.moving:
		return wyb.PlacingTurns - int(n.turns) + wyb.FirstShrink
	case n.stage == wyb.Full:
		return wyb.FirstShrink - int(n.turns)
	}
	return wyb.SecondShrink - int(n.turns)
}

const lastTurns = 2 // before a shrink, in which lines are extended

// extends reports whether a line that ends at n is extended.
func (n node) extends() bool {
	return n.moving && n.stage < wyb.Final && n.toShrink() <= lastTurns
}

// gameTurns counts the turns since the start of the game.
func (n node) gameTurns() int16 {
	if n.moving {
		return n.turns + wyb.PlacingTurns
	}
	return n.turns
}

func (n node) hash() uint64 {
	h := n.own * 0x9E3779B97F4A7C15
	h ^= bits.RotateLeft64(n.opp*0xC2B2AE3D27D4EB4F, 31)
	h ^= uint64(n.gameTurns()) * 0x165667B19E3779F9
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	return h ^ h>>32
}

// after returns the node m after a move of n, and after the shrink if one follows the move. own and
// opp are the pieces after the move, of the side that moves and of the other. If over is set, the
// game has ended with the result value, 1, 0 or -1, for the side that moves.
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

type candidate struct {
	own, opp uint64 // parameters of node.after
	order    int32  // greatest first
	move     engine.Move
}

// pick swaps the candidate with the greatest order in list[i:] to index i and returns it.
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

const pieceOrder = 1_000_000 // per piece; exceeds what prioritize adds

func newCandidate(own, opp uint64, m engine.Move) candidate {
	return candidate{own, opp, int32(bits.OnesCount64(own)-bits.OnesCount64(opp)) * pieceOrder, m}
}

// candidates returns the legal moves of a node, unsorted. The list is valid until the next call of
// candidates or captures with the same ply.
func (w *worker) candidates(n node, ply int) []candidate {
	list := w.buffers[ply][:0]
	if !n.moving {
		for free := n.zone() &^ (n.own | n.opp); free != 0; free &= free - 1 {
			sq := bits.TrailingZeros64(free)
			own, opp := wyb.Enter(n.own|1<<sq, n.opp, sq, wyb.Full)
			list = append(list, newCandidate(own, opp, wyb.Place(sq)))
		}
	} else {
		var buf [4 * wyb.MaxPieces]engine.Move
		steps := wyb.AppendSteps(buf[:0], n.own, n.opp, n.stage)
		for _, m := range steps {
			own, opp := wyb.MoveStep(n.own, n.opp, m, n.stage)
			list = append(list, newCandidate(own, opp, m))
		}
		if len(steps) == 0 {
			list = append(list, newCandidate(n.own, n.opp, wyb.Forfeit))
		}
	}
	w.buffers[ply] = list
	return list
}

// zone returns the squares on which the side to move may place.
func (n node) zone() uint64 { return wyb.Zone(engine.First + engine.Side(n.turns&1)) }
