package book

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/coins"
)

// DotsAndBoxes opens the sources of Dots and Boxes: opening book, strong
// solutions of small boards, the exact solver and live search, which share one
// transposition table.
func DotsAndBoxes(o Options) (*Lookup, error) {
	t := openDotsAndBoxesTables(o.Store, o.logger())
	s := coins.New(coins.Options{Threads: o.Threads, TableBytes: o.HashBytes})
	s.Learn(shippedAnswers())
	// Before a clock runs: a busy machine may take long to find the memory.
	s.Warm()
	return withOpening(&Lookup{
		Sources: []Source{tableSource{t.know}, coinsSolve{s}, coinsSearch{s}},
		Instant: coinsInstant{},
		closers: []io.Closer{t},
	}, o, dotsandboxes.Game{}), nil
}

// dotsAndBoxesPosition is the question's position with its own type.
func dotsAndBoxesPosition(q *Question) (dotsandboxes.Position, error) {
	p, ok := q.Position.(dotsandboxes.Position)
	if !ok {
		return p, fmt.Errorf("a position of %s where one of Dots and Boxes is expected", q.Position.Game())
	}
	return p, nil
}

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

// coinsSolve solves positions exactly inside a share of the clock.
type coinsSolve struct{ solver *coins.Solver }

func (coinsSolve) Name() string { return "solved" }

func (s coinsSolve) Answer(ctx context.Context, q *Question) (engine.Decision, bool, error) {
	none := engine.Decision{}
	p, err := dotsAndBoxesPosition(q)
	if err != nil {
		return none, false, err
	}
	if p.Free().Len() > coins.MaxEdges {
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
	solving, cancel := within(ctx, q.Clock, share)
	defer cancel()
	if q.AllMoves {
		return s.allMoves(solving, q, p)
	}
	m, result, err := s.solver.Best(solving, p.Board(), p.Free())
	q.Nodes += result.Expansions
	if err != nil {
		return none, false, err
	}
	if m.Segment < 0 {
		s.tell(q, p)
		return none, false, nil
	}
	return s.decision(q, p, m), true, nil
}

// smallBoard is the number of lines up to which a position may be worth a
// search for a line that holds the game, however many safe lines are left:
// from 4x4 down.
const smallBoard = 40

// holds is the least value with which the side to move does not lose the game.
func holds(p dotsandboxes.Position) int {
	score, me := p.Score(), p.Turn()
	need := score[me.Other()-1] - score[me-1]
	return need + (p.Board().Squares()-score[0]-score[1]+need)&1 // every value has this parity
}

// secure looks for a line that holds the game, which takes much less than the
// value does; it leaves in the solver's table what it finds. done is false
// when the time was too short.
func (s coinsSolve) secure(ctx context.Context, q *Question, p dotsandboxes.Position, need int, share float64) (done bool) {
	ctx, cancel := within(ctx, q.Clock, share)
	defer cancel()
	_, r, err := s.solver.Secure(ctx, p.Board(), p.Free(), need)
	q.Nodes += r.Expansions
	return err == nil && (r.Lower >= need || r.Upper < need)
}

// tell leaves what the solver's table says about single lines in the question.
func (s coinsSolve) tell(q *Question, p dotsandboxes.Position) {
	known, _, err := s.solver.Known(p.Board(), p.Free())
	if err != nil {
		return
	}
	for _, m := range known {
		q.learn([]engine.MoveValue{s.value(p, m)})
	}
}

// decision makes an answer of the best line.
func (s coinsSolve) decision(q *Question, p dotsandboxes.Position, m coins.MoveResult) engine.Decision {
	v := s.value(p, m)
	return engine.Decision{
		Move: v.Move, Score: v.Score, Proof: engine.Exact, Source: s.Name(), Nodes: q.Nodes,
		Line: append([]string{v.Move}, v.Line...), Moves: []engine.MoveValue{v},
	}
}

// allMoves values every line; what is proved without reaching all of it goes
// to Question.Known.
func (s coinsSolve) allMoves(ctx context.Context, q *Question, p dotsandboxes.Position) (engine.Decision, bool, error) {
	moves, r, err := s.solver.Moves(ctx, p.Board(), p.Free())
	q.Nodes += r.Expansions
	if err != nil {
		return engine.Decision{}, false, err
	}
	d := engine.Decision{Source: s.Name(), Proof: engine.Exact, Nodes: q.Nodes}
	for _, m := range moves {
		d.Moves = append(d.Moves, s.value(p, m))
	}
	if best := moves[0]; !r.Exact() || !best.Exact() {
		q.learn(d.Moves)
		return engine.Decision{}, false, nil
	}
	d.Move, d.Score = d.Moves[0].Move, d.Moves[0].Score
	d.Line = append([]string{d.Move}, d.Moves[0].Line...)
	return d, true, nil
}

// value is a solver's move in the words of a decision.
func (s coinsSolve) value(p dotsandboxes.Position, m coins.MoveResult) engine.MoveValue {
	v := engine.MoveValue{Move: p.MoveString(engine.Move(m.Segment)), Source: s.Name()}
	score := p.Score()
	rest := p.Board().Squares() - score[0] - score[1] - m.Taken
	v.Score, v.Proof = bounded(m.Lower, m.Upper, m.Taken, rest)
	for _, l := range m.Line {
		v.Line = append(v.Line, p.MoveString(engine.Move(l)))
	}
	return v
}

// coinsSearch is live search; it always has an answer.
type coinsSearch struct{ solver *coins.Solver }

func (coinsSearch) Name() string { return "search" }

// unlimited is how long live search thinks where nothing limits it.
const unlimited = 3 * time.Second

// homeTime is kept for the threads of a search to come home.
const homeTime = 8 * time.Millisecond

func (s coinsSearch) Answer(ctx context.Context, q *Question) (engine.Decision, bool, error) {
	p, err := dotsAndBoxesPosition(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	left, limited := q.Clock.Remaining()
	if !limited {
		left = unlimited
	}
	// Threads are asked to stop a little before the time is up.
	ctx, cancel := context.WithTimeout(ctx, left-min(left/10, homeTime))
	defer cancel()
	c, o := liveQuestion(p)
	o.Keep = q.Play
	var r coins.LiveResult
	if c.Rest != (grid.Set{}) {
		r = s.solver.Search(ctx, p.Board(), c.Rest, o)
	}
	d := engine.Decision{Proof: engine.Estimate, Source: s.Name(), Depth: r.Depth, Nodes: q.Nodes + r.Nodes}
	if c.Taken > 0 {
		s.capture(&d, p, c, r.Value)
	} else {
		for _, e := range r.Moves {
			d.Moves = append(d.Moves, engine.MoveValue{
				Move: p.MoveString(engine.Move(e.Segment)), Score: int(math.Round(e.Score)), Proof: engine.Estimate, Source: s.Name(),
			})
		}
	}
	if len(d.Moves) == 0 {
		// No time for a single playout.
		d.Moves = append(d.Moves, engine.MoveValue{Move: p.MoveString(p.QuickMove()), Proof: engine.Estimate, Source: s.Name()})
	}
	if mergeBounds(d.Moves, q.Known) {
		slices.SortStableFunc(d.Moves, func(a, b engine.MoveValue) int { return b.Score - a.Score })
	}
	v := d.Moves[0]
	if h, ok := holding(d.Moves, q.Known, holds(p)); ok {
		v, d.Proof = h, engine.Lower
		if h.Proof == engine.Exact && noneBetter(p, h, q.Known) {
			d.Proof = engine.Exact
		}
	}
	d.Move, d.Score = v.Move, v.Score
	d.Line = []string{d.Move}
	return d, true, nil
}

// holding picks, of the lines that are proved to be worth at least need, the
// one that the search likes best: what is proved is not given up for an
// estimate.
func holding(moves, known []engine.MoveValue, need int) (v engine.MoveValue, ok bool) {
	best := len(moves)
	for _, k := range known {
		if k.Proof != engine.Exact && k.Proof != engine.Lower || k.Score < need {
			continue
		}
		i := slices.IndexFunc(moves, func(m engine.MoveValue) bool { return m.Move == k.Move })
		if i < 0 {
			i = len(moves)
		}
		if !ok || i < best {
			v, best, ok = k, i, true
		}
	}
	return v, ok
}

// noneBetter says whether every other line is proved to be worth no more than
// one.
func noneBetter(p dotsandboxes.Position, one engine.MoveValue, known []engine.MoveValue) bool {
	most := map[string]int{one.Move: one.Score}
	for _, k := range known {
		if k.Proof == engine.Exact || k.Proof == engine.Upper {
			most[k.Move] = k.Score
		}
	}
	for _, m := range p.Moves() {
		if v, ok := most[p.MoveString(m)]; !ok || v > one.Score {
			return false
		}
	}
	return true
}

// mergeBounds lets what is proved about a move overrule an estimate that says
// less, and tells whether it did.
func mergeBounds(moves, known []engine.MoveValue) (changed bool) {
	for _, k := range known {
		i := slices.IndexFunc(moves, func(m engine.MoveValue) bool { return m.Move == k.Move })
		if i < 0 {
			continue
		}
		m := &moves[i]
		if k.Proof == engine.Exact || k.Proof == engine.Lower && k.Score >= m.Score || k.Proof == engine.Upper && k.Score <= m.Score {
			*m, changed = k, true
		}
	}
	return changed
}

// capture decides between taking all boxes that can be taken and refusing the
// last of them (T1), where v is what the position behind them is worth. Boxes
// are taken in an order that keeps the choice open as long as possible.
func (s coinsSearch) capture(d *engine.Decision, p dotsandboxes.Position, c coins.Closure, v float64) {
	refuse := float64(-c.Price)-v > v
	score := float64(c.Taken) + v
	if refuse {
		score = float64(c.Taken-c.Price) - v
	}
	best, rank := engine.Move(-1), -1
	for _, m := range p.Moves() {
		q, err := p.DrawLine(m)
		if err != nil {
			continue
		}
		after := coins.Close(p.Board(), q.Free())
		if after.Rest != c.Rest {
			continue // touches what is behind
		}
		r := -1
		switch taken := p.Captures(m); {
		case taken > 0 && after.Price == c.Price:
			r = 2 // the choice stays open
		case taken > 0 && !refuse:
			r = 1
		case taken == 0 && refuse && 2*after.Taken == c.Price && after.Price > c.Price:
			r = 1 // the double-deal
		}
		if r > rank {
			best, rank = m, r
		}
	}
	if best < 0 {
		best = p.QuickMove()
	}
	d.Moves = append(d.Moves, engine.MoveValue{
		Move: p.MoveString(best), Score: int(math.Round(score)), Proof: engine.Estimate, Source: s.Name(),
	})
}
