package why

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/watchyourback"
	"endwise/solver/dotsandboxes/exact"
)

// The kinds of [Mistake] and [Played]. Side is the side that moved, and None in Unchanged and Unproved,
// which only Played returns.
const (
	// Results: the proved results of both moves with best play. Numbers: in a game with scores
	// played1, played2, better1 and better2, the final scores of both players; otherwise played and
	// better, the values of the moves.
	Results Kind = "results"
	// Opener: after the two moves different players open the first long chain or loop in best play.
	// Parts are these chains and loops. Numbers: played1, played2, better1 and better2, the scores
	// before these are opened.
	Opener Kind = "opener"
	// Differ: the captures in best play after each move that have no counterpart of the same player and
	// size after the other move. Parts: these, of kind played1, played2, better1
	// and better2, where the number is the player.
	Differ Kind = "differ"
	// Course: the captures in the play after one of the moves. Numbers: turns, the number of moves;
	// proved, 1 if it is best play.
	Course Kind = "course"
	// Unshown: the captures in the play after the moves do not favour the better one. Numbers: turns.
	Unshown Kind = "unshown"
	// Unchanged: the two moves are the same or have the same proved value.
	Unchanged Kind = "unchanged"
	// Unproved: the played move is not proved to be worse than the best one.
	Unproved Kind = "unproved"
)

// Play is a move with its value and the best play after it.
type Play struct {
	Line  []string     // the move and the play after it, as far as it is known
	Score int          // the value of the move for the side that plays it
	Proof engine.Proof // what is proved about Score
	turns []playedMove // of Line
}

func (l Play) provedWorse(better Play) bool {
	return (l.Proof == engine.Exact || l.Proof == engine.Upper) &&
		(better.Proof == engine.Exact || better.Proof == engine.Lower) && l.Score < better.Score
}

// lead returns the score difference after n ≥ 1 turns for the side that plays the move.
func (l Play) lead(n int) int { return engine.Lead(l.turns[n-1].after, l.turns[0].before.Turn()) }

// first returns the first n moves as text.
func (l Play) first(n int) string {
	var moves []string
	for _, m := range l.turns[:n] {
		moves = append(moves, m.before.MoveString(m.move))
	}
	return strings.Join(moves, " ")
}

type playedMove struct {
	before, after engine.Position
	move          engine.Move
}

// playText plays a move in notation.
func playText(p engine.Position, text string) (playedMove, error) {
	m, err := p.ParseMove(text)
	if err != nil {
		return playedMove{}, err
	}
	q, err := p.Play(m)
	return playedMove{p, q, m}, err
}

// Mistake compares a move played in p with a better one: first the results, if the move is proved to be
// worse, then, if the lines allow it, who opens the first chain or the captures after both moves. solve, which may be nil, continues lines that
// end early. Mistake returns an error of solve, or an error if a move of a line is illegal.
func Mistake(ctx context.Context, p engine.Position, played, better Play, solve Solve) ([]Reason, error) {
	e := newExplainer(p)
	e.solve = solve
	for _, play := range []*Play{&played, &better} {
		if err := e.follow(ctx, play); err != nil {
			return nil, err
		}
	}
	if played.provedWorse(better) {
		e.addResults(played, better)
		if err := e.addDeal(ctx, better); err != nil {
			return nil, err
		}
	}
	switch {
	case played.Proof == engine.Estimate || better.Proof == engine.Estimate:
		e.addEstimated(played, better)
	case e.squares == 0:
		e.addCourse(played, len(played.turns))
		e.addCourse(better, len(better.turns))
	case e.complete(played) && e.complete(better):
		if !e.addOpener(played, better) {
			e.addDiffer(played, better)
		}
	}
	return e.reasons, nil
}

// addDeal adds the reason of kind Captures if better has the value of a double-deal that is better than
// taking all boxes.
func (e *explainer) addDeal(ctx context.Context, better Play) error {
	p, ok := e.p.(dotsandboxes.Position)
	if !ok {
		return nil
	}
	c := exact.Close(p.Board(), p.Free())
	if c.Taken == 0 || c.Price > 8 {
		return nil
	}
	n := len(e.reasons)
	if err := e.addCaptures(ctx, p, c, findChains(p, c.Rest)); err != nil {
		return err
	}
	dealt := e.reasons[n].Numbers
	if declined, known := dealt["declined"]; !known || declined <= dealt["all"] || declined != better.Score {
		e.reasons = e.reasons[:n]
	}
	return nil
}

// addEstimated adds reasons Course for the same number of turns after each move, or the reason Unshown.
func (e *explainer) addEstimated(played, better Play) {
	n := min(len(played.turns), len(better.turns))
	if played.lead(n) >= better.lead(n) {
		e.add(Reason{Kind: Unshown, Side: e.p.Turn(), Numbers: map[string]int{"turns": n}},
			"nothing is lost yet within %s of estimated best play: %s, or %s.", count(n, "turn"), played.first(n), better.first(n))
		return
	}
	e.addCourse(played, n)
	e.addCourse(better, n)
}

const (
	// shortLine is the number of moves up to which a line without an exact value is continued.
	shortLine = 6
	// maxContinued limits how often a line without scores is continued: best play may be endless.
	maxContinued = 8
)

// follow sets l.turns: the moves of l.Line, continued by e.solve. An exact line is continued to the end
// of the game (see maxContinued), another one until it has shortLine turns. Except in an estimated line,
// the play of e.solve is used only if it is proved.
func (e *explainer) follow(ctx context.Context, l *Play) error {
	p, continued := e.p, 0
	for moves := l.Line; len(moves) > 0; continued++ {
		for _, text := range moves {
			m, err := playText(p, text)
			if err != nil {
				return err
			}
			l.turns = append(l.turns, m)
			p = m.after
		}
		endless := e.squares == 0 && continued == maxContinued
		longEnough := l.Proof != engine.Exact && len(l.turns) >= shortLine
		if p.Over() || e.solve == nil || endless || longEnough {
			break
		}
		d, err := e.solve(ctx, p)
		if err != nil {
			return err
		}
		if !d.MoveProved() && l.Proof != engine.Estimate {
			break
		}
		moves = d.Line
	}
	return nil
}

// complete reports whether the line leads to the proved result at the end of the game.
func (e *explainer) complete(l Play) bool {
	n := len(l.turns)
	return l.Proof == engine.Exact && l.turns[n-1].after.Over() && l.lead(n)-engine.Lead(e.p, e.p.Turn()) == l.Score
}

// addResults adds the reason of kind Results. The played move must be proved to be worse.
func (e *explainer) addResults(played, better Play) {
	r := Reason{Kind: Results, Side: e.p.Turn(), Numbers: map[string]int{}}
	if e.squares == 0 {
		r.Numbers["played"], r.Numbers["better"] = played.Score, better.Score
		e.add(r, "with best play %s after %s, and %s after %s.",
			e.outcome(played), played.name(), e.outcome(better), better.name())
		return
	}
	// final describes the final score after l, which it adds to r.Numbers with the given prefix.
	final := func(l Play, prefix string) string {
		score := e.p.Score()
		left := e.squares - score[0] - score[1]
		own := (left + l.Score) >> 1 // the squares still to come for r.Side, rounded down for an upper bound
		if l.Proof == engine.Lower {
			own = (left + l.Score + 1) >> 1
		}
		score[r.Side-1] += own
		score[r.Side.Other()-1] += left - own
		r.Numbers[prefix+"1"], r.Numbers[prefix+"2"] = score[0], score[1]
		return result(score, r.Side, l.Proof) + " after " + l.name()
	}
	first, second := final(played, "played"), final(better, "better")
	for _, s := range []engine.Side{engine.First, engine.Second} { // the winner of both is named once
		if same := s.String() + " wins "; strings.HasPrefix(first, same) {
			second = strings.TrimPrefix(second, same)
		}
	}
	e.add(r, "with best play %s, and %s.", first, second)
}

// result describes a final score: the winner, then the winner's score before the loser's. With a proof other
// than Exact the score is a bound for me.
func result(score [2]int, me engine.Side, proof engine.Proof) string {
	winner, bound := engine.First, ""
	if score[0] < score[1] || score[0] == score[1] && me == engine.Second {
		winner = engine.Second
	}
	switch {
	case proof != engine.Exact && (winner == me) == (proof == engine.Lower):
		bound = "at least "
	case proof != engine.Exact:
		bound = "at most "
	}
	switch {
	case score[0] != score[1]:
		return fmt.Sprintf("%s wins %s%d–%d", winner, bound, max(score[0], score[1]), min(score[0], score[1]))
	case bound != "":
		return fmt.Sprintf("%s gets %sa tie", winner, bound)
	}
	return "the game is a tie"
}

// name returns the first move, or "the best move" for a lower bound, which another move may reach.
func (l Play) name() string {
	if l.Proof == engine.Lower {
		return "the best move"
	}
	return l.Line[0]
}

// outcome describes the proved value of a move in a game without scores.
func (e *explainer) outcome(l Play) string {
	me := e.side(e.p.Turn())
	if l.Score == 0 && l.Proof != engine.Exact {
		return me + map[engine.Proof]string{engine.Lower: " gets at least a tie", engine.Upper: " gets at most a tie"}[l.Proof]
	}
	return [...]string{e.side(e.p.Turn().Other()) + " wins", "the game is a tie", me + " wins"}[l.Score+1]
}

// opening is the first move in a line that opens a long chain or a loop.
type opening struct {
	text  string
	side  engine.Side // None if there is no such move
	part  Part
	score [2]int
}

// findOpening returns the zero opening if l contains none.
func findOpening(l Play) opening {
	for i, m := range l.turns {
		p, ok := m.before.(dotsandboxes.Position)
		if !ok || exact.Close(p.Board(), p.Free()).Taken > 0 {
			continue
		}
		move := p.MoveString(m.move)
		for _, part := range findChains(p, p.Free()).parts {
			if !slices.Contains(part.Moves, move) || part.Kind == chainPart && part.Size < 3 {
				continue
			}
			o := opening{side: p.Turn(), score: p.Score()}
			o.part = Part{Kind: part.Kind, Size: part.Size, Squares: part.Squares} // no Moves: in e.p they are not yet a chain
			o.text = fmt.Sprintf("after %s %s opens a %s of %s with %s", l.Line[0], o.side, part.Kind, boxes(part.Size), move)
			if i == 0 {
				o.text = fmt.Sprintf("%s opens a %s of %s", move, part.Kind, boxes(part.Size))
			}
			o.text += " " + standing(o.score)
			return o
		}
	}
	return opening{}
}

// standing describes the score before a move: "when player 2 leads 3–1" or "when the score is 2–2".
func standing(score [2]int) string {
	switch {
	case score[0] > score[1]:
		return fmt.Sprintf("when %s leads %d–%d", engine.First, score[0], score[1])
	case score[0] < score[1]:
		return fmt.Sprintf("when %s leads %d–%d", engine.Second, score[1], score[0])
	}
	return fmt.Sprintf("when the score is %d–%d", score[0], score[1])
}

// addOpener adds who opens the first long chain or loop after both moves; it returns false and adds
// nothing unless these are different players.
func (e *explainer) addOpener(played, better Play) bool {
	p, b := findOpening(played), findOpening(better)
	if p.side == b.side || p.side == engine.None || b.side == engine.None {
		return false
	}
	r := Reason{Kind: Opener, Side: e.p.Turn(), Parts: []Part{p.part, b.part}, Numbers: map[string]int{
		"played1": p.score[0], "played2": p.score[1], "better1": b.score[0], "better2": b.score[1]}}
	e.add(r, "the first long chain (at least 3 boxes) or loop in best play: %s; %s.", p.text, b.text)
	return true
}

// capture is what one side captures by consecutive moves.
type capture struct {
	side engine.Side
	size int
	move string // the first that captures
}

// captured returns the captures in the line of l.
func captured(l Play) (out []capture) {
	again := false // the move before captured, and its side moves again
	for _, m := range l.turns {
		n, side := engine.Gained(m.before, m.after), m.before.Turn()
		switch {
		case n > 0 && again:
			out[len(out)-1].size += n
		case n > 0:
			out = append(out, capture{side, n, m.before.MoveString(m.move)})
		}
		again = n > 0 && m.after.Turn() == side
	}
	return out
}

// without returns those captures in the list all that have no counterpart of the same player and size in others,
// player 1's first and each player's largest first.
func without(all, others []capture) (out []capture) {
	others = slices.Clone(others)
	for _, c := range all {
		if i := slices.IndexFunc(others, func(o capture) bool { return o.side == c.side && o.size == c.size }); i >= 0 {
			others = slices.Delete(others, i, i+1)
		} else {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(x, y capture) int {
		return cmp.Or(cmp.Compare(x.side, y.side), y.size-x.size)
	})
	return out
}

// addBestPlay adds the reason of kind Unexplained: the first captures in the line of best play, after the
// method of the proof if the line does not reach a proved value.
func (e *explainer) addBestPlay(ctx context.Context) error {
	r := Reason{Kind: Unexplained}
	l := Play{Line: e.d.Line, Score: e.d.Score, Proof: e.d.Proof}
	e.solve = nil // follow does not continue the line
	if err := e.follow(ctx, &l); err != nil {
		return err
	}
	text := "the exact value is not proved"
	if e.d.Proof == engine.Exact {
		r.Numbers, text = map[string]int{"score": e.d.Score}, proofMethod(e.d)
	}
	if e.squares == 0 || len(l.turns) == 0 || !e.complete(l) {
		if len(l.turns) > 0 {
			text += ". " + capitalized(e.course(l, len(l.turns)))
		}
		e.add(r, "%s.", text)
		return nil
	}
	var takes []string
	var last engine.Side
	all := captured(l)
	for i, c := range all {
		if left := len(all) - i; i == maxTakes && left > 1 {
			takes = append(takes, fmt.Sprintf("and %s follow", count(left, "more capture")))
			break
		}
		text := fmt.Sprintf("%d with %s", c.size, c.move)
		if c.side != last {
			text = fmt.Sprintf("%s takes %s", c.side, text)
		}
		takes, last = append(takes, text), c.side
	}
	e.add(r, "with best play %s; %s.", strings.Join(takes, ", "), result(l.turns[len(l.turns)-1].after.Score(), e.p.Turn(), engine.Exact))
	return nil
}

// addDiffer adds the reason of kind Differ for two complete lines.
func (e *explainer) addDiffer(played, better Play) {
	r := Reason{Kind: Differ, Side: e.p.Turn(), Numbers: map[string]int{}}
	x, y := captured(played), captured(better)
	x, y = without(x, y), without(y, x)
	for _, c := range x {
		r.Parts = append(r.Parts, Part{Kind: fmt.Sprint("played", int(c.side)), Size: c.size})
	}
	for _, c := range y {
		r.Parts = append(r.Parts, Part{Kind: fmt.Sprint("better", int(c.side)), Size: c.size})
	}
	e.add(r, "best play differs in these captures, in %s: after %s, %s; after %s, %s.", e.many,
		played.Line[0], describeCaptures(x), better.Line[0], describeCaptures(y))
}

// describeCaptures returns text like "player 1 takes 5 (v0,1), 2 twice and 1, player 2 takes 3 (h1,0)", or
// "none". The captures of each player must be in the order of without.
func describeCaptures(captures []capture) string {
	var sides []string
	for _, side := range []engine.Side{engine.First, engine.Second} {
		var each []string
		ofSize := map[int]int{} // size → captures
		for _, c := range captures {
			if c.side != side {
				continue
			}
			if ofSize[c.size]++; c.size >= 3 {
				each = append(each, fmt.Sprintf("%d (%s)", c.size, c.move))
			}
		}
		for _, size := range []int{2, 1} {
			switch n := ofSize[size]; n {
			case 0:
			case 1:
				each = append(each, fmt.Sprint(size))
			case 2:
				each = append(each, fmt.Sprintf("%d twice", size))
			default:
				each = append(each, fmt.Sprintf("%d (%d times)", size, n))
			}
		}
		if len(each) > 0 {
			sides = append(sides, fmt.Sprintf("%s takes %s", side, list(each)))
		}
	}
	return cmp.Or(strings.Join(sides, ", "), "none")
}

const (
	// maxEvents is the maximum number of events, such as captures, that a reason of kind Course describes.
	maxEvents = 4
	// maxTakes is the maximum number of captures that a reason of kind Unexplained describes.
	maxTakes = 5
)

// addCourse adds the reason of kind Course for the first n turns of a line.
func (e *explainer) addCourse(l Play, n int) {
	n = min(n, len(l.turns))
	r := Reason{Kind: Course, Side: e.p.Turn(), Numbers: map[string]int{"turns": n, "proved": 0}}
	if l.Proof == engine.Exact {
		r.Numbers["proved"] = 1
	}
	e.add(r, "%s.", e.course(l, n))
}

// course describes the captures in the first n turns of a line, without a full stop.
func (e *explainer) course(l Play, n int) string {
	play := "estimated best play"
	if l.Proof == engine.Exact {
		play = "best play"
	}
	l.turns = l.turns[:n]
	var events []string
	for _, m := range l.turns {
		if p, ok := m.before.(watchyourback.Position); ok {
			events = append(events, e.eliminations(p, m)...)
		}
	}
	if e.squares > 0 {
		for _, c := range captured(l) {
			events = append(events, fmt.Sprintf("%s captures %s by %s", c.side, plural(c.size, e.one, e.many), c.move))
		}
	}
	if len(events) > maxEvents {
		events = append(events[:maxEvents], "and more")
	}
	if len(events) == 0 {
		events = []string{"no captures"}
	}
	return fmt.Sprintf("%s from %s on, %s: %s", play, l.Line[0], count(n, "turn"), strings.Join(events, "; "))
}

// eliminations describes the pieces that the turn m in p eliminates, also by a shrink of the board.
func (e *explainer) eliminations(p watchyourback.Position, m playedMove) (out []string) {
	own, opp := p.OwnOpp()
	ownLeft, oppLeft := own, opp
	if m.move != watchyourback.Forfeit {
		to := watchyourback.Square(m.move)
		if p.Phase() == watchyourback.Placing {
			ownLeft, oppLeft = watchyourback.Enter(own|1<<to, opp, to, p.Stage())
		} else {
			ownLeft, oppLeft = watchyourback.MoveStep(own, opp, m.move, p.Stage())
		}
		var each []string
		for dead := opp &^ oppLeft; dead != 0; dead &= dead - 1 {
			s := bits.TrailingZeros64(dead)
			each = append(each, fmt.Sprintf("the piece on %s between %s and %s", square(s%8, s/8),
				square(to%8, to/8), square(2*(s%8)-to%8, 2*(s/8)-to/8))) // the last one is on the far side of s
		}
		if len(each) > 0 {
			out = append(out, fmt.Sprintf("%s captures %s by %s", e.side(p.Turn()), list(each), p.MoveString(m.move)))
		}
		if ownLeft>>to&1 == 0 {
			out = append(out, fmt.Sprintf("%s loses the piece that enters %s", e.side(p.Turn()), square(to%8, to/8)))
		}
	}
	if q := m.after.(watchyourback.Position); q.Stage() != p.Stage() {
		oppNow, ownNow := q.OwnOpp() // the turn has passed
		lost := func(pieces uint64) string { return cmp.Or(list(bitSquares(pieces)), "nothing") }
		out = append(out, fmt.Sprintf("the board shrinks, %s loses %s and %s %s", e.side(p.Turn()), lost(ownLeft&^ownNow),
			e.side(p.Turn().Other()), lost(oppLeft&^oppNow)))
	}
	return out
}

// Played compares a move in p with the best move of d, the decision for p; see [Mistake]. It adds a
// reason if the moves are the same, are equally good, or are not proved to differ. solve must not be nil.
// Played returns an error of solve, or an error if a move is illegal.
func Played(ctx context.Context, p engine.Position, d engine.Decision, move string, solve Solve) ([]Reason, error) {
	m, err := playText(p, move)
	if err != nil {
		return nil, err
	}
	e := newExplainer(p)
	move = p.MoveString(m.move) // moves have several names
	if move == d.Move {
		e.add(Reason{Kind: Unchanged}, "%s is the best move.", move)
		return e.reasons, nil
	}
	played, better := Play{Line: []string{move}}, bestPlay(d)
	for _, v := range d.Moves {
		if v.Move == move {
			played.Score, played.Proof = v.Score, v.Proof
		}
	}
	if d.Proof == engine.Exact && played.Proof == engine.Exact && played.Score == d.Score {
		e.add(Reason{Kind: Unchanged}, "%s is as good as %s: both keep the value.", move, d.Move)
		return e.reasons, nil
	}
	if !m.after.Over() {
		answer, err := solve(ctx, m.after)
		if err != nil {
			return nil, err
		}
		if answer.MoveProved() && played.Proof != engine.Exact {
			played.Score, played.Proof = answer.Score, engine.Exact
			if m.after.Turn() != p.Turn() {
				played.Score = -answer.Score
			}
			if e.squares > 0 {
				played.Score += engine.Lead(m.after, p.Turn()) - engine.Lead(p, p.Turn())
			}
		}
		if answer.MoveProved() || played.Proof == engine.Estimate {
			played.Line = append(played.Line, answer.Line...)
		}
	}
	if !played.provedWorse(better) {
		e.add(Reason{Kind: Unproved}, "It is not proved that %s is worse than %s.", move, d.Move)
	}
	reasons, err := Mistake(ctx, p, played, better, solve)
	return append(e.reasons, reasons...), err
}

// bestPlay returns the best move of d, with its line unless only a bound of its value is proved.
func bestPlay(d engine.Decision) Play {
	own := d.Own()
	best := Play{Line: []string{d.Move}, Score: own.Score, Proof: own.Proof}
	if d.MoveProved() {
		best.Score, best.Proof = d.Score, engine.Exact
	}
	if len(d.Line) > 0 && (best.Proof == engine.Exact || best.Proof == engine.Estimate) {
		best.Line = d.Line
	}
	return best
}
