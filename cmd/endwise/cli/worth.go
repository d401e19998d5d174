package cli

import (
	"fmt"

	"endwise/cmd/endwise/web"
	"endwise/engine"
)

// The words for values are in web/answer/words.go, and for the pages in site.js.

// loss returns the proved loss of a move against the best move, "" if none is proved.
func loss(words web.Game, d engine.Decision, m engine.MoveValue) string {
	loss := d.Score - m.Score
	switch {
	case d.Proof == engine.Exact && m.Proof == engine.Exact:
		return words.Loss(loss)
	case d.Proof == engine.Exact && m.Proof == engine.Lower && loss <= 0:
		return words.Loss(0)
	case (d.Proof == engine.Exact || d.Proof == engine.Lower) && (m.Proof == engine.Exact || m.Proof == engine.Upper) && loss > 0:
		return "at least " + words.Loss(loss)
	}
	return ""
}

// Worth describes a decision's value for the side to move in p, its proof and its source: "4
// fewer boxes than the opponent from here, proved, table". Positions with a method Worth
// choose their own words.
func Worth(g Game, p engine.Position, d engine.Decision) string {
	if w, ok := p.(interface {
		Worth(score int, proof engine.Proof, distance int) string
	}); ok {
		return w.Worth(d.Score, d.Proof, d.Distance) + ", " + d.Source
	}
	var what string
	unit := g.Web.Units
	if d.Score == 1 || d.Score == -1 {
		unit = g.Web.Unit
	}
	switch {
	case g.Web.Unit == "" && d.Proof == engine.Estimate:
		what = g.Web.Value(d.Score, d.Proof)
	case g.Web.Unit == "":
		what = [3]string{"a loss", "a tie", "a win"}[max(-1, min(1, d.Score))+1]
	case d.Score > 0:
		what = fmt.Sprintf("%d more %s than the opponent from here", d.Score, unit)
	case d.Score < 0:
		what = fmt.Sprintf("%d fewer %s than the opponent from here", -d.Score, unit)
	default:
		what = fmt.Sprintf("as many %s as the opponent from here", g.Web.Units)
	}
	switch d.Proof {
	case engine.Exact:
		return what + ", proved, " + d.Source
	case engine.Lower, engine.Upper:
		// At least -4 means at most 4 fewer.
		if (d.Proof == engine.Lower) == (d.Score >= 0 || g.Web.Unit == "") {
			return "at least " + what + ", proved, " + d.Source
		}
		return "at most " + what + ", proved, " + d.Source
	}
	return "about " + what + ", an estimate, " + d.Source
}
