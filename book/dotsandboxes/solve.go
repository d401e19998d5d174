package dotsandboxes

import (
	"context"
	"sync"

	"endwise/book"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
)

// solveSource solves positions exactly inside a share of the clock.
type solveSource struct {
	solver *exact.Solver

	mu      sync.Mutex
	learned map[string]bool // by shippedName
}

func (*solveSource) Name() string { return "solved" }

func (s *solveSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[dotsandboxes.Position](q.Position)
	if err != nil || p.Free().Len() > exact.MaxEdges {
		return false, err
	}
	x := &solve{s, ctx, q, p}
	// Whatever ends a question, what its search has left in the table counts.
	defer x.peek()
	return false, x.improve()
}

// embeddedSource solves positions of a board whose proof is embedded. It comes before the
// opening book: the book may prove another move of the same value, but only after the
// moves of the embedded proof is every reply of the opponent solved in a moment.
type embeddedSource struct{ *solveSource }

func (s embeddedSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[dotsandboxes.Position](q.Position)
	if err != nil || p.Free().Len() > exact.MaxEdges || data.Proof(dotsandboxes.Name, shippedName(p.Board())) == "" {
		return false, err
	}
	s.learn(p)
	return false, (&solve{s.solveSource, ctx, q, p}).peek()
}

// learn has the solver know what ships of the board's proof. Of other boards it would
// take time and room in the table for nothing.
func (s *solveSource) learn(p dotsandboxes.Position) {
	board := shippedName(p.Board())
	if 2*p.Free().Len() < p.Board().Segments() {
		return // the answers are about positions nearer to the empty board
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.learned[board] {
		s.learned[board] = true
		s.solver.Learn(shippedAnswers(p.Board()))
	}
}

// solve is one question to a solveSource.
type solve struct {
	*solveSource
	ctx      context.Context
	question *book.Question
	position dotsandboxes.Position
}

func (x *solve) improve() error {
	k := x.question.Known
	owed, _ := k.UnmatchedBound()
	if err := x.peek(); err != nil || !x.question.AllMoves && k.Settled(false) {
		return err // with all moves asked for their lines are wanted too
	}
	if floor, _ := k.Bounds(); owed > floor && owed >= k.Ties() {
		// Whatever is left of a clock goes into finding the line that keeps it.
		if _, err := x.secure(owed, book.ShareToKeep); err != nil {
			return err
		}
	}
	share, worth := x.share()
	if !x.question.AllMoves {
		// Who wins takes much less than by how much: first a line that does not
		// lose is looked for, then one that wins.
		for _, need := range x.results() {
			floor, top := k.Bounds()
			if floor >= need || top < need {
				continue
			}
			if !worth && !x.near() {
				break
			}
			found, err := x.secure(need, shareMaybe)
			if err != nil {
				return err
			}
			if worth = worth && found; !found {
				break
			}
		}
	}
	if !worth || !x.question.AllMoves && k.Settled(false) {
		return nil
	}
	if k.Decided() {
		share = book.ShareToKeep // live search has no say
	}
	ctx, cancel := book.Within(x.ctx, x.question.Clock, share)
	defer cancel()
	if x.question.AllMoves {
		list, r, err := x.solver.Moves(ctx, x.position.Board(), x.position.Free())
		return x.tell(err, r, list...)
	}
	m, r, err := x.solver.Best(ctx, x.position.Board(), x.position.Free())
	return x.tell(err, r, m)
}

// results are the least values with which the side to move does not lose the
// game and with which it wins; every value has the parity of the boxes left.
func (x *solve) results() []int {
	need := notLosing(x.position)
	if need == x.question.Known.Ties() {
		return []int{need, need + 2}
	}
	return []int{need}
}

// notLosing is the least value with which the side to move does not lose.
func notLosing(p dotsandboxes.Position) int {
	score, need := p.Score(), -engine.Lead(p, p.Turn())
	return need + (p.Board().Squares()-score[0]-score[1]+need)&1
}

// secure looks for a line that is worth so much. found is false when the time
// was too short to say.
func (x *solve) secure(need int, share float64) (found bool, err error) {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, share)
	defer cancel()
	m, r, err := x.solver.Secure(ctx, x.position.Board(), x.position.Free(), need)
	return r.Lower >= need || r.Upper < need, x.tell(err, r, m)
}

// peek tells what the solver's table says about single lines.
func (x *solve) peek() error {
	list, r, err := x.solver.Known(x.position.Board(), x.position.Free())
	return x.tell(err, r, list...)
}

// tell puts what the solver has proved into what is known.
func (x *solve) tell(err error, r solver.Result, list ...solver.MoveBounds) error {
	if err != nil {
		return err
	}
	score := x.position.Score()
	x.question.Known.Solved(x.Name(), x.position.Board().Squares()-score[0]-score[1], r, list...)
	return nil
}
