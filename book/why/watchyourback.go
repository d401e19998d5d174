package why

import (
	"fmt"
	"math/bits"
	"strings"

	"endwise/engine"
	"endwise/engine/watchyourback"
)

// The kinds of Watch Your Back, with the entries of Reason.Numbers; white and black are numbers of
// pieces. Parts of kind White and Black are the pieces of these sides.
const (
	// Pieces: white and black on the board.
	Pieces Kind = "pieces"
	// Win: score, the proved result for the side to move; turns to the end of the game with best play.
	Win Kind = "win"
	// Shrinks: turns, the number of turns to the next shrink; white and black, the numbers of pieces that
	// would be lost if the board shrank now. Parts are these pieces.
	Shrinks Kind = "shrink"
	// Threat: pieces of the opponent that Side can capture, the Part; most, the largest number of
	// them in one turn; later, 1 if Side is not to move.
	Threat Kind = "threat"
	// Blocked: white and black without a step or jump, the Parts; forfeit, 1 if Side, who is to move,
	// has no move.
	Blocked Kind = "blocked"
)

func (e *explainer) explainPieces(p watchyourback.Position) {
	white, black := p.Sides()
	whites, blacks := bits.OnesCount64(white), bits.OnesCount64(black)
	r := Reason{Kind: Pieces, Numbers: map[string]int{"white": whites, "black": blacks}}
	if white|black == 0 {
		e.add(r, "the board is empty.")
	} else {
		e.add(r, "White has %s and Black %d.", count(whites, "piece"), blacks)
	}
	if e.d.Proof == engine.Exact && e.d.Score != 0 {
		e.addWin(p)
	}
	e.addThreat(p, p.Turn())
	if p.ToShrink() != 1 { // else the opponent moves on a smaller board
		e.addThreat(p, p.Turn().Other())
	}
	if p.Phase() == watchyourback.Placing {
		return
	}
	e.addBlocked(p)
	if p.Stage() != watchyourback.Final {
		whiteLeft, blackLeft := watchyourback.Shrink(white, black, p.Stage()+1)
		r := Reason{Kind: Shrinks, Numbers: map[string]int{"turns": p.ToShrink()}}
		lost := describeBoth(&r, "would lose", "piece", white&^whiteLeft, black&^blackLeft)
		if lost == "" {
			lost = "neither side would lose a piece"
		}
		e.add(r, "the board shrinks in %s; if it shrank now, %s.", count(p.ToShrink(), "turn"), lost)
	}
}

// addWin adds the reason Win if the decision, which must be a proved win or loss, contains the number
// of turns to the win, or a short search finds the number.
func (e *explainer) addWin(p watchyourback.Position) {
	winner, turns := p.Turn(), e.d.Distance
	if e.d.Score < 0 {
		winner = winner.Other()
	}
	if turns == 0 {
		turns = shortestWin(p, winner)
	}
	if turns == 0 {
		return
	}
	e.yields(e.d.Score)
	e.add(Reason{Kind: Win, Side: winner, Numbers: map[string]int{"score": e.d.Score, "turns": turns}},
		"with best play of both sides %s wins in %s, both sides' turns counted.", e.side(winner), count(turns, "turn"))
}

const maxWinPositions = 1 << 17

// shortestWin returns the smallest number of turns of both sides in which winner can force a win, or
// 0 if this is not decided after maxWinPositions positions.
func shortestWin(p watchyourback.Position, winner engine.Side) int {
	s := winSearch{winner: winner, left: maxWinPositions, seen: map[timedPosition]bool{}}
	for turns := 1; ; turns++ {
		if won := s.forced(p, turns); s.left <= 0 {
			return 0
		} else if won {
			return turns
		}
	}
}

type winSearch struct {
	winner engine.Side
	left   int // positions that may still be searched; results of forced are invalid if it is not positive
	seen   map[timedPosition]bool
}

type timedPosition struct {
	watchyourback.Position
	turns int
}

// forced reports whether s.winner can force a win from p within the given number of turns of both sides.
func (s *winSearch) forced(p watchyourback.Position, turns int) bool {
	if p.Over() {
		return p.Winner() == s.winner
	}
	key := timedPosition{p, turns}
	won, ok := s.seen[key]
	if s.left--; ok || turns == 0 || s.left <= 0 {
		return won
	}
	attacks := p.Turn() == s.winner
	won = !attacks // winner needs one winning move; for the opponent, all moves must lose
	for _, m := range p.Moves() {
		if won = s.forced(p.Next(m), turns-1); won == attacks {
			break
		}
	}
	s.seen[key] = won
	return won
}

// describeBoth adds the given pieces of both sides to the Numbers and Parts of r, and returns text
// like "White has 1 blocked piece, on (0,3)": verb is "has" and unit "blocked piece" here. The text
// omits a side without such pieces.
func describeBoth(r *Reason, verb, unit string, white, black uint64) string {
	var out []string
	for i, set := range []uint64{white, black} {
		name, n := watchyourback.Game{}.SideNames()[i], bits.OnesCount64(set)
		r.Numbers[strings.ToLower(name)] = n
		if n > 0 {
			r.Parts = append(r.Parts, Part{Kind: name, Size: n, Squares: bitSquares(set)})
			out = append(out, fmt.Sprintf("%s %s %s, on %s", name, verb, count(n, unit), list(bitSquares(set))))
		}
	}
	return strings.Join(out, "; ")
}

// captures returns the pieces in opp that a side with the pieces own could capture if it were to move.
// most is the largest number in one turn. moving reports whether the turn is in the moving phase.
func captures(
	own, opp uint64, side engine.Side, moving bool, stage watchyourback.Stage,
) (pieces uint64, most int) {
	record := func(_, oppAfter uint64) { // the pieces of both sides after a move
		lost := opp &^ oppAfter
		pieces |= lost
		most = max(most, bits.OnesCount64(lost))
	}
	if moving {
		for _, m := range watchyourback.AppendSteps(nil, own, opp, stage) {
			record(watchyourback.MoveStep(own, opp, m, stage))
		}
		return pieces, most
	}
	for free := watchyourback.Zone(side) &^ (own | opp); free != 0; free &= free - 1 {
		s := bits.TrailingZeros64(free)
		record(watchyourback.Enter(own|1<<s, opp, s, stage))
	}
	return pieces, most
}

// addThreat adds the pieces that a side can capture with one move: now or, for the side that is not
// to move, in the next turn if the opponent passed.
func (e *explainer) addThreat(p watchyourback.Position, side engine.Side) {
	own, opp := p.OwnOpp()
	later := 0
	if side != p.Turn() {
		own, opp, later = opp, own, 1
	}
	// The turn after the last placing turn is the first of the moving phase.
	moving := p.Phase() == watchyourback.Moving || p.Turns()+later == watchyourback.PlacingTurns
	set, most := captures(own, opp, side, moving, p.Stage())
	if most == 0 {
		return
	}
	pieces, squares := bits.OnesCount64(set), bitSquares(set)
	which, limit := "the piece on", ""
	switch {
	case most > 1:
		which, limit = "pieces on", fmt.Sprintf(", up to %d in one turn", most)
	case pieces > 1:
		which = "one of the pieces on"
	}
	verb := "can capture"
	if later == 1 {
		verb = "threatens to capture"
	}
	r := Reason{Kind: Threat, Side: side, Numbers: map[string]int{"pieces": pieces, "most": most, "later": later},
		Parts: []Part{{Kind: e.side(side.Other()), Size: pieces, Squares: squares}}}
	e.add(r, "%s %s %s %s%s.", e.side(side), verb, which, list(squares), limit)
}

// addBlocked adds the pieces without a step or jump, and whether the side to move therefore forfeits.
func (e *explainer) addBlocked(p watchyourback.Position) {
	r := Reason{Kind: Blocked, Side: p.Turn(), Numbers: map[string]int{"forfeit": 0}}
	white, black := p.Sides()
	pieces := [2]uint64{white, black}
	blocked := pieces
	for i := range pieces {
		for _, m := range watchyourback.AppendSteps(nil, pieces[i], pieces[1-i], p.Stage()) {
			blocked[i] &^= 1 << watchyourback.Origin(m)
		}
	}
	if blocked == [2]uint64{} {
		return
	}
	text := describeBoth(&r, "has", "blocked piece", blocked[0], blocked[1])
	if own, opp := p.OwnOpp(); watchyourback.Blocked(own, opp, p.Stage()) {
		r.Numbers["forfeit"] = 1
		text += fmt.Sprintf("; %s has no move and forfeits the turn", e.side(p.Turn()))
	}
	e.add(r, "%s.", text)
}
