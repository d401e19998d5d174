package dotsandboxes

import (
	"context"
	"sync"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
)

type solveSource struct {
	solver *exact.Solver

	mu      sync.Mutex
	learned map[string]bool // embedded proofs in the solver's table, by embeddedName
}

// Name returns the usual source of the results; see the method record.
func (*solveSource) Name() string { return "solved" }

// Improve records what the exact solver proves within its share of the time.
func (s *solveSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[dotsandboxes.Position](q.Position)
	if err != nil || p.Free().Len() > exact.MaxEdges {
		return false, err
	}
	x := &solve{s, ctx, q, p}
	// Even a search that does not finish leaves bounds in the table.
	defer x.peek()
	return false, x.improve()
}

// embeddedSource is the exact solver for positions of boards with an embedded proof. It comes before
// the opening books, because after a move of the embedded proof every reply is solved quickly. A book
// may prove another move with the same value, whose replies take longer.
type embeddedSource struct{ *solveSource }

// Improve records what the embedded proof proves.
func (s embeddedSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[dotsandboxes.Position](q.Position)
	if err != nil || p.Free().Len() > exact.MaxEdges || !hasEmbeddedProof(p.Board()) {
		return false, err
	}
	s.learn(p)
	return false, (&solve{s.solveSource, ctx, q, p}).peek()
}

// learn loads the embedded proof of the position's board into the solver's table, if there is one and
// p is near the empty board.
func (s *solveSource) learn(p dotsandboxes.Position) {
	if !nearEmpty(p) {
		return
	}
	board := embeddedName(p.Board())
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.learned[board] {
		s.learned[board] = true
		s.solver.Learn(EmbeddedAnswers(p.Board()))
	}
}

// nearEmpty reports whether p has as many free lines as the positions in an embedded proof.
func nearEmpty(p dotsandboxes.Position) bool { return 2*p.Free().Len() >= p.Board().Segments() }

type solve struct {
	*solveSource
	ctx      context.Context
	question *book.Question
	position dotsandboxes.Position
}

// improve computes the proofs that the question needs, the most useful first.
func (x *solve) improve() error {
	k := x.question.Known
	bound, _ := k.UnmatchedBound()
	if err := x.peek(); err != nil || !x.question.AllMoves && k.Settled(false) {
		return err // with AllMoves, best play after every move is needed too
	}
	if floor, _ := k.Bounds(); bound > floor && bound >= k.Ties() {
		if _, err := x.secure(bound, book.ShareToKeep); err != nil {
			return err
		}
	}
	share, likely := x.share()
	if !x.question.AllMoves && (likely || x.solvable()) {
		solved, err := x.solveWinner()
		if err != nil {
			return err
		}
		likely = likely && solved
	}
	if !likely || !x.question.AllMoves && k.Settled(false) {
		return nil
	}
	if k.Decided() {
		share = book.ShareToKeep // heuristic search cannot change the choice
	}
	return x.solveValue(share)
}

// solveWinner records whether a line does not lose and, if one does not, whether a line wins. solved is
// false if the time was too short for that.
func (x *solve) solveWinner() (solved bool, err error) {
	for _, need := range x.goals() {
		if floor, top := x.question.Known.Bounds(); floor >= need || top < need {
			continue
		}
		if ok, err := x.secure(need, shareMaybe); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// solveValue records the value of the position or, with AllMoves, the values of all lines. If a share of
// the remaining time does not suffice, it records bounds.
func (x *solve) solveValue(share float64) error {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, share)
	defer cancel()
	if x.question.AllMoves {
		list, r, err := x.solver.Moves(ctx, x.position.Board(), x.position.Free())
		return x.record(err, r, list...)
	}
	m, r, err := x.solver.Best(ctx, x.position.Board(), x.position.Free())
	return x.record(err, r, m)
}

// goals returns the smallest value with which the side to move does not lose the game, and the smallest
// one with which it wins, if they differ. Possible values have the parity of the number of boxes left.
func (x *solve) goals() []int {
	need := notLosing(x.position)
	if need == x.question.Known.Ties() {
		return []int{need, need + 2}
	}
	return []int{need}
}

func notLosing(p dotsandboxes.Position) int {
	score, need := p.Score(), -engine.Lead(p, p.Turn())
	return need + (p.Board().Squares()-score[0]-score[1]+need)&1
}

// secure looks for a line that is worth at least need, in a share of the remaining time. solved is
// false if the time was too short to find such a line or to prove that there is none.
func (x *solve) secure(need int, share float64) (solved bool, err error) {
	ctx, cancel := book.Within(x.ctx, x.question.Clock, share)
	defer cancel()
	m, r, err := x.solver.Secure(ctx, x.position.Board(), x.position.Free(), need)
	return r.Lower >= need || r.Upper < need, x.record(err, r, m)
}

// peek records the bounds that the solver's table contains for the positions after each line.
func (x *solve) peek() error {
	list, r, err := x.solver.Known(x.position.Board(), x.position.Free())
	return x.record(err, r, list...)
}

// record records the result r and bounds of moves, unless err, the solver's error, is set. It returns err.
func (x *solve) record(err error, r solver.Result, list ...solver.MoveBounds) error {
	if err != nil {
		return err
	}
	source := x.Name()
	if nearEmpty(x.position) && hasEmbeddedProof(x.position.Board()) {
		source = book.ProofSource(r)
	}
	score := x.position.Score()
	x.question.Known.Solved(source, x.position.Board().Squares()-score[0]-score[1], r, list...)
	return nil
}
