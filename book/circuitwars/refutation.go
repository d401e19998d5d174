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

// This file chooses between the moves of a lost position. Against best play all moves with
// the smallest loss are equal; against an opponent that makes mistakes they are not. A move
// is rated by its chance, which is the probability that the opponent's reply loses the win:
// the exact solver decides which replies do, and search.Guide estimates how likely each
// reply is. Moves with the smallest loss leave further chances and are preferred; other
// moves are only rated if none of the preferred ones has a chance worth mentioning. Ratings
// only choose between losing moves and are never reported as values.

// rater rates the moves of one lost position.
type rater struct {
	ctx      context.Context
	deadline time.Time
	solver   *exact.Solver
	guide    *search.Guide
	rng      *rand.Rand
	nodes    uint64
	value    int // of the position, if known
	known    bool
}

// try is a move of a lost position and what has been found about its chance.
type try struct {
	segment int
	after   circuitwars.Position
	listed  bool           // replies have been listed
	breadth float64        // effective number of likely replies
	replies []search.Reply // not solved yet
	mass    float64        // weight of the solved replies
	hits    float64        // weight of the solved replies that lose the win
	held    []held         // positions after the other solved replies
	later   float64        // chance at the following turns, 0 if not computed
}

// held is a position after a reply that keeps the win.
type held struct {
	position circuitwars.Position
	weight   float64
}

// chance returns the estimated probability that the opponent loses the win with its reply
// or later.
func (t *try) chance() float64 {
	if t.mass == 0 {
		return 0
	}
	now := t.hits / t.mass
	return now + (1-now)*t.later*laterWeight
}

// laterWeight is the weight of a chance at later turns relative to one at this turn: it
// depends on more estimates.
const laterWeight = 0.8

// firstReplies is the number of replies per move that the first round solves. Each further
// round solves twice as many replies of half the moves.
const firstReplies = 3

// enough is a chance that justifies no loss of squares for a better one.
const enough = 0.1

// best returns the move with the best chance, -1 if there was no time to rate any.
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

// rate solves replies to the given moves, most of them for the most promising moves, and
// returns the move with the best chance. Among moves whose chances hardly differ it returns
// the one with the most likely replies.
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

// byChance orders tries by their chance of success, the smallest first.
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

// list lists the replies to a move, the likeliest first, equally likely ones in random
// order.
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

// look solves the next n replies to a move.
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

// Limits for later turns: the number of turns, the number of moves of this turn, and the
// numbers of moves and likely replies of each later turn.
const (
	laterTurns = 4
	nearMoves  = 12
	laterMoves = 6
	laterHeld  = 3
)

// deepen rates the turns after the replies that hold, for the best moves: in each round one
// turn more for half as many moves.
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

// later returns the best chance within the given number of turns in a lost position, over
// the moves that look best and the likeliest replies to them.
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

// won solves whether the side to move wins a position, in a small part of the remaining
// time. known is false if that is not enough.
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

// hardest records the move that is hardest to answer in a position that is proved lost.
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
