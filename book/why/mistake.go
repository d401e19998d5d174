package why

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/watchyourback"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/dotsandboxes/exact"
)

// The kinds of [Mistake]. All except Reply, Unchanged and Unproved compare a count after the played
// move with the same count after the better move. Numbers: played and better, the counts. Side is the
// side that moved.
const (
	// Reply: the opponent's best move after the played one, which is the Part. Numbers: gains, the
	// number that the reply captures.
	Reply Kind = "reply"
	// Captured: the boxes, squares or pieces that the move captures.
	Captured Kind = "captured"
	// Gives: the boxes, squares or pieces that the opponent can capture in the next turn; 0 if Side
	// moves again.
	Gives Kind = "gives"
	// LongChains: chains of at least 3 boxes, if their number after the played move is not the one
	// that Side usually wants.
	LongChains Kind = "long-chains"
	// LastSafe: 1 if Side can draw the last safe line while both players draw only safe lines.
	LastSafe Kind = "last-safe"
	// Symmetric: 1 if Side can answer every segment with its image.
	Symmetric Kind = "symmetric"
	// Quiet: segments that neither capture nor allow larger captures than before.
	Quiet Kind = "quiet"
	// Falls: pieces of Side that the board would lose if it shrank now.
	Falls Kind = "falls"
	// Unchanged: no fact of the other kinds differs, or the two moves are the same or have the same
	// proved value.
	Unchanged Kind = "unchanged"
	// Unproved: the played move is not proved to be worse than the best one.
	Unproved Kind = "unproved"
)

// fact is a count in the position after a move, which [Mistake] compares with that after another move.
type fact struct {
	kind      Kind
	n         int
	unknown   bool   // n has not been counted
	one, many string // singular and plural of the unit
	again     bool   // the side that moved moves again
	parity    bool   // only the parity of n matters
	favours   bool   // n is what the side that moved wants, in a fact with parity
	// text is the sentence if the move is the played one and the counts differ. {played} and {better}
	// stand for the two moves, {n} and {instead} for the counts after them.
	text string
}

func (f fact) counted() string {
	if f.again {
		return "none yet, because the same player moves again"
	}
	return plural(f.n, f.one, f.many)
}

// Mistake returns the differences between the move played in p and a better move. reply is the
// opponent's best move after the played one, "" if none is proved; it is ignored if the opponent is
// not to move then. Mistake returns an error if a move is illegal.
func Mistake(p engine.Position, played, better, reply string) ([]Reason, error) {
	e, side := newExplainer(p), p.Turn()
	afterPlayed, err := playText(p, played)
	if err != nil {
		return nil, err
	}
	afterBetter, err := playText(p, better)
	if err != nil {
		return nil, err
	}
	if next := afterPlayed.after; reply != "" && next.Turn() != side && !next.Over() {
		if err := e.addReply(next, reply); err != nil {
			return nil, err
		}
	}
	changed := false
	betterFacts := e.facts(afterBetter)
	for i, f := range e.facts(afterPlayed) {
		g := betterFacts[i] // the same kind, because the order of facts is fixed
		if f.unknown || g.unknown || f.n == g.n || f.favours || f.parity && (f.n-g.n)%2 == 0 {
			continue
		}
		changed = true
		text := strings.NewReplacer("{played}", played, "{better}", better,
			"{n}", f.counted(), "{instead}", g.counted()).Replace(f.text)
		e.add(Reason{Kind: f.kind, Side: side, Numbers: map[string]int{"played": f.n, "better": g.n}}, "%s", text)
	}
	if !changed {
		e.add(Reason{Kind: Unchanged},
			"no simple fact distinguishes %s from %s; only the moves that follow do.", played, better)
	}
	return e.reasons, nil
}

// Played returns the differences between a move in p and the best move of d, the decision for p; see
// [Mistake]. solve may be called with the position after the move. Played returns an error of solve,
// or an error if the move is illegal.
func Played(ctx context.Context, p engine.Position, d engine.Decision, move string, solve Solve) ([]Reason, error) {
	m, err := playText(p, move)
	if err != nil {
		return nil, err
	}
	move = p.MoveString(m.move) // moves have several names
	if move == d.Move {
		e := newExplainer(p)
		e.add(Reason{Kind: Unchanged}, "%s is the best move.", move)
		return e.reasons, nil
	}
	after := m.after
	keeps := func(m engine.MoveValue) bool { return m.Move == move && m.Proof == engine.Exact && m.Score == d.Score }
	if d.Proof == engine.Exact && slices.ContainsFunc(d.Moves, keeps) {
		e := newExplainer(p)
		e.add(Reason{Kind: Unchanged}, "%s is as good as %s: both keep the value.", move, d.Move)
		return e.reasons, nil
	}
	reply := ""
	if !after.Over() {
		answer, err := solve(ctx, after)
		if err != nil {
			return nil, err
		}
		if answer.MoveProved() {
			reply = answer.Move
		}
	}
	reasons, err := Mistake(p, move, d.Move, reply)
	if err != nil || worse(d, move) {
		return reasons, err
	}
	e := newExplainer(p)
	e.add(Reason{Kind: Unproved}, "It is not proved that %s is worse than %s.", move, d.Move)
	return append(e.reasons, slices.DeleteFunc(reasons, func(r Reason) bool { return r.Kind == Unchanged })...), nil
}

func worse(d engine.Decision, move string) bool {
	proved := d.Proof == engine.Exact || d.Proof == engine.Lower
	return proved && slices.ContainsFunc(d.Moves, func(m engine.MoveValue) bool {
		return m.Move == move && (m.Proof == engine.Exact || m.Proof == engine.Upper) && m.Score < d.Score
	})
}

func (e *explainer) addReply(p engine.Position, reply string) error {
	m, err := playText(p, reply)
	if err != nil {
		return err
	}
	n, effect := m.captured(), ""
	if n > 0 {
		effect = fmt.Sprintf(", which captures %s", plural(n, e.one, e.many))
	}
	r := Reason{Kind: Reply, Side: p.Turn(), Parts: []Part{{Kind: "move", Moves: []string{reply}}},
		Numbers: map[string]int{"gains": n}}
	e.add(r, "%s's best reply is %s%s.", e.side(p.Turn()), reply, effect)
	return nil
}

type playedMove struct {
	before, after engine.Position
	move          engine.Move
}

func playText(p engine.Position, text string) (playedMove, error) {
	m, err := p.ParseMove(text)
	if err != nil {
		return playedMove{}, err
	}
	q, err := p.Play(m)
	return playedMove{p, q, m}, err
}

// captured returns the number of boxes, squares or pieces that the move captures, without pieces that
// a shrink after the move removes.
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

// facts returns the facts of the position after a move. Their kinds and their order depend on the
// game only.
func (e *explainer) facts(m playedMove) []fact {
	side := m.before.Turn()
	out := []fact{{kind: Captured, n: m.captured(), one: e.one, many: e.many,
		text: "{played} captures {n}, {better} captures {instead}."}}
	switch q := m.after.(type) {
	case dotsandboxes.Position:
		return append(out, e.dotsFacts(q, side)...)
	case circuitwars.Position:
		return append(out, e.circuitFacts(q)...)
	case watchyourback.Position:
		return append(out, e.pieceFacts(q, side)...)
	}
	return out
}

func (e *explainer) gives(n int) fact {
	return fact{kind: Gives, n: n, one: e.one, many: e.many,
		text: "after {played} the opponent can capture {n}; after {better}, {instead}."}
}

func (e *explainer) dotsFacts(q dotsandboxes.Position, side engine.Side) []fact {
	c := exact.Close(q.Board(), q.Free())
	again := q.Turn() == side
	gives := e.gives(c.Taken)
	if again {
		gives.n, gives.again = 0, true
	}
	chains := findChains(q, c.Rest).longChains()
	wantsOdd := (wantedChains(q) == "odd") == again // the side that moved wants an odd number
	long := fact{kind: LongChains, n: chains, parity: true, favours: (chains%2 == 1) == wantsOdd, one: "long chain", many: "long chains",
		text: fmt.Sprintf("after {played} the position has {n}; after {better}, {instead}. "+
			"By the long chain rule %s usually wants an %s number.", e.side(q.Turn()), wantedChains(q))}
	// The player to move draws the last safe line if the nimber is not 0. While boxes can be
	// captured, both players may still change who moves first in the rest.
	sum, ok := totalSafe(parts(q.Board(), c.Rest))
	last := fact{kind: LastSafe, unknown: !ok || c.Taken > 0 || c.Rest.Len() == 0,
		text: "after {played} the opponent can draw the last safe line, but not after {better}."}
	if (sum.nimber != 0) == again {
		last.n = 1
		last.text = "after {better} the opponent can draw the last safe line, but not after {played}."
	}
	return []fact{gives, long, last}
}

func (e *explainer) circuitFacts(q circuitwars.Position) []fact {
	symmetric := fact{kind: Symmetric, text: "{better} makes the position symmetric, " +
		"so that every segment can be answered with its image; {played} does not."}
	var m graph.MirrorFinder
	if _, ok := m.Fixed(q.Board(), q.Free()); ok && !q.Over() {
		symmetric.n = 1
		symmetric.text = "{played} makes the position symmetric, " +
			"so that every segment can be answered with its image, but {better} gains more."
	}
	quiet, _ := quietSegments(q)
	return []fact{
		e.gives(largestGain(gains(q))),
		symmetric,
		{kind: Quiet, n: quiet, parity: true, favours: quiet%2 == 0, one: "segment", many: "segments", text: "after {played} the opponent has {n} " +
			"to draw without capturing or opening anything; after {better}, {instead}. " +
			"With an even number, the opponent usually has to open something first."},
	}
}

func (e *explainer) pieceFacts(q watchyourback.Position, side engine.Side) []fact {
	opp, own := q.OwnOpp() // the turn has passed to the opponent of side
	moving := q.Phase() == watchyourback.Moving
	_, most := captures(opp, own, side.Other(), moving, q.Stage())
	falls := fact{kind: Falls, unknown: !moving || q.Stage() == watchyourback.Final, one: e.one, many: e.many,
		text: "if the board shrank after {played}, " + e.side(side) + " would lose {n}; after {better}, {instead}."}
	if !falls.unknown {
		left, _ := watchyourback.Shrink(own, opp, q.Stage()+1)
		falls.n = bits.OnesCount64(own &^ left)
	}
	return []fact{e.gives(most), falls}
}
