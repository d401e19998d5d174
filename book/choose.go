package book

import (
	"cmp"
	"slices"

	"endwise/book/opening"
	"endwise/engine"
)

// ranked returns a copy of the moves, the preferred move first, in tiers:
//
//   - followsLine: the next move of a line that was proved at an earlier turn (the method
//     followsLine). If any move is proved not to lose, it must also fulfil the condition of keepsResult.
//   - keepsResult: moves proved not to lose, with at least the lower bound that the method required
//     returns. A proved result is never exchanged for an estimate.
//   - other: all other moves.
//   - loses: during a game, moves proved to lose. If all moves lose, the preferences that a source has
//     recorded (Prefer) decide first.
//
// Within a tier the order is that of byWorth. If a win is proved but not its size, the moves of
// keepsResult are in the order of byExpectation, then of the lower bound.
func (k *Known) ranked() []KnownMove {
	out := append([]KnownMove(nil), k.moves...)
	tie, bestLower := k.Ties(), k.bestLower()
	lost := k.play && k.upper < tie
	need, won := k.required()
	const (
		loses = iota
		other
		keepsResult
		followsLine
	)
	tier := func(m *KnownMove) int {
		switch {
		case k.followsLine(m) && (bestLower < tie || m.Lower >= need):
			return followsLine
		case bestLower >= tie && m.Lower >= need:
			return keepsResult
		case m.Upper >= tie || !k.play:
			return other
		}
		return loses
	}
	slices.SortStableFunc(out, func(a, b KnownMove) int {
		if c := cmp.Compare(tier(&b), tier(&a)); c != 0 {
			return c
		}
		if lost && a.Preference != b.Preference {
			return b.Preference - a.Preference
		}
		if won && tier(&a) == keepsResult {
			if c := cmp.Or(k.byExpectation(&a, &b), cmp.Compare(b.Lower, a.Lower)); c != 0 {
				return c
			}
		}
		return k.byWorth(&a, &b)
	})
	return out
}

// byWorth compares two moves by their worth, the better one first; moves without a worth come last.
// Moves of equal worth are in the order of Preference; then come exact values, later rounds of
// estimates, greater estimates, and the earlier ones of a round.
func (k *Known) byWorth(a, b *KnownMove) int {
	aWorth, aKnown := k.worth(a)
	bWorth, bKnown := k.worth(b)
	switch {
	case aKnown && !bKnown:
		return -1
	case bKnown && !aKnown:
		return 1
	}
	if c := cmp.Or(cmp.Compare(bWorth, aWorth), b.Preference-a.Preference); c != 0 {
		return c
	}
	if a.Exact() || b.Exact() { // the difference of exact bounds is 0
		return cmp.Compare(a.Upper-a.Lower, b.Upper-b.Lower)
	}
	return cmp.Or(b.round-a.round, cmp.Compare(b.estimate.Score, a.estimate.Score), a.order-b.order)
}

// required returns the lower bound that a move needs for the tier keepsResult: normally the greatest
// lower bound. won reports whether, during a game that counts points, a win is proved but not its size.
// Then a smaller one is enough if it wins and is not below the lower bound of the position.
func (k *Known) required() (need int, won bool) {
	bestLower, win := k.bestLower(), k.Ties()+1
	if k.play && k.scoring.counted && bestLower >= win && bestLower < k.upper {
		return min(max(win, k.lower), bestLower), true
	}
	return bestLower, false
}

// followsLine reports whether m is the next move of a line that was proved at an earlier turn and
// should be followed. The upper bound of m must permit the value of the line. A line that wins or ties
// is followed until a move is proved to be as good; a line that loses, until a move is proved to be
// better or there has been a search at this turn.
func (k *Known) followsLine(m *KnownMove) bool {
	if !k.play || k.line == nil || k.Position.MoveString(m.Move) != k.line.line[0] {
		return false
	}
	value, bestLower := k.lineValue(), k.bestLower()
	if value < k.Ties() {
		searched := k.round > k.heuristicRound
		return m.Upper >= value && bestLower <= value && !searched
	}
	return m.Upper >= value && bestLower < value
}

func (k *Known) lineValue() int { return k.line.lineResult + k.Ties() }

// byExpectation compares two winning moves by the score to be expected against a fallible opponent, the
// better one first, and equal ones by their immediate gain.
func (k *Known) byExpectation(a, b *KnownMove) int {
	expected := func(m *KnownMove) int {
		if m.round == k.round && m.round > k.heuristicRound && !m.Exact() {
			return min(m.estimate.Score, m.Upper*k.scoring.scale)
		}
		return m.Lower * k.scoring.scale
	}
	gain := func(m *KnownMove) int {
		next, err := k.Position.Play(m.Move)
		if err != nil {
			return 0
		}
		return k.Position.Gain(next)
	}
	if c := cmp.Compare(expected(b), expected(a)); c != 0 {
		return c
	}
	return cmp.Compare(gain(b), gain(a))
}

// Candidates returns the moves with a better expectation than the best move that is proved to win, best
// first. A candidate would be chosen if it were proved to be worth at least need. There are none if no
// win is proved, or if the size of the win is proved too.
func (k *Known) Candidates() (need int, moves []engine.Move) {
	k.mu.Lock()
	defer k.mu.Unlock()
	need, won := k.required()
	if !won {
		return need, nil
	}
	list := append([]KnownMove(nil), k.moves...)
	slices.SortStableFunc(list, func(a, b KnownMove) int { return k.byExpectation(&a, &b) })
	// need is at most the greatest lower bound, so there is such a move.
	chosen := slices.IndexFunc(list, func(m KnownMove) bool { return m.Lower >= need })
	for _, m := range list[:chosen] {
		if m.Upper >= need {
			moves = append(moves, m.Move)
		}
	}
	return need, moves
}

// worth returns a number by which moves are compared, on the scale of estimates: the exact value, or
// the estimate of the latest round clamped to the bounds, or the lower bound. Estimates of different
// rounds are not comparable.
func (k *Known) worth(m *KnownMove) (value int, ok bool) {
	scale := k.scoring.scale
	switch {
	case m.Exact():
		return m.Lower * scale, true
	case m.estimated() && m.round == k.round:
		return min(max(m.estimate.Score, m.Lower*scale), m.Upper*scale), true
	case m.LowerFrom != "":
		return m.Lower * scale, true
	}
	return 0, false
}

// listed returns the value that a decision shows for a move, and the line after the move. The value is
// the first of these that exists:
//
//   - for a move not proved to win or tie that follows the line of an earlier turn (the method
//     followsLine), the value of that line, as an estimate
//   - the exact value
//   - a lower bound that wins or ties
//   - a bound, if there is no estimate or the bound contradicts or equals it
//   - the estimate as a possible value ([opening.PossibleValue])
//
// An implied lower bound gives way to an upper bound.
func (k *Known) listed(m *KnownMove) (v engine.MoveValue, line []engine.Move, ok bool) {
	v.Move, v.Distance = k.Position.MoveString(m.Move), m.Distance
	scale := k.scoring.scale
	switch {
	case m.Lower < k.Ties() && k.followsLine(m):
		v.Score, v.Source = k.lineValue()*scale, k.line.lineSource
		return v, k.parseLine(m.Move, k.line.line[1:]), true
	case m.Exact():
		v.Score, v.Proof, v.Source = m.Lower, engine.Exact, m.From
		return v, m.Line, true
	}
	lowerReplaces := !m.estimated() || m.Lower*scale >= m.estimate.Score
	upperReplaces := !m.estimated() || m.Upper*scale <= m.estimate.Score
	upper := v
	upper.Score, upper.Proof, upper.Source = m.Upper, engine.Upper, m.UpperFrom
	switch {
	case m.LowerFrom != "" && (m.Lower >= k.Ties() || lowerReplaces):
		v.Score, v.Proof, v.Source = m.Lower, engine.Lower, m.LowerFrom
		if m.UpperFrom == "" || !k.implied(m.Move, v) {
			return v, m.Line, true
		}
		return upper, m.estimate.Line, true
	case m.UpperFrom != "" && upperReplaces:
		return upper, m.estimate.Line, true
	}
	v.Score, v.Source = opening.PossibleValue(k.Position, m.estimate.Score), m.estimateFrom
	return v, m.estimate.Line, m.estimated()
}

// Decide chooses a move from the present bounds and estimates. d.Moves lists the moves, the preferred
// first; without all, only the chosen one if it is proved to be best. Implied bounds and estimates of
// the heuristic source are listed for the chosen move only. ok is false if no move has a value.
func (k *Known) Decide(all bool) (d engine.Decision, chosen KnownMove, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.ranked()
	d.Nodes = k.nodes
	for i := range list {
		m := &list[i]
		v, line, hasValue := k.listed(m)
		weak := v.Proof == engine.Estimate && m.round <= k.heuristicRound || k.implied(m.Move, v)
		if !hasValue || weak && len(d.Moves) > 0 {
			continue
		}
		if m.estimated() && (v.Proof == engine.Lower || v.Proof == engine.Upper) {
			v.Estimate = new(opening.PossibleValue(k.Position, m.estimate.Score))
		}
		v.Line = k.formatLine(m.Move, line)
		if d.Moves = append(d.Moves, v); len(d.Moves) > 1 {
			continue
		}
		chosen = *m
		k.setChosen(&d, m, v)
		if d.Proof == engine.Exact && v.Proof == engine.Exact && !all {
			break
		}
	}
	return d, chosen, len(d.Moves) > 0
}

// setChosen sets the fields of d about the position and its chosen move m; v is m's listed value.
func (k *Known) setChosen(d *engine.Decision, m *KnownMove, v engine.MoveValue) {
	d.Move, d.Score, d.Proof, d.Source, d.Distance = v.Move, v.Score, v.Proof, v.Source, v.Distance
	d.Line = append([]string{v.Move}, v.Line...)
	switch { // the proof of the position's value
	case v.Proof == engine.Exact && m.Lower < k.upper:
		d.Proof = engine.Lower // another move may be better
	case v.Proof == engine.Upper && v.Score < k.upper:
		d.Proof = engine.Estimate
	}
	switch {
	case v.Proof == engine.Estimate && k.followsLine(m):
		d.Note = engine.Followed
	case m.Preference > 0 && k.preferred != "":
		d.Note = k.preferred
	case v.Proof == engine.Exact || v.Proof == engine.Lower:
		d.Note = m.Note
	}
	if value, source, note, ok := k.settledValue(); ok && d.Proof != engine.Exact {
		d.Score, d.Proof, d.Source, d.Note = value, engine.Exact, source, cmp.Or(note, d.Note)
	}
	if d.Proof == engine.Estimate {
		d.Depth = m.depth
		if d.Note == "" {
			d.Note = m.estimate.Note
		}
	}
}

// Claims returns all bounds and estimates of the moves, except implied bounds and the estimates of the
// heuristic source. A move may have several entries. They have no lines.
func (k *Known) Claims() (out []engine.MoveValue) {
	for _, m := range k.Moves() {
		add := func(score int, proof engine.Proof, source string) {
			v := engine.MoveValue{Move: k.Position.MoveString(m.Move), Score: score, Proof: proof, Source: source}
			if !k.implied(m.Move, v) {
				out = append(out, v)
			}
		}
		if m.Exact() {
			add(m.Lower, engine.Exact, m.From)
			continue
		}
		if m.LowerFrom != "" {
			add(m.Lower, engine.Lower, m.LowerFrom)
		}
		if m.UpperFrom != "" {
			add(m.Upper, engine.Upper, m.UpperFrom)
		}
		if m.estimated() && m.round > k.heuristicRound {
			add(m.estimate.Score, engine.Estimate, m.estimateFrom)
		}
	}
	return out
}

// formatLine returns the moves of line, which are played after m, in notation.
func (k *Known) formatLine(m engine.Move, line []engine.Move) (out []string) {
	if len(line) == 0 {
		return nil
	}
	p, err := k.Position.Play(m)
	for _, l := range line {
		if err != nil || p.Over() {
			break
		}
		before := p
		if p, err = p.Play(l); err == nil {
			out = append(out, before.MoveString(l))
		}
	}
	return out
}
