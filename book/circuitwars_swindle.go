package book

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/engine/search"
	"endwise/solver/alphabeta"
	"endwise/solver/canon"
)

// Playing on in a lost position. Against best play all moves of a position
// that is proved lost are equal; against a player who errs they are not. A
// move is rated by its chance: how likely the opponent's reply is one after
// which the game is won, where the exact solver says which replies are and
// search.Guide how likely each is. A move that loses no more than it must
// leaves further chances behind; others are only rated where none of those has
// any to speak of. The ratings steer a choice between moves that lose, and
// nothing else: no value is ever made of them.

// swindler rates the moves of one lost position.
type swindler struct {
	ctx      context.Context
	deadline time.Time
	solver   *alphabeta.Solver
	guide    *search.Guide
	rng      *rand.Rand
	nodes    uint64
	value    int // of the position, if known
	known    bool
}

// try is a move of a lost position and what is known of its chance.
type try struct {
	segment int
	after   circuitwars.Position
	listed  bool           // replies have been listed
	replies []search.Reply // not looked at yet
	mass    float64        // weight of the replies looked at
	hits    float64        // weight of those that lose the win
	held    []circuitwars.Position
}

// chance is the share of the replies seen that lose the win.
func (t *try) chance() float64 {
	if t.mass == 0 {
		return 0
	}
	return t.hits / t.mass
}

// firstReplies is how many replies to each move the first round looks at; each
// further round looks at twice as many of half the moves.
const firstReplies = 3

// enough is a chance that is not worth giving up squares for a better one.
const enough = 0.1

// best returns a move with a good chance, prefer, a move of the position or
// -1, unless another is better by more than the noise, and -1 if it knows no
// chance at all.
func (w *swindler) best(p circuitwars.Position, prefer int) int {
	tries := w.tries(p)
	if !w.known {
		top := w.rate(tries, prefer)
		return w.pick(top, prefer)
	}
	var keep, rest []*try
	for _, t := range tries {
		if !w.open() {
			break
		}
		if w.keeps(t, p.Left()-t.after.Left()) {
			keep = append(keep, t)
		} else {
			rest = append(rest, t)
		}
	}
	top := w.rate(keep, prefer)
	if (top == nil || top.chance() < enough) && w.open() {
		if other := w.rate(rest, -1); other != nil && (top == nil || other.chance() > top.chance()+enough) {
			top = other
		}
	}
	return w.pick(top, prefer)
}

func (w *swindler) pick(t *try, prefer int) int {
	if t == nil || t.hits == 0 {
		return prefer
	}
	return t.segment
}

// keeps asks whether a move that captures gain squares loses no more than the
// position must.
func (w *swindler) keeps(t *try, gain int) bool {
	need := gain - w.value + 2
	ctx, cancel := context.WithTimeout(w.ctx, w.query())
	defer cancel()
	r, err := w.solver.Wins(ctx, t.after.Board().Graph(t.after.Free()), need)
	w.nodes += r.Nodes
	return err == nil && r.Upper < need
}

// rate looks at the replies to some moves, those to the most promising moves
// deepest, and returns the move with the best chance.
func (w *swindler) rate(tries []*try, prefer int) *try {
	if len(tries) == 0 {
		return nil
	}
	byChance := func(a, b *try) int { return cmp.Compare(b.chance(), a.chance()) }
	n, per := len(tries), firstReplies
	for w.open() {
		more := false
		for i, t := range tries {
			// The preferred move is rated as well as the best.
			if i < n || t.segment == prefer {
				w.look(t, per)
				more = more || len(t.replies) > 0
			}
		}
		slices.SortStableFunc(tries, byChance)
		if !more {
			break
		}
		n, per = max(n/2, 2), per*2
	}
	if tries[0].chance() < 0.5 {
		w.deepen(tries)
		slices.SortStableFunc(tries, byChance)
	}
	const noise = 0.03
	for _, t := range tries {
		if t.segment == prefer && t.chance()+noise >= tries[0].chance() {
			return t
		}
	}
	return tries[0]
}

// query is the time for one question.
func (w *swindler) query() time.Duration {
	return max(time.Until(w.deadline)/25, 2*time.Millisecond)
}

// open says whether there is time left.
func (w *swindler) open() bool { return w.ctx.Err() == nil && time.Now().Before(w.deadline) }

// tries lists the moves with different positions after them.
func (w *swindler) tries(p circuitwars.Position) []*try {
	var out []*try
	seen := map[canon.Key]bool{}
	for _, s := range p.Free().Segments() {
		q, err := p.Occupy(s)
		if err != nil || q.Over() {
			continue
		}
		if !w.open() {
			return out
		}
		if k, err := w.solver.Key(q.Board().Graph(q.Free())); err != nil || seen[k] {
			continue
		} else {
			seen[k] = true
		}
		out = append(out, &try{segment: s, after: q})
	}
	return out
}

// list finds the replies to a move, the likeliest first, those that look the
// same in random order.
func (w *swindler) list(t *try) {
	t.listed, t.replies = true, w.guide.Replies(t.after)
	for i := 0; i < len(t.replies); {
		j := i
		for j < len(t.replies) && t.replies[j].Weight == t.replies[i].Weight {
			j++
		}
		same := t.replies[i:j]
		w.rng.Shuffle(len(same), func(a, b int) { same[a], same[b] = same[b], same[a] })
		i = j
	}
}

// look asks about the next replies to a move.
func (w *swindler) look(t *try, n int) {
	if !t.listed && w.open() {
		w.list(t)
	}
	for ; n > 0 && len(t.replies) > 0 && w.open(); n-- {
		r := t.replies[0]
		t.replies = t.replies[1:]
		if r.Weight < 0.002 && t.mass > 0.5 {
			t.replies = nil
			return
		}
		q, err := t.after.Occupy(r.Segment)
		if err != nil {
			continue
		}
		won, known := w.won(q)
		if !known {
			continue
		}
		t.mass += r.Weight
		if won {
			t.hits += r.Weight
		} else if !q.Over() {
			t.held = append(t.held, q)
		}
	}
}

// Bounds of the second look: moves, and replies that hold to each.
const (
	deepMoves   = 5
	deepReplies = 3
)

// deepen adds to the chances of the best moves those that remain one turn
// later, after the replies that hold.
func (w *swindler) deepen(tries []*try) {
	for _, t := range tries[:min(deepMoves, len(tries))] {
		if t.mass == 0 {
			continue
		}
		later, n := 0.0, 0
		for _, q := range t.held[:min(deepReplies, len(t.held))] {
			best := 0.0
			for _, u := range w.tries(q) {
				if !w.open() {
					return
				}
				w.look(u, firstReplies)
				best = max(best, u.chance())
			}
			later += best
			n++
		}
		if n > 0 {
			// What comes later counts less: it is an estimate of an estimate.
			t.hits += (t.mass - t.hits) * later / float64(n) * 0.5
		}
	}
}

// won asks whether the side to move wins a position, for a small part of the
// time that is left.
func (w *swindler) won(p circuitwars.Position) (won, known bool) {
	need := winningValue(p)
	if need > p.Left() {
		return false, true
	}
	if need <= -p.Left() {
		return true, true
	}
	ctx, cancel := context.WithTimeout(w.ctx, w.query())
	defer cancel()
	r, err := w.solver.Wins(ctx, p.Board().Graph(p.Free()), need)
	if err != nil {
		return false, false
	}
	w.nodes += r.Nodes
	return r.Lower >= need, r.Lower >= need || r.Upper < need
}

// swindle looks for the best chance in a position that is proved lost, with
// the move known to lose least, -1 for none.
func (s *solveSource) swindle(ctx context.Context, q *Question, p circuitwars.Position, least int, d engine.Decision, share float64) int {
	left, ok := q.Clock.Remaining()
	if !ok {
		return least
	}
	s.useBoard(p)
	seed := uint64(0)
	for _, w := range p.Free() {
		seed = seed*0x9e3779b97f4a7c15 + w
	}
	w := swindler{
		ctx: ctx, deadline: time.Now().Add(time.Duration(float64(left) * share)),
		solver: s.solver, guide: s.guide, rng: rand.New(rand.NewPCG(seed, 1)),
		value: d.Score, known: d.Proof == engine.Exact,
	}
	segment := w.best(p, least)
	q.Nodes += w.nodes
	return segment
}

// toWin answers a question whose answer will be played, where no guarantee is
// at hand: first who wins, then, if the side to move does, by how much, and if
// not, which move makes winning hardest for the opponent.
func (s *solveSource) toWin(ctx context.Context, q *Question, p circuitwars.Position, g grid.Graph) (engine.Decision, bool, error) {
	need := winningValue(p)
	share := shareToWin(p.Free().Len())
	stop := func() {}
	if left, ok := q.Clock.Remaining(); ok && s.threads > 1 && p.Free().Len() > sureSegments {
		searching, cancel := context.WithCancel(ctx)
		wait := s.live.begin(searching, p, left)
		stop = func() { cancel(); wait() }
		q.ahead, share = wait, shareBeside
		s.solver.Use(s.threads - 1)
	}
	m, r, err := s.whoWins(ctx, q, g, need, share)
	s.solver.Use(s.threads)
	if err != nil || r.Lower >= need || r.Upper < need {
		stop()
		q.ahead = nil
	}
	if err != nil {
		return engine.Decision{}, false, err
	}
	if m.Segment >= 0 && m.Lower >= need {
		q.Known = append(q.Known, s.value(p, m))
	}
	switch {
	case r.Lower >= need:
		return s.bestMove(ctx, q, p, g, shareOfMargin)
	case r.Upper >= need:
		return engine.Decision{}, false, nil // open
	case r.Upper == need-1:
		return s.bestMove(ctx, q, p, g, shareOfMargin) // a tie may still be had
	}
	d, ok, err := s.bestMove(ctx, q, p, g, shareOfLoss)
	if err != nil {
		return d, false, err
	}
	least := -1
	if ok {
		least = int(mustParse(p, d.Move))
	}
	segment := s.swindle(ctx, q, p, least, d, shareOfSwindle)
	d.Nodes = q.Nodes
	if segment == least {
		return d, ok, nil
	}
	// The position is worth at most the bound that proved it lost.
	v := engine.MoveValue{Move: p.MoveString(engine.Move(segment)), Score: min(r.Upper, p.Left()), Proof: engine.Upper, Source: s.Name()}
	if ok {
		v.Score = d.Score
	}
	return engine.Decision{
		Move: v.Move, Score: v.Score, Proof: engine.Upper, Source: s.Name(), Nodes: q.Nodes,
		Line: []string{v.Move}, Moves: []engine.MoveValue{v},
		Note: "lost against best play; after this move the likely replies hold least often",
	}, true, nil
}

// mustParse reads a move that the solver wrote.
func mustParse(p circuitwars.Position, move string) engine.Move {
	m, err := p.ParseMove(move)
	if err != nil {
		panic(err)
	}
	return m
}

func (s *solveSource) useBoard(p circuitwars.Position) {
	if s.guide == nil || s.board != p.Board() {
		s.guide, s.board = search.NewGuide(p.Board()), p.Board()
	}
}
