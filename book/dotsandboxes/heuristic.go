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

// heuristicSource is the source of heuristic estimates of all lines.
//
// It captures boxes, unless a double-deal gains more: to leave the last boxes of a chain, so that the
// opponent must open the next one. If it cannot capture, it draws a safe line, after which the
// opponent can take nothing, preferably one that leaves an even number of safe lines if opening the
// first chain loses. If no line is safe, it draws the one with the best result under the assumption
// that the chains are opened in ascending order of length.
type heuristicSource struct{}

func (heuristicSource) Name() string { return "heuristic" }

// Improve records a static estimate of every line. Equal lines come in random order.
func (s heuristicSource) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[dotsandboxes.Position](q.Position)
	if err != nil {
		return false, err
	}
	estimates := lineEstimates(p)
	rand.Shuffle(len(estimates), func(i, j int) { estimates[i], estimates[j] = estimates[j], estimates[i] })
	slices.SortStableFunc(estimates, func(a, b book.Estimate) int { return b.Score - a.Score })
	q.Known.Estimate(s.Name(), 0, estimates...)
	return false, nil
}

// maxParityLines is the maximum number of safe lines whose parity predicts who opens the first chain.
const maxParityLines = 8

// lineEstimates returns the estimates of heuristicSource.
func lineEstimates(p dotsandboxes.Position) []book.Estimate {
	b, free := p.Board(), p.Free()
	c := exact.Close(b, free)
	safe, rest := safeLines(b, c.Rest)
	// first is the result for the side that opens the first chain, 0 without parity.
	first, parity := 0, safe <= maxParityLines
	if parity {
		first = openingResult(chains(b, rest), grid.Set{})
	}
	// toMove returns the result for the side to move if the given number of safe lines is left.
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
		return captureEstimates(p, nextCapture(p, c, float64(v)))
	}
	var all []chain
	if safe == 0 {
		all = chains(b, free)
	}
	for _, m := range p.Moves() {
		without := free
		without.Remove(int(m))
		e := book.Estimate{Move: m}
		switch {
		case !p.Safe(m) && safe > 0:
			e.Score = -2 * b.Squares() // below every safe line
		case !p.Safe(m):
			opened := exact.Close(b, without)
			e.Score = -opened.Value(openingResult(all, free.Minus(opened.Rest)))
		case parity:
			left, _ := safeLines(b, without)
			e.Score = -toMove(left)
		}
		out = append(out, e)
	}
	return out
}

// captureEstimates returns an estimate for each move of a position in which a box can be captured: best
// for its move, one point less for other captures, and the number of boxes of the board less for the rest.
func captureEstimates(p dotsandboxes.Position, best book.Estimate) (out []book.Estimate) {
	for _, m := range p.Moves() {
		e := book.Estimate{Move: m, Score: best.Score - p.Board().Squares()}
		if m == best.Move {
			e = best
		} else if p.Captures(m) > 0 {
			e.Score = best.Score - 1
		}
		out = append(out, e)
	}
	return out
}

// safeLines draws safe lines until none is left. It returns their number and the remaining free lines.
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

type chain struct {
	lines grid.Set
	exact.Closure
}

// chains returns the chains and loops of a position without safe lines, the shortest first. The boxes
// that can be captured after a line count as one chain, even if several chains meet there.
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
			// A chain of two boxes is opened in its middle, which prevents a double-deal, and a
			// single box allows none. With this price a double-deal never pays.
			c.Price = 2 * b.Squares()
		}
		for i, w := range c.lines {
			seen[i] |= w
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(x, y chain) int { return cmp.Compare(x.Taken, y.Taken) })
	return out
}

// openingResult returns the result, boxes won minus boxes lost, for the side that must open the first
// chain if chains are opened in the given order. Chains with a line in gone are skipped.
func openingResult(all []chain, gone grid.Set) int {
	v := 0
	for _, c := range slices.Backward(all) {
		if c.lines.Minus(gone) == c.lines {
			v = -c.Value(v)
		}
	}
	return v
}
