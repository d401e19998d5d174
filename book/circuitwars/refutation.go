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

// Playing on in a lost position. Against best play all moves of a position
// that is proved lost are equal; against a player who errs they are not. A
// move is rated by its chance: how likely the opponent's reply is one after
// which the game is won, where the exact solver says which replies are and
// search.Guide how likely each is. A move that loses no more than it must
// leaves further chances behind; others are only rated where none of those has
// any to speak of. The ratings steer a choice between moves that lose, and
// nothing else: no value is ever made of them.

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

// try is a move of a lost position and what is known of its chance.
type try struct {
	segment int
	after   circuitwars.Position
	listed  bool           // replies have been listed
	breadth float64        // how many replies look likely
	replies []search.Reply // not looked at yet
	mass    float64        // weight of the replies looked at
	hits    float64        // weight of those that lose the win
	held    []held         // those that do not
	later   float64        // chance of the turns after those, 0 if not looked at
}

// held is a position after a reply that keeps the win.
type held struct {
	position circuitwars.Position
	weight   float64
}

// chance is how likely the win is lost by the reply or later.
func (t *try) chance() float64 {
	if t.mass == 0 {
		return 0
	}
	now := t.hits / t.mass
	return now + (1-now)*t.later*patience
}

// patience is what a chance of the next turn counts against one of this turn:
// it rests on a further guess.
const patience = 0.8

// firstReplies is how many replies to each move the first round looks at; each
// further round looks at twice as many of half the moves.
const firstReplies = 3

// enough is a chance that is not worth giving up squares for a better one.
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

func pick(t *try) int {
	if t == nil || t.mass == 0 {
		return -1
	}
	return t.segment
}

// keeps asks whether a move that captures gain squares loses no more than the
// position must.
func (w *rater) keeps(t *try, gain int) bool {
	need := gain - w.value + 2
	ctx, cancel := context.WithTimeout(w.ctx, w.query())
	defer cancel()
	r, err := w.solver.AtLeast(ctx, t.after.Board(), t.after.Free(), need)
	w.nodes += r.Nodes
	return err == nil && r.Upper < need
}

// rate looks at the replies to some moves, those to the most promising moves
// deepest, and returns the move with the best chance; of those that differ by
// noise only, the one to which most replies look likely.
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

func byChance(a, b *try) int { return cmp.Compare(b.chance(), a.chance()) }

// query is the time for one question.
func (w *rater) query() time.Duration {
	return max(time.Until(w.deadline)/25, 2*time.Millisecond)
}

// open says whether there is time left.
func (w *rater) open() bool { return w.ctx.Err() == nil && time.Now().Before(w.deadline) }

// tries lists the moves with different positions after them.
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

// list finds the replies to a move, the likeliest first, those that look the
// same in random order.
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

// look asks about the next replies to a move.
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

// Bounds of the look at later turns: how many turns, how many of the moves at
// hand, and of the moves and likely replies of each later turn.
const (
	laterTurns = 4
	nearMoves  = 12
	laterMoves = 6
	laterHeld  = 3
)

// deepen looks at the turns after those replies to the best moves that hold,
// one turn more each time of half as many moves.
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

// later is the best chance within some turns in a lost position, by the moves
// that look best and the likeliest replies to them.
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

// won asks whether the side to move wins a position, for a small part of the
// time that is left.
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

// hardest looks for the move of a position that is proved lost that is hardest
// to answer.
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
