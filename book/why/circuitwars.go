package why

import (
	"fmt"
	"slices"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/circuitwars/graph"
)

// The kinds of Circuit Wars, with the entries of Reason.Numbers.
const (
	// Mirror: fixed, the number of squares that are their own image. Side can answer every segment with
	// its image, and gains at least that many squares more than the opponent. Parts are the pairs of
	// segments, if a symmetry of the board exchanges them.
	Mirror Kind = "mirror"
	// MirrorMove: Mirror holds for Side after the best move, the first Part. gain, the squares that
	// the move captures; fixed; least, the lower bound of its value.
	MirrorMove Kind = "mirror-move"
	// Areas: Parts are the components of open squares that one free segment connects to the outside
	// of the board. Drawing this segment, the Part's move, captures the component. others, the number
	// of other components; value, the value of the position, if others is 0.
	Areas Kind = "areas"
	// Segments: quiet, the segments that neither capture nor allow larger captures than before;
	// capture, the largest capture; opens, the least that the opponent can capture next, if quiet and
	// capture are 0.
	Segments Kind = "segments"
	// Leave: the best move captures a part of an area. takes, the squares that it captures; left, the
	// squares of the area that it leaves; value, the value of the move; all, the value of capturing
	// the whole area.
	Leave Kind = "leave"
	// Opens: after the best move Side can capture nothing. opens, the least number of squares that
	// Side's opponent can capture in the next turn.
	Opens Kind = "opens"
)

func squares(n int) string { return count(n, "square") }

func (e *explainer) explainCircuit(p circuitwars.Position) {
	e.addMirror(p)
	areas := e.addAreas(p)
	e.addSegments(p)
	if best, err := p.ParseMove(e.d.Move); err == nil {
		if q, err := p.Occupy(int(best)); err == nil {
			e.addBestMove(p, q, areas)
		}
	}
}

// addMirror adds the strategy of answering every segment with its image, if the position is symmetric.
func (e *explainer) addMirror(p circuitwars.Position) {
	var m graph.MirrorFinder
	fixed, ok := m.Fixed(p.Board(), p.Free())
	if !ok {
		return
	}
	r := Reason{Kind: Mirror, Side: p.Turn().Other(), Numbers: map[string]int{"fixed": fixed}}
	how := "equal squares or areas are exchanged"
	if name, pairs := symmetryOf(p, fixed); pairs != nil {
		how, r.Parts = name, pairs
	}
	own := fmt.Sprintf("no square is its own image, so %s cannot gain on %s", p.Turn(), r.Side)
	if fixed > 0 {
		own = fmt.Sprintf("%s and can be captured by %s only: %s gets at least %s fewer than %s",
			plural(fixed, "square is its own image", "squares are their own images"), r.Side, p.Turn(), squares(fixed), r.Side)
	}
	e.add(r, "the position is symmetric (%s): no segment is its own image, so %s can answer every segment "+
		"with its image and captures at least as much as %s; %s.",
		how, r.Side, p.Turn(), own)
}

// symmetryOf returns the name and the pairs of the first symmetry of the board for which mirrorPairs
// returns pairs; nil pairs if there is none.
func symmetryOf(p circuitwars.Position, fixed int) (name string, pairs []Part) {
	for _, s := range p.Board().Symmetries() {
		if pairs := mirrorPairs(p, s, fixed); pairs != nil {
			return s.Name, pairs
		}
	}
	return "", nil
}

// mirrorPairs returns the pairs of free segments that the symmetry s of the board exchanges. It
// returns nil if s does not exchange all free segments in pairs, or if the number of open squares
// that are their own image differs from fixed.
func mirrorPairs(p circuitwars.Position, s grid.Symmetry, fixed int) (pairs []Part) {
	if s.Apply(p.Free()) != p.Free() {
		return nil
	}
	for _, l := range p.Free().Segments() {
		image := s.Segment[l]
		switch {
		case image == l || s.Segment[image] != l:
			return nil
		case l < image:
			moves := []string{p.MoveString(engine.Move(l)), p.MoveString(engine.Move(image))}
			pairs = append(pairs, Part{Kind: "pair", Moves: moves})
		}
	}
	own := 0
	for q, open := range p.Board().Grounded(p.Free()) {
		if open && s.Square[q] == q {
			own++
		}
	}
	if own != fixed {
		return nil
	}
	return pairs
}

// addAreas adds the reason of kind Areas and returns its Parts, the largest first. It adds nothing and
// returns nil if there is no such area or the components cannot be computed.
func (e *explainer) addAreas(p circuitwars.Position) (areas []Part) {
	all, err := graph.Components(p.Board(), p.Free())
	if err != nil {
		return nil
	}
	for _, c := range all {
		border := borderSegments(p, c.Vertices)
		if len(border) == 1 {
			part := Part{Kind: "area", Size: len(c.Vertices)}
			open := slices.Sorted(slices.Values(c.Vertices))
			part.Squares, part.Moves = namesOf(p.Board(), p.MoveString, open, border)
			areas = append(areas, part)
		}
	}
	if len(areas) == 0 {
		return nil
	}
	slices.SortStableFunc(areas, func(a, b Part) int { return b.Size - a.Size })
	r := Reason{Kind: Areas, Parts: areas, Numbers: map[string]int{"others": len(all) - len(areas)}}
	text := describeAreas(areas)
	if len(areas) == len(all) {
		value, sum := alternatingSum(sizes(areas, areas[0].Kind))
		r.Numbers["value"] = value
		e.yields(value)
		text += ". Nothing else is left, "
		if len(areas) > 1 {
			text += fmt.Sprintf("so the players capture them in turn, the largest first: %s = %s", sum, signed(value))
		} else {
			text += fmt.Sprintf("so %s captures it", p.Turn())
		}
	}
	e.add(r, "%s.", text)
	return areas
}

// borderSegments returns the free segments between the given squares and the outside of the board.
func borderSegments(p circuitwars.Position, squares []int) (border []int) {
	for _, q := range squares {
		for _, l := range p.Board().Around(q) {
			if p.Free().Has(l) && p.Board().Sides(l)[1] == grid.Outside {
				border = append(border, l)
			}
		}
	}
	return border
}

// alternatingSum returns a - b + c - d … for the numbers a, b, c, d …, and the sum as text.
func alternatingSum(numbers []int) (value int, sum string) {
	for i, n := range numbers {
		switch {
		case i == 0:
			sum = fmt.Sprint(n)
		case i%2 == 0:
			sum += fmt.Sprintf(" + %d", n)
		default:
			sum += fmt.Sprintf(" − %d", n)
			n = -n
		}
		value += n
	}
	return value, sum
}

// describeAreas returns text on at least one area.
func describeAreas(areas []Part) string {
	n := sizes(areas, areas[0].Kind)
	if len(n) == 1 {
		return fmt.Sprintf("an area of %s hangs by one segment", squares(n[0]))
	}
	if n[0] == n[len(n)-1] {
		return fmt.Sprintf("%d areas of %s hang by one segment each", len(n), squares(n[0]))
	}
	return fmt.Sprintf("areas of %s squares hang by one segment each", list(n))
}

// gains returns the number of squares that each free segment captures.
func gains(p circuitwars.Position) map[int]int {
	out := map[int]int{}
	for _, l := range p.Free().Segments() {
		if q, err := p.Occupy(l); err == nil {
			out[l] = p.Left() - q.Left()
		}
	}
	return out
}

func largestGain(gains map[int]int) (largest int) {
	for _, n := range gains {
		largest = max(largest, n)
	}
	return largest
}

// quietSegments returns the number of segments that capture nothing and after which no other segment
// captures more than before. opens is the opponent's largest capture with one segment after a segment that
// captures nothing, for the segment that keeps it smallest; it exceeds p.Left() if all segments capture.
func quietSegments(p circuitwars.Position) (quiet, opens int) {
	now := gains(p)
	opens = p.Left() + 1
	for drawn, gain := range now {
		q, err := p.Occupy(drawn)
		if err != nil || gain > 0 {
			continue
		}
		next := gains(q)
		opens = min(opens, largestGain(next))
		more := false
		for l, n := range next {
			more = more || n > now[l]
		}
		if !more {
			quiet++
		}
	}
	return quiet, opens
}

// addSegments adds the reason of kind Segments. It adds nothing if there are quiet segments and no
// captures, because such a position can have any value.
func (e *explainer) addSegments(p circuitwars.Position) {
	capture := largestGain(gains(p))
	quiet, opens := quietSegments(p)
	r := Reason{Kind: Segments, Side: p.Turn(), Numbers: map[string]int{"quiet": quiet, "capture": capture}}
	text := fmt.Sprintf("%s can capture nothing", p.Turn())
	if capture > 0 {
		text = fmt.Sprintf("%s can capture up to %s with one segment", p.Turn(), squares(capture))
	}
	switch {
	case capture == 0 && quiet > 0:
		return
	case quiet > 0:
		text += "; " + plural(quiet, "segment captures nothing and opens", "segments capture nothing and open") +
			" nothing to the opponent"
	case capture == 0:
		r.Numbers["opens"] = opens
		text += fmt.Sprintf(", and every segment lets %s capture at least %s", p.Turn().Other(), squares(opens))
	case opens <= p.Left(): // some segment captures nothing
		text += fmt.Sprintf("; every segment that captures nothing gives %s a new capture or a larger one",
			p.Turn().Other())
	}
	e.add(r, "%s.", text)
}

// addBestMove adds the reasons of kind MirrorMove, Leave and Opens for the best move e.d.Move, which
// leads from p to q. areas are the Parts of the reason of kind Areas in p.
func (e *explainer) addBestMove(p, q circuitwars.Position, areas []Part) {
	gain, me, you := p.Left()-q.Left(), p.Turn(), p.Turn().Other()
	var m graph.MirrorFinder
	if fixed, ok := m.Fixed(q.Board(), q.Free()); ok && !q.Over() {
		takes := ""
		if gain > 0 {
			takes = fmt.Sprintf(" takes %s and", squares(gain))
		}
		_, pairs := symmetryOf(q, fixed)
		e.add(Reason{Kind: MirrorMove, Side: me, Parts: append([]Part{{Kind: "move", Moves: []string{e.d.Move}}}, pairs...),
			Numbers: map[string]int{"fixed": fixed, "gain": gain, "least": gain + fixed}},
			"%s%s makes the position symmetric: %s can answer every segment with its image. This gives at least %s.",
			e.d.Move, takes, me, signed(gain+fixed))
	}
	e.addLeave(p, gain, areas)
	if q.Over() || largestGain(gains(q)) > 0 {
		return
	}
	if _, opens := quietSegments(q); opens > 0 {
		e.add(Reason{Kind: Opens, Side: you, Numbers: map[string]int{"opens": opens}},
			"after %s %s has to open an area: %s can then capture at least %s.", e.d.Move, you, me, squares(opens))
	}
}

// addLeave adds the reason of kind Leave for a best move that captures gain squares, a part of one of
// the areas, if capturing the whole area is proved to be worse.
func (e *explainer) addLeave(p circuitwars.Position, gain int, areas []Part) {
	best, err := p.ParseMove(e.d.Move)
	if err != nil || gain == 0 || !e.d.MoveProved() {
		return
	}
	b := p.Board()
	x, y := b.XY(b.Sides(int(best))[0]) // both sides of the segment are in one area
	for _, a := range areas {
		if a.Size == gain || !slices.Contains(a.Squares, square(x, y)) {
			continue
		}
		i := slices.IndexFunc(e.d.Moves, func(m engine.MoveValue) bool { return m.Move == a.Moves[0] })
		if i < 0 || e.d.Moves[i].Proof != engine.Exact {
			return
		}
		left, all := a.Size-gain, e.d.Moves[i].Score
		if all >= e.d.Score {
			return
		}
		e.add(Reason{Kind: Leave, Side: p.Turn(), Parts: []Part{a},
			Numbers: map[string]int{"takes": gain, "left": left, "value": e.d.Score, "all": all}},
			"%s takes %d of the %d squares of an area and leaves %d, which is worth %s: "+
				"if %s takes the rest of the area, %s moves first elsewhere. "+
				"Taking all %d is worth %s: %s moves first elsewhere.",
			e.d.Move, gain, a.Size, left, signed(e.d.Score), p.Turn().Other(), p.Turn(),
			a.Size, signed(all), p.Turn().Other())
	}
}
