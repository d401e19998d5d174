package search

import (
	"math/bits"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
)

// Masks for shifts by one square within a row.
const (
	notLeft  = 0xfefefefefefefefe
	notRight = 0x7f7f7f7f7f7f7f7f
)

// captureSquares returns the free squares on which a piece of own would capture an enemy
// with a friend on its far side. A step captures only if that friend is not the moving piece.
func captureSquares(own, opp uint64, stage wyb.Stage) uint64 {
	friend := own | wyb.Corners(stage)
	s := opp & (friend >> 8) >> 8
	s |= opp & (friend << 8) << 8
	s |= opp & (friend >> 1 & notRight) >> 1 & notRight
	s |= opp & (friend << 1 & notLeft) << 1 & notLeft
	return s & wyb.Playable(stage) &^ (own | opp)
}

// captures returns the moves of a node that capture, unsorted.
func (w *worker) captures(n node, ply int) []candidate {
	list := w.buffers[ply][:0]
	add := func(own, opp uint64, m engine.Move) {
		if opp != n.opp {
			list = append(list, candidate{own, opp, int32(bits.OnesCount64(own) - bits.OnesCount64(opp)), m})
		}
	}
	targets := captureSquares(n.own, n.opp, n.stage)
	if !n.moving {
		for targets &= n.zone(); targets != 0; targets &= targets - 1 {
			sq := bits.TrailingZeros64(targets)
			own, opp := wyb.Enter(n.own|1<<sq, n.opp, sq, wyb.Full)
			add(own, opp, wyb.Place(sq))
		}
	} else {
		for ; targets != 0; targets &= targets - 1 {
			to := bits.TrailingZeros64(targets)
			for from := wyb.Into(n.own, n.opp, to); from != 0; from &= from - 1 {
				m := wyb.Step(bits.TrailingZeros64(from), to)
				own, opp := wyb.MoveStep(n.own, n.opp, m, n.stage)
				add(own, opp, m)
			}
		}
	}
	w.buffers[ply] = list
	return list
}

// quiet is the quiescence search: it searches captures only, so that leaves are not
// evaluated in the middle of an exchange. The side to move can always stop and take the
// evaluation, so the value is an estimate unless a capture wins the game.
func (w *worker) quiet(n node, ply, alpha, beta int) int {
	best := w.s.Evaluation.evaluate(n)
	if best >= beta || ply >= maxPly-1 {
		w.proved = false
		return best
	}
	alpha = max(alpha, best)
	list := w.captures(n, ply)
	for i := range list {
		c := pick(list, i)
		m, value, over := n.after(c.own, c.opp)
		v := value * (winScore - ply - 1)
		if !over {
			w.nodes++
			if p, ok := w.s.probe(m, ply+1); ok {
				v = -p
			} else {
				v = -w.quiet(m, ply+1, -beta, -alpha)
			}
		}
		if best = max(best, v); best >= beta {
			break
		}
		alpha = max(alpha, best)
	}
	w.proved = best > decided
	return best
}
