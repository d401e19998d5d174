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

// The kinds of Dots and Boxes. The rest is the position after all captures.
const (
	// Captures: boxes that can be captured; rest, the value of the rest for the player who
	// moves first there, if it is known; all, the result of taking all boxes. If a
	// double-deal is possible: left, the boxes that it leaves; cost; declined, its result;
	// difference between the results.
	Captures Kind = "captures"
	// Chains: long (at least 3 boxes), short, loops, joints (boxes with at least 3 free
	// lines) of the rest. Parts are chains and loops.
	Chains Kind = "chains"
	// SafeLines: now; least and most in one game. Side has the last one if both players
	// draw safe lines only.
	SafeLines Kind = "safe"
	// ChainRule: lines, boxes; turns, to which the number of long chains is added; odd is 1 if
	// Side, who is to move, wants an odd number of long chains.
	ChainRule Kind = "chain-rule"
	// Loony: value of the rest for the player who opens the first of its chains and loops,
	// which are Parts; controlled, what the opponent gains by keeping control, if that decides
	// the value.
	Loony Kind = "loony"
	// Nimbers: sum. Parts are the components with their nimbers.
	Nimbers Kind = "nimbers"
)

// explainDots explains a position of Dots and Boxes.
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
	first, mover := "the player who moves first in the rest", engine.None
	if c.Taken == 0 {
		mover = p.Turn()
		first = mover.String()
	}
	if rest.onlyLongChains() {
		e.addLoonyEnding(rest, c.Taken == 0)
		return nil
	}
	e.addChains(rest, c.Taken == 0)
	all := parts(p.Board(), c.Rest)
	e.addSafeLines(all, mover, first)
	if mover != engine.None {
		e.addChainRule(c.Rest.Len(), rest.boxes, mover)
	}
	e.addNimbers(p, all, mover, first)
	return nil
}

// chainStructure contains the chains and loops of a position without captures.
type chainStructure struct {
	parts  []Part
	joints int
	boxes  int
	alone  bool // no chain ends in a joint
}

// Names of parts.
const (
	chainPart = "chain"
	loopPart  = "loop"
)

// findChains finds the chains and loops of the lines rest. A chain is a row of boxes with two
// free lines each; a loop is such a row that is closed.
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
	s.alone = s.joints == 0
	seen := make([]bool, len(degree))
	for start := range seen {
		if seen[start] || degree[start] != 2 {
			continue
		}
		boxes, lines, kind := follow(b, rest, degree, start)
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

// follow returns the boxes and lines, sorted, of the chain or loop that contains the box
// start, by following it in both directions. degree is the number of free lines by box.
func follow(b *grid.Board, rest grid.Set, degree []int, start int) (boxes, lines []int, kind string) {
	boxes, kind = []int{start}, chainPart
	for _, l := range b.Around(start) {
		if !rest.Has(l) || kind == loopPart {
			continue
		}
		for at := start; ; {
			lines = append(lines, l)
			sides := b.Sides(l)
			at = sides[0] + sides[1] - at
			if at == grid.Outside || degree[at] != 2 {
				break
			}
			if at == start {
				kind = loopPart
				break
			}
			boxes = append(boxes, at)
			for _, next := range b.Around(at) {
				if rest.Has(next) && next != l {
					l = next
					break
				}
			}
		}
	}
	slices.Sort(boxes)
	slices.Sort(lines)
	return boxes, lines, kind
}

// longChains returns the number of chains of at least three boxes.
func (s chainStructure) longChains() (n int) {
	for _, c := range sizes(s.parts, chainPart) {
		if c >= 3 {
			n++
		}
	}
	return n
}

// onlyLongChains reports whether the position consists of isolated long chains and loops, at least
// one.
func (s chainStructure) onlyLongChains() bool {
	return s.alone && len(s.parts) > 0 && s.longChains() == len(sizes(s.parts, chainPart))
}

// String returns "chains of 5 and 3 boxes and a loop of 4 boxes".
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

// boxes formats a number of boxes.
func boxes(n int) string { return plural(n, "box", "boxes") }

// addChains adds the chains and loops of the rest; own reports whether the position is the rest.
func (e *explainer) addChains(s chainStructure, own bool) {
	long, loops := s.longChains(), len(sizes(s.parts, loopPart))
	r := Reason{Kind: Chains, Parts: s.parts, Numbers: map[string]int{
		"long": long, "short": len(s.parts) - long - loops, "loops": loops, "joints": s.joints}}
	open := ""
	if s.joints > 0 {
		open = fmt.Sprintf("; %s at least 3 free lines", plural(s.joints, "box has", "boxes have"))
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
	e.add(r, "%s %s%s%s.", has, what, which, open)
}

// totalSafe adds up the runs of all parts; ok is false if that takes too many positions.
func totalSafe(all []*part) (sum run, ok bool) {
	for _, p := range all {
		mask, ok := p.fullMask()
		if !ok {
			return sum, false
		}
		r, ok := p.safeRun(mask)
		if !ok {
			return sum, false
		}
		sum.nimber, sum.least, sum.most = sum.nimber^r.nimber, sum.least+r.least, sum.most+r.most
	}
	return sum, true
}

// addSafeLines adds the number of safe lines, and who draws the last one. mover is None,
// and first describes the player who moves first in the rest, if there are captures.
func (e *explainer) addSafeLines(all []*part, mover engine.Side, first string) {
	sum, ok := totalSafe(all)
	if !ok {
		return
	}
	now := 0
	for _, p := range all {
		mask, _ := p.fullMask()
		for i := range p.lines {
			if p.degree(mask, p.ends[i][0]) > 2 && p.degree(mask, p.ends[i][1]) > 2 {
				now++
			}
		}
	}
	r := Reason{Kind: SafeLines, Numbers: map[string]int{"now": now, "least": sum.least, "most": sum.most}}
	where := ""
	if mover == engine.None {
		where = "in the rest, "
	}
	if now == 0 {
		e.add(r, "%sno line is safe: every line gives a box away.", where)
		return
	}
	last, out := first, "the other player"
	if sum.nimber == 0 {
		last, out = out, last
	}
	if r.Side = mover; mover != engine.None && sum.nimber == 0 {
		r.Side = mover.Other()
	}
	if mover != engine.None {
		last, out = r.Side.String(), r.Side.Other().String()
	}
	if now == 1 {
		e.add(r, "%s1 line is safe; if %s draws it, %s has to give boxes away first.", where, last, out)
		return
	}
	moves, draws := fmt.Sprintf("%d of them", sum.least), "draws"
	switch {
	case sum.most > sum.least:
		moves, draws = fmt.Sprintf("%d to %d of them", sum.least, sum.most), "can always draw"
	case now == 2 && sum.least == 2:
		moves = "both"
	case sum.least == now:
		moves = "all"
	}
	e.add(r, "%s%d lines are safe, and %s can be drawn before none is safe; if both players draw only safe lines, %s %s the last one, and %s has to give boxes away first.",
		where, now, moves, last, draws, out)
}

// addChainRule adds Berlekamp's long chain rule. Every line completes at most two boxes, so the
// turns left are lines - boxes + 1 + the lines that complete two boxes; the controller draws
// one of the latter, a double-deal's, for every long chain except the last.
func (e *explainer) addChainRule(lines, left int, mover engine.Side) {
	r := Reason{Kind: ChainRule, Side: mover, Numbers: map[string]int{"lines": lines, "boxes": left, "turns": lines - left, "odd": (lines - left + 1) & 1}}
	want := [2]string{"even", "odd"}
	e.add(r, "long chain rule: if every long chain except the last ends in a double-deal, the turns left are the number of long chains and %d more (%d free lines less %s). The player with the last turn usually controls the ending, so %s wants an %s number of long chains and %s an %s number.",
		lines-left, lines, boxes(left), mover, want[r.Numbers["odd"]], mover.Other(), want[1-r.Numbers["odd"]])
}

// addLoonyEnding adds the reason of kind Loony for a rest s that consists of isolated long
// chains and loops. own reports whether the rest is the position itself, so that the side to
// move has to open the first chain or loop.
func (e *explainer) addLoonyEnding(s chainStructure, own bool) {
	chains, loops := sizes(s.parts, chainPart), sizes(s.parts, loopPart)
	v, c := loonyEnding(chains, loops), kept(chains, loops)
	r := Reason{Kind: Loony, Parts: s.parts, Numbers: map[string]int{"value": v}}
	what := "as many boxes as"
	switch {
	case v < 0:
		what = boxes(-v) + " fewer than"
	case v > 0:
		what = boxes(v) + " more than"
	}
	control := ""
	if len(s.parts) > 1 && c >= 2 && c == -v {
		r.Numbers["controlled"] = c
		var leave []string
		if len(chains) > 0 {
			leave = append(leave, "the last 2 boxes of each chain")
		}
		if len(loops) > 0 {
			leave = append(leave, "the last 4 boxes of each loop")
		}
		control = fmt.Sprintf(" The opponent leaves %s, so that the same player has to open the next one too, and takes all boxes of the last one.",
			strings.Join(leave, " and "))
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

// addCaptures explains capturing all boxes and, if one is possible, the double-deal.
func (e *explainer) addCaptures(ctx context.Context, p dotsandboxes.Position, c exact.Closure, s chainStructure) error {
	me, you := p.Turn(), p.Turn().Other()
	r := Reason{Kind: Captures, Side: me, Numbers: map[string]int{"boxes": c.Taken}}
	v, known, err := e.restValue(ctx, p, c, s)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s can capture %s", me, boxes(c.Taken))
	all, deal, them := c.Taken+v, c.Price < 1000, "all of them"
	if c.Taken == 1 {
		them = "it"
	}
	if known {
		r.Numbers["rest"], r.Numbers["all"] = v, all
	}
	switch {
	case c.Rest.Len() == 0:
		text += fmt.Sprintf("; taking %s ends the game and gives %s", them, signed(all))
	case known:
		text += fmt.Sprintf("; taking %s gives %s, because %s then has to move first in the rest, which is worth %s to the player who does", them, signed(all), me, signed(v))
	}
	if deal {
		left := c.Price / 2
		r.Numbers["left"], r.Numbers["cost"] = left, c.Price
		text += fmt.Sprintf(". A double-deal leaves the last %d to %s, which costs %d", left, you, c.Price)
		if c.Rest.Len() > 0 {
			text += fmt.Sprintf(" and makes %s move first in the rest", you)
		}
		if known {
			declined := c.Taken - c.Price - v
			r.Numbers["declined"], r.Numbers["difference"] = declined, max(declined-all, all-declined)
			text += fmt.Sprintf(": it gives %s, ", signed(declined))
			switch {
			case declined > all:
				text += fmt.Sprintf("%d more, and %s keeps control", declined-all, me)
			case declined < all:
				text += fmt.Sprintf("%d less", all-declined)
			default:
				text += "the same"
			}
		}
	} else if c.Rest.Len() > 0 {
		text += ". No double-deal is possible"
	}
	if known {
		e.yields(c.Value(v))
	}
	e.add(r, "%s.", text)
	return nil
}

// restValue returns the value of the rest for the player who moves first in it, if it is known.
func (e *explainer) restValue(ctx context.Context, p dotsandboxes.Position, c exact.Closure, s chainStructure) (v int, known bool, err error) {
	switch {
	case c.Rest.Len() == 0:
		return 0, true, nil
	case s.onlyLongChains():
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

// captureAll returns the position after all captures.
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

// addNimbers adds the nimbers of the rest's components.
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
	wins := "wins"
	if sum == 0 {
		wins = "loses"
	}
	if mover != engine.None {
		if r.Side = mover; sum == 0 {
			r.Side = mover.Other()
		}
	}
	of := ""
	if mover == engine.None {
		of = " of the rest"
	}
	parts := fmt.Sprintf("the nimber%s is %d", of, sum)
	if len(each) > 1 {
		parts = fmt.Sprintf("the %d parts%s have the nimbers %s, and their nim-sum is %d", len(each), of, list(each), sum)
	}
	e.add(r, "in Nimstring, where the player who cannot move loses, %s: %s %s the fight for the last turn.", parts, first, wins)
}
