package cli

import (
	"fmt"
	"slices"

	"endwise/engine"
)

// loss formats the proved loss of m against the best move of d, "" if none is proved.
func loss(format func(int) string, d engine.Decision, m engine.MoveValue) string {
	lost := d.Score - m.Score
	switch {
	case d.Proof == engine.Exact && m.Proof == engine.Exact:
		return format(lost)
	case d.Proof == engine.Exact && m.Proof == engine.Lower && lost <= 0:
		return format(0)
	case (d.Proof == engine.Exact || d.Proof == engine.Lower) && (m.Proof == engine.Exact || m.Proof == engine.Upper) && lost > 0:
		return "at least " + format(lost)
	}
	return ""
}

// MoveWorth compares a move with the best one of d in a sentence: "h2,2 is -11, v4,2 is +5: it loses 8
// boxes."; "" for the best move, a proved equal one, or one without a value.
func MoveWorth(g Game, d engine.Decision, move string) string {
	i := slices.IndexFunc(d.Moves, func(m engine.MoveValue) bool { return m.Move == move })
	if i < 0 || move == d.Move || d.Proof == engine.Exact && d.Moves[i].Proof == engine.Exact && d.Moves[i].Score == d.Score {
		return ""
	}
	m := d.Moves[i]
	text := fmt.Sprintf("%s is %s, %s is %s", move, g.Web.Marked(m.Score, m.Proof), d.Move, g.Web.Marked(d.Score, d.Proof))
	if lost := loss(g.Web.LossWithUnit, d, m); lost != "" {
		text += ": it loses " + lost
	}
	return text + "."
}

// worder is implemented by positions that describe their values in words of their game.
type worder interface {
	Worth(score int, proof engine.Proof, distance int) string
}

// Worth describes a decision's value for the side to move in p, its proof and its source: "4 fewer boxes
// than the opponent from here, proved, table".
func Worth(g Game, p engine.Position, d engine.Decision) string {
	if w, ok := p.(worder); ok {
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
		bound := [2]string{"at least ", "at most "}
		if d.Score < 0 && g.Web.Unit != "" {
			bound = [2]string{"at worst ", "at best "}
		}
		return bound[d.Proof-engine.Lower] + what + ", a proved bound, " + d.Source
	}
	return "about " + what + ", an estimate, " + d.Source
}
