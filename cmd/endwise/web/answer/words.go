package answer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"endwise/book/analysis"
	"endwise/engine"
)

// Score formats a score with the given dash.
func Score(score [2]int, dash string) string {
	return fmt.Sprintf("%d%s%d", score[0], dash, score[1])
}

// Value formats a value without the mark of its proof: "+3", "won", "tie" or "lost", or "+0.35" for an
// estimate in a game without scores.
func (g Game) Value(score int, proof engine.Proof) string {
	switch {
	case g.Unit != "":
		return Signed(score)
	case proof == engine.Estimate && score == 0:
		return "0"
	case proof == engine.Estimate:
		return fmt.Sprintf("%+g", float64(score)/100)
	}
	return [3]string{"lost", "tie", "won"}[max(-1, min(1, score))+1]
}

// Marked formats a value with the mark of its proof: "+3", "≥+1", "≤ lost", "≈+4".
func (g Game) Marked(score int, proof engine.Proof) string {
	mark := map[engine.Proof]string{engine.Lower: "≥", engine.Upper: "≤", engine.Estimate: "≈"}[proof]
	if g.Unit == "" && (proof == engine.Lower || proof == engine.Upper) {
		mark += " "
	}
	return mark + g.Value(score, proof)
}

// Count formats a number with its noun, as in "1 game" or "12,000 games".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return engine.Digits(n) + " " + thing + "s"
}

// Signed formats a number with its sign; 0 has none.
func Signed(n int) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%+d", n)
}

// Truth formats the bounds and the estimate of a value: "+3", "≥+1 ≤+2", "≥ tie", "about +0.35".
// "≥ lost" and "≤ won" are omitted.
func (g Game) Truth(t analysis.Truth) string {
	if v, ok := t.Exact(); ok {
		return g.Value(v, engine.Exact)
	}
	var parts []string
	if t.Lower != nil && (g.Unit != "" || *t.Lower > -1) {
		parts = append(parts, g.Marked(*t.Lower, engine.Lower))
	}
	if t.Upper != nil && (g.Unit != "" || *t.Upper < 1) {
		parts = append(parts, g.Marked(*t.Upper, engine.Upper))
	}
	if t.Estimate != nil {
		parts = append(parts, "about "+g.Value(*t.Estimate, engine.Estimate))
	}
	return strings.Join(parts, " ")
}

// handed returns the number of squares or boxes that go to the opponent if the score difference falls by
// n. Each counts 2 in the difference.
func handed(n int) int { return (n + 1) / 2 }

// LossWithUnit formats a loss with its unit: "2 squares", "nothing", "half a win", "a win", "2.5 wins". In
// a game with scores n is in points of the score difference, and the text counts what the opponent gets.
func (g Game) LossWithUnit(n int) string {
	if g.Unit == "" {
		return wins(float64(n) / 2)
	}
	if handed(n) == 1 {
		return "1 " + g.Unit
	}
	return engine.Digits(handed(n)) + " " + g.Units
}

func wins(n float64) string {
	switch n {
	case 0:
		return "nothing"
	case 0.5:
		return "half a win"
	case 1:
		return "a win"
	}
	return fmt.Sprintf("%g wins", n)
}

// Loss is LossWithUnit without the unit of a score: "2"; "a win".
func (g Game) Loss(n int) string {
	if g.Unit == "" {
		return g.LossWithUnit(n)
	}
	return engine.Digits(handed(n))
}

// AverageLoss formats the average loss of one or more mistakes: "1.5"; "0.83 wins".
func (g Game) AverageLoss(total, mistakes int) string {
	average := float64(total) / float64(mistakes) / 2 // a loss of 2 is a square, a box or a win
	if g.Unit != "" {
		return fmt.Sprintf("%.1f", average)
	}
	return wins(math.Round(average*100) / 100)
}

// MistakeLoss formats the loss of a mistake with its unit. If exact is false, n is a lower bound.
func (g Game) MistakeLoss(n int, exact bool) string {
	if !exact {
		return "at least " + g.LossWithUnit(n)
	}
	return g.LossWithUnit(n)
}

// Fall formats a fall of the estimate: "2 squares"; "1.5 pieces".
func (g Game) Fall(n int) string {
	if g.Unit == "" {
		return fmt.Sprintf("%.1f %s", float64(n)/100, g.Points)
	}
	return g.LossWithUnit(n)
}

// Decisive describes a likely mistake that decided a game, whose move is written as given.
func (g Game) Decisive(m analysis.LikelyMistake, move string) string {
	if !m.Turns() {
		return fmt.Sprintf("estimated: the largest mistake was move %d, %s, about %s", m.Ply, move, g.Fall(m.Fall()))
	}
	result := func(n int) string {
		switch {
		case g.Unit == "": // in tenths of a unit
			return g.Value(10*int(math.Round(float64(n)/10)), engine.Estimate)
		case n > 0:
			return engine.Digits(n) + " ahead"
		case n < 0:
			return engine.Digits(-n) + " behind"
		}
		return "even"
	}
	return fmt.Sprintf("estimated: the game turned at move %d, %s: from %s to %s", m.Ply, move, result(m.Before), result(m.After))
}

// MoveLoss formats the loss of a move, "" if it is unknown.
func (g Game) MoveLoss(m analysis.Move) string {
	switch {
	case m.Loss != nil:
		return g.Loss(*m.Loss)
	case m.MinLoss != nil:
		return "at least " + g.Loss(*m.MinLoss)
	}
	return ""
}

// Minus formats the loss of a mistake after its move: "−4", "−½", or "≤−4" for a lower bound of the loss.
func (g Game) Minus(m analysis.Move) string {
	loss := engine.Digits(handed(m.ProvedLoss()))
	if g.Unit == "" && m.ProvedLoss() == 1 {
		loss = "½"
	}
	if m.Loss == nil {
		return "≤−" + loss
	}
	return "−" + loss
}

// Result formats the players and the score: "ann 3–1 bob".
func Result(a analysis.Analysis, dash string) string {
	return fmt.Sprintf("%s %s %s", a.Players[0].Name, Score(a.Score, dash), a.Players[1].Name)
}

// ProvedWinner names the player who is proved to win at the first move, and says if the win was lost before
// the solved end. It returns "" if there is none or the whole game was solved.
func ProvedWinner(g analysis.Analysis) string {
	if g.Proved == 0 || g.FirstSolved == 1 {
		return ""
	}
	text := fmt.Sprintf("proved: %s wins with best play at move 1", g.Players[g.Proved-1].Name)
	if g.FirstSolved > 0 && g.Expected != g.Proved {
		if g.ProvedUntil > 1 {
			text += fmt.Sprintf(" and still at move %d", g.ProvedUntil)
		}
		text += fmt.Sprintf(", but lost that win before move %d", g.FirstSolved)
	}
	return text
}

// Fault says how a game ended that was not played to its end; it returns "" for other games.
func Fault(g analysis.Analysis) string {
	switch {
	case g.ByForfeit() && strings.HasPrefix(g.Fault, "resignation"):
		return "decided by " + g.Fault
	case g.ByForfeit():
		return "decided by a forfeit: " + g.Fault
	}
	return g.Fault
}

// Verdict returns who wins with best play from move 1, if that is proved, what solvedPart describes, and
// the value of the last position if the game is not over in it.
func (w Game) Verdict(g analysis.Analysis) string {
	parts := []string{ProvedWinner(g), solvedPart(g), w.lastPosition(g)}
	return joined(parts)
}

// joined joins the texts that are not empty.
func joined(texts []string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "; ")
}

// lastPosition describes the value of the last position of a game that was not played to its end. It
// returns "" for other games, and if the value is neither proved nor an estimate of a score.
func (w Game) lastPosition(g analysis.Analysis) string {
	n := len(g.Margins)
	if g.Fault == "" || n == 0 || g.Margins[n-1].Ply != len(g.Moves) {
		return ""
	}
	last := g.Margins[n-1]
	leader := g.Players[0].Name
	if last.Value < 0 {
		leader = g.Players[1].Name
	}
	lead, squares := int(math.Abs(last.Value)), g.ExpectedScore[0]+g.ExpectedScore[1]
	switch {
	case last.Proof == engine.Exact:
	case last.Proof != engine.Estimate || w.Unit == "":
		return ""
	case lead <= 1:
		return "the last position is too close to call, an estimate"
	default:
		return fmt.Sprintf("in the last position %s is expected to win by about %d, an estimate", leader, lead)
	}
	text := "the last position is a tie with best play"
	switch {
	case last.Value != 0 && squares > 0:
		text = fmt.Sprintf("in the last position %s wins %d–%d with best play", leader, (squares+lead)/2, (squares-lead)/2)
	case last.Value != 0:
		text = fmt.Sprintf("in the last position %s wins with best play", leader)
	}
	switch {
	case g.ByForfeit() && strings.HasPrefix(g.Fault, "resignation"):
		text += ", so the resignation decided the game"
	case g.ByForfeit():
		text += ", so the forfeit decided the game"
	}
	return text
}

// solvedPart describes the result and the turning point of the solved end of a game.
func solvedPart(g analysis.Analysis) string {
	if g.FirstSolved == 0 {
		return "the end of the game was not solved"
	}
	result := "a tie"
	if g.Expected != 0 {
		result = g.Players[g.Expected-1].Name + " wins"
		if score := g.ExpectedScore; score != [2]int{} {
			result += fmt.Sprintf(" %d–%d", slices.Max(score[:]), slices.Min(score[:]))
		}
	}
	s := fmt.Sprintf("solved from move %d on: %s with best play", g.FirstSolved, result)
	switch {
	case g.ByForfeit():
		return s
	case g.Turned == 0:
		return s + "; no move after that changed the result"
	}
	return s + fmt.Sprintf("; the last move that changed the result was move %d, by %s", g.Turned, g.Players[g.Moves[g.Turned-1].Player-1].Name)
}
