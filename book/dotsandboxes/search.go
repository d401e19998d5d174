package dotsandboxes

import (
	"context"
	"math"
	"slices"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
)

// searchSource is live search; it always has an answer.
type searchSource struct{ solver *exact.Solver }

func (searchSource) Name() string { return "search" }

// unlimited is how long live search thinks where nothing limits it.
const unlimited = 3 * time.Second

// homeTime is kept for the threads of a search to come home.
const homeTime = 8 * time.Millisecond

func (s searchSource) Answer(ctx context.Context, q *book.Question) (engine.Decision, bool, error) {
	p, err := positionOf(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	left, limited := q.Clock.Remaining()
	if !limited {
		left = unlimited
	}
	// Threads are asked to stop a little before the time is up.
	ctx, cancel := context.WithTimeout(ctx, left-min(left/10, homeTime))
	defer cancel()
	c, o := liveQuestion(p)
	o.Keep = q.Play
	var r exact.LiveResult
	if c.Rest != (grid.Set{}) {
		r = s.solver.Search(ctx, p.Board(), c.Rest, o)
	}
	d := engine.Decision{Proof: engine.Estimate, Source: s.Name(), Depth: r.Depth, Nodes: q.Nodes + r.Nodes}
	if c.Taken > 0 {
		s.capture(&d, p, c, r.Value)
	} else {
		for _, e := range r.Moves {
			d.Moves = append(d.Moves, engine.MoveValue{
				Move: p.MoveString(engine.Move(e.Segment)), Score: int(math.Round(e.Score)), Proof: engine.Estimate, Source: s.Name(),
			})
		}
	}
	if len(d.Moves) == 0 {
		// No time for a single playout.
		d.Moves = append(d.Moves, engine.MoveValue{Move: p.MoveString(p.QuickMove()), Proof: engine.Estimate, Source: s.Name()})
	}
	if mergeBounds(d.Moves, q.Known) {
		slices.SortStableFunc(d.Moves, func(a, b engine.MoveValue) int { return b.Score - a.Score })
	}
	v := d.Moves[0]
	if h, ok := holding(d.Moves, q.Known, holds(p)); ok {
		v, d.Proof = h, engine.Lower
		if h.Proof == engine.Exact && noneBetter(p, h, q.Known) {
			d.Proof = engine.Exact
		}
	}
	d.Move, d.Score = v.Move, v.Score
	d.Line = []string{d.Move}
	return d, true, nil
}

// mergeBounds lets what is proved about a move overrule an estimate that says
// less, and tells whether it did.
func mergeBounds(moves, known []engine.MoveValue) (changed bool) {
	for _, k := range known {
		i := slices.IndexFunc(moves, func(m engine.MoveValue) bool { return m.Move == k.Move })
		if i < 0 {
			continue
		}
		m := &moves[i]
		if k.Proof == engine.Exact || k.Proof == engine.Lower && k.Score >= m.Score || k.Proof == engine.Upper && k.Score <= m.Score {
			*m, changed = k, true
		}
	}
	return changed
}

// capture decides between taking all boxes that can be taken and refusing the
// last of them (T1), where v is what the position behind them is worth. Boxes
// are taken in an order that keeps the choice open as long as possible.
func (s searchSource) capture(d *engine.Decision, p dotsandboxes.Position, c exact.Closure, v float64) {
	refuse := float64(-c.Price)-v > v
	score := float64(c.Taken) + v
	if refuse {
		score = float64(c.Taken-c.Price) - v
	}
	best, rank := engine.Move(-1), -1
	for _, m := range p.Moves() {
		q, err := p.DrawLine(m)
		if err != nil {
			continue
		}
		after := exact.Close(p.Board(), q.Free())
		if after.Rest != c.Rest {
			continue // touches what is behind
		}
		r := -1
		switch taken := p.Captures(m); {
		case taken > 0 && after.Price == c.Price:
			r = 2 // the choice stays open
		case taken > 0 && !refuse:
			r = 1
		case taken == 0 && refuse && 2*after.Taken == c.Price && after.Price > c.Price:
			r = 1 // the double-deal
		}
		if r > rank {
			best, rank = m, r
		}
	}
	if best < 0 {
		best = p.QuickMove()
	}
	d.Moves = append(d.Moves, engine.MoveValue{
		Move: p.MoveString(best), Score: int(math.Round(score)), Proof: engine.Estimate, Source: s.Name(),
	})
}
