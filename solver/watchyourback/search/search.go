// Package search is the live play of Watch Your Back: an iterative-deepening
// search with an evaluation (evaluate.go) that knows of the shrinks.
//
// The search is alpha-beta over all moves with a transposition table; every
// turn is a ply, forfeits included. Late moves are looked at less deep, but no
// move is left out, and the table's keys are whole positions; so a win or a
// loss that it finds, by playing to the end or from a table, is proved. So is a
// tie if no evaluation had a part in it: the search keeps account of that (see
// worker.proved). A win or a loss that quiet turns may turn into a tie before it
// comes is none (see inTime). Everything else is an estimate. Leaves are not
// evaluated in the middle of an exchange (quiet.go).
//
// With more than one thread each searches the same position with the one
// table between them (lazy SMP): they help each other by what they leave there.
// On one thread the same search counts the same nodes.
package search

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
	"endwise/solver"
)

// Oracle knows exact values. It is asked at every node of the last two boards
// and must be quick and safe for concurrent use.
type Oracle interface {
	// Final is the value on the 4x4 board for own to move, 1, 0 or -1, and
	// the turns to the end of a win or a loss.
	Final(own, opp uint64) (value, distance int, ok bool)
	// Middle is the value on the 6x6 board with so many turns to the second
	// shrink.
	Middle(own, opp uint64, turns int) (value int, ok bool)
}

// Limits bound a search; zero values set none. Whatever they say, the first
// ply is looked at in full.
type Limits struct {
	Deadline time.Time
	// Aim is the time that the search should take on average, below what the
	// Deadline allows: it ends early where a deeper look would take too long,
	// and goes beyond where the last look has changed its mind.
	Aim   time.Duration
	Depth int
	Nodes uint64 // of one thread
	// Full leaves out what makes a search selective: no move is looked at less
	// deep than another, so that the value is that of minimax with captures
	// played on at the leaves.
	Full bool
	// AllMoves asks for a value of every move of the root, not only of the
	// best.
	AllMoves bool
	// Report, if set, is told the result after every ply.
	Report func(Result)
}

// MoveScore is a move of the root.
type MoveScore struct {
	Move engine.Move
	// Score is in hundredths of a piece; for a proved result 1, 0 or -1.
	Score  int
	Proved bool // the score is proved, of this move
	// Line is best play after the move.
	Line []engine.Move
}

// Result is what a search found: Moves best first (only the best unless all
// were asked for), Depth plies deep. The first move's score is that of the
// position.
type Result struct {
	Moves []MoveScore
	Depth int
	Nodes uint64 // of all threads
	// Proved says that the first move's score is proved to be the value of
	// the position: it wins, or no other move is better.
	Proved  bool
	settled bool // there is nothing more to find
}

// How the time of an Aim is spent: no new iteration after so much of it,
// because it would take several times as long as the one before; except where
// the best move is new or its score has dropped by so much.
const (
	enoughPart = 0.5
	unsureDrop = 40
)

func (l Limits) enough(spent time.Duration, unsure bool) bool {
	return l.Aim > 0 && !unsure && spent > time.Duration(enoughPart*float64(l.Aim))
}

// Searcher searches with one or more threads. It keeps its transposition table
// between searches; one search at a time.
type Searcher struct {
	// Evaluation is what unfinished positions are worth; to be set before the
	// first search.
	Evaluation Evaluation

	oracle  Oracle // nil for none
	table   *table
	workers []*worker
	// running are the goroutines of the search before that have not ended yet,
	// one of each worker but the first.
	running solver.Threads
	ctx     context.Context
	limits  Limits
	stop    atomic.Bool
	nodes   atomic.Uint64
}

// New returns a searcher of so many threads with a transposition table of at
// most tableBytes bytes. A nil oracle knows nothing.
func New(tableBytes int64, threads int, oracle Oracle) *Searcher {
	s := &Searcher{Evaluation: Usual, oracle: oracle, table: newTable(tableBytes)}
	for range max(1, threads) {
		s.workers = append(s.workers, &worker{s: s})
	}
	return s
}

// begin gets ready for a search and returns the first worker.
func (s *Searcher) begin(ctx context.Context, l Limits, proving bool) *worker {
	s.running.Wait()
	s.ctx, s.limits = ctx, l
	s.stop.Store(false)
	s.nodes.Store(0)
	for _, w := range s.workers {
		w.begin(proving)
	}
	return s.workers[0]
}

// others starts all workers but the first. What they find reaches the first
// through the table.
func (s *Searcher) others(f func(w *worker, i int)) {
	for i, w := range s.workers[1:] {
		s.running.Go(func() {
			f(w, i+1)
			w.checkLimits()
		})
	}
}

// end stops the other workers, but does not wait for them: on a busy machine
// one that is not running may take long. It returns the nodes so far.
func (s *Searcher) end() uint64 {
	s.workers[0].checkLimits()
	s.stop.Store(true)
	return s.nodes.Load()
}

// roots are the moves of a node, captures first.
func (w *worker) roots(n node) []candidate {
	list := slices.Clone(w.candidates(n, 0))
	slices.SortStableFunc(list, func(a, b candidate) int { return int(b.order - a.order) })
	return list
}

// rootMoves are the moves of the root while it is searched deeper and deeper.
type rootMoves struct {
	node  node
	list  []candidate
	moves []MoveScore // of each of list
	order []int       // indices of list, best first
}

func (w *worker) rootMoves(n node) *rootMoves {
	r := &rootMoves{node: n, list: w.roots(n)}
	r.moves, r.order = make([]MoveScore, len(r.list)), make([]int, len(r.list))
	for i := range r.order {
		r.order[i] = i
	}
	return r
}

// Search looks at a position that is not over. It returns when a limit is
// reached, when the result is proved, or when nothing deeper is left; the
// context ends it like the deadline.
func (s *Searcher) Search(ctx context.Context, p wyb.Position, l Limits) Result {
	start := time.Now()
	w := s.begin(ctx, l, false)
	n := nodeOf(p)
	depth := l.Depth
	if depth <= 0 || depth > maxPly-4 {
		depth = maxPly - 4
	}
	// The other workers search the same position; every second one is a ply
	// ahead, so that they are not all in the same place.
	s.others(func(w *worker, i int) {
		r := w.rootMoves(n)
		for d := 1 + i&1; d <= depth && !w.stopped; d++ {
			w.iterate(r, d, l.AllMoves)
		}
	})
	r := w.rootMoves(n)
	var best, told Result
	for d := 1; d <= depth; d++ {
		before := r.order[0]
		complete := w.iterate(r, d, l.AllMoves)
		if !complete && d > 1 {
			break
		}
		unsure := d > 1 && (r.order[0] != before || r.moves[r.order[0]].Score < best.Moves[0].Score-unsureDrop)
		best = r.result(d, l.AllMoves, !w.stopped)
		if told = w.worded(p, n, best); l.Report != nil {
			l.Report(told)
		}
		if w.stopped || best.settled || len(r.list) == 1 && !l.AllMoves || l.enough(time.Since(start), unsure) {
			break
		}
	}
	told.Nodes = s.end()
	return told
}

// worded is a result in the words of its users: with lines, and scores of proved
// results as 1, 0 or -1.
func (w *worker) worded(p wyb.Position, n node, r Result) Result {
	r.Moves = slices.Clone(r.Moves)
	for i := range r.Moves {
		m := &r.Moves[i]
		m.Line = w.line(n, m.Move, r.Depth)
		if inTime(p, m.Score) {
			m.Score, m.Proved = result(m.Score, m.Proved)
			continue
		}
		// For the side that it is good for as good as an evaluation can be.
		m.Score, m.Proved = max(-mostPieces, min(m.Score, mostPieces)), false
		r.Proved = r.Proved && i > 0
	}
	return r
}

// mostPieces is what all pieces of a side are worth.
const mostPieces = wyb.MaxPieces * pieceWorth

// inTime says whether a result that the search has found from p comes before
// quiet turns end the game as a tie. Nodes do not count quiet turns, but they
// can only matter where p itself stands on the 4x4 board: no line of a search is
// as long as QuietLimit. Who has a win in so many turns there keeps it if the
// limit is not nearer; a capture on the way only puts it off.
func inTime(p wyb.Position, score int) bool {
	turns := winScore - max(score, -score)
	return p.Strict() || p.Stage() != wyb.Final || turns > winScore-decided || p.Quiet()+turns <= wyb.QuietLimit
}

// result lists the moves after an iteration, complete or stopped with a better
// first move.
func (r *rootMoves) result(depth int, all, complete bool) Result {
	res := Result{Depth: depth, Proved: complete}
	for k, i := range r.order {
		m := r.moves[i]
		if k == 0 || all {
			res.Moves = append(res.Moves, m)
		}
		// Of a move behind the first it is enough that it is proved to be no
		// better.
		res.Proved = res.Proved && m.settled()
	}
	res.settled = res.Proved
	if res.Moves[0].Score > decided {
		res.Proved = true
		res.settled = res.settled || !all
	}
	return res
}

func (m MoveScore) settled() bool { return m.Proved || m.Score > decided || m.Score < -decided }

// result turns a proved score into 1, 0 or -1. A score beyond decided is a
// result by itself, because an evaluation never reaches so far.
func result(score int, proved bool) (int, bool) {
	switch {
	case score > decided:
		return 1, true
	case score < -decided:
		return -1, true
	case proved:
		return 0, true
	}
	return score, false
}

// Solve works out a position that is not over: 1, 0 or -1 for the side to
// move and a move that achieves it. It searches to the next shrink and no
// further, so it can only succeed where the oracle knows what comes then; ok
// is false if it does not, or if a limit came first. Depth is ignored.
func (s *Searcher) Solve(ctx context.Context, p wyb.Position, l Limits) (value int, move engine.Move, nodes uint64, ok bool) {
	w := s.begin(ctx, l, true)
	n := nodeOf(p)
	depth := min(n.toShrink(), maxPly-4)
	s.others(func(w *worker, i int) {
		list := w.roots(n)
		// Each begins with another move.
		k := i * len(list) / len(s.workers)
		w.solve(n, slices.Concat(list[k:], list[:k]), depth)
	})
	value, move, ok = w.solve(n, w.roots(n), depth)
	return value, move, s.end(), ok
}

// solve asks two questions with narrow windows: first whether some move wins,
// then whether some move does not lose.
func (w *worker) solve(n node, list []candidate, depth int) (value int, move engine.Move, ok bool) {
	for _, bound := range [2]int{decided, -decided} {
		all := true
		for i := range list {
			v := w.child(n, &list[i], depth, 0, bound, bound+1)
			if w.stopped {
				return 0, 0, false
			}
			if v > bound && w.proved {
				if bound > 0 {
					return 1, list[i].move, true
				}
				return 0, list[i].move, true
			}
			all = all && w.proved
		}
		if !all {
			return 0, 0, false
		}
	}
	return -1, list[0].move, true
}

// line follows the transposition table from a move of the root.
func (w *worker) line(root node, m engine.Move, depth int) []engine.Move {
	var out []engine.Move
	n := root
	for range depth {
		var next *candidate
		list := w.candidates(n, maxPly-1)
		for i := range list {
			if list[i].move == m {
				next = &list[i]
			}
		}
		if next == nil {
			break
		}
		if len(out) > 0 || n != root {
			out = append(out, m)
		}
		after, _, over := n.after(next.own, next.opp)
		if over {
			break
		}
		n = after
		e, ok := w.s.table.lookup(n)
		if !ok {
			break
		}
		m = e.best()
	}
	return out
}

// Known is the oracle's value of a position that is not over, 1, 0 or -1 for
// the side to move.
func (s *Searcher) Known(p wyb.Position) (int, bool) {
	v, ok := s.probe(nodeOf(p), 0)
	return cmp.Compare(v, 0), ok
}
