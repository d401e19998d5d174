package book

import (
	"cmp"
	"slices"

	"endwise/engine"
)

// ranked returns the moves, the best first:
//
//   - If moves are proved not to lose, one with the best lower bound is first: a proved
//     win, tie or score is not given up for an estimate. In a game that is won by an
//     unknown number of points, the best expectation is first among the moves that win
//     and keep what was proved at earlier turns (see required).
//   - If no move is proved not to lose, the next move of a line that was proved not to lose
//     at an earlier turn is first. If nothing was searched, the next move of any proved line
//     is first.
//   - In a game, a move that may still not lose comes before those proved to lose.
//   - In a game, if all moves are proved to lose, the one that is hardest to answer comes
//     first, if a source has recorded preferences.
//
// Ties are broken by the best value or estimate, then by the difficulty of the answer, then
// in favour of a value over an estimate, then by the source's order of its estimates.
// Outside a game the first move is therefore never worse than the value of another one.
func (k *Known) ranked() []KnownMove {
	out := append([]KnownMove(nil), k.moves...)
	tie, bestLower := k.Ties(), k.bestLower()
	lost := k.play && k.upper < tie
	need, won := k.required()
	const (
		mayLose = iota // and others may not
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
		return mayLose
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

// byWorth compares moves by their values and estimates, the better one first.
func (k *Known) byWorth(a, b *KnownMove) int {
	aWorth, aKnown := k.worth(a)
	bWorth, bKnown := k.worth(b)
	switch {
	case aKnown && !bKnown:
		return -1
	case bKnown && !aKnown:
		return 1
	}
	if c := cmp.Or(cmp.Compare(bWorth, aWorth), b.Preference-a.Preference); c != 0 || a.Exact() && b.Exact() {
		return c
	}
	if a.Exact() || b.Exact() {
		return cmp.Compare(a.Upper-a.Lower, b.Upper-b.Lower)
	}
	return cmp.Or(b.round-a.round, cmp.Compare(b.estimate.Score, a.estimate.Score), a.order-b.order)
}

// required returns the value that a move must be proved to have in order to be chosen: the
// best lower bound. In a game that is won by an unknown number of points, reported by won,
// a lower value is enough: one that wins and keeps what was proved at earlier turns.
func (k *Known) required() (need int, won bool) {
	bestLower, win := k.bestLower(), k.Ties()+1
	if k.play && k.game.counted && bestLower >= win && bestLower < k.upper {
		return min(max(win, k.lower), bestLower), true
	}
	return bestLower, false
}

// followsLine reports whether m is the next move of a line that was proved at an earlier
// turn, and nothing proved or searched since is better.
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

// lineValue returns the value of the line of an earlier turn's proof.
func (k *Known) lineValue() int { return k.line.lineResult + k.Ties() }

// byExpectation compares moves that win by their expected value, the better one first, and
// equal ones by what they gain immediately. A search's estimate counts more than a lower
// bound, which is proved against best play: opponents make mistakes.
func (k *Known) byExpectation(a, b *KnownMove) int {
	expected := func(m *KnownMove) int {
		if m.round == k.round && m.round > k.heuristicRound && !m.Exact() {
			return min(m.estimate.Score, m.Upper*k.game.scale)
		}
		return m.Lower * k.game.scale
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

// Candidates returns, in a game that is won by an unknown number of points, the value that a
// move must be proved to have, and the moves that would be chosen if they had that proof,
// the best first.
func (k *Known) Candidates() (need int, moves []engine.Move) {
	k.mu.Lock()
	defer k.mu.Unlock()
	need, won := k.required()
	if !won {
		return need, nil
	}
	list := append([]KnownMove(nil), k.moves...)
	slices.SortStableFunc(list, func(a, b KnownMove) int { return k.byExpectation(&a, &b) })
	chosen := slices.IndexFunc(list, func(m KnownMove) bool { return m.Lower >= need })
	for _, m := range list[:chosen] {
		if m.Upper >= need {
			moves = append(moves, m.Move)
		}
	}
	return need, moves
}

// worth returns the value that orders the moves, in points of an estimate and within the
// move's bounds. ok is false unless the move has a value, a lower bound or an estimate of
// the last round: estimates of different rounds are not comparable.
func (k *Known) worth(m *KnownMove) (value int, ok bool) {
	scale := k.game.scale
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

// listed returns what a decision lists for a move: its value, else a bound that is stricter
// than the estimate, else the estimate. The lower bound has precedence if it does not lose,
// because moves are chosen by it. ok is false if there is neither a bound nor an estimate.
func (k *Known) listed(m *KnownMove) (v engine.MoveValue, line []engine.Move, ok bool) {
	v.Move, v.Distance = k.Position.MoveString(m.Move), m.Distance
	scale := k.game.scale
	switch {
	case m.Lower < k.Ties() && k.followsLine(m):
		v.Score, v.Source = k.lineValue()*scale, k.line.lineSource
		return v, k.parsed(m.Move, k.line.line[1:]), true
	case m.Exact():
		v.Score, v.Proof, v.Source = m.Lower, engine.Exact, m.From
		return v, m.Line, true
	case m.LowerFrom != "" && (m.Lower >= k.Ties() || !m.estimated() || m.Lower*scale >= m.estimate.Score):
		v.Score, v.Proof, v.Source = m.Lower, engine.Lower, m.LowerFrom
		return v, m.Line, true
	case m.UpperFrom != "" && (!m.estimated() || m.Upper*scale <= m.estimate.Score):
		v.Score, v.Proof, v.Source = m.Upper, engine.Upper, m.UpperFrom
		return v, m.estimate.Line, true
	}
	v.Score, v.Source = m.estimate.Score, m.estimateFrom
	return v, m.estimate.Line, m.estimated()
}

// Decide returns the decision that follows from the present bounds and estimates, and the
// chosen move. ok is false if there are none for any move.
func (k *Known) Decide(all bool) (d engine.Decision, chosen KnownMove, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.ranked()
	d.Nodes = k.nodes
	for i := range list {
		m := &list[i]
		v, line, ok := k.listed(m)
		if !ok || len(d.Moves) > 0 && v.Proof == engine.Estimate && m.round <= k.heuristicRound {
			continue
		}
		if m.estimated() && (v.Proof == engine.Lower || v.Proof == engine.Upper) {
			v.Estimate = new(int)
			*v.Estimate = m.estimate.Score
		}
		v.Line = k.text(m.Move, line)
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

// setChosen sets a decision's move, and its value: that of the move, or of the position if
// that is proved without a move. v is what the decision lists for the move.
func (k *Known) setChosen(d *engine.Decision, m *KnownMove, v engine.MoveValue) {
	d.Move, d.Score, d.Proof, d.Source, d.Distance = v.Move, v.Score, v.Proof, v.Source, v.Distance
	d.Line = append([]string{v.Move}, v.Line...)
	switch {
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

// Claims returns all bounds and estimates of the moves, one per entry, except the estimates
// of the heuristic source.
func (k *Known) Claims() (out []engine.MoveValue) {
	for _, m := range k.Moves() {
		add := func(score int, proof engine.Proof, source string) {
			out = append(out, engine.MoveValue{Move: k.Position.MoveString(m.Move), Score: score, Proof: proof, Source: source})
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

// text returns the notation of a line that follows a move.
func (k *Known) text(m engine.Move, line []engine.Move) []string {
	if len(line) == 0 {
		return nil
	}
	var out []string
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
