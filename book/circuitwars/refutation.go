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

// This file chooses between the moves of a lost position. A move is rated by its chance: the estimated
// probability that the opponent answers with a move that no longer wins. The exact solver finds which
// replies win, and search.Guide estimates the probability of each reply. If the value is proved, the
// moves that lose least are rated first. Other moves are rated only if none of these has a goodChance,
// and are chosen only if their chance is greater by goodChance. Ratings are not reported as values.

type rater struct {
	ctx      context.Context
	deadline time.Time
	solver   *exact.Solver
	guide    *search.Guide
	rng      *rand.Rand
	nodes    uint64
	value    int // of the position, if proved is set
	proved   bool
}

type candidate struct {
	segment  int
	after    circuitwars.Position
	listed   bool           // replies and breadth are set
	breadth  float64        // number of likely replies: 1 over the sum of squared probabilities
	replies  []search.Reply // replies that are not solved yet
	solved   float64        // total probability of the solved replies
	mistakes float64        // total probability of the solved replies that no longer win
	winning  []winningReply // solved replies that still win
	later    float64        // chance at later turns, 0 if not computed
}

type winningReply struct {
	position circuitwars.Position // after the reply
	weight   float64              // probability of the reply
}

// chance returns the estimated probability that the opponent makes a move that no longer wins, at its
// reply or later.
func (c *candidate) chance() float64 {
	if c.solved == 0 {
		return 0
	}
	now := c.mistakes / c.solved
	return now + (1-now)*c.later*laterWeight
}

// laterWeight is less than 1, because a chance at later turns depends on more estimates.
const laterWeight = 0.8

// firstReplies is the number of replies per move that the first round solves. Each further round solves
// twice as many replies of half the moves.
const firstReplies = 3

// goodChance is the chance of a move that outweighs a loss of more squares.
const goodChance = 0.1

// best returns the segment of the move with the best chance, -1 if no move was rated in time.
func (w *rater) best(p circuitwars.Position) int {
	candidates := w.candidates(p)
	if !w.proved {
		return segmentOf(w.rate(candidates))
	}
	var least, rest []*candidate
	for _, c := range candidates {
		if !w.timeLeft() {
			break
		}
		if w.losesLeast(c, p.Left()-c.after.Left()) {
			least = append(least, c)
		} else {
			rest = append(rest, c)
		}
	}
	top := w.rate(least)
	if (top == nil || top.chance() < goodChance) && w.timeLeft() {
		if other := w.rate(rest); other != nil && (top == nil || other.chance() > top.chance()+goodChance) {
			top = other
		}
	}
	return segmentOf(top)
}

func segmentOf(c *candidate) int {
	if c == nil || c.solved == 0 {
		return -1
	}
	return c.segment
}

// losesLeast reports whether a move that captures gain squares is proved to be worth w.value.
func (w *rater) losesLeast(c *candidate, gain int) bool {
	need := gain - w.value + 2 // the opponent's next greater value: all have the same parity
	ctx, cancel := context.WithTimeout(w.ctx, w.queryTime())
	defer cancel()
	r, err := w.solver.AtLeast(ctx, c.after.Board(), c.after.Free(), need)
	w.nodes += r.Nodes
	return err == nil && r.Upper < need
}

// rate returns the move with the best chance, nil if there are no candidates. Of moves whose chances are
// nearly the best, it returns the one with the greatest breadth.
func (w *rater) rate(candidates []*candidate) *candidate {
	if len(candidates) == 0 {
		return nil
	}
	n, per := len(candidates), firstReplies
	for w.timeLeft() {
		more := false
		for _, c := range candidates[:n] {
			w.solveReplies(c, per)
			more = more || len(c.replies) > 0
		}
		slices.SortStableFunc(candidates, byChance)
		if !more {
			break
		}
		n, per = min(max(n/2, 2), len(candidates)), per*2
	}
	if candidates[0].chance() < 0.5 {
		w.deepen(candidates)
	}
	const noise = 0.03
	top := candidates[0]
	for _, c := range candidates[1:] {
		if c.chance()+noise >= candidates[0].chance() && c.breadth > top.breadth {
			top = c
		}
	}
	return top
}

func byChance(a, b *candidate) int { return cmp.Compare(b.chance(), a.chance()) }

func (w *rater) queryTime() time.Duration {
	return max(time.Until(w.deadline)/25, 2*time.Millisecond)
}

func (w *rater) timeLeft() bool { return w.ctx.Err() == nil && time.Now().Before(w.deadline) }

// candidates returns the moves that do not end the game, one of each set of equivalent moves. The
// list is incomplete if the time is up.
func (w *rater) candidates(p circuitwars.Position) []*candidate {
	var out []*candidate
	seen := map[graph.Key]bool{}
	for _, s := range p.Free().Segments() {
		q, err := p.Occupy(s)
		if err != nil || q.Over() {
			continue
		}
		if !w.timeLeft() {
			return out
		}
		k, err := w.solver.Key(q.Board(), q.Free())
		if err != nil || seen[k] {
			continue
		}
		seen[k] = true
		out = append(out, &candidate{segment: s, after: q})
	}
	return out
}

// listReplies sets the replies of c, the likeliest first and equal ones in random order, and breadth.
func (w *rater) listReplies(c *candidate) {
	c.listed, c.replies = true, w.guide.Replies(c.after)
	squares := 0.0
	for _, r := range c.replies {
		squares += r.Weight * r.Weight
	}
	c.breadth = 1 / squares
	w.rng.Shuffle(len(c.replies), func(a, b int) { c.replies[a], c.replies[b] = c.replies[b], c.replies[a] })
	slices.SortStableFunc(c.replies, func(a, b search.Reply) int { return cmp.Compare(b.Weight, a.Weight) })
}

// solveReplies solves the next n replies of c, or fewer if the time is up.
func (w *rater) solveReplies(c *candidate, n int) {
	if !c.listed && w.timeLeft() {
		w.listReplies(c)
	}
	for ; n > 0 && len(c.replies) > 0 && w.timeLeft(); n-- {
		r := c.replies[0]
		c.replies = c.replies[1:]
		if r.Weight < 0.002 && c.solved > 0.5 {
			// The remaining replies, which are at most as likely, hardly change the rating.
			c.replies = nil
			return
		}
		q, err := c.after.Occupy(r.Segment)
		if err != nil {
			continue
		}
		won, known := w.won(q)
		if !known {
			continue
		}
		c.solved += r.Weight
		if won {
			c.mistakes += r.Weight
		} else if !q.Over() {
			c.winning = append(c.winning, winningReply{q, r.Weight})
		}
	}
}

const (
	laterTurns   = 4
	nearMoves    = 12 // moves of this turn for which later turns are rated
	laterMoves   = 6  // moves at each later turn
	laterReplies = 3  // likely replies at each later turn
)

// deepen computes the later chances of the best moves, after the replies that still win. Each round
// looks one turn further, with half as many moves.
func (w *rater) deepen(candidates []*candidate) {
	n := nearMoves
	for turns := 1; turns <= laterTurns && w.timeLeft(); turns++ {
		for _, c := range candidates[:min(n, len(candidates))] {
			later, mass := 0.0, 0.0
			for _, h := range c.winning[:min(laterReplies, len(c.winning))] {
				later += h.weight * w.later(h.position, turns)
				mass += h.weight
			}
			if !w.timeLeft() {
				return
			}
			if mass > 0 {
				c.later = later / mass
			}
		}
		slices.SortStableFunc(candidates, byChance)
		n = max(n/2, 2)
	}
}

// later returns the best chance within the given number of turns in a lost position p. It considers only
// the moves with the best static evaluations and the likeliest replies.
func (w *rater) later(p circuitwars.Position, turns int) float64 {
	best := 0.0
	for i, m := range w.guide.Replies(p) {
		if i == laterMoves || best > 0.99 || !w.timeLeft() {
			break
		}
		q, err := p.Occupy(m.Segment)
		if err != nil || q.Over() {
			continue
		}
		c := candidate{after: q}
		w.solveReplies(&c, laterReplies)
		if turns > 1 && c.solved > 0 {
			for _, h := range c.winning {
				c.later += h.weight / c.solved * w.later(h.position, turns-1)
			}
			// chance uses later as the probability given that the reply still wins.
			if lost := 1 - c.mistakes/c.solved; lost > 0 {
				c.later /= lost
			}
		}
		best = max(best, c.chance())
	}
	return best
}

// won reports whether the side to move wins a position. known is false if queryTime is too short.
func (w *rater) won(p circuitwars.Position) (won, known bool) {
	need := winningValue(p)
	if need > p.Left() {
		return false, true
	}
	if need <= -p.Left() {
		return true, true
	}
	ctx, cancel := context.WithTimeout(w.ctx, w.queryTime())
	defer cancel()
	r, err := w.solver.AtLeast(ctx, p.Board(), p.Free(), need)
	if err != nil {
		return false, false
	}
	w.nodes += r.Nodes
	return r.Lower >= need, r.Lower >= need || r.Upper < need
}

// preferHardest chooses a move of a position that is proved lost, as explained at the top of this file,
// and records it as the preferred one. It uses the given share of the remaining time. Without a time
// limit, or if no move could be rated, it prefers none.
func (x *solve) preferHardest(share float64) {
	left, ok := x.question.Clock.Remaining()
	if !ok {
		return
	}
	seed := uint64(0) // the same position always gets the same random order
	for _, word := range x.position.Free() {
		seed = seed*0x9e3779b97f4a7c15 + word
	}
	lower, upper := x.question.Known.Bounds()
	w := rater{
		ctx: x.ctx, deadline: time.Now().Add(time.Duration(float64(left) * share)),
		solver: x.solver, guide: search.NewGuide(x.position.Board()), rng: rand.New(rand.NewPCG(seed, 1)),
		value: upper, proved: lower == upper,
	}
	segment := w.best(x.position)
	x.question.Known.Count(w.nodes)
	if segment >= 0 {
		x.question.Known.Prefer("lost against best play; this move is the hardest to answer", engine.Move(segment))
	}
}
