package cli

import (
	"fmt"
	"math"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

// SideName returns the name of a side in the middle of a sentence: "player 1", "White".
func (g Game) SideName(s engine.Side) string {
	if name := g.Web.Sides[s-engine.First]; !strings.HasPrefix(name, "Player ") {
		return name
	}
	return s.String()
}

// Outcome states in a sentence what a decision in p says about the end of the game:
// "Player 2 wins 25–24 with best play.", or with a bound "Player 1 wins by at least 3.".
func Outcome(g Game, p engine.Position, d engine.Decision) string {
	me, other := g.Web.Sides[p.Turn()-engine.First], g.Web.Sides[p.Turn().Other()-engine.First]
	if g.Web.Unit == "" {
		n := math.Round(math.Abs(float64(d.Score))/10) / 10
		switch {
		case d.Proof == engine.Estimate && n == 0:
			return "About even, an estimate."
		case d.Proof == engine.Estimate:
			return fmt.Sprintf("%s is about %g %s ahead, an estimate.", pick(d.Score > 0, me, other), n, g.Web.Points)
		}
		what := "gets a tie"
		switch {
		case d.Score != 0:
			what = pick(d.Score > 0, "wins", "loses")
		case d.Proof == engine.Lower:
			what = "gets at least a tie"
		case d.Proof == engine.Upper:
			what = "gets at most a tie"
		}
		if d.Distance > 0 {
			return fmt.Sprintf("%s %s in %s with best play.", me, what, Count(d.Distance, "turn"))
		}
		return fmt.Sprintf("%s %s with best play.", me, what)
	}
	score := p.Score()
	mine, theirs := score[p.Turn()-engine.First], score[p.Turn().Other()-engine.First]
	lead := mine - theirs + d.Score
	n := max(lead, -lead)
	switch {
	case d.Proof == engine.Lower && lead > 0:
		return fmt.Sprintf("%s wins by at least %d.", me, n)
	case d.Proof == engine.Upper && lead < 0:
		return fmt.Sprintf("%s wins by at least %d.", other, n)
	case d.Proof == engine.Lower && lead == 0:
		return me + " gets at least a tie."
	case d.Proof == engine.Upper && lead == 0:
		return other + " gets at least a tie."
	case d.Proof == engine.Lower:
		return fmt.Sprintf("%s loses by at most %d.", me, n)
	case d.Proof == engine.Upper:
		return fmt.Sprintf("%s wins by at most %d.", me, n)
	case d.Proof == engine.Estimate && lead == 0:
		return "About even, an estimate."
	case d.Proof == engine.Estimate:
		return fmt.Sprintf("%s wins by about %d, an estimate.", pick(lead > 0, me, other), n)
	case lead == 0:
		return "A tie with best play."
	}
	by := fmt.Sprintf("by %d", n)
	if b, err := grid.Parse(p.BoardName()); err == nil {
		by = fmt.Sprintf("%d–%d", (b.Squares()+n)/2, (b.Squares()-n)/2)
	}
	return fmt.Sprintf("%s wins %s with best play.", pick(lead > 0, me, other), by)
}

// pick returns a if first is true, else b.
func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
