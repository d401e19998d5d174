package opening

import (
	"math"

	"endwise/engine"
	"endwise/engine/grid"
)

// Unbounded stands for a missing bound: -Unbounded for Lo, Unbounded for Hi.
const Unbounded = math.MaxInt16

// maxScore is the greatest score in a book, proved or estimated.
const maxScore = 30000

// Value contains proved bounds and an estimate of the value of a position or a move, for the side to
// move, on the scale of estimates in [engine.Decision]: a proved score is multiplied by the game's
// ProofScale ([engine.Game]).
type Value struct {
	// Lo and Hi are proved bounds, or -Unbounded and Unbounded.
	Lo, Hi int16
	// Est is the estimate, from Lo to Hi.
	Est int16
}

func unknown(est int16) Value { return Value{-Unbounded, Unbounded, est} }

func exactly(v int16) Value { return Value{v, v, v} }

func (v Value) Exact() bool { return v.Lo == v.Hi }

func (v Value) clamp() Value {
	v.Est = max(v.Lo, min(v.Hi, v.Est))
	return v
}

// boundsOnly returns v with the number from Lo to Hi nearest to 0 as the estimate, so that Values with
// the same bounds are equal.
func (v Value) boundsOnly() Value {
	v.Est = 0
	return v.clamp()
}

// Within returns the intersection of the bounds of v and w, with v's estimate clamped to it. If the
// intersection is empty, it returns v and false.
func (v Value) Within(w Value) (out Value, ok bool) {
	out = Value{max(v.Lo, w.Lo), min(v.Hi, w.Hi), v.Est}
	if out.Lo > out.Hi {
		return v, false
	}
	return out.clamp(), true
}

// settle tightens v in games whose proved scores are results (scale > 1): Hi of a proved win becomes
// the score of a win, and Lo of a proved loss that of a loss.
func (v Value) settle(scale int) Value {
	if scale > 1 {
		switch best := int16(scale); {
		case v.Lo == best && v.Hi > best:
			v.Hi = best
		case v.Hi == -best && v.Lo < -best:
			v.Lo = -best
		}
	}
	return v
}

// Through returns the value of a move that leads to a position of value v. gain is the gain of the
// move on the scale of v; passes reports whether the turn passes to the opponent. The inverse is
// Through(-gain, false) or Through(gain, true).
func (v Value) Through(gain int, passes bool) Value {
	if passes {
		v = Value{-v.Hi, -v.Lo, -v.Est}
	}
	for _, x := range []*int16{&v.Lo, &v.Hi, &v.Est} {
		if *x != Unbounded && *x != -Unbounded {
			*x += int16(gain)
		}
	}
	return v
}

// SquaresLeft returns the number of squares or boxes that still score in p; ok is false without a score.
func SquaresLeft(p engine.Position) (n int, ok bool) {
	b, ok := p.(interface{ Board() *grid.Board })
	if !ok {
		return 0, false
	}
	score := p.Score()
	return b.Board().Squares() - score[0] - score[1], true
}

// PossibleValue rounds an estimate of p, for the side to move, to the parity of the number of squares
// or boxes left, which every value has. It rounds towards a tied game, and from a tied game to a loss
// by one point. In a game without a score it returns the estimate.
func PossibleValue(p engine.Position, estimate int) int {
	left, ok := SquaresLeft(p)
	if !ok || (estimate-left)%2 == 0 {
		return estimate
	}
	if final := estimate + engine.Lead(p, p.Turn()); final < 0 {
		return estimate + 1
	}
	return estimate - 1
}

// proof returns what is proved: Lower if both bounds are known but differ.
func (v Value) proof() engine.Proof {
	switch {
	case v.Exact():
		return engine.Exact
	case v.Lo > -Unbounded:
		return engine.Lower
	case v.Hi < Unbounded:
		return engine.Upper
	}
	return engine.Estimate
}

// Origin describes the evaluation from which an estimate comes.
type Origin struct {
	Depth  uint16 // in plies
	Millis uint32 // time of the evaluation
	Plies  uint16 // number of moves from the position to the evaluated one
}
