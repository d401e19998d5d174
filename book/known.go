package book

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"endwise/engine"
	"endwise/engine/grid"
	"endwise/solver"
)

// Unbounded is greater than every value of every game.
const Unbounded = 1 << 20

// Known holds proved bounds and estimates for every legal move of a position. Sources only
// tighten the bounds, each as soon as it has a result; the move to play can be chosen at
// any moment (choose.go). It is safe for concurrent use, so an answer can be given while a
// source is still running.
type Known struct {
	Position engine.Position

	game scoring
	log  *slog.Logger

	mu    sync.Mutex
	moves []KnownMove         // in the order of Position.Moves
	index map[engine.Move]int // in moves
	// The value of the position lies between lower and upper. lower may exceed the lower
	// bound of every single move: at an earlier turn some move was proved to reach it.
	lower, upper         int
	lowerFrom, upperFrom string
	published            *published
	preferred            string // note that explains the preference
	round                int    // number of the last round of estimates
	heuristicRound       int    // last round of the heuristic source
	nodes                uint64
	play                 bool   // the answer will be played in a game
	line                 *proof // proof of an earlier turn whose line passes through the position

	results atomic.Uint64 // number of results recorded by sources
}

// KnownMove holds the bounds and the estimate of one legal move, for the side that plays
// it.
type KnownMove struct {
	Move engine.Move
	// Lower and Upper enclose the move's value. LowerFrom and UpperFrom are the names of
	// the sources that proved them, "" if the bound follows from the rules. If the bounds
	// meet, From is the source that guarantees the value.
	Lower, Upper               int
	LowerFrom, UpperFrom, From string
	// Note is a sentence for users about the lower bound.
	Note string
	// Line is best play after the move, as far as it is proved.
	Line []engine.Move
	// Distance is as in [engine.MoveValue].
	Distance int
	// Preference orders moves of equal value by how hard they are to answer, the hardest
	// with the greatest number; 0 means not evaluated.
	Preference int

	estimate     Estimate
	estimateFrom string // source of the estimate, "" for none
	depth        int    // of the estimate, in plies
	round        int    // in which the estimate was recorded
	order        int    // index of the estimate in its round
}

// Exact reports whether the bounds meet.
func (m KnownMove) Exact() bool { return m.Lower == m.Upper }

// estimated reports whether a source has estimated the move.
func (m *KnownMove) estimated() bool { return m.estimateFrom != "" }

// Claim is a proved statement about a move.
type Claim struct {
	Move         engine.Move
	Lower, Upper int
	Line         []engine.Move // as in KnownMove
	Distance     int
	Note         string
}

// Estimate is an estimate of a move.
type Estimate struct {
	Move engine.Move
	// Score is as in [engine.Decision] for an estimate.
	Score int
	Line  []engine.Move // expected play after the move
	Note  string        // a sentence for users
}

// scoring defines the meaning of values.
type scoring struct {
	counted bool // a value counts the points still to be won; otherwise it is the result
	scale   int  // points of an estimate per point of a value
}

// scoringOf returns the scoring of a game; a nil game is a game of points.
func scoringOf(g engine.Game) scoring {
	s := scoring{counted: true, scale: 1}
	if g == nil {
		return s
	}
	_, s.counted = g.(engine.Counted)
	s.scale = g.ProofScale()
	return s
}

// Published is the source of published values.
const Published = "published"

// published is a published value of the position. It bounds no move.
type published struct {
	value int
	by    string
}

// NewKnown returns a Known with the bounds that follow from the rules. A nil game is a game
// of points.
func NewKnown(p engine.Position, g engine.Game, log *slog.Logger) *Known {
	k := &Known{Position: p, game: scoringOf(g), log: log, index: map[engine.Move]int{}, lower: -Unbounded, upper: Unbounded}
	if k.log == nil {
		k.log = slog.New(slog.DiscardHandler)
	}
	if !k.game.counted {
		k.lower, k.upper = -1, 1
	}
	for i, m := range p.Moves() {
		k.moves = append(k.moves, KnownMove{Move: m, Lower: k.lower, Upper: k.upper})
		k.index[m] = i
	}
	return k
}

// Ties returns the value with which the side to move ties the game; greater values win it,
// smaller ones lose it.
func (k *Known) Ties() int {
	if !k.game.counted {
		return 0
	}
	return -engine.Lead(k.Position, k.Position.Turn())
}

// Prove records a source's proofs. Claims that contradict earlier ones are logged and
// ignored.
func (k *Known) Prove(source string, claims ...Claim) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.results.Add(1)
	for _, c := range claims {
		i, ok := k.index[c.Move]
		if !ok {
			continue
		}
		m := &k.moves[i]
		if c.Lower > m.Upper || c.Upper < m.Lower {
			k.logContradiction(k.Position.MoveString(c.Move), source, c.Lower, c.Upper, m.LowerFrom+"/"+m.UpperFrom, m.Lower, m.Upper)
			continue
		}
		tighter := c.Lower > m.Lower || c.Upper < m.Upper
		if c.Lower > m.Lower {
			m.Lower, m.LowerFrom, m.Note = c.Lower, source, c.Note
		}
		if c.Upper < m.Upper {
			m.Upper, m.UpperFrom = c.Upper, source
		}
		if c.Lower == c.Upper {
			m.From, m.Note = source, c.Note
		} else if m.Exact() && tighter {
			m.From = source
		}
		if len(c.Line) > 0 && (tighter || c.Lower == c.Upper) {
			m.Line = c.Line
		}
		if c.Distance > 0 {
			m.Distance = c.Distance
		}
	}
	k.infer()
}

// Bound records a source's proof about the position: some move is worth at least lower and
// none more than upper.
func (k *Known) Bound(source string, lower, upper int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.results.Add(1)
	if lower > upper || lower > k.upper || upper < k.bestLower() || upper < k.lower {
		k.logContradiction("position", source, lower, upper, k.lowerFrom+"/"+k.upperFrom, k.lower, k.upper)
		return
	}
	if lower > k.lower {
		k.lower, k.lowerFrom = lower, source
	}
	if upper < k.upper {
		k.upper, k.upperFrom = upper, source
	}
	k.infer()
}

// Publish records a published value of the position and its origin.
func (k *Known) Publish(value int, by string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.results.Add(1)
	if value < max(k.lower, k.bestLower()) || value > k.upper {
		k.logContradiction("position", Published, value, value, k.lowerFrom+"/"+k.upperFrom, k.lower, k.upper)
		return
	}
	k.published = &published{value, by}
}

// settledValue returns the value of the position and its source if it is proved or
// published.
func (k *Known) settledValue() (value int, source, note string, ok bool) {
	switch p := k.published; {
	case k.lower == k.upper:
		return k.lower, k.lowerFrom, "", true
	case p != nil && p.value >= max(k.lower, k.bestLower()) && p.value <= k.upper:
		return p.value, Published, p.by, true
	}
	return 0, "", "", false
}

// logContradiction logs that a source's bounds of what, a move or the position, exclude the
// bounds of other sources.
func (k *Known) logContradiction(what, source string, lower, upper int, other string, otherLower, otherUpper int) {
	k.log.Error("two sources contradict each other", "position", k.Position.String(), "of", what,
		"claim", fmt.Sprintf("%d to %d, %s", lower, upper, source),
		"against", fmt.Sprintf("%d to %d, %s", otherLower, otherUpper, other))
}

// infer draws conclusions from the bounds: no move is worth more than the position, the
// position is not worth more than the greatest upper bound of its moves, and if all moves
// except one are proved to be worth less than the position, that one is worth as much as
// the position.
func (k *Known) infer() {
	bestUpper := -Unbounded
	for i := range k.moves {
		m := &k.moves[i]
		if m.Upper > k.upper && m.Lower <= k.upper {
			m.Upper, m.UpperFrom = k.upper, k.upperFrom
			if m.Exact() { // the upper bound adds no guarantee
				m.From, m.Note = m.LowerFrom, ""
			}
		}
		bestUpper = max(bestUpper, m.Upper)
	}
	if bestUpper < k.upper && len(k.moves) > 0 {
		k.upper = bestUpper
	}
	only := -1 // the only move that may be worth as much as the position
	for i := range k.moves {
		if m := &k.moves[i]; m.Upper >= k.lower {
			if only >= 0 {
				return
			}
			only = i
		}
	}
	if only >= 0 && k.lower > k.moves[only].Lower {
		m := &k.moves[only]
		m.Lower, m.LowerFrom = k.lower, k.lowerFrom
		if m.Exact() {
			m.From = k.lowerFrom
		}
	}
}

// Estimate records a source's estimates of moves in its order of preference: of moves with
// equal scores the first is preferred. depth is in plies. Earlier estimates of other moves
// count only if nothing else orders them. If the game cannot be tied, an estimate of a tie
// counts as a narrow loss.
func (k *Known) Estimate(source string, depth int, estimates ...Estimate) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.results.Add(1)
	k.round++
	for n, e := range estimates {
		if i, ok := k.index[e.Move]; ok {
			m := &k.moves[i]
			if tie := k.Ties(); e.Score == tie && k.cannotTie() {
				e.Score = tie - 1
			}
			m.estimate, m.estimateFrom, m.depth, m.round, m.order = e, source, depth, k.round, n
		}
	}
}

// cannotTie reports whether the game cannot be tied because all squares or boxes are shared
// out and their number is odd.
func (k *Known) cannotTie() bool {
	p, ok := k.Position.(interface{ Board() *grid.Board })
	return ok && k.game.counted && p.Board().Squares()%2 == 1
}

// Learn records the decision of another lookup about the position. Moves that are not legal
// are skipped, and sources keep their names.
func (k *Known) Learn(d engine.Decision) {
	k.Count(d.Nodes)
	moves := d.Moves
	if !slices.ContainsFunc(moves, func(v engine.MoveValue) bool { return v.Move == d.Move }) {
		moves = append([]engine.MoveValue{d.Own()}, moves...)
	}
	var estimates []Estimate
	for i, v := range moves {
		m, err := k.Position.ParseMove(v.Move)
		if err != nil {
			continue
		}
		line := v.Line
		if v.Move == d.Move && len(d.Line) > 0 {
			line = d.Line[1:]
		}
		c := Claim{Move: m, Lower: -Unbounded, Upper: Unbounded, Line: k.parsed(m, line), Distance: v.Distance}
		if v.Move == d.Move {
			c.Note = d.Note
		}
		switch v.Proof {
		case engine.Estimate:
			estimates = append(estimates, Estimate{Move: m, Score: v.Score, Line: c.Line, Note: c.Note})
			continue
		case engine.Lower:
			c.Lower = v.Score
		case engine.Upper:
			c.Upper = v.Score
		case engine.Exact:
			c.Lower, c.Upper = v.Score, v.Score
		}
		k.Prove(cmp.Or(v.Source, d.Source), c)
		if i == 0 {
			k.Prefer(d.Note, m)
		}
	}
	switch {
	case d.Proof == engine.Exact && d.Source == Published:
		k.Publish(d.Score, d.Note)
	case d.Proof == engine.Exact:
		k.Bound(d.Source, d.Score, d.Score)
	case d.Proof == engine.Upper:
		k.Bound(d.Source, -Unbounded, d.Score)
	}
	if len(estimates) > 0 {
		k.Estimate(d.Source, d.Depth, estimates...)
	}
}

// parsed returns the moves of a line that follows a move, as far as they are legal.
func (k *Known) parsed(m engine.Move, line []string) (out []engine.Move) {
	p, err := k.Position.Play(m)
	for _, text := range line {
		if err == nil {
			m, err = p.ParseMove(text)
		}
		if err == nil {
			p, err = p.Play(m)
		}
		if err != nil {
			break
		}
		out = append(out, m)
	}
	return out
}

// MarkHeuristic marks all estimates so far as those of the heuristic source.
func (k *Known) MarkHeuristic() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heuristicRound = k.round
}

// Prefer records which of the moves with equal values are hardest to answer, the hardest
// first, and why.
func (k *Known) Prefer(note string, moves ...engine.Move) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.preferred = note
	for i := range k.moves {
		k.moves[i].Preference = 0
	}
	for n, m := range moves {
		if i, ok := k.index[m]; ok {
			k.moves[i].Preference = len(moves) - n
		}
	}
}

// Count adds nodes to the number of expanded positions.
func (k *Known) Count(nodes uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.nodes += nodes
}

// Nodes returns the number of positions that sources have expanded.
func (k *Known) Nodes() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.nodes
}

// Moves returns all legal moves in the order of [engine.Position] Moves.
func (k *Known) Moves() []KnownMove {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]KnownMove(nil), k.moves...)
}

// Results returns the number of results that sources have recorded.
func (k *Known) Results() uint64 { return k.results.Load() }

// Estimates returns a source's estimates, with the depth of the first one.
func (k *Known) Estimates(source string) (list []Estimate, depth int) {
	for _, m := range k.Moves() {
		if m.estimateFrom == source {
			if len(list) == 0 {
				depth = m.depth
			}
			list = append(list, m.estimate)
		}
	}
	return list, depth
}

// Move returns one legal move.
func (k *Known) Move(m engine.Move) KnownMove {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.moves[k.index[m]]
}

// bestLower returns the greatest lower bound of the moves.
func (k *Known) bestLower() int {
	best := -Unbounded
	for i := range k.moves {
		best = max(best, k.moves[i].Lower)
	}
	return best
}

// Bounds returns bounds of the position's value: some move is proved to be worth lower, and
// none to be worth more than upper.
func (k *Known) Bounds() (lower, upper int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.bestLower(), k.upper
}

// UnmatchedBound returns the lower bound of the position if no single move is proved to
// reach it. ok is false if one is, or if the bound loses: then finding the move is not
// worth the time.
func (k *Known) UnmatchedBound() (lower int, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lower, k.lower > k.bestLower() && k.lower >= k.Ties()
}

// Decided reports whether no estimate can change the choice: only one move keeps what is
// proved, and it does not lose.
func (k *Known) Decided() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	need, _ := k.required()
	n := 0
	for i := range k.moves {
		if k.moves[i].Lower >= need {
			n++
		}
	}
	return n == 1 && need >= k.Ties()
}

// Settled reports whether nothing is left to compute: the value and a move that reaches it
// are proved, or with all the value of every move.
func (k *Known) Settled(all bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !all {
		return k.bestLower() >= k.upper
	}
	for i := range k.moves {
		if !k.moves[i].Exact() {
			return false
		}
	}
	return true
}

// Solved records a solver's result for a position of a game of segments in which left
// squares or boxes are still open, and for its moves. A bound of a move that only follows
// from what the move gains and leaves is omitted unless it decides the winner.
func (k *Known) Solved(source string, left int, r solver.Result, moves ...solver.MoveBounds) {
	k.Count(r.Nodes)
	k.Bound(source, r.Lower, r.Upper)
	for _, m := range moves {
		if m.Segment < 0 {
			continue
		}
		c := Claim{Move: engine.Move(m.Segment), Lower: m.Lower, Upper: m.Upper, Line: Line(m.Line)}
		rest := left - m.Gain // the value lies in m.Gain ± rest
		if m.Lower <= m.Gain-rest && !m.Exact() && m.Lower < k.Ties() {
			c.Lower = -Unbounded
		}
		if m.Upper >= m.Gain+rest && !m.Exact() && m.Upper >= k.Ties() {
			c.Upper = Unbounded
		}
		k.Prove(source, c)
	}
}

// Line converts a line of segments to moves.
func Line(segments []int) []engine.Move {
	var out []engine.Move
	for _, s := range segments {
		out = append(out, engine.Move(s))
	}
	return out
}
