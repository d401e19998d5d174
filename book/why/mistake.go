package why

import (
	"fmt"
	"math/bits"
	"strings"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/watchyourback"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/dotsandboxes/exact"
)

// The kinds of [Mistake]. All except Reply and Unchanged count something after the played move
// and after the better one. Numbers: played and better, the two counts, for Side, which moved.
const (
	// Reply: the opponent's best move after the played one, which is the Part. Numbers: gains,
	// what the reply captures.
	Reply Kind = "reply"
	// Captured: the boxes, squares or pieces that the move captures.
	Captured Kind = "captured"
	// Gives: the boxes, squares or pieces that the opponent can capture in the next turn; 0 if
	// Side moves again.
	Gives Kind = "gives"
	// LongChains: chains of at least 3 boxes.
	LongChains Kind = "long-chains"
	// LastSafe: 1 if Side can draw the last safe line while both players draw only safe lines.
	LastSafe Kind = "last-safe"
	// Symmetric: 1 if Side can answer every segment with its image.
	Symmetric Kind = "symmetric"
	// Quiet: segments that neither capture nor let the opponent capture.
	Quiet Kind = "quiet"
	// Falls: pieces of Side that the board would lose if it shrank now.
	Falls Kind = "falls"
	// Unchanged: no fact of the other kinds differs.
	Unchanged Kind = "unchanged"
)

// fact is a count in a position after a move; known is false if it was not counted.
type fact struct {
	kind      Kind
	n         int
	known     bool
	one, many string // singular and plural of what is counted
	again     bool   // the player moves again
	// text is the sentence. In it {played} and {better} stand for the moves, {n} and {instead}
	// for the counts after them.
	text string
}

// things formats the count with its unit.
func (f fact) things() string {
	if f.again {
		return "none yet (the player moves again)"
	}
	return plural(f.n, f.one, f.many)
}

// Mistake returns what the move played in p has changed compared with a better move. reply is
// the opponent's best move after the played one, "" if none is proved.
func Mistake(p engine.Position, played, better, reply string) ([]Reason, error) {
	e, side := newExplainer(p), p.Turn()
	a, err := playText(p, played)
	if err != nil {
		return nil, err
	}
	b, err := playText(p, better)
	if err != nil {
		return nil, err
	}
	if reply != "" && a.after.Turn() != side && !a.after.Over() {
		if err := e.addReply(a.after, reply); err != nil {
			return nil, err
		}
	}
	changed := false
	betterFacts := e.facts(b)
	for i, f := range e.facts(a) {
		if g := betterFacts[i]; f.known && g.known && f.n != g.n {
			changed = true
			text := strings.NewReplacer("{played}", played, "{better}", better, "{n}", f.things(), "{instead}", g.things()).Replace(f.text)
			e.add(Reason{Kind: f.kind, Side: side, Numbers: map[string]int{"played": f.n, "better": g.n}}, "%s", text)
		}
	}
	if !changed {
		e.add(Reason{Kind: Unchanged}, "no simple fact distinguishes %s from %s; only the moves that follow do.", played, better)
	}
	return e.reasons, nil
}

// addReply adds the opponent's best reply to the played move; p is the position after that move.
func (e *explainer) addReply(p engine.Position, reply string) error {
	m, err := playText(p, reply)
	if err != nil {
		return err
	}
	r := Reason{Kind: Reply, Side: p.Turn(), Parts: []Part{{Kind: "move", Moves: []string{reply}}},
		Numbers: map[string]int{"gains": m.captured()}}
	captures := ""
	if n := r.Numbers["gains"]; n > 0 {
		captures = fmt.Sprintf(", which captures %s", plural(n, e.one, e.many))
	}
	e.add(r, "%s's best reply is %s%s.", e.side(p.Turn()), reply, captures)
	return nil
}

// playedMove is a move with the positions before and after it.
type playedMove struct {
	before, after engine.Position
	move          engine.Move
}

// playText plays a move in the game's notation.
func playText(p engine.Position, text string) (playedMove, error) {
	m, err := p.ParseMove(text)
	if err != nil {
		return playedMove{}, err
	}
	q, err := p.Play(m)
	return playedMove{p, q, m}, err
}

// captured returns the number of boxes, squares or pieces that the move captures. Pieces that a
// shrink removes are not counted.
func (m playedMove) captured() int {
	p, ok := m.before.(watchyourback.Position)
	switch {
	case !ok:
		return engine.Gained(m.before, m.after)
	case m.move == watchyourback.Forfeit:
		return 0
	}
	own, opp := p.OwnOpp()
	var left uint64 // the opponent's pieces after the move
	if s := watchyourback.Square(m.move); p.Phase() == watchyourback.Placing {
		_, left = watchyourback.Enter(own|1<<s, opp, s, p.Stage())
	} else {
		_, left = watchyourback.MoveStep(own, opp, m.move, p.Stage())
	}
	return bits.OnesCount64(opp &^ left)
}

// facts returns the facts of the position after a move. Their order does not depend on the move.
func (e *explainer) facts(m playedMove) []fact {
	side, after := m.before.Turn(), m.after
	out := []fact{{Captured, m.captured(), true, e.one, e.many, false, "{played} captures {n}, {better} captures {instead}."}}
	add := func(kind Kind, n int, known bool, one, many, text string) {
		out = append(out, fact{kind, n, known, one, many, kind == Gives && after.Turn() == side, text})
	}
	gives := func(n int) {
		add(Gives, n, true, e.one, e.many, "after {played} the opponent can capture {n}, but {instead} after {better}.")
	}
	oneIf := map[bool]int{true: 1}
	switch q := after.(type) {
	case dotsandboxes.Position:
		c := exact.Close(q.Board(), q.Free())
		gives(c.Taken * oneIf[q.Turn() != side])
		add(LongChains, findChains(q, c.Rest).longChains(), true, "long chain", "long chains", "after {played} the position has {n}, but {instead} after {better}.")
		sum, ok := totalSafe(parts(q.Board(), c.Rest))
		last := (sum.nimber != 0) == (q.Turn() == side)
		add(LastSafe, oneIf[last], ok && c.Taken == 0 && c.Rest.Len() > 0, "", "", map[bool]string{
			false: "after {played} the opponent can draw the last safe line, but not after {better}.",
			true:  "after {better} the opponent can draw the last safe line, but not after {played}.",
		}[last])
	case circuitwars.Position:
		gives(largestGain(gains(q)))
		var m graph.MirrorFinder
		_, ok := m.Fixed(q.Board(), q.Free())
		ok = ok && !q.Over()
		add(Symmetric, oneIf[ok], true, "", "", map[bool]string{
			false: "{better} makes the position symmetric, so that every segment can be answered with its image; {played} does not.",
			true:  "{played} makes the position symmetric, so that every segment can be answered with its image, but {better} gains more.",
		}[ok])
		quiet, _ := quietSegments(q)
		add(Quiet, quiet, true, "segment", "segments", "after {played} the opponent has {n} to draw without capturing or opening anything, but {instead} after {better}.")
	case watchyourback.Position:
		mine, opp := q.OwnOpp()
		if q.Turn() != side {
			mine, opp = opp, mine
		}
		_, most := captures(opp, mine, side.Other(), q.Phase() == watchyourback.Moving, q.Stage())
		gives(most)
		moving := q.Phase() == watchyourback.Moving && q.Stage() != watchyourback.Final
		falls := uint64(0)
		if moving {
			kept, _ := watchyourback.Shrink(mine, opp, q.Stage()+1)
			falls = mine &^ kept
		}
		add(Falls, bits.OnesCount64(falls), moving, e.one, e.many, "if the board shrank after {played}, "+e.side(side)+" would lose {n}, but {instead} after {better}.")
	}
	return out
}
