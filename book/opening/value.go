package opening

import (
	"math"

	"endwise/engine"
)

// Unbounded means no bound: Lo = -Unbounded, Hi = Unbounded. Every score is smaller.
const Unbounded = math.MaxInt16

// maxScore is the greatest score in a book, proved or estimated.
const maxScore = 30000

// Value contains the bounds and the estimate of a position or a move, for the side to move.
// Scores are those of [engine.Decision]; in games with a ProofScale proved scores are
// multiplied by it, so that all three numbers have the same scale.
type Value struct {
	// Lo and Hi are proved: Lo <= true value <= Hi.
	Lo, Hi int16
	// Est is the estimate. If Lo == Hi, it equals them.
	Est int16
}

// unknown returns a value with an estimate and no bounds.
func unknown(est int16) Value { return Value{-Unbounded, Unbounded, est} }

// exactly returns the proved value v.
func exactly(v int16) Value { return Value{v, v, v} }

// Exact reports whether the value is proved.
func (v Value) Exact() bool { return v.Lo == v.Hi }

// clamp clamps the estimate to the proved interval.
func (v Value) clamp() Value {
	v.Est = max(v.Lo, min(v.Hi, v.Est))
	return v
}

// boundsOnly returns the value with the estimate nearest to 0 that its bounds allow, for
// values whose estimate is not used.
func (v Value) boundsOnly() Value {
	v.Est = 0
	return v.clamp()
}

// Within intersects the bounds of v and w and keeps v's estimate. ok is false if they
// exclude each other.
func (v Value) Within(w Value) (out Value, ok bool) {
	out = Value{max(v.Lo, w.Lo), min(v.Hi, w.Hi), v.Est}
	if out.Lo > out.Hi {
		return v, false
	}
	return out.clamp(), true
}

// settle makes a proved win or loss exact, in games whose proved scores are their results:
// nothing is better than a win or worse than a loss.
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

// Through returns the value of a move that gains gain (on the scale of v) and leads to a
// position of value v; passes reports whether the turn passes to the opponent. Missing
// bounds stay missing.
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

// proof returns the value if it is exact, else the lower bound, else the upper bound, and the
// kind of proof; without a bound it returns the estimate.
func (v Value) proof() (engine.Proof, int16) {
	switch {
	case v.Exact():
		return engine.Exact, v.Lo
	case v.Lo > -Unbounded:
		return engine.Lower, v.Lo
	case v.Hi < Unbounded:
		return engine.Upper, v.Hi
	}
	return engine.Estimate, v.Est
}

// Behind describes the origin of an estimate: the depth and the time of its evaluation, and
// the number of book moves to the evaluated position.
type Behind struct {
	Depth  uint16 // plies
	Millis uint32
	Plies  uint16 // book moves between the node and the evaluated position
}
