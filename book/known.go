package book

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"endwise/book/opening"
	"endwise/engine"
	"endwise/solver"
)

// Unbounded stands for a missing upper bound, -Unbounded for a missing lower one. It exceeds all values.
const Unbounded = 1 << 20

// Known contains proved bounds and estimates for every legal move of a position, and bounds of the
// position itself. Sources record results with Prove, Bound, Cite, Estimate, Prefer and Solved. A Known
// is safe for concurrent use: a decision may be made while a source is running.
type Known struct {
	Position engine.Position

	scoring scoring
	log     *slog.Logger

	mu    sync.Mutex          // held by the callers of unexported methods that use the fields below
	moves []KnownMove         // in the order of Position.Moves
	index map[engine.Move]int // index of each move in moves
	// lower and upper are bounds of the position's value. lower exceeds the lower bounds of all moves if
	// no source has proved which move is worth lower.
	lower, upper         int
	lowerFrom, upperFrom string    // names of the sources
	cited                *citation // nil if there is none
	preferred            string    // note of Prefer
	round                int       // number of the latest round of estimates, even; see KnownMove.round
	heuristicRound       int       // round of the heuristic source's last estimate
	kept                 bool      // KeepEstimates was called
	nodes                uint64    // positions expanded by the sources
	play                 bool      // Question.Play
	line                 *proof    // proof of an earlier turn whose line continues here, nil for none

	results atomic.Uint64 // number of results recorded by sources
}

// KnownMove contains the bounds and the estimate of one legal move, for the side that plays it.
type KnownMove struct {
	Move engine.Move
	// LowerFrom and UpperFrom are the names of the sources that proved the bounds, "" for the bounds of
	// NewKnown. If the bounds are equal, From is the source named for the exact value.
	Lower, Upper               int
	LowerFrom, UpperFrom, From string
	// Note is a sentence for users about the lower bound.
	Note string
	// Line is best play after the move, as far as it is proved.
	Line []engine.Move
	// Distance is as in [engine.MoveValue].
	Distance int
	// Preference orders moves of equal value and, during a game, all moves if all lose: moves that are
	// harder to answer have greater numbers. It is 0 if no source has preferred the move.
	Preference int

	estimate     Estimate
	estimateFrom string // source of the estimate, "" for none
	depth        int    // of the estimate, in plies
	round        int    // Known.round at the time of the estimate; after KeepEstimates 1 less
	order        int    // index of the estimate among those of its round
}

// Exact reports whether the bounds are equal, so that the value is proved.
func (m KnownMove) Exact() bool { return m.Lower == m.Upper }

func (m *KnownMove) estimated() bool { return m.estimateFrom != "" }

// Claim contains proved bounds of a move. Line, Distance and Note are as in [KnownMove].
type Claim struct {
	Move         engine.Move
	Lower, Upper int // ±Unbounded for none
	Line         []engine.Move
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

type scoring struct {
	// counted: a value is a difference of points still to be won; otherwise the result, 1, 0 or -1.
	counted bool
	// scale is the game's ProofScale: a value v corresponds to the estimate v*scale.
	scale int
}

// Recorded is the source named for values of data/results/values.csv, which earlier runs or other
// authors have proved. They are shown, but not used as bounds.
const Recorded = "recorded"

type citation struct {
	value int
	note  string // a sentence that names where the value comes from
}

// NewKnown returns a Known for p without proved bounds, except that the value of a game that counts no
// points is from -1 to 1. A nil game stands for one that counts points; log may be nil.
func NewKnown(p engine.Position, g engine.Game, log *slog.Logger) *Known {
	k := &Known{
		Position: p,
		scoring:  scoring{counted: true, scale: 1},
		log:      log,
		index:    map[engine.Move]int{},
		lower:    -Unbounded,
		upper:    Unbounded,
	}
	if g != nil {
		_, k.scoring.counted = g.(engine.Counted)
		k.scoring.scale = g.ProofScale()
	}
	if k.log == nil {
		k.log = slog.New(slog.DiscardHandler)
	}
	if !k.scoring.counted {
		k.lower, k.upper = -1, 1
	}
	for i, m := range p.Moves() {
		k.moves = append(k.moves, KnownMove{Move: m, Lower: k.lower, Upper: k.upper})
		k.index[m] = i
	}
	return k
}

// Ties returns the value with which the side to move ties the game; greater values win it.
func (k *Known) Ties() int {
	if !k.scoring.counted {
		return 0
	}
	return -engine.Lead(k.Position, k.Position.Turn())
}

// Prove records bounds of moves that a source has proved. A claim that contradicts earlier bounds is
// logged and ignored; a claim about an illegal move is ignored. Line is recorded if the claim tightens a
// bound or is exact, and Note if it raises the lower bound or is exact.
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
			k.logContradiction(k.Position.MoveString(c.Move), boundsText(c.Lower, c.Upper, source),
				boundsText(m.Lower, m.Upper, m.LowerFrom+"/"+m.UpperFrom))
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

// Bound records bounds of the position's value that a source has proved: some move is worth at least
// lower, and no move more than upper. Bounds that contradict earlier ones are logged and ignored.
func (k *Known) Bound(source string, lower, upper int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.results.Add(1)
	if lower > upper || lower > k.upper || upper < max(k.lower, k.bestLower()) {
		k.logContradiction("position", boundsText(lower, upper, source), k.positionBounds())
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

// implied reports whether the bound v of the move m follows from the number of squares or boxes that
// are still open, and leaves the winner undecided. It is false for an exact value and an estimate.
func (k *Known) implied(m engine.Move, v engine.MoveValue) bool {
	left, ok := opening.SquaresLeft(k.Position)
	switch {
	case !ok:
		return false
	case v.Proof == engine.Upper:
		return v.Score >= left && v.Score >= k.Ties()
	case v.Proof == engine.Lower && v.Score < k.Ties():
		next, err := k.Position.Play(m)
		// The move gains its squares even if the opponent gets all others.
		return err == nil && v.Score <= 2*k.Position.Gain(next)-left
	}
	return false
}

// Cite records a value of the position from data/results/values.csv. note names where it comes from. A
// value outside the bounds is logged and ignored.
func (k *Known) Cite(value int, note string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.results.Add(1)
	if value < max(k.lower, k.bestLower()) || value > k.upper {
		k.logContradiction("position", boundsText(value, value, Recorded), k.positionBounds())
		return
	}
	k.cited = &citation{value, note}
}

// settledValue returns the position's proved value, or else that of Cite if no later bound excludes it.
func (k *Known) settledValue() (value int, source, note string, ok bool) {
	switch c := k.cited; {
	case k.lower == k.upper:
		return k.lower, cmp.Or(k.lowerFrom, k.upperFrom), "", true
	case c != nil && c.value >= max(k.lower, k.bestLower()) && c.value <= k.upper:
		return c.value, Recorded, c.note, true
	}
	return 0, "", "", false
}

func boundsText(lower, upper int, source string) string {
	return fmt.Sprintf("%d to %d, %s", lower, upper, source)
}

func (k *Known) positionBounds() string {
	return boundsText(k.lower, k.upper, k.lowerFrom+"/"+k.upperFrom)
}

func (k *Known) logContradiction(of string, claim, recorded string) {
	k.log.Error("two sources contradict each other", "position", k.Position.String(), "of", of,
		"claim", claim, "against", recorded)
}

// infer derives bounds from the recorded ones: no move is worth more than the position; the position is
// not worth more than the greatest upper bound of its moves; and if only one move may be worth k.lower,
// that move is worth at least k.lower.
func (k *Known) infer() {
	bestUpper, from := -Unbounded, ""
	for i := range k.moves {
		m := &k.moves[i]
		if m.Upper > k.upper && m.Lower <= k.upper {
			m.Upper, m.UpperFrom = k.upper, k.upperFrom
			if m.Exact() {
				m.From, m.Note = cmp.Or(m.LowerFrom, m.UpperFrom), ""
			}
		}
		if m.Upper > bestUpper {
			bestUpper, from = m.Upper, m.UpperFrom
		}
	}
	if bestUpper < k.upper && len(k.moves) > 0 {
		k.upper, k.upperFrom = bestUpper, from
	}
	only := -1 // the only move that may be worth k.lower
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

// Estimate records a source's estimates of moves, the preferred one of equal moves first. Each call
// begins a round, unless KeepEstimates was called; estimates are compared only within a round. depth is
// in plies. If the game cannot be tied, an estimate of a tie counts as a loss by one point.
func (k *Known) Estimate(source string, depth int, estimates ...Estimate) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.results.Add(1)
	round, most := k.round-1, k.bestEstimate()
	if !k.kept {
		k.round += 2
		round, most = k.round, math.MaxInt
	}
	for n, e := range estimates {
		i, ok := k.index[e.Move]
		if !ok {
			continue
		}
		if e.Score == k.Ties() {
			e.Score = opening.PossibleValue(k.Position, e.Score)
		}
		m := &k.moves[i]
		if k.kept && m.round == k.round {
			continue
		}
		e.Score = min(e.Score, most)
		m.estimate, m.estimateFrom, m.depth, m.round, m.order = e, source, depth, round, n
	}
}

// KeepEstimates makes the latest round of estimates final, if it has any. Later calls of Estimate only add
// estimates of other moves, which are listed after those of the final round and do not exceed its best one.
func (k *Known) KeepEstimates() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = k.kept || k.bestEstimate() > math.MinInt
}

// bestEstimate returns the best estimate of the latest round, math.MinInt if it has none.
func (k *Known) bestEstimate() int {
	best := math.MinInt
	for i := range k.moves {
		if m := &k.moves[i]; m.estimated() && m.round == k.round {
			best = max(best, m.estimate.Score)
		}
	}
	return best
}

// Learn records the bounds and estimates of a decision that another lookup has made about the same
// position, and prefers its first move if a bound of it is proved. Bounds keep the names of their
// sources; all estimates get the name of the first one's source. Illegal moves are skipped.
func (k *Known) Learn(d engine.Decision) {
	k.Count(d.Nodes)
	moves := d.Moves // the preferred move first, as Decide lists them
	if !slices.ContainsFunc(moves, func(v engine.MoveValue) bool { return v.Move == d.Move }) {
		moves = append([]engine.MoveValue{d.Own()}, moves...)
	}
	var estimates []Estimate
	estimatesFrom := ""
	for i, v := range moves {
		m, err := k.Position.ParseMove(v.Move)
		if err != nil {
			continue
		}
		line := v.Line
		if v.Move == d.Move && len(d.Line) > 0 {
			line = d.Line[1:]
		}
		c := Claim{Move: m, Lower: -Unbounded, Upper: Unbounded, Line: k.parseLine(m, line), Distance: v.Distance}
		if v.Move == d.Move {
			c.Note = d.Note
		}
		switch v.Proof {
		case engine.Estimate:
			estimates = append(estimates, Estimate{Move: m, Score: v.Score, Line: c.Line, Note: c.Note})
			estimatesFrom = cmp.Or(estimatesFrom, v.Source, d.Source)
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
	case d.Proof == engine.Exact && d.Source == Recorded:
		k.Cite(d.Score, d.Note)
	case d.Proof == engine.Exact:
		k.Bound(d.Source, d.Score, d.Score)
	case d.Proof == engine.Upper:
		k.Bound(d.Source, -Unbounded, d.Score)
	}
	if len(estimates) > 0 {
		k.Estimate(estimatesFrom, d.Depth, estimates...)
	}
}

// parseLine returns the moves of line, which are played after m, up to the first illegal one.
func (k *Known) parseLine(m engine.Move, line []string) (out []engine.Move) {
	p, err := k.Position.Play(m)
	if err != nil {
		return nil
	}
	for _, text := range line {
		if m, err = p.ParseMove(text); err != nil {
			return out
		}
		if p, err = p.Play(m); err != nil {
			return out
		}
		out = append(out, m)
	}
	return out
}

// MarkHeuristic marks the estimates recorded so far as estimates of the heuristic source.
func (k *Known) MarkHeuristic() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heuristicRound = k.round
}

// Prefer records an order of moves, the one that is hardest to answer first, in place of an earlier
// order. note is a sentence for users with the reason, or "".
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

// Moves returns a copy of all legal moves in the order of [engine.Position] Moves.
func (k *Known) Moves() []KnownMove {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]KnownMove(nil), k.moves...)
}

// Results returns the number of calls of Prove, Bound, Cite and Estimate.
func (k *Known) Results() uint64 { return k.results.Load() }

// Estimates returns the estimates of a source that no other estimate has replaced, in the order of
// Moves, with the depth of the first one; depth is 0 if there are none.
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

// Move returns the bounds and the estimate of m, which must be legal.
func (k *Known) Move(m engine.Move) KnownMove {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.moves[k.index[m]]
}

func (k *Known) bestLower() int {
	best := -Unbounded
	for i := range k.moves {
		best = max(best, k.moves[i].Lower)
	}
	return best
}

// Bounds returns bounds of the position's value. lower is the greatest lower bound of a move.
func (k *Known) Bounds() (lower, upper int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.bestLower(), k.upper
}

// UnmatchedBound returns the lower bound of the position. ok reports whether the bound wins or ties and
// no move is proved to be worth it.
func (k *Known) UnmatchedBound() (lower int, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lower, k.lower > k.bestLower() && k.lower >= k.Ties()
}

// Decided reports whether no estimate can change the choice: only one move has the lower bound that the
// chosen move needs (the method required), and this bound does not lose.
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

// Settled reports whether the value of the position and a move that is worth it are proved or, if all is
// set, the values of all moves.
func (k *Known) Settled(all bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !all {
		return k.bestLower() >= k.upper
	}
	return !slices.ContainsFunc(k.moves, func(m KnownMove) bool { return !m.Exact() })
}

// Solved records the result r of an exact solver for a position of Circuit Wars or Dots and Boxes. left
// is the number of squares or boxes that are still open, and moves are bounds of moves; a negative
// Segment stands for no move. A bound of a move is omitted if it follows from the number of squares that
// the move gains and leaves, and does not decide the winner.
func (k *Known) Solved(source string, left int, r solver.Result, moves ...solver.MoveBounds) {
	k.Count(r.Nodes)
	k.Bound(source, r.Lower, r.Upper)
	for _, m := range moves {
		if m.Segment < 0 {
			continue
		}
		c := Claim{Move: engine.Move(m.Segment), Lower: m.Lower, Upper: m.Upper, Line: SegmentMoves(m.Line)}
		rest := left - m.Gain // the value is at least m.Gain-rest and at most m.Gain+rest
		if !m.Exact() {
			if m.Lower <= m.Gain-rest && m.Lower < k.Ties() {
				c.Lower = -Unbounded
			}
			if m.Upper >= m.Gain+rest && m.Upper >= k.Ties() {
				c.Upper = Unbounded
			}
		}
		k.Prove(source, c)
	}
}

func SegmentMoves(segments []int) []engine.Move {
	var out []engine.Move
	for _, s := range segments {
		out = append(out, engine.Move(s))
	}
	return out
}
