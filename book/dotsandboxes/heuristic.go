package dotsandboxes

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
)

// heuristicSource estimates lines with heuristics, in a millisecond or less. Its choice is
// played if all other sources overrun. Boxes are taken, except those of a worthwhile
// double-deal. A safe line, which lets the opponent take nothing, is better than another
// one. Among safe lines it prefers those after which, by parity, the opponent must open the
// first chain; among other lines those that cost least.
type heuristicSource struct{}

// Name implements [book.Source].
func (heuristicSource) Name() string { return "heuristic" }

// Improve records a static estimate of every line.
func (s heuristicSource) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[dotsandboxes.Position](q.Position)
	if err != nil {
		return false, err
	}
	estimates := lineEstimates(p)
	// Equal lines come in random order, so that a player without time varies its games.
	rand.Shuffle(len(estimates), func(i, j int) { estimates[i], estimates[j] = estimates[j], estimates[i] })
	slices.SortStableFunc(estimates, func(a, b book.Estimate) int { return b.Score - a.Score })
	q.Known.Estimate(s.Name(), 0, estimates...)
	return false, nil
}

// parityCounts is the maximum number of safe lines at which parity predicts who opens a
// chain.
const parityCounts = 8

// lineEstimates returns the heuristic estimate of every line.
func lineEstimates(p dotsandboxes.Position) []book.Estimate {
	b, free := p.Board(), p.Free()
	c := exact.Close(b, free)
	safe, rest := safeLines(b, c.Rest)
	// first is the result for the player that opens the first chain. With many safe lines
	// left their number can still change, so it is unknown who that is.
	first, parity := 0, safe <= parityCounts
	if parity {
		first = opening(chains(b, rest), grid.Set{})
	}
	// toMove is the result for the side to move with the given number of safe lines left.
	toMove := func(safe int) int {
		if safe%2 == 0 {
			return first
		}
		return -first
	}
	var out []book.Estimate
	if c.Taken > 0 {
		// A double-deal only pays at the end of the game, when parity is certain.
		v := toMove(safe)
		if safe > 0 {
			v = max(v, 0)
		}
		best := capture(p, c, float64(v))
		for _, m := range p.Moves() {
			g := book.Estimate{Move: m, Score: best.Score - b.Squares()}
			if m == best.Move {
				g = best
			} else if p.Captures(m) > 0 {
				g.Score = best.Score - 1
			}
			out = append(out, g)
		}
		return out
	}
	var all []chain
	if safe == 0 {
		all = chains(b, free)
	}
	for _, m := range p.Moves() {
		without := free
		without.Remove(int(m))
		g := book.Estimate{Move: m}
		switch {
		case !p.Safe(m) && safe > 0:
			g.Score = -2 * b.Squares() // below every safe line
		case !p.Safe(m):
			opened := exact.Close(b, without)
			g.Score = -opened.Value(opening(all, free.Minus(opened.Rest)))
		case parity:
			left, _ := safeLines(b, without)
			g.Score = -toMove(left)
		}
		out = append(out, g)
	}
	return out
}

// safeLines draws safe lines until none is left. It returns their number and the remaining
// lines.
func safeLines(b *grid.Board, free grid.Set) (n int, rest grid.Set) {
	open := make([]uint8, b.Squares()) // free lines around a box
	for q := range open {
		for _, s := range b.Around(q) {
			if free.Has(s) {
				open[q]++
			}
		}
	}
	for _, s := range free.Segments() {
		sides := b.Sides(s)
		if slices.ContainsFunc(sides[:], func(q int) bool { return q != grid.Outside && open[q] <= 2 }) {
			continue
		}
		n++
		free.Remove(s)
		for _, q := range sides {
			if q != grid.Outside {
				open[q]--
			}
		}
	}
	return n, free
}

// chain contains the lines and boxes that the opponent gets by one opening.
type chain struct {
	lines grid.Set
	exact.Closure
}

// chains returns the chains and loops of a position without safe lines, the shortest first.
// Where chains meet, a chain is what its first line opens.
func chains(b *grid.Board, free grid.Set) []chain {
	var out []chain
	var seen grid.Set
	for _, s := range free.Segments() {
		if seen.Has(s) {
			continue
		}
		without := free
		without.Remove(s)
		c := chain{Closure: exact.Close(b, without)}
		c.lines = free.Minus(c.Rest)
		if c.Taken <= 2 {
			c.Price = 2 * b.Squares() // a chain of two is opened in its middle: no double-deal
		}
		for i, w := range c.lines {
			seen[i] |= w
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(x, y chain) int { return cmp.Compare(x.Taken, y.Taken) })
	return out
}

// opening returns the result, boxes won less boxes lost, for the side that must open
// chains, the shortest first. Chains with lines in gone no longer exist.
func opening(all []chain, gone grid.Set) int {
	v := 0
	for _, c := range slices.Backward(all) {
		if c.lines.Minus(gone) == c.lines {
			v = -c.Value(v)
		}
	}
	return v
}
