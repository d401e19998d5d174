package dotsandboxes

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/mcts"
)

type searchSource struct{ searcher *mcts.Searcher }

func (searchSource) Name() string { return "search" }

const unlimited = 3 * time.Second

const minPlayouts = 16

// Improve records the estimates of the tree search.
func (s searchSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[dotsandboxes.Position](q.Position)
	if err != nil {
		return false, err
	}
	if q.Known.Decided() && !q.AllMoves {
		return false, nil // an estimate would not change the choice
	}
	c, o := searchRoot(p)
	o.Keep = q.Play
	left, limited := q.Clock.Remaining()
	if !limited {
		left = unlimited
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	var r mcts.Result
	if c.Rest != (grid.Set{}) {
		o.Report = func(r mcts.Result) { s.record(q, p, c, r) }
		r = s.searcher.Search(ctx, p.Board(), c.Rest, o)
	}
	s.record(q, p, c, r)
	q.Known.Count(r.Nodes + uint64(r.Playouts)) // each playout expands a node of the tree
	return false, nil
}

// record records the estimates of a search, the most visited line first, unless there are fewer than
// minPlayouts playouts. Scores are capped so that they do not rise along the list.
func (s searchSource) record(q *book.Question, p dotsandboxes.Position, c exact.Closure, r mcts.Result) {
	if r.Playouts+r.Kept < minPlayouts {
		return
	}
	if c.Taken > 0 {
		q.Known.Estimate(s.Name(), r.Depth, nextCapture(p, c, r.Value))
		return
	}
	var estimates []book.Estimate
	for _, m := range r.Moves {
		e := book.Estimate{Move: engine.Move(m.Segment), Score: rounded(p, m.Score)}
		if n := len(estimates); n > 0 {
			e.Score = min(e.Score, estimates[n-1].Score)
		}
		if m.Visits > 0 {
			estimates = append(estimates, e)
		}
	}
	if len(estimates) > 0 {
		q.Known.Estimate(s.Name(), r.Depth, estimates...)
	}
}

// nextCapture returns the next line of a side that can capture the boxes of c, with the estimate of p.
// It captures all of them or makes a double-deal (theorem T1); v is the value of c.Rest for the side to
// move. The order of the captures postpones this decision; equal lines are chosen at random.
func nextCapture(p dotsandboxes.Position, c exact.Closure, v float64) book.Estimate {
	doubleDeal := float64(-c.Price)-v > v
	score := float64(c.Taken) + v
	if doubleDeal {
		score = float64(c.Taken-c.Price) - v
	}
	best, rank := engine.Move(-1), -1
	moves := p.Moves()
	rand.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
	for _, m := range moves {
		q, err := p.DrawLine(m)
		if err != nil {
			continue
		}
		after := exact.Close(p.Board(), q.Free())
		if after.Rest != c.Rest {
			continue // not a line of the available boxes
		}
		r := -1
		switch taken := p.Captures(m); {
		case taken > 0 && after.Price == c.Price:
			r = 2 // both ways remain possible
		case taken > 0 && !doubleDeal:
			r = 1
		case taken == 0 && doubleDeal && 2*after.Taken == c.Price && after.Price > c.Price:
			r = 1
		}
		if r > rank {
			best, rank = m, r
		}
	}
	if best < 0 {
		best = p.QuickMove()
	}
	return book.Estimate{Move: best, Score: rounded(p, score)}
}

// rounded returns v rounded to an integer. On a board with an odd number of boxes, which cannot be
// tied, a v just above a tie is rounded up: [book.Known.Estimate] would count the tie as a loss.
func rounded(p dotsandboxes.Position, v float64) int {
	n, tie := int(math.Round(v)), -engine.Lead(p, p.Turn())
	if n == tie && p.Board().Squares()%2 == 1 && v > float64(tie) {
		n++
	}
	return n
}
