package exact

import (
	"cmp"
	"context"
	"slices"

	"endwise/engine/grid"
	"endwise/solver"
)

// A split search computes the value of an empty board in parts that can be stopped and
// distributed. A plain recursion searches the root tree, the lines of the first turns. The
// positions after these, the frontier, are evaluated elsewhere, as questions.
//
// Several questions are open at a time. The search traverses the root tree repeatedly. At a
// frontier position without an answer it opens a question and, while more are allowed,
// continues as if the answer were the one that makes the move fail for the side that
// considers it. If moves are well ordered, these are questions that have to be answered in
// any case: all moves of a side that must be refuted, one of the side that refutes. Each
// answer settles more of the tree, until the root is settled.

// Split searches the value of a board in parts. Record is called with all bounds proved in
// the root tree and at the frontier. A later run that gets them in Known does not compute
// them again, so a run can be stopped at any time and loses only its open questions.
type Split struct {
	Board *grid.Board
	Plies int // turns in the root tree
	Known map[Key]Proved
	// Record is called with each proved result; an error ends the run.
	Record func(Proved) error

	positions *Positions
	err       error // of Record or ask
}

// answer returns the bounds of the positions with key k.
func (x *Split) answer(k Key, boxes int) Proved {
	if a, ok := x.Known[k]; ok {
		return a
	}
	return Proved{Key: k, Lower: int8(-boxes), Upper: int8(boxes)}
}

func (x *Split) keep(a Proved) error {
	x.Known[a.Key] = a
	if x.Record != nil {
		x.err = x.Record(a)
	}
	return x.err
}

// asked identifies a question by the key of its position.
type asked struct {
	key Key
	t   int
}

type frontierQuestion struct {
	Question
	asked
}

// Value runs the search. It calls ask, for instance [Solver.Answer], from up to limit
// goroutines concurrently. The first error of ask or Record ends the search. If the search
// ends early, the result contains bounds, and the error is that error or the context's. The
// result's Nodes is 0: ask may count them.
func (x *Split) Value(ctx context.Context, limit int, ask func(context.Context, Question) (bool, error)) (r solver.Result, err error) {
	if x.positions, err = NewPositions(x.Board, x.Board.All()); err != nil {
		return r, err
	}
	if x.Known == nil {
		x.Known = map[Key]Proved{}
	}
	x.err = nil
	type answer struct {
		frontierQuestion
		yes bool
		err error
	}
	askCtx, cancel := context.WithCancel(ctx)
	answers := make(chan answer)
	open := map[asked]bool{}
	defer func() {
		cancel()
		for range open {
			<-answers
		}
	}()
	boxes := x.Board.Squares()
	// atLeast traverses the root tree until its result is sure.
	atLeast := func(t int) (v int, ok bool) {
		for {
			u := rootTree{Split: x, ctx: ctx, limit: max(limit, 1), open: open}
			v, sure := u.atLeast(0, 1<<x.Board.Segments()-1, boxes, t, false)
			if sure || x.err != nil {
				for _, q := range u.out { // no longer needed
					delete(open, q.asked)
				}
				return v, sure && x.err == nil
			}
			for _, q := range u.out {
				go func() {
					yes, err := ask(askCtx, q.Question)
					answers <- answer{q, yes, err}
				}()
			}
			if len(open) == 0 { // stopped before it met a question
				return 0, false
			}
			a := <-answers
			delete(open, a.asked)
			if a.err != nil {
				x.err = a.err
				return 0, false
			}
			known := x.answer(a.key, a.Boxes)
			if a.yes {
				known.Lower = max(known.Lower, int8(a.t))
			} else {
				known.Upper = min(known.Upper, int8(a.t-2))
			}
			if x.keep(known) != nil {
				return 0, false
			}
		}
	}
	r.Bounds = solver.Bounds{Lower: -boxes, Upper: boxes}.Narrow(boxes&1, atLeast, nil)
	if !r.Exact() {
		err = cmp.Or(x.err, ctx.Err())
	}
	return r, err
}

// rootTree is one traversal of the root tree.
//
// A node is sure if its value follows from answers alone: it reaches the threshold by a
// move whose questions are all answered, or it fails and all questions below it are
// answered. Only sure nodes are kept, so the kept bounds do not depend on the order of
// answers.
type rootTree struct {
	*Split
	ctx    context.Context
	limit  int                // maximum number of open questions
	open   map[asked]bool     // open questions
	out    []frontierQuestion // questions to be opened after this traversal
	enough bool               // the limit is reached
}

// frontier opens a question about a position of the frontier. Its result reaches the
// threshold if assume is set.
func (u *rootTree) frontier(q frontierQuestion, assume bool) (v int) {
	if len(u.open) < u.limit && !u.open[q.asked] {
		u.open[q.asked] = true
		u.out = append(u.out, q)
	}
	u.enough = len(u.open) >= u.limit
	if assume {
		return q.T
	}
	return q.T - 2
}

// atLeast is a null-window search: v is at least t if the value is, as far as answers and
// assumptions determine it. sure reports whether v follows from answers alone.
func (u *rootTree) atLeast(depth int, mask uint64, boxes, t int, assume bool) (v int, sure bool) {
	if mask == 0 {
		return 0, true
	}
	k, joints := u.positions.Decompose(depth, mask)
	a := u.answer(k, boxes)
	switch {
	case int(a.Lower) >= t:
		return int(a.Lower), true
	case int(a.Upper) < t:
		return int(a.Upper), true
	case depth == u.Plies || joints == 0:
		return u.frontier(frontierQuestion{Question{Mask: mask, Boxes: boxes, T: t}, asked{k, t}}, assume), false
	}
	v, sure = u.expand(depth, t)
	if !sure || u.err != nil {
		return v, false
	}
	if v >= t {
		a.Lower = max(a.Lower, int8(v))
	} else {
		a.Upper = min(a.Upper, int8(v))
	}
	return v, u.keep(a) == nil
}

// halted reports whether the traversal has to end.
func (u *rootTree) halted() bool { return u.enough || u.err != nil || u.ctx.Err() != nil }

// expand tries the moves of the position at a depth. A move has two conditions: it reaches
// t if the opponent declines the last boxes, and if the opponent takes all.
func (u *rootTree) expand(depth, t int) (best int, sure bool) {
	moves, boxes, best := u.positions.moves(depth, t)
	sure = true
	// Moves that give away boxes come last: here they take as long to refute as quiet
	// lines.
	slices.SortStableFunc(moves, func(a, b Move) int { return cmp.Compare(min(a.Taken, 1), min(b.Taken, 1)) })
	if depth == 0 {
		u.centreFirst(moves)
	}
	for _, m := range moves {
		taken, left := int(m.Taken), boxes-int(m.Taken)
		most, certain := left, true // upper bound on the move's value
		if m.Refusable() {
			need := t + taken - int(m.Price)
			var v int
			v, certain = u.atLeast(depth+1, m.Child, left, need, false)
			if most = v + int(m.Price) - taken; v < need {
				best, sure = max(best, most), sure && certain
				if u.halted() {
					return best, false
				}
				continue
			}
		}
		v, ok := u.atLeast(depth+1, m.Child, left, -taken-t+2, true)
		certain = certain && ok
		worth := min(most, -taken-v)
		if worth >= t {
			return worth, certain
		}
		best, sure = max(best, worth), sure && certain
		if u.halted() {
			return best, false
		}
	}
	return best, sure
}

// centreFirst moves the centre line of an empty board, if there is one, to the front: after
// it the position is as symmetric as the board, so mirrored lines are equivalent.
func (u *rootTree) centreFirst(moves []Move) {
	rows, cols := u.Board.Rows, u.Board.Cols
	for i, m := range moves {
		drawn := u.Board.All().Minus(u.positions.Set(m.Child)).Segments()
		if len(drawn) != 1 {
			continue
		}
		r, c, horizontal := u.Board.Line(drawn[0])
		if horizontal && 2*r == rows && 2*c+1 == cols || !horizontal && 2*r+1 == rows && 2*c == cols {
			copy(moves[1:i+1], moves[:i])
			moves[0] = m
			return
		}
	}
}
