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
func lineEstimates(p dotsandboxes.Position) (out []book.Estimate) {
	c := exact.Close(p.Board(), p.Free())
	safe, rest := safeLines(p.Board(), c.Rest)
	h := parity{p: p, safe: safe}
	if safe <= maxParityLines {
		h.chains = chains(p.Board(), rest)
		h.first = openingResult(h.chains, grid.Set{})
	}
	if c.Taken > 0 {
		v := h.toMove(safe)
		if safe > 0 {
			v = max(v, 0) // prevents a double-deal, because parity is not certain
		}
		return captureEstimates(p, nextCapture(p, c, float64(v)))
	}
	for _, m := range p.Moves() {
		out = append(out, book.Estimate{Move: m, Score: h.score(m)})
	}
	return out
}

// parity predicts the result of a position by the parity of its safe lines.
type parity struct {
	p      dotsandboxes.Position
	safe   int     // number of safe lines
	chains []chain // after the safe lines
	first  int     // result for the side that opens the first chain; 0 with more than maxParityLines safe lines
}

// toMove returns the result for the side to move if the given number of safe lines is left.
func (h parity) toMove(safe int) int {
	if safe%2 == 0 {
		return h.first
	}
	return -h.first
}

// score returns the estimate of line m in a position in which no box can be captured.
func (h parity) score(m engine.Move) int {
	b, free := h.p.Board(), h.p.Free()
	without := free
	without.Remove(int(m))
	switch {
	case h.p.Safe(m):
		left, _ := safeLines(b, without)
		return -h.toMove(left)
	case h.safe > 0:
		return -2 * b.Squares() // below every safe line
	}
	opened := exact.Close(b, without)
	return -opened.Value(openingResult(h.chains, free.Minus(opened.Rest)))
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
