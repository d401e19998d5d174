package exact

import (
	"cmp"
	"context"
	"slices"

	"endwise/engine/grid"
	"endwise/solver"
)

// A split search computes the value of an empty board in parts that can be stopped and
// handed out: the lines of the first turns, the root tree, by a plain recursion, and every
// position behind them, the frontier, by questions.
//
// The questions about the frontier are asked several at once. The search runs through
// the root tree again and again; where it meets a position that nobody has answered for,
// it asks and, while more may be asked, goes on as if the answer were the one that makes
// the move fail for the side that considers it. With well ordered moves it so meets what
// has to be asked in any case: all moves where one side must be refuted, one where it
// refutes. Each answer that comes in settles more, until the root is settled.

// Split is a search for the value of a board in parts. All that is proved about positions of
// the root tree and the frontier is told to Record; given back in Known, it is not
// worked out again, so a run can be stopped at any time and loses only the questions
// that are out.
type Split struct {
	Board *grid.Board
	Plies int // turns in the root tree
	Known map[Key]Proved
	// Record is told what is proved; an error ends the run.
	Record func(Proved) error

	positions *Positions
	err       error // Record's, or of the one who was asked
}

// answer is what is known about a class of positions.
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

// asked names a question by the class of its position.
type asked struct {
	key Key
	t   int
}

type frontierQuestion struct {
	Question
	asked
}

// Value runs the search. Questions are answered by ask, for instance with
// Solver.Answer, which is called from up to limit goroutines at once; its first
// error ends the search. Where the search ends early, the result is bounds and the
// error that of Record, of ask, or the context's. Nodes are counted by whoever answers.
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
	flying := map[asked]bool{}
	defer func() {
		cancel()
		for range flying {
			<-answers
		}
	}()
	boxes := x.Board.Squares()
	// atLeast runs through the root tree until it is sure.
	atLeast := func(t int) (v int, ok bool) {
		for {
			u := rootTree{Split: x, ctx: ctx, limit: max(limit, 1), flying: flying}
			v, sure := u.atLeast(0, 1<<x.Board.Segments()-1, boxes, t, false)
			if sure || x.err != nil {
				for _, q := range u.out { // nobody needs to know
					delete(flying, q.asked)
				}
				return v, sure && x.err == nil
			}
			for _, q := range u.out {
				go func() {
					yes, err := ask(askCtx, q.Question)
					answers <- answer{q, yes, err}
				}()
			}
			if len(flying) == 0 { // stopped before it met a question
				return 0, false
			}
			a := <-answers
			delete(flying, a.asked)
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

// rootTree is a run through the root tree.
//
// A node is sure when its value follows from answers alone: it reaches the
// threshold by a move whose questions are all answered, or it fails and all
// questions below it are answered. Only sure nodes are kept, so that what is
// kept means the same however the frontier is worked out.
type rootTree struct {
	*Split
	ctx    context.Context
	limit  int                // of the questions that are out
	flying map[asked]bool     // those
	out    []frontierQuestion // to be asked
	enough bool               // no more may be asked
}

// frontier asks about a position of the frontier. It counts as reaching the threshold
// if assume says so.
func (u *rootTree) frontier(q frontierQuestion, assume bool) (v int) {
	if len(u.flying) < u.limit && !u.flying[q.asked] {
		u.flying[q.asked] = true
		u.out = append(u.out, q)
	}
	u.enough = len(u.flying) >= u.limit
	if assume {
		return q.T
	}
	return q.T - 2
}

// atLeast is a null-window search: whether a position is worth at least t.
func (u *rootTree) atLeast(depth int, mask uint64, boxes, t int, assume bool) (v int, sure bool) {
	if mask == 0 {
		return 0, true
	}
	k, joints := u.positions.Take(depth, mask)
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

// halted says that nothing more is to be worked out.
func (u *rootTree) halted() bool { return u.enough || u.err != nil || u.ctx.Err() != nil }

// expand tries the moves of the position at a depth. A move has two questions, whether
// it is worth as much where the opponent refuses the last boxes and where he takes all.
func (u *rootTree) expand(depth, t int) (best int, sure bool) {
	moves, boxes, best := u.positions.moves(depth, t)
	sure = true
	// What gives boxes away comes last: to refute it takes as long as a quiet line here.
	slices.SortStableFunc(moves, func(a, b Move) int { return cmp.Compare(min(a.Taken, 1), min(b.Taken, 1)) })
	if depth == 0 {
		u.centreFirst(moves)
	}
	for _, m := range moves {
		taken, left := int(m.Taken), boxes-int(m.Taken)
		most, certain := left, true // no move is worth more
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

// centreFirst puts the centre line of an empty board before all others, where the
// board has one: what is left is as symmetric as the board, so that lines that mirror
// each other are one. The proof that 3x4 is worth at least 0 takes half the expansions.
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
