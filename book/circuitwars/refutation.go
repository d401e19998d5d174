package circuitwars

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/circuitwars/search"
)

// This file chooses between the moves of a lost position. A move is rated by its chance: the
// estimated probability that the opponent answers with a move that no longer wins. The exact
// solver finds which replies win, and search.Guide estimates the probability of each reply.
// Moves with the smallest possible loss are rated first. Other moves are rated only if none of
// these has a chance of at least enough. Ratings are not reported as values.

// rater rates the moves of one lost position.
type rater struct {
	ctx      context.Context
	deadline time.Time
	solver   *exact.Solver
	guide    *search.Guide
	rng      *rand.Rand
	nodes    uint64
	value    int // of the position, if it is proved
	known    bool
}

// try is a move of a lost position with its rating so far.
type try struct {
	segment int
	after   circuitwars.Position
	listed  bool           // replies and breadth are set
	breadth float64        // effective number of likely replies
	replies []search.Reply // replies that are not solved yet
	mass    float64        // total probability of the solved replies
	hits    float64        // total probability of the solved replies that no longer win
	held    []held         // positions after the solved replies that still win
	later   float64        // chance at later turns, 0 if not computed
}

// held is a position after a reply that still wins.
type held struct {
	position circuitwars.Position
	weight   float64
}

// chance returns the estimated probability that the opponent makes a move that no longer wins,
// at its reply or later.
func (t *try) chance() float64 {
	if t.mass == 0 {
		return 0
	}
	now := t.hits / t.mass
	return now + (1-now)*t.later*laterWeight
}

// laterWeight is the weight of a chance at later turns. It is less than 1, because such a
// chance depends on more estimates.
const laterWeight = 0.8

// firstReplies is the number of replies per move that the first round solves. Each further
// round solves twice as many replies of half the moves.
const firstReplies = 3

// enough is the chance from which on moves that lose more squares are not considered.
const enough = 0.1

// best returns the segment of the move with the best chance, -1 if no move was rated in time.
func (w *rater) best(p circuitwars.Position) int {
	tries := w.tries(p)
	if !w.known {
		return pick(w.rate(tries))
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
	top := w.rate(keep)
	if (top == nil || top.chance() < enough) && w.open() {
		if other := w.rate(rest); other != nil && (top == nil || other.chance() > top.chance()+enough) {
			top = other
		}
	}
	return pick(top)
}

// pick returns the segment of a try, -1 if there is none.
func pick(t *try) int {
	if t == nil || t.mass == 0 {
		return -1
	}
	return t.segment
}

// keeps reports whether a move that captures gain squares is proved to have the smallest
// possible loss.
func (w *rater) keeps(t *try, gain int) bool {
	need := gain - w.value + 2
	ctx, cancel := context.WithTimeout(w.ctx, w.query())
	defer cancel()
	r, err := w.solver.AtLeast(ctx, t.after.Board(), t.after.Free(), need)
	w.nodes += r.Nodes
	return err == nil && r.Upper < need
}

// rate returns the move with the best chance or, if the chances of several moves hardly
// differ, the one of these with the greatest number of likely replies. It solves replies in
// rounds, each with half of the moves: those with the best chances so far.
func (w *rater) rate(tries []*try) *try {
	if len(tries) == 0 {
		return nil
	}
	n, per := len(tries), firstReplies
	for w.open() {
		more := false
		for _, t := range tries[:n] {
			w.look(t, per)
			more = more || len(t.replies) > 0
		}
		slices.SortStableFunc(tries, byChance)
		if !more {
			break
		}
		n, per = min(max(n/2, 2), len(tries)), per*2
	}
	if tries[0].chance() < 0.5 {
		w.deepen(tries)
	}
	const noise = 0.03
	top := tries[0]
	for _, t := range tries[1:] {
		if t.chance()+noise >= tries[0].chance() && t.breadth > top.breadth {
			top = t
		}
	}
	return top
}

// byChance compares tries by their chances, the best one first.
func byChance(a, b *try) int { return cmp.Compare(b.chance(), a.chance()) }

// query returns the time for one call of the solver.
func (w *rater) query() time.Duration {
	return max(time.Until(w.deadline)/25, 2*time.Millisecond)
}

// open reports whether there is time left.
func (w *rater) open() bool { return w.ctx.Err() == nil && time.Now().Before(w.deadline) }

// tries returns the moves, without equivalent ones.
func (w *rater) tries(p circuitwars.Position) []*try {
	var out []*try
	seen := map[graph.Key]bool{}
	for _, s := range p.Free().Segments() {
		q, err := p.Occupy(s)
		if err != nil || q.Over() {
			continue
		}
		if !w.open() {
			return out
		}
		if k, err := w.solver.Key(q.Board(), q.Free()); err != nil || seen[k] {
			continue
		} else {
			seen[k] = true
		}
		out = append(out, &try{segment: s, after: q})
	}
	return out
}

// list sets the replies to a move, by falling probability; equally likely replies are in
// random order.
func (w *rater) list(t *try) {
	t.listed, t.replies = true, w.guide.Replies(t.after)
	squares := 0.0
	for _, r := range t.replies {
		squares += r.Weight * r.Weight
	}
	t.breadth = 1 / squares
	w.rng.Shuffle(len(t.replies), func(a, b int) { t.replies[a], t.replies[b] = t.replies[b], t.replies[a] })
	slices.SortStableFunc(t.replies, func(a, b search.Reply) int { return cmp.Compare(b.Weight, a.Weight) })
}

// look solves the next n replies to a move and updates its rating.
func (w *rater) look(t *try, n int) {
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
			t.held = append(t.held, held{q, r.Weight})
		}
	}
}

// Limits for rating later turns.
const (
	laterTurns = 4  // number of turns
	nearMoves  = 12 // number of moves of this turn for which later turns are rated
	laterMoves = 6  // number of moves at each later turn
	laterHeld  = 3  // number of likely replies at each later turn
)

// deepen computes the later chances of the best moves: after the replies that still win, it
// looks for another chance. Each round looks one turn further, with half as many moves.
func (w *rater) deepen(tries []*try) {
	n := nearMoves
	for turns := 1; turns <= laterTurns && w.open(); turns++ {
		for _, t := range tries[:min(n, len(tries))] {
			later, mass := 0.0, 0.0
			for _, h := range t.held[:min(laterHeld, len(t.held))] {
				later += h.weight * w.later(h.position, turns)
				mass += h.weight
			}
			if !w.open() {
				return
			}
			if mass > 0 {
				t.later = later / mass
			}
		}
		slices.SortStableFunc(tries, byChance)
		n = max(n/2, 2)
	}
}

// later returns the best chance within the given number of turns in a lost position p. It
// considers only the moves with the best static evaluations and the likeliest replies.
func (w *rater) later(p circuitwars.Position, turns int) float64 {
	best := 0.0
	for i, m := range w.guide.Replies(p) {
		if i == laterMoves || best > 0.99 || !w.open() {
			break
		}
		q, err := p.Occupy(m.Segment)
		if err != nil || q.Over() {
			continue
		}
		t := try{after: q}
		w.look(&t, laterHeld)
		if turns > 1 && t.mass > 0 {
			for _, h := range t.held {
				t.later += h.weight / t.mass * w.later(h.position, turns-1)
			}
			if lost := 1 - t.hits/t.mass; lost > 0 {
				t.later /= lost
			}
		}
		best = max(best, t.chance())
	}
	return best
}

// won reports whether the side to move wins a position. It uses a small part of the remaining
// time; known is false if that is not enough.
func (w *rater) won(p circuitwars.Position) (won, known bool) {
	need := winningValue(p)
	if need > p.Left() {
		return false, true
	}
	if need <= -p.Left() {
		return true, true
	}
	ctx, cancel := context.WithTimeout(w.ctx, w.query())
	defer cancel()
	r, err := w.solver.AtLeast(ctx, p.Board(), p.Free(), need)
	if err != nil {
		return false, false
	}
	w.nodes += r.Nodes
	return r.Lower >= need, r.Lower >= need || r.Upper < need
}

// hardest records, for a position that is proved lost, the move with the best chance as the
// preferred one. It uses a share of the remaining time.
func (x *solve) hardest(share float64) {
	left, ok := x.question.Clock.Remaining()
	if !ok {
		return
	}
	seed := uint64(0)
	for _, w := range x.position.Free() {
		seed = seed*0x9e3779b97f4a7c15 + w
	}
	lower, upper := x.question.Known.Bounds()
	w := rater{
		ctx: x.ctx, deadline: time.Now().Add(time.Duration(float64(left) * share)),
		solver: x.solver, guide: search.NewGuide(x.position.Board()), rng: rand.New(rand.NewPCG(seed, 1)),
		value: upper, known: lower == upper,
	}
	segment := w.best(x.position)
	x.question.Known.Count(w.nodes)
	if segment >= 0 {
		x.question.Known.Prefer("lost against best play; after this move the likely replies hold least often", engine.Move(segment))
	}
}
