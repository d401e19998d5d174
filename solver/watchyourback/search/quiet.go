package search

import (
	"math/bits"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
)

// All squares except those of the left or the right column.
const (
	notLeft  = 0xfefefefefefefefe
	notRight = 0x7f7f7f7f7f7f7f7f
)

// captureSquares returns the free squares next to a piece of opp that has a piece of own, or a
// corner, on its opposite side. A piece that enters one captures, unless it comes from that side.
func captureSquares(own, opp uint64, stage wyb.Stage) uint64 {
	friend := own | wyb.Corners(stage)
	s := opp & (friend >> 8) >> 8
	s |= opp & (friend << 8) << 8
	s |= opp & (friend >> 1 & notRight) >> 1 & notRight
	s |= opp & (friend << 1 & notLeft) << 1 & notLeft
	return s & wyb.Playable(stage) &^ (own | opp)
}

// captures returns the legal moves of a node that capture, unsorted, as candidates does.
func (w *worker) captures(n node, ply int) []candidate {
	list := w.buffers[ply][:0]
	add := func(own, opp uint64, m engine.Move) {
		if opp != n.opp {
			list = append(list, newCandidate(own, opp, m))
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

// quiet is the quiescence search: negamax with captures only. The score is at least the static
// evaluation of n, because the side to move need not capture. quiet sets w.proved.
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
