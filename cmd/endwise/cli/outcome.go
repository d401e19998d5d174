package cli

import (
	"cmp"
	"fmt"
	"strings"

	"endwise/cmd/endwise/web/answer"
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

// LastMove describes how a board without colours marks the last move.
func (g Game) LastMove() string {
	if g.Web.Unit == "" {
		return "(O) or (@)"
	}
	return "=== or #"
}

// Standing returns the score of p, "score 3-1", or the pieces on the board and the number of turns,
// "pieces 12-11, 7 turns into the moving phase".
func (g Game) Standing(p engine.Position) string {
	s := cmp.Or(g.Web.Points, "score") + " " + answer.Score(p.Score(), "-")
	if t, ok := p.(interface{ TurnsLine() string }); ok {
		s += ", " + t.TurnsLine()
	}
	return s
}

// Ended states the result of a game that is over: "Player 2 won 5–4", "White won", "a tie".
func Ended(g Game, p engine.Position) string {
	winner := engine.Winner(p)
	switch score := p.Score(); {
	case winner == engine.None:
		return "a tie"
	case g.Web.Unit == "":
		return g.Web.Sides[winner-engine.First] + " won"
	default:
		return fmt.Sprintf("%s won %d–%d", g.Web.Sides[winner-engine.First], max(score[0], score[1]), min(score[0], score[1]))
	}
}

// Outcome states what a decision in p says about the end of the game: "Player 2 wins 25–24 with best
// play.", "Player 1 wins by at least 3.", "Too close to call, an estimate.". The game is not over in p.
func Outcome(g Game, p engine.Position, d engine.Decision) string {
	me, other := g.Web.Sides[p.Turn()-engine.First], g.Web.Sides[p.Turn().Other()-engine.First]
	if g.Web.Unit == "" {
		return winOrLoss(me, other, d)
	}
	lead := engine.Lead(p, p.Turn()) + d.Score // of me at the end
	n := max(lead, -lead)
	winner := pick(lead > 0, me, other)
	switch {
	case d.Proof == engine.Lower && lead > 0, d.Proof == engine.Upper && lead < 0:
		return fmt.Sprintf("%s wins by at least %d.", winner, n)
	case d.Proof == engine.Lower && lead == 0:
		return me + " gets at least a tie."
	case d.Proof == engine.Upper && lead == 0:
		return other + " gets at least a tie."
	case d.Proof == engine.Lower:
		return fmt.Sprintf("%s loses by at most %d.", me, n)
	case d.Proof == engine.Upper:
		return fmt.Sprintf("%s wins by at most %d.", me, n)
	case d.Proof == engine.Estimate && n <= 1:
		return "Too close to call, an estimate."
	case d.Proof == engine.Estimate:
		return fmt.Sprintf("%s is expected to win by about %d, an estimate.", winner, n)
	case lead == 0:
		return "A tie with best play."
	}
	result := fmt.Sprintf("by %d", n)
	if b, err := grid.Parse(p.BoardName()); err == nil {
		result = answer.Score(b.FinalScore(n), "–")
	}
	return fmt.Sprintf("%s wins %s with best play.", winner, result)
}

// advantages lists the words for estimates from an absolute value on, in hundredths of a piece.
var advantages = []struct {
	from int
	text string
}{{600, "far ahead"}, {300, "clearly ahead"}, {150, "ahead"}, {5, "slightly ahead"}}

// winOrLoss is [Outcome] for games without points.
func winOrLoss(me, other string, d engine.Decision) string {
	if d.Proof == engine.Estimate {
		for _, a := range advantages {
			if max(d.Score, -d.Score) >= a.from {
				return fmt.Sprintf("%s is %s, an estimate.", pick(d.Score > 0, me, other), a.text)
			}
		}
		return "About even, an estimate."
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
		what += " in " + Count(d.Distance, "turn")
	}
	return fmt.Sprintf("%s %s with best play.", me, what)
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
