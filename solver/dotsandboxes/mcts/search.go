// Package mcts is a heuristic search of Dots and Boxes, for positions that cannot be solved in the
// time available. It is a Monte Carlo tree search (UCT, Kocsis and Szepesvári 2006) with exact
// solves at its leaves. Its nodes are R-type positions (package exact), up to board symmetry.
//
// The tree contains only quiet lines, which give away no box. A playout descends the tree to a leaf,
// then draws random quiet lines until few are left, and the exact solver determines the winner. If
// there are too many free lines for it, a simple rule continues after the quiet lines (loonyValue).
//
// data/results/tried-dotsandboxes.md describes measurements and rejected variants.
package mcts

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
)

// Searcher searches positions. It is safe for concurrent use.
type Searcher struct {
	solver  *exact.Solver // for leaves
	threads int

	mu      sync.Mutex
	forests []forest // oldest first

	nodeLimit, keptLimit int   // of one tree, and of all kept trees
	terms                terms // for tests
}

// New returns a searcher with the given number of threads, at least one; s evaluates its leaves.
func New(s *exact.Solver, threads int) *Searcher {
	return &Searcher{solver: s, threads: max(1, threads), nodeLimit: maxNodes, keptLimit: maxKept}
}

// Options configures one search.
type Options struct {
	// Lead is the number of boxes of the side to move minus the opponent's.
	Lead int
	Seed uint64
	// Playouts limits the playouts per thread; 0 means no limit.
	Playouts int
	// With Keep, the search begins with kept trees of this position and lead, and keeps its trees.
	Keep bool
	// Full ends each thread when its tree has reached the maximum size.
	Full bool
	// Report, if not nil, is called periodically from one thread with the result of its tree.
	Report func(Result)
}

// Estimate is the estimate of one line.
type Estimate struct {
	Segment int
	Score   float64 // expected value for the side that draws the line, in boxes
	Visits  int     // number of playouts through the position after the line
}

// Result is the result of a search.
type Result struct {
	Moves    []Estimate // most visited first; one of each set of equivalent lines
	Playouts int        // of this search
	Depth    int        // length of the longest path in a tree
	Value    float64    // expected value for the side to move, in boxes
	Nodes    uint64     // expansions of the exact solver
	Kept     int        // playouts of earlier searches with which this one began
}

const reportEvery = 10 * time.Millisecond // between calls of Report

// Search estimates the quiet lines of an R-type position until the context ends or a limit of o is
// reached. The result has no lines if there are none, or no playout and no kept tree.
func (s *Searcher) Search(ctx context.Context, b *grid.Board, free grid.Set, o Options) Result {
	var stop atomic.Bool
	release := context.AfterFunc(ctx, func() { stop.Store(true) })
	defer release()
	deadline, limited := ctx.Deadline()
	trees := s.trees(b, free, o)
	solvers := make([]*exact.Leaves, s.threads)
	var group solver.Threads
	kept := 0
	for i, t := range trees {
		solvers[i] = s.solver.Leaves(&stop, deadline)
		t.rng = rand.New(rand.NewPCG(o.Seed, uint64(i)))
		t.solve = func(f grid.Set, tie int, e exact.Effort) (int, bool) { return solvers[i].Value(b, f, tie, e) }
		st := t.oriented(t.newState(free, o.Lead))
		if root := t.nodes[t.key(&st)|1]; root != nil {
			kept += root.visits
		}
		// The context's timer may be late.
		ended := func() bool {
			return stop.Load() || limited && time.Now().After(deadline) ||
				o.Playouts > 0 && t.plays >= o.Playouts || o.Full && len(t.nodes) >= t.nodeLimit
		}
		group.Go(func() {
			reported := time.Now()
			for !ended() {
				t.playout(st)
				solver.Yield()
				if i == 0 && o.Report != nil && time.Since(reported) >= reportEvery {
					o.Report(merge(trees[:1], free, o.Lead))
					reported = time.Now()
				}
			}
		})
	}
	group.Wait()
	r := merge(trees, free, o.Lead)
	r.Kept = kept
	for i, l := range solvers {
		r.Nodes += l.End()
		trees[i].solve = nil
	}
	if o.Keep {
		s.keep(trees)
	}
	return r
}

// merge returns Moves, Playouts, Depth and Value from trees of a search of this position: playouts
// and visits are sums, values are averages.
func merge(trees []*tree, free grid.Set, lead int) (r Result) {
	t := trees[0]
	st := t.newState(free, lead)
	rootKey := t.key(&st) | 1
	oriented := t.b.Symmetries()[t.symmetry(&st)].Segment
	original := make([]int, len(oriented)) // line of the position, by line of the root node
	for s, to := range oriented {
		original[to] = s
	}
	at := map[uint8]int{} // index in r.Moves, by line of the root node
	var score float64
	visits := 0
	for _, tree := range trees {
		r.Playouts += tree.plays
		r.Depth = max(r.Depth, tree.depth)
		root := tree.nodes[rootKey]
		if root == nil {
			continue
		}
		score += root.score
		visits += root.visits
		for _, e := range root.edges {
			i, ok := at[e.segment]
			if !ok {
				i = len(r.Moves)
				at[e.segment] = i
				r.Moves = append(r.Moves, Estimate{Segment: original[e.segment]})
			}
			if e.child != nil {
				r.Moves[i].Visits += e.child.visits
				r.Moves[i].Score -= e.child.score // a sum for the opponent
			}
		}
	}
	for i := range r.Moves {
		if m := &r.Moves[i]; m.Visits > 0 {
			m.Score /= float64(m.Visits)
		}
	}
	if visits > 0 {
		r.Value = score / float64(visits)
	}
	slices.SortStableFunc(r.Moves, func(a, b Estimate) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(b.Score, a.Score))
	})
	return r
}
