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

// Unbounded is beyond every value of every game.
const Unbounded = 1 << 20

// Known is what is known of one position: an interval for the value of every
// legal move, both ends proved, and perhaps an estimate. Sources only tighten
// it, each as soon as it has something to say; what is played is chosen from it
// at any moment (choose.go). It is safe for concurrent use, so that an answer
// can go out while a source is still at work.
type Known struct {
	Position engine.Position

	game scoring
	log  *slog.Logger

	mu    sync.Mutex
	moves []KnownMove // in the order of Position.Moves
	at    map[engine.Move]int
	// The value of the position lies between lower and upper. lower may be
	// above what any single move is proved to be worth: that some move keeps it
	// was proved a turn earlier.
	lower, upper         int
	lowerFrom, upperFrom string
	published            *published
	preferred            string // note on why the preferred moves are
	round                int    // number of the last estimates
	look                 int    // of those that are no more than a first look
	nodes                uint64
	play                 bool   // the answer will be played in a game
	line                 *proof // of an earlier turn, whose line has led to the position and goes on

	news atomic.Uint64 // how often a source has told something
}

// KnownMove holds the bounds and the estimate of one legal move, for the side that plays it.
type KnownMove struct {
	Move engine.Move
	// Lower and Upper enclose the move's value; the names are those of the
	// sources that proved them, "" where only the rules speak. From is the one
	// that guarantees the value where they meet.
	Lower, Upper               int
	LowerFrom, UpperFrom, From string
	// Note is a sentence for people about the lower bound.
	Note string
	// Line is best play after the move, as far as it is proved.
	Line []engine.Move
	// Distance is as in engine.MoveValue.
	Distance int
	// Preference orders moves of equal value by how hard they are to answer,
	// the hardest with the greatest number; 0 where nobody has looked.
	Preference int

	guess Estimate
	from  string // who made the guess, "" for none
	depth int
	round int
	place int // in its round
}

// Exact says whether the bounds meet.
func (m KnownMove) Exact() bool { return m.Lower == m.Upper }

// Claim is something proved of a move.
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
	// Score is as in engine.Decision for an estimate.
	Score int
	Line  []engine.Move // play that the search expects after the move
	Note  string        // a sentence for people
}

// scoring says what values mean for the result of a game.
type scoring struct {
	counted bool // a value counts what is won from here on; else it is the result
	scale   int  // points of an estimate that one point of a value stands for
}

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

// published is a value of the position that was published. It bounds no move.
type published struct {
	value int
	by    string
}

// NewKnown begins with what the rules of the game say; a nil game is one that
// counts points.
func NewKnown(p engine.Position, g engine.Game, log *slog.Logger) *Known {
	k := &Known{Position: p, game: scoringOf(g), log: log, at: map[engine.Move]int{}, lower: -Unbounded, upper: Unbounded}
	if k.log == nil {
		k.log = slog.New(slog.DiscardHandler)
	}
	if !k.game.counted {
		k.lower, k.upper = -1, 1
	}
	for i, m := range p.Moves() {
		k.moves = append(k.moves, KnownMove{Move: m, Lower: k.lower, Upper: k.upper})
		k.at[m] = i
	}
	return k
}

// Ties is the value with which the side to move ties the game: more wins it,
// less loses it.
func (k *Known) Ties() int {
	if !k.game.counted {
		return 0
	}
	return -engine.Lead(k.Position, k.Position.Turn())
}

// Prove takes what a source has proved of moves. What contradicts that which
// another one has proved is reported to the log and left out: the game goes on.
func (k *Known) Prove(source string, claims ...Claim) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.news.Add(1)
	for _, c := range claims {
		i, ok := k.at[c.Move]
		if !ok {
			continue
		}
		m := &k.moves[i]
		if c.Lower > m.Upper || c.Upper < m.Lower {
			k.contradiction(k.Position.MoveString(c.Move), source, c.Lower, c.Upper, m.LowerFrom+"/"+m.UpperFrom, m.Lower, m.Upper)
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

// Bound takes what a source has proved of the position: that some move is worth
// at least lower and none more than upper.
func (k *Known) Bound(source string, lower, upper int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.news.Add(1)
	if lower > upper || lower > k.upper || upper < k.floor() || upper < k.lower {
		k.contradiction("position", source, lower, upper, k.lowerFrom+"/"+k.upperFrom, k.lower, k.upper)
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

// Publish records a published value of the position, and where it comes from.
func (k *Known) Publish(value int, by string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.news.Add(1)
	if value < max(k.lower, k.floor()) || value > k.upper {
		k.contradiction("position", Published, value, value, k.lowerFrom+"/"+k.upperFrom, k.lower, k.upper)
		return
	}
	k.published = &published{value, by}
}

// proved returns the value of the position and its source if it is proved or published.
func (k *Known) proved() (value int, source, note string, ok bool) {
	switch p := k.published; {
	case k.lower == k.upper:
		return k.lower, k.lowerFrom, "", true
	case p != nil && p.value >= max(k.lower, k.floor()) && p.value <= k.upper:
		return p.value, Published, p.by, true
	}
	return 0, "", "", false
}

func (k *Known) contradiction(what, source string, lower, upper int, other string, otherLower, otherUpper int) {
	k.log.Error("two sources contradict each other", "position", k.Position.String(), "of", what,
		"claim", fmt.Sprintf("%d to %d, %s", lower, upper, source),
		"against", fmt.Sprintf("%d to %d, %s", otherLower, otherUpper, other))
}

// infer draws what follows: no move is worth more than the position, the
// position not more than its best move may be, and where all moves but one are
// proved to be worth less than the position, that one is worth it.
func (k *Known) infer() {
	top := -Unbounded
	for i := range k.moves {
		m := &k.moves[i]
		if m.Upper > k.upper && m.Lower <= k.upper {
			m.Upper, m.UpperFrom = k.upper, k.upperFrom
			if m.Exact() { // no more than was guaranteed
				m.From, m.Note = m.LowerFrom, ""
			}
		}
		top = max(top, m.Upper)
	}
	if top < k.upper && len(k.moves) > 0 {
		k.upper = top
	}
	keeps := -1
	for i := range k.moves {
		if m := &k.moves[i]; m.Upper >= k.lower {
			if keeps >= 0 {
				return
			}
			keeps = i
		}
	}
	if keeps >= 0 && k.lower > k.moves[keeps].Lower {
		m := &k.moves[keeps]
		m.Lower, m.LowerFrom = k.lower, k.lowerFrom
		if m.Exact() {
			m.From = k.lowerFrom
		}
	}
}

// Estimate takes what a source thinks of moves, in the order in which it likes
// them: of moves with equal scores the first is preferred. depth is in plies.
// What was estimated before of other moves counts only where nothing else does. If the
// game cannot be tied, an estimate of a tie counts as a narrow loss.
func (k *Known) Estimate(source string, depth int, estimates ...Estimate) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.news.Add(1)
	k.round++
	for n, g := range estimates {
		if i, ok := k.at[g.Move]; ok {
			m := &k.moves[i]
			if tie := k.Ties(); g.Score == tie && k.odd() {
				g.Score = tie - 1
			}
			m.guess, m.from, m.depth, m.round, m.place = g, source, depth, k.round, n
		}
	}
}

// odd reports whether the game cannot be tied, because the number of its squares or
// boxes is odd: somebody gets each of them.
func (k *Known) odd() bool {
	p, ok := k.Position.(interface{ Board() *grid.Board })
	return ok && k.game.counted && p.Board().Squares()%2 == 1
}

// Learn takes the decision of another lookup about the position. Its moves must
// be legal, and its sources keep their names.
func (k *Known) Learn(d engine.Decision) {
	k.Count(d.Nodes)
	said := d.Moves
	if !slices.ContainsFunc(said, func(v engine.MoveValue) bool { return v.Move == d.Move }) {
		said = append([]engine.MoveValue{d.Own()}, said...)
	}
	var estimates []Estimate
	for i, v := range said {
		m, err := k.Position.ParseMove(v.Move)
		if err != nil {
			continue
		}
		line := v.Line
		if v.Move == d.Move && len(d.Line) > 0 {
			line = d.Line[1:]
		}
		c, source := Claim{Move: m, Lower: -Unbounded, Upper: Unbounded, Line: k.parsed(m, line), Distance: v.Distance}, cmp.Or(v.Source, d.Source)
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
		k.Prove(source, c)
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

// parsed reads a line that follows a move, as far as it can be played.
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

// Looked says that all estimates so far are no more than a first look.
func (k *Known) Looked() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.look = k.round
}

// Prefer says which of moves with equal values are hardest to answer, the
// hardest first, and why.
func (k *Known) Prefer(note string, moves ...engine.Move) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.preferred = note
	for i := range k.moves {
		k.moves[i].Preference = 0
	}
	for n, m := range moves {
		if i, ok := k.at[m]; ok {
			k.moves[i].Preference = len(moves) - n
		}
	}
}

// Count adds positions that a source has expanded.
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

// Moves is what is known of every legal move, in the order of the position's.
func (k *Known) Moves() []KnownMove {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]KnownMove(nil), k.moves...)
}

// News is how often a source has told something.
func (k *Known) News() uint64 { return k.news.Load() }

// Estimates are a source's estimates of moves, as deep as it looked for the first.
func (k *Known) Estimates(source string) (list []Estimate, depth int) {
	for _, m := range k.Moves() {
		if m.from == source {
			if len(list) == 0 {
				depth = m.depth
			}
			list = append(list, m.guess)
		}
	}
	return list, depth
}

// Move is what is known of one legal move.
func (k *Known) Move(m engine.Move) KnownMove {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.moves[k.at[m]]
}

// floor is the most that a move is proved to be worth.
func (k *Known) floor() int {
	best := -Unbounded
	for i := range k.moves {
		best = max(best, k.moves[i].Lower)
	}
	return best
}

// Bounds enclose the position's value: some move is proved to be worth lower,
// and none to be worth more than upper.
func (k *Known) Bounds() (lower, upper int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.floor(), k.upper
}

// Owed is what some move is worth by an earlier proof, where it is not known
// which: the first thing to be found out. What loses is not worth that time.
func (k *Known) Owed() (lower int, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lower, k.lower > k.floor() && k.lower >= k.Ties()
}

// Decided reports whether no estimate can change the choice: one move alone keeps what is
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

// Settled says whether nothing is left to find out: the value and a move that
// is worth it, or with all the value of every move.
func (k *Known) Settled(all bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !all {
		return k.floor() >= k.upper
	}
	for i := range k.moves {
		if !k.moves[i].Exact() {
			return false
		}
	}
	return true
}

// Solved takes over what a solver has proved of a position of a game of segments, in
// which left squares or boxes are still to be had, and of its moves. Bounds of a
// move that say no more than what it gains and leaves are left out, unless they
// tell who wins.
func (k *Known) Solved(source string, left int, r solver.Result, moves ...solver.MoveBounds) {
	k.Count(r.Nodes)
	k.Bound(source, r.Lower, r.Upper)
	for _, m := range moves {
		if m.Segment < 0 {
			continue
		}
		c := Claim{Move: engine.Move(m.Segment), Lower: m.Lower, Upper: m.Upper, Line: Line(m.Line)}
		rest := left - m.Gain
		if m.Lower <= m.Gain-rest && !m.Exact() && m.Lower < k.Ties() {
			c.Lower = -Unbounded
		}
		if m.Upper >= m.Gain+rest && !m.Exact() && m.Upper >= k.Ties() {
			c.Upper = Unbounded
		}
		k.Prove(source, c)
	}
}

// Line is a line of segments as moves.
func Line(segments []int) []engine.Move {
	var out []engine.Move
	for _, s := range segments {
		out = append(out, engine.Move(s))
	}
	return out
}
