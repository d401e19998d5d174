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

// The kinds of Mistake. Each except Reply compares the positions after two moves: played and
// better are what is counted in them, for Side, who played.
const (
	// Reply: the opponent's best move after the one played, which is the Part; gains.
	Reply Kind = "reply"
	// Captured: what the move captures: boxes, squares or pieces.
	Captured Kind = "captured"
	// Gives: what the opponent can capture in the next turn, 0 if the player moves again.
	Gives Kind = "gives"
	// LongChains: chains of at least 3 boxes.
	LongChains Kind = "long-chains"
	// LastSafe: 1 if Side can have the last safe line, if both players draw only such lines.
	LastSafe Kind = "last-safe"
	// Symmetric: 1 if Side can answer every segment with its image.
	Symmetric Kind = "symmetric"
	// Quiet: segments that capture and open nothing.
	Quiet Kind = "quiet"
	// Falls: pieces of Side that the board would lose if it shrank now.
	Falls Kind = "falls"
	// Unchanged: no fact of the other kinds differs.
	Unchanged Kind = "unchanged"
)

// fact is a number of things in a position after a move; known is false if it was not counted.
type fact struct {
	kind      Kind
	n         int
	known     bool
	one, many string // thing
	again     bool   // the player moves again
	// text is the sentence. {played}, {better} are the moves, {n}, {instead} the things after
	// them.
	text string
}

func (f fact) things() string {
	if f.again {
		return "none yet, because the player moves again"
	}
	return counted(f.n, f.one, f.many)
}

// Mistake returns what the move played from p changed compared with a better one. reply is
// the opponent's best move after it, "" if none is proved.
func Mistake(p engine.Position, played, better, reply string) ([]Reason, error) {
	e, side := explain(p), p.Turn()
	after := func(move string) (engine.Position, []fact, error) {
		m, err := p.ParseMove(move)
		if err != nil {
			return nil, nil, err
		}
		q, err := p.Play(m)
		if err != nil {
			return nil, nil, err
		}
		return q, e.facts(p, q), nil
	}
	q, now, err := after(played)
	if err != nil {
		return nil, err
	}
	_, instead, err := after(better)
	if err != nil {
		return nil, err
	}
	if reply != "" && q.Turn() != side && !q.Over() {
		m, err := q.ParseMove(reply)
		if err != nil {
			return nil, err
		}
		next, err := q.Play(m)
		if err != nil {
			return nil, err
		}
		r := Reason{Kind: Reply, Side: side.Other(), Parts: []Part{{Kind: "move", Moves: []string{reply}}},
			Numbers: map[string]int{"gains": captured(q, next)}}
		takes := ""
		if n := r.Numbers["gains"]; n > 0 {
			takes = fmt.Sprintf(", which captures %s", counted(n, e.one, e.many))
		}
		e.add(r, "%s's best reply is %s%s.", e.side(side.Other()), reply, takes)
	}
	changed := false
	for i, f := range now {
		if b := instead[i]; f.known && b.known && f.n != b.n {
			changed = true
			text := strings.NewReplacer("{played}", played, "{better}", better, "{n}", f.things(), "{instead}", b.things()).Replace(f.text)
			e.add(Reason{Kind: f.kind, Side: side, Numbers: map[string]int{"played": f.n, "better": b.n}}, "%s", text)
		}
	}
	if !changed {
		e.add(Reason{Kind: Unchanged}, "no simple fact tells %s from %s; only the moves that follow do.", played, better)
	}
	return e.reasons, nil
}

// captured returns what the side to move in p captures by moving to q.
func captured(p, q engine.Position) int {
	if w, ok := p.(watchyourback.Position); ok {
		own, opp := w.OwnOpp()
		return lostPieces(w, q.(watchyourback.Position), own, opp)
	}
	return engine.Gained(p, q)
}

// lostPieces returns the number of opponent's pieces that the move from p to q captures; a
// shrink's are not counted.
func lostPieces(p, q watchyourback.Position, own, opp uint64) int {
	for _, m := range p.Moves() {
		if p.Next(m) != q || m == watchyourback.Forfeit {
			continue
		}
		after := opp
		if s := watchyourback.Square(m); p.Phase() == watchyourback.Placing {
			_, after = watchyourback.Enter(own|1<<s, opp, s, p.Stage())
		} else {
			_, after = watchyourback.MoveStep(own, opp, m, p.Stage())
		}
		return bits.OnesCount64(opp &^ after)
	}
	return 0
}

// facts returns the facts of the position after a move from p, in an order that does not
// depend on the move.
func (e *explainer) facts(p, after engine.Position) []fact {
	side := p.Turn()
	out := []fact{{Captured, captured(p, after), true, e.one, e.many, false, "{played} captures {n}, {better} captures {instead}."}}
	add := func(kind Kind, n int, known bool, one, many, text string) {
		out = append(out, fact{kind, n, known, one, many, kind == Gives && after.Turn() == side, text})
	}
	gives := func(n int) {
		add(Gives, n, true, e.one, e.many, "after {played} the opponent can capture {n}, after {better} {instead}.")
	}
	yes := map[bool]int{true: 1}
	switch q := after.(type) {
	case dotsandboxes.Position:
		c := exact.Close(q.Board(), q.Free())
		gives(c.Taken * yes[q.Turn() != side])
		add(LongChains, structure(q, c.Rest).long(), true, "long chain", "long chains", "{played} leaves {n}, {better} {instead}.")
		sum, ok := totalSafe(parts(q.Board(), c.Rest))
		last := (sum.nimber != 0) == (q.Turn() == side)
		add(LastSafe, yes[last], ok && c.Taken == 0 && c.Rest.Len() > 0, "", "", map[bool]string{
			false: "after {played} the opponent can draw the last safe line, after {better} not.",
			true:  "after {better} the opponent can draw the last safe line, after {played} not.",
		}[last])
	case circuitwars.Position:
		gives(largest(gains(q)))
		var m graph.MirrorFinder
		_, ok := m.Fixed(q.Board(), q.Free())
		ok = ok && !q.Over()
		add(Symmetric, yes[ok], true, "", "", map[bool]string{
			false: "{better} makes the position symmetric, so that every segment can be answered with its image; {played} does not.",
			true:  "{played} makes the position symmetric, so that every segment can be answered with its image, but {better} gains more.",
		}[ok])
		quiet, _ := quietSegments(q)
		add(Quiet, quiet, true, "segment", "segments", "{n} that capture and open nothing are left after {played}, {instead} after {better}.")
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
		add(Falls, bits.OnesCount64(falls), moving, e.one, e.many, "if the board shrank after {played}, the player would lose {n}, after {better} {instead}.")
	}
	return out
}
