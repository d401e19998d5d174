package opening

import (
	"fmt"

	"endwise/engine"
)

// Words returns the value as words, for a game with the given ProofScale: "+3 proved", "about 0, at
// least -1 proved", "a win proved".
func (v Value) Words(scale int) string {
	about, bounds := "about "+estimated(v.Est, scale), v.bounded(scale, "at least ", "at most ")
	switch {
	case v.Exact():
		return bounds + " proved"
	case bounds == "":
		return about
	}
	return about + ", " + bounds + " proved"
}

// About returns the estimate as text, "+3" or "+0.25", or "" if v is proved. scale is the ProofScale.
func (v Value) About(scale int) string {
	if v.Exact() {
		return ""
	}
	return estimated(v.Est, scale)
}

// Proved returns the bounds as text: "-2", "≥+1", "≤ a tie", "-3 to +1", or "" if there are none. scale
// is the game's ProofScale.
func (v Value) Proved(scale int) string {
	if scale > 1 {
		return v.bounded(scale, "≥ ", "≤ ")
	}
	return v.bounded(scale, "≥", "≤")
}

func (v Value) bounded(scale int, atLeast, atMost string) string {
	return v.interval(proved(v.Lo, scale), proved(v.Hi, scale), " to ", atLeast, atMost)
}

// interval returns the bounds as text, or "" if there are none. lo and hi are the texts of the bounds.
func (v Value) interval(lo, hi, to, atLeast, atMost string) string {
	switch v.proof() {
	case engine.Exact:
		return lo
	case engine.Upper:
		return atMost + hi
	case engine.Estimate:
		return ""
	}
	if v.Hi < Unbounded {
		return lo + to + hi
	}
	return atLeast + lo
}

// proved returns a proved score as text.
func proved(n int16, scale int) string {
	if scale > 1 {
		switch int(n) / scale {
		case 1:
			return "a win"
		case 0:
			return "a tie"
		case -1:
			return "a loss"
		}
	}
	return signed(int(n) / scale)
}

// estimated returns an estimate as text, in points, or in pieces if scale > 1.
func estimated(n int16, scale int) string {
	if scale > 1 && n != 0 {
		return fmt.Sprintf("%+.2f", float64(n)/100)
	}
	return signed(int(n))
}

func signed(n int) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%+d", n)
}

// String returns an exact value as a number, "3", and any other value as the estimate, a question mark
// and the bounds: "1?", "1?>=1", "2?<=4" or "2?1..4".
func (v Value) String() string {
	if v.Exact() {
		return v.Bounds()
	}
	return fmt.Sprintf("%d?%s", v.Est, v.Bounds())
}

// Bounds returns the bounds as text: "3", ">=1", "<=4", "1..4", or "" if there are none.
func (v Value) Bounds() string {
	return v.interval(fmt.Sprint(v.Lo), fmt.Sprint(v.Hi), "..", ">=", "<=")
}
