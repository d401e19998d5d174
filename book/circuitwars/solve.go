package circuitwars

import (
	"context"
	"sync"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/live"
)

// solveSegments is the largest number of free segments that a solve under a
// move's clock is tried on. The horizon of three seconds has its median near
// 50 and its best cases near 70.
const solveSegments = 75

// solveSource solves positions exactly inside a share of the clock. What it
// proves without reaching the value goes to Question.Known: a move that
// certainly wins the game, and bounds of single moves.
type solveSource struct {
	mu     sync.Mutex
	solver *exact.Solver
	// With threadsBeside and more, one of them searches while the others solve
	// where solving is a gamble.
	threads int
	live    *searchSource
	// promised is the position after a move that left the mirror because an
	// exact solution gives more. Whatever is left of a clock goes into keeping
	// such a promise.
	promised *circuitwars.Position

	board *grid.Board // that guide is for
	guide *live.Guide
}

func (*solveSource) Name() string { return "solved" }

// sureSegments is up to where the question who wins is answered in any time
// that is worth mentioning.
const sureSegments = 36

// threadsBeside is from how many threads on one of them searches beside the
// others. What the live search plays hardly depends on its time (package live
// has the figures), while each tenth of a second decides more positions: of 60
// with 50 to 60 free segments that are won, one thread says so of 43 in 0.375 s
// of processor time, of 45 in 0.46 s and of 47 in 0.5 s, and two threads of 49
// in 0.46 s each.
const threadsBeside = 3

func (s *solveSource) Answer(ctx context.Context, q *book.Question) (engine.Decision, bool, error) {
	p, err := positionOf(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	if p.Free().Len() > solveSegments {
		return engine.Decision{}, false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return engine.Decision{}, false, nil // the one before was late
	}
	g := p.Board().Graph(p.Free())
	switch {
	case q.AllMoves:
		return s.allMoves(ctx, q, p, g)
	case s.isPromised(p):
		return s.bestMove(ctx, q, p, g, book.ShareOfPromise)
	}
	if mirrors := mirrorMoves(p); len(mirrors) > 0 {
		return s.beyondMirror(ctx, q, p, g, mirrors[0])
	}
	if _, limited := q.Clock.Remaining(); limited && q.Play {
		return s.toWin(ctx, q, p, g)
	}
	value, win := shares(p.Free().Len())
	d, ok, err := s.bestMove(ctx, q, p, g, value)
	if ok || err != nil {
		return d, ok, err
	}
	return engine.Decision{}, false, s.winningMove(ctx, q, p, g, win)
}

func (s *solveSource) bestMove(ctx context.Context, q *book.Question, p circuitwars.Position, g grid.Graph, share float64) (engine.Decision, bool, error) {
	ctx, cancel := book.Within(ctx, q.Clock, share)
	defer cancel()
	m, r, err := s.solver.Best(ctx, g)
	if err != nil {
		return engine.Decision{}, false, err
	}
	q.Nodes += r.Nodes
	if !m.Exact() || m.Segment < 0 {
		return engine.Decision{}, false, nil
	}
	v := s.value(p, m)
	return engine.Decision{
		Move: v.Move, Score: v.Score, Proof: engine.Exact, Source: s.Name(), Nodes: q.Nodes,
		Line: append([]string{v.Move}, v.Line...), Moves: []engine.MoveValue{v},
	}, true, nil
}

// winningMove asks whether the game is won from its score, and by which move.
func (s *solveSource) winningMove(ctx context.Context, q *book.Question, p circuitwars.Position, g grid.Graph, share float64) error {
	need := winningValue(p)
	m, _, err := s.whoWins(ctx, q, g, need, share)
	if err == nil && m.Segment >= 0 && m.Lower >= need {
		q.Known = append(q.Known, s.value(p, m))
	}
	return err
}

// whoWins asks whether the position is worth at least need, and by which move.
func (s *solveSource) whoWins(ctx context.Context, q *book.Question, g grid.Graph, need int, share float64) (solver.MoveBounds, solver.Result, error) {
	ctx, cancel := book.Within(ctx, q.Clock, share)
	defer cancel()
	m, r, err := s.solver.Secure(ctx, g, need)
	if err != nil {
		return m, r, err
	}
	q.Nodes += r.Nodes
	return m, r, nil
}

// winningValue is the least value with which the side to move wins the game.
func winningValue(p circuitwars.Position) int {
	score, me := p.Score(), p.Turn()
	return score[me.Other()-1] - score[me-1] + 1
}

func (s *solveSource) allMoves(ctx context.Context, q *book.Question, p circuitwars.Position, g grid.Graph) (engine.Decision, bool, error) {
	ctx, cancel := book.Within(ctx, q.Clock, shareOfMoves)
	defer cancel()
	moves, r, err := s.solver.Moves(ctx, g)
	if err != nil {
		return engine.Decision{}, false, err
	}
	q.Nodes += r.Nodes
	d := engine.Decision{Source: s.Name(), Proof: engine.Exact, Nodes: q.Nodes}
	known := true
	for _, m := range moves {
		v := s.value(p, m)
		d.Moves = append(d.Moves, v)
		known = known && v.Proof != engine.Estimate
	}
	if !r.Exact() || !known || d.Moves[0].Proof != engine.Exact {
		q.Learn(d.Moves)
		return engine.Decision{}, false, nil
	}
	d.Move, d.Score = d.Moves[0].Move, d.Moves[0].Score
	d.Line = append([]string{d.Move}, d.Moves[0].Line...)
	return d, true, nil
}

// value is a solver's move in the words of a decision.
func (s *solveSource) value(p circuitwars.Position, m solver.MoveBounds) engine.MoveValue {
	v := engine.MoveValue{Move: p.MoveString(engine.Move(m.Segment)), Source: s.Name()}
	v.Score, v.Proof = book.Bounded(m.Lower, m.Upper, m.Gain, p.Left()-m.Gain)
	after, err := p.Occupy(m.Segment)
	for _, l := range m.Line {
		if err == nil {
			v.Line = append(v.Line, after.MoveString(engine.Move(l)))
			after, err = after.Occupy(l)
		}
	}
	return v
}
