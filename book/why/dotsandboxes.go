package why

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
)

// The kinds of Dots and Boxes, with the entries of Reason.Numbers. Below, "the rest" means the position
// after all captures.
const (
	// Captures: boxes, which can be captured; rest, the value of the rest for the player who moves
	// first there; all, the result for Side of taking all boxes. If a double-deal is possible: left,
	// the boxes that it leaves; cost, twice left; declined, its result for Side; difference, the
	// distance between all and declined. rest, all, declined and difference are missing if the value
	// of the rest is not known.
	Captures Kind = "captures"
	// Chains: the numbers of long chains (at least 3 boxes), short chains, loops, and joints (boxes
	// with at least 3 free lines) in the rest. Parts are the chains and loops.
	Chains Kind = "chains"
	// SafeLines: now, the safe lines of the rest; least and most, the smallest and the greatest
	// number that can be drawn until none is left. Side can draw the last one if both players draw
	// safe lines only.
	SafeLines Kind = "safe"
	// ChainRule: lines and boxes that are left; turns, the number of turns left less the number of long
	// chains; odd, 1 if Side, who is to move, wants an odd number of long chains.
	ChainRule Kind = "chain-rule"
	// Loony: value, the value of the rest for the player who opens the first of its chains and loops, the
	// Parts; controlled, the difference of boxes for an opponent who keeps control to the end, if this is
	// the opponent's best play.
	Loony Kind = "loony"
	// Nimbers: sum, the nim-sum. Parts are the components of the rest with their nimbers. Side wins
	// the fight for the last turn.
	Nimbers Kind = "nimbers"
)

func (e *explainer) explainDots(ctx context.Context, p dotsandboxes.Position) error {
	c := exact.Close(p.Board(), p.Free())
	rest := findChains(p, c.Rest)
	if c.Taken > 0 {
		if err := e.addCaptures(ctx, p, c, rest); err != nil {
			return err
		}
	}
	if c.Rest.Len() == 0 {
		return nil
	}
	own := c.Taken == 0 // the rest is the position itself
	if rest.onlyChains() {
		e.addLoonyEnding(rest, own)
		return nil
	}
	first, mover := "the player who moves first in the rest", engine.None
	if own {
		mover = p.Turn()
		first = mover.String()
	}
	e.addChains(rest, own)
	all := parts(p.Board(), c.Rest)
	e.addSafeLines(all, mover, first)
	if mover != engine.None {
		e.addChainRule(c.Rest.Len(), rest.boxes, mover)
	}
	e.addNimbers(p, all, mover, first)
	return nil
}

type chainStructure struct {
	parts  []Part // the largest first
	joints int    // boxes with at least 3 free lines
	boxes  int    // all boxes that are left
}

const (
	chainPart = "chain"
	loopPart  = "loop"
)

// findChains returns the structure of rest, free lines on the board of p of which none completes a
// box. A chain is a row of boxes with two free lines each; a loop is a closed row.
func findChains(p dotsandboxes.Position, rest grid.Set) (s chainStructure) {
	b := p.Board()
	degree := make([]int, b.Squares()) // box → free lines
	for box := range degree {
		for _, l := range b.Around(box) {
			if rest.Has(l) {
				degree[box]++
			}
		}
		if degree[box] > 0 {
			s.boxes++
			if degree[box] != 2 {
				s.joints++
			}
		}
	}
	seen := make([]bool, len(degree))
	for start := range seen {
		if seen[start] || degree[start] != 2 {
			continue
		}
		boxes, lines, kind := chainThrough(b, rest, degree, start)
		for _, box := range boxes {
			seen[box] = true
		}
		part := Part{Kind: kind, Size: len(boxes)}
		part.Squares, part.Moves = namesOf(b, p.MoveString, boxes, lines)
		s.parts = append(s.parts, part)
	}
	slices.SortStableFunc(s.parts, func(x, y Part) int { return y.Size - x.Size })
	return s
}

// chainThrough returns the boxes and lines, sorted, of the chain or loop that contains the box start.
// degree is the number of free lines by box.
func chainThrough(b *grid.Board, rest grid.Set, degree []int, start int) (boxes, lines []int, kind string) {
	boxes, kind = []int{start}, chainPart
	for _, l := range b.Around(start) {
		if !rest.Has(l) || kind == loopPart {
			continue
		}
		more, crossed, closed := followChain(b, rest, degree, start, l)
		boxes, lines = append(boxes, more...), append(lines, crossed...)
		if closed {
			kind = loopPart
		}
	}
	slices.Sort(boxes)
	slices.Sort(lines)
	return boxes, lines, kind
}

// followChain leaves the box start across line, one of its free lines, and follows the chain to its
// end, or the loop back to start; closed reports the latter. It returns the lines crossed and the
// boxes entered, without start.
func followChain(b *grid.Board, rest grid.Set, degree []int, start, line int) (boxes, lines []int, closed bool) {
	for at := start; ; {
		lines = append(lines, line)
		sides := b.Sides(line)
		at = sides[0] + sides[1] - at // the other side of the line
		if at == grid.Outside || degree[at] != 2 {
			return boxes, lines, false
		}
		if at == start {
			return boxes, lines, true
		}
		boxes = append(boxes, at)
		for _, next := range b.Around(at) {
			if rest.Has(next) && next != line {
				line = next
				break
			}
		}
	}
}

func (s chainStructure) longChains() int {
	return len(slices.DeleteFunc(sizes(s.parts, chainPart), func(boxes int) bool { return boxes < 3 }))
}

// onlyChains reports whether the position consists of isolated chains and loops, at least one.
func (s chainStructure) onlyChains() bool {
	return s.joints == 0 && len(s.parts) > 0
}

// String returns text like "chains of 5 and 3 boxes and a loop of 4 boxes".
func (s chainStructure) String() string {
	var out []string
	for _, kind := range []string{chainPart, loopPart} {
		switch n := sizes(s.parts, kind); {
		case len(n) == 1:
			out = append(out, fmt.Sprintf("a %s of %s", kind, boxes(n[0])))
		case len(n) > 1 && n[0] == n[len(n)-1]:
			out = append(out, fmt.Sprintf("%d %ss of %s", len(n), kind, boxes(n[0])))
		case len(n) > 1:
			out = append(out, fmt.Sprintf("%ss of %s boxes", kind, list(n)))
		}
	}
	return strings.Join(out, " and ")
}

func boxes(n int) string { return plural(n, "box", "boxes") }

// addChains adds the reason of kind Chains. own reports whether the rest is the position itself.
func (e *explainer) addChains(s chainStructure, own bool) {
	long, loops := s.longChains(), len(sizes(s.parts, loopPart))
	r := Reason{Kind: Chains, Parts: s.parts, Numbers: map[string]int{
		"long": long, "short": len(s.parts) - long - loops, "loops": loops, "joints": s.joints}}
	joints := ""
	if s.joints > 0 {
		joints = fmt.Sprintf("; %s at least 3 free lines", plural(s.joints, "box has", "boxes have"))
	}
	has, which := "the rest has", ""
	if own {
		has = "there are"
		if first := sizes(s.parts, chainPart); len(first) == 1 || len(first) == 0 && loops == 1 {
			has = "there is"
		}
	}
	switch n := len(s.parts) - loops; {
	case n == 1 && long == 1:
		which = "; the chain is long (at least 3 boxes)"
	case n == 1:
		which = "; the chain is short (fewer than 3 boxes)"
	case long == 0 && n > 1:
		which = "; no chain is long (at least 3 boxes)"
	case n > 1:
		which = fmt.Sprintf("; %s long (at least 3 boxes)", plural(long, "of the chains is", "of the chains are"))
	}
	what := s.String()
	if len(s.parts) == 0 {
		what = "no chains or loops yet"
	}
	e.add(r, "%s %s%s%s.", has, what, which, joints)
}

// totalRun returns the run of all parts together: the nim-sum of their nimbers, and the sums of their
// numbers of lines. ok is false if a part is too large for fullMask or safeRun.
func totalRun(all []*part) (sum run, ok bool) {
	for _, p := range all {
		mask, ok := p.fullMask()
		if !ok {
			return run{}, false
		}
		r, ok := p.safeRun(mask)
		if !ok {
			return run{}, false
		}
		sum.nimber ^= r.nimber
		sum.least += r.least
		sum.most += r.most
	}
	return sum, true
}

// countSafe returns the number of lines that can be drawn so that no box can be captured next. Every
// part must have a fullMask.
func countSafe(all []*part) (n int) {
	for _, p := range all {
		mask, _ := p.fullMask()
		for _, ends := range p.ends {
			if p.degree(mask, ends[0]) > 2 && p.degree(mask, ends[1]) > 2 {
				n++
			}
		}
	}
	return n
}

// winner returns the side that wins with the given nimber if mover moves first; None if mover is None.
func winner(mover engine.Side, nimber int) engine.Side {
	if mover != engine.None && nimber == 0 {
		return mover.Other()
	}
	return mover
}

// addSafeLines adds the number of safe lines in the rest, and who draws the last one. all are the
// components of the rest; if one is too large, addSafeLines adds nothing. mover is the side to move,
// or None if boxes can be captured, because either side may then move first in the rest. first
// describes the player who moves first there.
func (e *explainer) addSafeLines(all []*part, mover engine.Side, first string) {
	sum, ok := totalRun(all)
	if !ok {
		return
	}
	now := countSafe(all)
	r := Reason{Kind: SafeLines, Numbers: map[string]int{"now": now, "least": sum.least, "most": sum.most}}
	where, second := "in the rest, ", "the other player"
	if mover != engine.None {
		where, second = "", mover.Other().String()
	}
	if now == 0 {
		e.add(r, "%sno line is safe: every line gives a box away.", where)
		return
	}
	r.Side = winner(mover, sum.nimber)
	drawer, other := first, second // of the last safe line
	if sum.nimber == 0 {
		drawer, other = second, first
	}
	if now == 1 {
		e.add(r, "%s1 line is safe; if %s draws it, %s has to give boxes away first.%s", where, drawer, other, e.nevertheless(r.Side))
		return
	}
	drawn, draws := fmt.Sprintf("%d of them", sum.least), "draws"
	switch {
	case sum.most > sum.least:
		drawn, draws = fmt.Sprintf("%d to %d of them", sum.least, sum.most), "can always draw"
	case now == 2 && sum.least == 2:
		drawn = "both"
	case sum.least == now:
		drawn = "all"
	}
	e.add(r, "%s%d lines are safe, and %s can be drawn before none is safe; "+
		"if both players draw only safe lines, %s %s the last one, and %s has to give boxes away first.%s",
		where, now, drawn, drawer, draws, other, e.nevertheless(r.Side))
}

// nevertheless returns a sentence for a reason that favours side: that its opponent is proved to win the game.
// It returns "" if this is not proved, or an earlier reason has the sentence.
func (e *explainer) nevertheless(side engine.Side) string {
	lead := e.d.Score + engine.Lead(e.p, e.p.Turn())
	winner := e.p.Turn()
	if lead < 0 {
		winner = winner.Other()
	}
	if side == engine.None || winner == side || lead == 0 || e.d.Proof != engine.Exact {
		return ""
	}
	text := fmt.Sprintf(" Nevertheless %s wins with best play.", winner)
	if slices.ContainsFunc(e.reasons, func(r Reason) bool { return strings.HasSuffix(r.Text, text) }) {
		return ""
	}
	return text
}

// addChainRule adds Berlekamp's long chain rule for a position with the given numbers of free lines
// and of boxes left. A turn goes on after every line that completes a box, and no line completes more
// than two boxes. So the turns left are lines - boxes + 1, and one more for each line that completes
// two boxes. The player in control gives the opponent one of these lines, by a double-deal, in every
// long chain except the last.
func (e *explainer) addChainRule(lines, left int, mover engine.Side) {
	odd := oddChains(lines, left)
	r := Reason{Kind: ChainRule, Side: mover, Numbers: map[string]int{
		"lines": lines, "boxes": left, "turns": lines - left, "odd": odd}}
	e.add(r, "long chain rule: if every long chain except the last ends in a double-deal, "+
		"the turns left are the number of long chains and %d more (%d free lines less %s). "+
		"The player with the last turn usually controls the ending, "+
		"so %s wants an %s number of long chains and %s an %s number.",
		lines-left, lines, boxes(left), mover, evenOdd[odd], mover.Other(), evenOdd[1-odd])
}

var evenOdd = [2]string{"even", "odd"}

// oddChains returns the parity of the number of long chains that the side to move wants by the long
// chain rule, because it wants an odd number of turns.
func oddChains(lines, left int) int { return (lines - left + 1) & 1 }

// addLoonyEnding adds the reason of kind Loony for a rest s that consists of isolated chains and
// loops. own reports whether the rest is the position itself, whose value the reason then determines.
func (e *explainer) addLoonyEnding(s chainStructure, own bool) {
	chains, loops := sizes(s.parts, chainPart), sizes(s.parts, loopPart)
	v, c := loonyEnding(chains, loops), controlValue(chains, loops)
	r := Reason{Kind: Loony, Parts: s.parts, Numbers: map[string]int{"value": v}}
	what := "as many boxes as"
	switch {
	case v < 0:
		what = boxes(-v) + " fewer than"
	case v > 0:
		what = boxes(v) + " more than"
	}
	control := ""
	switch {
	case len(s.parts) == 1:
	case s.longChains() == len(chains) && c >= 2 && c == -v: // keeping control to the end is best
		r.Numbers["controlled"] = c
		var leave []string
		if len(chains) > 0 {
			leave = append(leave, "2 boxes of each chain")
		}
		if len(loops) > 0 {
			leave = append(leave, "4 boxes of each loop")
		}
		control = fmt.Sprintf(" Except in the last one, the opponent leaves %s, so that the same player has to open "+
			"the next one too.", strings.Join(leave, " and "))
	case own:
		control = fmt.Sprintf(" Best play, counted for %s: %s; together %s.",
			e.p.Turn(), bestOpenings(chains, loops, e.p.Turn()), signed(v))
	}
	opens, left := "the first", fmt.Sprintf("only %s are left", s)
	if len(s.parts) == 1 {
		opens, left = "it", fmt.Sprintf("only %s is left", s)
	}
	if !own {
		left = fmt.Sprintf("the rest consists of %s", s)
	}
	if own {
		r.Side = e.p.Turn()
		e.yields(v)
	}
	e.add(r, "%s: the player who opens %s gets %s the opponent.%s", left, opens, what, control)
}

// addCaptures adds the reason of kind Captures. It compares two plans: to capture all boxes, after
// which the same player moves first in the rest, and a double-deal, if one is possible. c is the
// closure of p, with at least one capture, and s is the structure of its rest.
func (e *explainer) addCaptures(
	ctx context.Context, p dotsandboxes.Position, c exact.Closure, s chainStructure,
) error {
	rest, known, err := e.restValue(ctx, p, s)
	if err != nil {
		return err
	}
	me, all := p.Turn(), c.Taken+rest // all is used only if known is true
	captured := "all of them"
	if c.Taken == 1 {
		captured = "it"
	}
	r := Reason{Kind: Captures, Side: me, Numbers: map[string]int{"boxes": c.Taken}}
	if known {
		r.Numbers["rest"], r.Numbers["all"] = rest, all
		e.yields(c.Value(rest))
	}
	text := fmt.Sprintf("%s can capture %s", me, boxes(c.Taken))
	switch {
	case s.boxes == 0:
		text += fmt.Sprintf("; taking %s ends the game and gives %s", captured, signed(all))
	case known:
		text += fmt.Sprintf("; taking %s gives %s, because %s then has to move first in the rest, "+
			"which is worth %s to the player who does", captured, signed(all), me, signed(rest))
	}
	if c.Price <= 8 { // 4 in a chain, 8 in a loop, more if no double-deal is possible
		text += describeDeal(&r, c, s.boxes > 0, known)
	} else if s.boxes > 0 {
		text += ". No double-deal is possible"
	}
	e.add(r, "%s.", text)
	return nil
}

// describeDeal returns the sentence on the double-deal of the side r.Side, without a full stop, and adds
// its numbers to r. more reports whether there is a rest to play, and known whether its value is known.
func describeDeal(r *Reason, c exact.Closure, more, known bool) string {
	me, you, left := r.Side, r.Side.Other(), c.Price/2
	r.Numbers["left"], r.Numbers["cost"] = left, c.Price
	text := fmt.Sprintf(". A double-deal leaves the last %d to %s, which costs %d", left, you, c.Price)
	if more {
		text += fmt.Sprintf(" and makes %s move first in the rest", you)
	}
	if !known {
		return text
	}
	all, declined := r.Numbers["all"], c.Taken-c.Price-r.Numbers["rest"]
	difference := max(declined-all, all-declined)
	r.Numbers["declined"], r.Numbers["difference"] = declined, difference
	text += fmt.Sprintf(": it gives %s, ", signed(declined))
	switch {
	case declined > all:
		return text + fmt.Sprintf("%d more, and %s keeps control", difference, me)
	case declined < all:
		return text + fmt.Sprintf("%d less", difference)
	}
	return text + "the same"
}

// restValue returns the value of the rest of p for the player who moves first in it; s is the structure
// of the rest. known is false if e.solve would be needed and is nil, or does not prove the value.
func (e *explainer) restValue(
	ctx context.Context, p dotsandboxes.Position, s chainStructure,
) (v int, known bool, err error) {
	switch {
	case s.boxes == 0:
		return 0, true, nil
	case s.onlyChains():
		return loonyEnding(sizes(s.parts, chainPart), sizes(s.parts, loopPart)), true, nil
	case e.solve == nil:
		return 0, false, nil
	}
	q, err := captureAll(p)
	if err != nil {
		return 0, false, err
	}
	d, err := e.solve(ctx, q)
	return d.Score, err == nil && d.Proof == engine.Exact, err
}

// captureAll returns a position after captures from p in which no line completes a box.
func captureAll(p dotsandboxes.Position) (dotsandboxes.Position, error) {
	for captured := true; captured; {
		captured = false
		for _, m := range p.Moves() {
			if p.Captures(m) > 0 {
				next, err := p.DrawLine(m)
				if err != nil {
					return p, err
				}
				p, captured = next, true
			}
		}
	}
	return p, nil
}

// addNimbers adds the nimbers of all, the components of the rest, and the winner of their sum. It
// adds nothing if a component is too large. mover and first are as in addSafeLines.
func (e *explainer) addNimbers(p dotsandboxes.Position, all []*part, mover engine.Side, first string) {
	r := Reason{Kind: Nimbers, Numbers: map[string]int{}}
	sum := 0
	var each []int
	for _, c := range all {
		mask, ok := c.fullMask()
		if !ok {
			return
		}
		n, ok := c.nimber(mask)
		if !ok {
			return
		}
		sum ^= n
		each = append(each, n)
		part := Part{Kind: "part", Nimber: &n}
		_, part.Moves = namesOf(p.Board(), p.MoveString, nil, slices.Sorted(slices.Values(c.lines)))
		r.Parts = append(r.Parts, part)
	}
	r.Numbers["sum"] = sum
	r.Side = winner(mover, sum)
	wins := "wins"
	if sum == 0 {
		wins = "loses"
	}
	of := ""
	if mover == engine.None {
		of = " of the rest"
	}
	parts := fmt.Sprintf("the nimber%s is %d", of, sum)
	if len(each) > 1 {
		parts = fmt.Sprintf("the %d parts%s have the nimbers %s, and their nim-sum is %d",
			len(each), of, list(each), sum)
	}
	e.add(r, "in Nimstring, where the player who cannot move loses, %s: %s %s the fight for the last turn.%s",
		parts, first, wins, e.nevertheless(r.Side))
}
