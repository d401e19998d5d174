package opening

import (
	"math"

	"endwise/engine"
)

// Unbounded is the size of a bound that says nothing: Lo = -Unbounded,
// Hi = Unbounded. Every score is smaller.
const Unbounded = math.MaxInt16

// maxScore is the largest score, proved or estimated, that a book takes.
const maxScore = 30000

// Value is what is known about a position or a move, for the side to move.
// Scores are those of engine.Decision; in games with a ProofScale proved
// scores are multiplied by it, so that all three numbers lie on one scale.
type Value struct {
	// Lo and Hi are proved: Lo <= true value <= Hi.
	Lo, Hi int16
	// Est is the estimate. Where Lo == Hi it means nothing and equals them.
	Est int16
}

// unknown is the value about which nothing is proved.
func unknown(est int16) Value { return Value{-Unbounded, Unbounded, est} }

// exactly is the proved value v.
func exactly(v int16) Value { return Value{v, v, v} }

// Exact says whether the value is proved.
func (v Value) Exact() bool { return v.Lo == v.Hi }

// clamp cuts the estimate to the proved interval.
func (v Value) clamp() Value {
	v.Est = max(v.Lo, min(v.Hi, v.Est))
	return v
}

// Within adds the proofs of w to those of v and keeps v's estimate. ok is
// false when they exclude each other.
func (v Value) Within(w Value) (out Value, ok bool) {
	out = Value{max(v.Lo, w.Lo), min(v.Hi, w.Hi), v.Est}
	if out.Lo > out.Hi {
		return v, false
	}
	return out.clamp(), true
}

// settle closes the interval of a sure win or a sure loss, in games whose
// proved scores are their results: nothing is better than a win or worse than
// a loss.
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

// Through is the value of a move that gains gain (on the scale of v) and leads
// to a position of value v; passes says that the turn passes there. A bound that
// says nothing goes on saying nothing.
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

// proof is the strongest single statement that the value allows, and its
// score: exact; else a bound where only one side is bounded or there is no
// better; estimates are left to the caller who wants one.
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

// Behind is what stands behind an estimate: the depth and the time of the
// evaluation from which it comes, and how many book moves away that was.
type Behind struct {
	Depth  uint16 // plies
	Millis uint32
	Plies  uint16 // book moves between the node and the evaluated position
}
