// Package watchyourback is the live play of Watch Your Back: an
// iterative-deepening search with an evaluation that knows of the shrinks, and
// the built-in opponents of the referee.
//
// The search is full-width alpha-beta with a transposition table; every turn
// is a ply, forfeits included. Nothing is pruned on a guess and the table's
// keys are whole positions, so a win or a loss that it finds, by playing to
// the end or from a table, is proved. So is a tie if no evaluation had a part
// in it: the search keeps account of that (see Searcher.proved). Everything
// else is an estimate.
package watchyourback

import (
	"context"
	"math/bits"
	"slices"
	"time"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
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

// nothing is the oracle that knows nothing.
type nothing struct{}

func (nothing) Final(_, _ uint64) (int, int, bool)    { return 0, 0, false }
func (nothing) Middle(_, _ uint64, _ int) (int, bool) { return 0, false }

// Limits bound a search; zero values set none. Whatever they say, the first
// ply is looked at in full.
type Limits struct {
	Deadline time.Time
	Depth    int
	Nodes    uint64
	// AllMoves asks for a value of every move of the root, not only of the
	// best.
	AllMoves bool
}

// MoveScore is a move of the root.
type MoveScore struct {
	Move engine.Move
	// Score is in hundredths of a piece; for a proved result 1, 0 or -1.
	Score  int
	Proved bool
	// Line is best play after the move.
	Line []engine.Move
}

// Result is what a search found: Moves best first (only the best unless all
// were asked for), Depth plies deep. The first move's score is that of the
// position.
type Result struct {
	Moves []MoveScore
	Depth int
	Nodes uint64
}

// Searcher searches. It keeps its transposition table between searches and
// is not safe for concurrent use.
type Searcher struct {
	oracle   Oracle
	table    []entry
	mask     uint64
	nodes    uint64
	limit    uint64
	deadline time.Time
	ctx      context.Context
	stopped  bool
	// proved says of the value that negamax returned last whether it follows
	// from results alone: as a bound where the value is one. A cut-off is
	// proved by one proved move, everything else by all moves.
	proved  bool
	killers [maxPly][2]engine.Move
	history [2][1 << 13]int32
	buffers [maxPly][]candidate
}

const maxPly = 96

// entry is one position in the transposition table, 24 bytes. The key is the
// whole position, so that no two positions share a value.
type entry struct {
	own, opp uint64
	turns    int16  // node.stamp
	move     uint16 // engine.Move in 14 bits, the bound above it; 0 for an empty entry
	value    int32  // score * 256 + depth
}

const (
	lower = 1 + iota
	upper
	exact
)

// provedDepth is the depth of an entry whose value is proved: enough for any.
const provedDepth = 127

func (e *entry) bound() int        { return int(e.move >> 14) }
func (e *entry) depth() int        { return int(e.value & 0xff) }
func (e *entry) score() int        { return int(e.value >> 8) }
func (e *entry) best() engine.Move { return engine.Move(e.move & 0x3fff) }

func (e *entry) holds(n node) bool {
	return e.move>>14 != 0 && e.own == n.own && e.opp == n.opp && e.turns == n.stamp()
}

func newEntry(n node, m engine.Move, bound, score, depth int) entry {
	return entry{n.own, n.opp, n.stamp(), uint16(m) | uint16(bound)<<14, int32(score)<<8 | int32(depth)}
}

// New returns a searcher with a transposition table of at most tableBytes
// bytes. A nil oracle knows nothing.
func New(tableBytes int64, oracle Oracle) *Searcher {
	n := uint64(max(tableBytes, 1<<16)) / 24
	n = 1 << (bits.Len64(n) - 1)
	s := &Searcher{oracle: oracle, table: make([]entry, n), mask: n - 1}
	if oracle == nil {
		s.oracle = nothing{}
	}
	return s
}

// Search looks at a position that is not over. It returns when a limit is
// reached, when the result is proved, or when nothing deeper is left; the
// context ends it like the deadline.
func (s *Searcher) Search(ctx context.Context, p wyb.Position, l Limits) Result {
	s.begin(ctx, l)
	root := nodeOf(p)
	depth := l.Depth
	if depth <= 0 || depth > maxPly-4 {
		depth = maxPly - 4
	}
	list := slices.Clone(s.candidates(root, 0))
	slices.SortStableFunc(list, func(a, b candidate) int { return int(b.order - a.order) })
	moves := make([]MoveScore, len(list))
	order := make([]int, len(list)) // indices of list, best first
	for i := range order {
		order[i] = i
	}
	best := Result{}
	for d := 1; d <= depth; d++ {
		if !s.iterate(root, list, order, moves, d, l.AllMoves) && d > 1 {
			break
		}
		best.Depth = d
		best.Moves = best.Moves[:0]
		for _, i := range order {
			best.Moves = append(best.Moves, moves[i])
			if !l.AllMoves {
				break
			}
		}
		all := !s.stopped
		for _, m := range moves {
			all = all && m.Proved
		}
		if first := &best.Moves[0]; first.Score > decided {
			first.Proved = true
			all = all || !l.AllMoves
		} else if !l.AllMoves {
			// The others are no better, as far as that is proved.
			first.Proved = all
		}
		if s.stopped || all || len(list) == 1 && !l.AllMoves {
			break
		}
	}
	best.Nodes = s.nodes
	for i := range best.Moves {
		m := &best.Moves[i]
		m.Line = s.line(root, m.Move, best.Depth)
		m.Score, m.Proved = result(m.Score, m.Proved)
	}
	return best
}

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
	s.begin(ctx, l)
	root := nodeOf(p)
	depth := min(root.toShrink(), maxPly-4)
	list := slices.Clone(s.candidates(root, 0))
	slices.SortStableFunc(list, func(a, b candidate) int { return int(b.order - a.order) })
	// First whether some move wins, then whether some move does not lose:
	// two questions with narrow windows.
	for _, bound := range [2]int{decided, -decided} {
		all := true
		for i := range list {
			v := s.child(root, &list[i], depth, 0, bound, bound+1)
			if s.stopped {
				return 0, 0, s.nodes, false
			}
			if v > bound && s.proved {
				if bound > 0 {
					return 1, list[i].move, s.nodes, true
				}
				return 0, list[i].move, s.nodes, true
			}
			all = all && s.proved
		}
		if !all {
			return 0, 0, s.nodes, false
		}
	}
	return -1, list[0].move, s.nodes, true
}

func (s *Searcher) begin(ctx context.Context, l Limits) {
	s.ctx, s.deadline, s.limit = ctx, l.Deadline, l.Nodes
	s.nodes, s.stopped = 0, false
	for i := range s.killers {
		s.killers[i] = [2]engine.Move{-1, -1}
	}
	for i := range s.history {
		for j := range s.history[i] {
			s.history[i][j] /= 8
		}
	}
}

// iterate searches the root one depth deep. It sorts order best first; false
// means that it was stopped before it was complete, which keeps a better
// first move already found but no more.
func (s *Searcher) iterate(root node, list []candidate, order []int, moves []MoveScore, depth int, all bool) bool {
	alpha := -infinity
	done := 0
	for k, i := range order {
		c := &list[i]
		var v int
		if all || k == 0 {
			v = s.child(root, c, depth, 0, -infinity, infinity)
		} else {
			v = s.child(root, c, depth, 0, alpha, alpha+1)
			if v > alpha && !s.stopped {
				v = s.child(root, c, depth, 0, alpha, infinity)
			}
		}
		if s.stopped && depth > 1 {
			break
		}
		moves[i] = MoveScore{Move: c.move, Score: v, Proved: s.proved}
		if v > alpha {
			alpha = v
			// To the front; the others keep their order.
			copy(order[1:k+1], order[:k])
			order[0] = i
		}
		done = k + 1
	}
	if all && done == len(order) {
		slices.SortStableFunc(order, func(a, b int) int { return moves[b].Score - moves[a].Score })
	}
	// With the first move of the iteration before searched again, what is
	// found so far is at least as good as the iteration before.
	return done == len(order) || !all && done > 0
}

// child is the value for the mover of n after a candidate.
func (s *Searcher) child(n node, c *candidate, depth, ply, alpha, beta int) int {
	m, o := n.after(c.own, c.opp)
	s.proved = true
	switch o {
	case moverWins:
		return winScore - ply - 1
	case moverLoses:
		return -winScore + ply + 1
	case tied:
		return 0
	}
	return -s.negamax(m, depth-1, ply+1, -beta, -alpha)
}

// probe asks the oracle.
func (s *Searcher) probe(n node, ply int) (int, bool) {
	if !n.moving || n.stage == wyb.Full {
		return 0, false
	}
	if n.stage == wyb.Final {
		v, d, ok := s.oracle.Final(n.own, n.opp)
		return v * (winScore - ply - d), ok
	}
	v, ok := s.oracle.Middle(n.own, n.opp, n.toShrink())
	return v * (tableScore - ply), ok
}

// negamax is fail-soft alpha-beta.
func (s *Searcher) negamax(n node, depth, ply, alpha, beta int) int {
	s.nodes++
	if s.nodes&1023 == 0 || s.limit > 0 && s.nodes >= s.limit {
		s.checkLimits()
	}
	if s.stopped && ply > 1 {
		return 0
	}
	if v, ok := s.probe(n, ply); ok {
		s.proved = true
		return v
	}
	if depth <= 0 || ply >= maxPly-1 {
		s.proved = false
		return evaluate(n.own, n.opp, n.stage, n.toShrink())
	}
	e := &s.table[n.hash()&s.mask]
	hashMove := engine.Move(-1)
	if e.holds(n) {
		hashMove = e.best()
		if v, b := fromTable(e.score(), ply), e.bound(); e.depth() >= depth {
			if b == exact || b == lower && v >= beta || b == upper && v <= alpha {
				s.proved = e.depth() == provedDepth
				return v
			}
		}
	}
	list := s.candidates(n, ply)
	me := n.turns & 1
	for i := range list {
		c := &list[i]
		switch c.move {
		case hashMove:
			c.order = 1 << 30
		case s.killers[ply][0]:
			c.order += 500_001
		case s.killers[ply][1]:
			c.order += 500_000
		default:
			c.order += s.history[me][c.move&8191]
		}
	}
	best, bestMove, floor, proved := -infinity, engine.Move(0), alpha, true
	for i := range list {
		// Selection sort: the first moves usually suffice.
		top := i
		for j := i + 1; j < len(list); j++ {
			if list[j].order > list[top].order {
				top = j
			}
		}
		list[i], list[top] = list[top], list[i]
		c := &list[i]
		var v int
		if i == 0 {
			v = s.child(n, c, depth, ply, alpha, beta)
		} else {
			v = s.child(n, c, depth, ply, alpha, alpha+1)
			if v > alpha && v < beta {
				v = s.child(n, c, depth, ply, alpha, beta)
			}
		}
		if s.stopped {
			return 0
		}
		proved = proved && s.proved
		if v > best {
			best, bestMove = v, c.move
		}
		alpha = max(alpha, v)
		if alpha >= beta {
			proved = s.proved
			if c.opp == n.opp { // no capture
				if s.killers[ply][0] != c.move {
					s.killers[ply][1], s.killers[ply][0] = s.killers[ply][0], c.move
				}
				h := &s.history[me][c.move&8191]
				if *h += int32(depth * depth); *h > 400_000 {
					for j := range s.history[me] {
						s.history[me][j] /= 2
					}
				}
			}
			break
		}
	}
	bound := exact
	switch {
	case best <= floor:
		bound = upper
	case best >= beta:
		bound = lower
	}
	if s.proved = proved; proved {
		depth = provedDepth
	}
	*e = newEntry(n, bestMove, bound, toTable(best, ply), depth)
	return best
}

// Results are stored by their distance from the node, not from the root.
func toTable(v, ply int) int {
	switch {
	case v > decided:
		return v + ply
	case v < -decided:
		return v - ply
	}
	return v
}

func fromTable(v, ply int) int { return -toTable(-v, -ply) }

func (s *Searcher) checkLimits() {
	if s.limit > 0 && s.nodes >= s.limit || s.ctx.Err() != nil ||
		!s.deadline.IsZero() && !time.Now().Before(s.deadline) {
		s.stopped = true
	}
}

// line follows the transposition table from a move of the root.
func (s *Searcher) line(root node, m engine.Move, depth int) []engine.Move {
	var out []engine.Move
	n := root
	for range depth {
		var next *candidate
		list := s.candidates(n, maxPly-1)
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
		after, o := n.after(next.own, next.opp)
		if o != going {
			break
		}
		n = after
		e := &s.table[n.hash()&s.mask]
		if !e.holds(n) {
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
	switch {
	case v > 0:
		v = 1
	case v < 0:
		v = -1
	}
	return v, ok
}
