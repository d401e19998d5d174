package dotsandboxes

import (
	"context"
	"math"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
)

// Shares of the clock that an exact solve gets, by the number of safe lines
// left, which predicts its cost: on 5x5 eight take 20 to 200 ms of one
// processor, ten 100 to 2000 and twelve 900 to 10,000. What a solve does not
// use is live search's.
const (
	safeSurely  = 9  // at half a second solved in nearly every case: all the time but a reserve
	safePerhaps = 12 // worth half the time
	shareSurely = 0.85
	shareMaybe  = 0.5
	// safePerDoubling is how many more safe lines twice the time is good for.
	safePerDoubling = 0.85
)

// solveSource solves positions exactly inside a share of the clock.
type solveSource struct{ solver *exact.Solver }

func (solveSource) Name() string { return "solved" }

func (s solveSource) Answer(ctx context.Context, q *book.Question) (engine.Decision, bool, error) {
	none := engine.Decision{}
	p, err := positionOf(q)
	if err != nil {
		return none, false, err
	}
	if p.Free().Len() > exact.MaxEdges {
		return none, false, nil
	}
	known, r, err := s.solver.Known(p.Board(), p.Free())
	if err != nil {
		return none, false, err
	}
	if best := known[0]; best.Lower == r.Upper && !q.AllMoves {
		best.Upper = best.Lower
		return s.decision(q, p, best), true, nil
	}
	share, possible := shareSurely, true
	if left, limited := q.Clock.Remaining(); limited {
		extra := int(safePerDoubling * math.Log2(max(0.01, 2*left.Seconds())))
		switch safe := p.SafeMovesLeft(); {
		case safe > safePerhaps+extra:
			possible = false
		case safe > safeSurely+extra:
			share = shareMaybe
		}
		if !q.AllMoves {
			need := holds(p)
			switch {
			case r.Lower >= need:
				possible = s.secure(ctx, q, p, need, shareSurely) && possible
			case possible || p.Board().Segments() <= smallBoard:
				possible = s.secure(ctx, q, p, need, shareMaybe) && possible
			}
		}
	}
	if !possible {
		s.tell(q, p)
		return none, false, nil
	}
	solving, cancel := book.Within(ctx, q.Clock, share)
	defer cancel()
	if q.AllMoves {
		return s.allMoves(solving, q, p)
	}
	m, result, err := s.solver.Best(solving, p.Board(), p.Free())
	q.Nodes += result.Nodes
	if err != nil {
		return none, false, err
	}
	if m.Segment < 0 {
		s.tell(q, p)
		return none, false, nil
	}
	return s.decision(q, p, m), true, nil
}

// tell leaves what the solver's table says about single lines in the question.
func (s solveSource) tell(q *book.Question, p dotsandboxes.Position) {
	known, _, err := s.solver.Known(p.Board(), p.Free())
	if err != nil {
		return
	}
	for _, m := range known {
		q.Learn([]engine.MoveValue{s.value(p, m)})
	}
}

// decision makes an answer of the best line.
func (s solveSource) decision(q *book.Question, p dotsandboxes.Position, m solver.MoveBounds) engine.Decision {
	v := s.value(p, m)
	return engine.Decision{
		Move: v.Move, Score: v.Score, Proof: engine.Exact, Source: s.Name(), Nodes: q.Nodes,
		Line: append([]string{v.Move}, v.Line...), Moves: []engine.MoveValue{v},
	}
}

// allMoves values every line; what is proved without reaching all of it goes
// to Question.Known.
func (s solveSource) allMoves(ctx context.Context, q *book.Question, p dotsandboxes.Position) (engine.Decision, bool, error) {
	moves, r, err := s.solver.Moves(ctx, p.Board(), p.Free())
	q.Nodes += r.Nodes
	if err != nil {
		return engine.Decision{}, false, err
	}
	d := engine.Decision{Source: s.Name(), Proof: engine.Exact, Nodes: q.Nodes}
	for _, m := range moves {
		d.Moves = append(d.Moves, s.value(p, m))
	}
	if best := moves[0]; !r.Exact() || !best.Exact() {
		q.Learn(d.Moves)
		return engine.Decision{}, false, nil
	}
	d.Move, d.Score = d.Moves[0].Move, d.Moves[0].Score
	d.Line = append([]string{d.Move}, d.Moves[0].Line...)
	return d, true, nil
}

// value is a solver's move in the words of a decision.
func (s solveSource) value(p dotsandboxes.Position, m solver.MoveBounds) engine.MoveValue {
	v := engine.MoveValue{Move: p.MoveString(engine.Move(m.Segment)), Source: s.Name()}
	score := p.Score()
	rest := p.Board().Squares() - score[0] - score[1] - m.Gain
	v.Score, v.Proof = book.Bounded(m.Lower, m.Upper, m.Gain, rest)
	for _, l := range m.Line {
		v.Line = append(v.Line, p.MoveString(engine.Move(l)))
	}
	return v
}
