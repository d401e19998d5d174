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

// heuristicSource judges lines by rules of thumb, in a millisecond or less: what is
// played when everything else is late. Boxes are taken, all but those that a
// double-deal is worth; a line that gives nothing away is better than one that
// does; of the former those are better with which, by parity, the opponent is
// the first who must open a chain; of the latter those that cost least.
type heuristicSource struct{}

func (heuristicSource) Name() string { return "heuristic" }

func (s heuristicSource) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[dotsandboxes.Position](q.Position)
	if err != nil {
		return false, err
	}
	guesses := judged(p)
	// Equal lines are drawn at random: a player without time must not be the
	// same in every game.
	rand.Shuffle(len(guesses), func(i, j int) { guesses[i], guesses[j] = guesses[j], guesses[i] })
	slices.SortStableFunc(guesses, func(a, b book.Estimate) int { return b.Score - a.Score })
	q.Known.Estimate(s.Name(), 0, guesses...)
	return false, nil
}

// parityCounts is up to how many safe lines it is guessed who opens a chain.
const parityCounts = 8

// judged is what rules of thumb say of every line.
func judged(p dotsandboxes.Position) []book.Estimate {
	b, free := p.Board(), p.Free()
	c := exact.Close(b, free)
	safe, rest := safeLines(b, c.Rest)
	// What the player gets who is the first to open a chain. Many safe lines before
	// that can still change their number: then nobody knows who it is.
	first, parity := 0, safe <= parityCounts
	if parity {
		first = opening(chains(b, rest), grid.Set{})
	}
	// toMove is what a player gets with so many safe lines left.
	toMove := func(safe int) int {
		if safe%2 == 0 {
			return first
		}
		return -first
	}
	var out []book.Estimate
	if c.Taken > 0 {
		// A double-deal is for the end alone, where parity is no guess.
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

// safeLines draws safe lines, one after the other, until none is left: how many
// there were, and what lines are left then.
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

// chain is what falls to the opponent by one opening, with the lines that go.
type chain struct {
	lines grid.Set
	exact.Closure
}

// chains are the chains and loops of a position without safe lines, the shortest
// first. Where chains meet it counts what the first line found opens.
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

// opening is what the side gets, boxes won less those lost, that must open
// chains, the shortest first; those that have lines in gone are there no more.
func opening(all []chain, gone grid.Set) int {
	v := 0
	for _, c := range slices.Backward(all) {
		if c.lines.Minus(gone) == c.lines {
			v = -c.Value(v)
		}
	}
	return v
}
