// Package mcts is the search of Dots and Boxes for positions that cannot be solved in
// the time there is: Monte Carlo tree search (UCT, Kocsis and Szepesvári, 2006) on
// R-type positions (package exact) up to board symmetry (state.go), with exact solves
// as its leaves (tree.go). A playout draws random quiet lines, which
// give no box away, until few are left; who wins then the exact solver says in a
// fraction of a millisecond, also by what hands boxes out early. So the tree
// decides about the quiet phase, in which the number of chains is settled, and
// never guesses how the chains are played out.
//
// The tree has quiet lines only. To hand out chains of one and two boxes, to
// pass the turn, was tried and lost: 0.22 ± 0.14 wins and 0.62 ± 0.43 boxes a
// game at 300 playouts a move, 0.19 ± 0.15 and 0.48 ± 0.48 at 1500 (95 %
// intervals of 100 pairs of games on 5x5, TestTermsMatch). Such moves matter
// near the end of the quiet phase, which the exact solver plays.
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

// Searcher searches positions. It may be used by several goroutines at once.
type Searcher struct {
	solver  *exact.Solver // of the leaves
	threads int

	mu      sync.Mutex
	forests []forest // that are kept, the oldest first

	most, mostKept int   // nodes of a tree, and of all that are kept
	terms          terms // of the estimate
}

// New returns a searcher of so many threads, one at least, whose leaves s solves.
func New(s *exact.Solver, threads int) *Searcher {
	return &Searcher{solver: s, threads: max(1, threads), most: maxNodes, mostKept: maxKept}
}

// Options are what a live search is told besides the position.
type Options struct {
	// Lead is how many boxes the side to move has more than the other.
	Lead int
	// Seed of the random playouts.
	Seed uint64
	// Playouts ends the search after so many on each thread; 0 leaves it to
	// the context.
	Playouts int
	// Keep begins with the tree of an earlier search that came through this
	// position with this lead, and keeps the new one for the positions after
	// it (reuse.go). Without, searches know nothing of each other.
	Keep bool
	// Full ends the search as well when its trees have no more room.
	Full bool
	// Report, if set, is told now and then by one of the threads what its tree
	// says so far.
	Report func(Result)
}

// Estimate is what live search thinks of one line.
type Estimate struct {
	Segment int
	Score   float64 // expected value for the side that draws it, in boxes
	Visits  int
}

// Result is what a live search found.
type Result struct {
	Moves    []Estimate // the most visited first; lines equal by symmetry once
	Playouts int
	Depth    int     // the longest path in the tree
	Value    float64 // expected value of the position in boxes
	Nodes    uint64  // expansions of the exact leaves
	Kept     int     // playouts of earlier searches that this one began with
}

// reportEvery is how often the report is told.
const reportEvery = 10 * time.Millisecond

// Search estimates the moves of an R-type position by live search until the
// context ends.
func (s *Searcher) Search(ctx context.Context, b *grid.Board, free grid.Set, o Options) Result {
	var stop atomic.Bool
	release := context.AfterFunc(ctx, func() { stop.Store(true) })
	defer release()
	deadline, limited := ctx.Deadline()
	trees := s.trees(b, free, o)
	solvers := make([]*exact.Leaves, s.threads)
	var r Result
	var group solver.Threads
	for i, t := range trees {
		solvers[i] = s.solver.Leaves(&stop, deadline)
		t.rng = rand.New(rand.NewPCG(o.Seed, uint64(i)))
		t.solve = func(f grid.Set, tie int, e exact.Effort) (int, bool) { return solvers[i].Value(b, f, tie, e) }
		st := t.oriented(t.newState(free, o.Lead))
		if root := t.nodes[t.key(&st)|1]; root != nil {
			r.Kept += root.visits
		}
		group.Go(func() {
			reported := time.Now()
			for !stop.Load() && (o.Playouts == 0 || t.plays < o.Playouts) && !(limited && time.Now().After(deadline)) && !(o.Full && len(t.nodes) >= t.most) {
				t.playout(st)
				solver.Yield()
				if i == 0 && o.Report != nil && time.Since(reported) >= reportEvery {
					var so Result
					t.merge(&so, trees[:1], free, o.Lead)
					o.Report(so)
					reported = time.Now()
				}
			}
		})
	}
	group.Wait()
	trees[0].merge(&r, trees, free, o.Lead)
	for i, l := range solvers {
		r.Nodes += l.End()
		trees[i].solve = nil
	}
	if o.Keep {
		s.keep(trees)
	}
	return r
}

// merge adds up the roots of all trees, and names the lines as they lie in
// the position that was asked about.
func (t *tree) merge(r *Result, trees []*tree, free grid.Set, lead int) {
	asked := t.newState(free, lead)
	root := t.key(&asked) | 1
	line := t.b.Symmetries()[t.symmetry(&asked)].Segment
	back := make([]int, len(line))
	for s, to := range line {
		back[to] = s
	}
	at := map[uint8]int{}
	var margin float64
	visits := 0
	for _, t := range trees {
		r.Playouts += t.plays
		r.Depth = max(r.Depth, t.depth)
		root := t.nodes[root]
		if root == nil {
			continue
		}
		margin += root.margin
		visits += root.visits
		for _, e := range root.edges {
			i, ok := at[e.segment]
			if !ok {
				i = len(r.Moves)
				at[e.segment] = i
				r.Moves = append(r.Moves, Estimate{Segment: back[e.segment]})
			}
			if e.child != nil {
				r.Moves[i].Visits += e.child.visits
				r.Moves[i].Score -= e.child.margin
			}
		}
	}
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.Visits > 0 {
			m.Score /= float64(m.Visits)
		}
	}
	if visits > 0 {
		r.Value = margin / float64(visits)
	}
	slices.SortStableFunc(r.Moves, func(a, b Estimate) int {
		if c := cmp.Compare(b.Visits, a.Visits); c != 0 {
			return c
		}
		return cmp.Compare(b.Score, a.Score)
	})
}
