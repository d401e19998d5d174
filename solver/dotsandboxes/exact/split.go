package exact

import (
	"cmp"
	"context"
	"slices"

	"endwise/engine/grid"
	"endwise/solver"
)

// A split search traverses the root tree, the positions of the first turns. The positions after
// these turns, the frontier, are evaluated by null-window searches, perhaps in other processes.
//
// The split search traverses the root tree repeatedly. When it needs a value of a frontier position,
// it starts a search. If more searches may run, it then continues as if the move to the position had
// failed for the side that made it. If moves are well ordered, most searches started under this
// assumption are needed in any case. Each result settles more of the tree.

// Split computes the value of an empty board in parts. It continues the run with bounds Known.
type Split struct {
	Board *grid.Board
	Plies int // number of turns in the root tree
	// Known contains proved bounds. Value adds the bounds that it proves.
	Known map[Key]Proved
	// Record, if not nil, is called with proved bounds; an error ends the run.
	Record func(Proved) error

	positions *Positions
	err       error
}

// SearchFunc runs a null-window search, and reports whether the value is at least T.
type SearchFunc func(context.Context, NullWindow) (reached bool, err error)

// Value runs the split search. It calls search, for instance [Solver.Search], from up to limit
// goroutines concurrently, at least one. If search or Record fails or the context ends, Value
// returns the error and the bounds proved so far. The result's Nodes is 0.
func (x *Split) Value(ctx context.Context, limit int, search SearchFunc) (r solver.Result, err error) {
	if x.positions, err = NewPositions(x.Board, x.Board.All()); err != nil {
		return r, err
	}
	if x.Known == nil {
		x.Known = map[Key]Proved{}
	}
	x.err = nil
	searchCtx, cancel := context.WithCancel(ctx)
	f := frontier{
		search: func(n NullWindow) (bool, error) { return search(searchCtx, n) },
		limit:  max(limit, 1), running: map[window]bool{}, results: make(chan result),
	}
	defer func() {
		cancel()
		f.drain()
	}()
	boxes := x.Board.Squares()
	atLeast := func(t int) (int, bool) { return x.atLeast(ctx, &f, boxes, t) }
	r.Bounds = solver.Bounds{Lower: -boxes, Upper: boxes}.Narrow(boxes&1, atLeast, nil)
	if !r.Exact() {
		err = cmp.Or(x.err, ctx.Err())
	}
	return r, err
}

// atLeast traverses the root tree until the null-window search of the empty board is decided. ok is
// false if the split search ended first.
func (x *Split) atLeast(ctx context.Context, f *frontier, boxes, t int) (v int, ok bool) {
	for {
		u := rootTree{Split: x, frontier: f, ctx: ctx}
		v, proved := u.atLeast(0, 1<<x.Board.Segments()-1, boxes, t, false)
		if proved || x.err != nil {
			f.forget()
			return v, proved && x.err == nil
		}
		f.start()
		if len(f.running) == 0 { // the context ended before the traversal met the frontier
			return 0, false
		}
		if x.err = x.addResult(f.next()); x.err != nil {
			return 0, false
		}
	}
}

// addResult adds the bound that a search proved, and returns the error of the search or of Record.
func (x *Split) addResult(r result) error {
	if r.err != nil {
		return r.err
	}
	a := x.bounds(r.key, r.Boxes)
	if r.reached {
		a.Lower = max(a.Lower, int8(r.t))
	} else {
		a.Upper = min(a.Upper, int8(r.t-2))
	}
	return x.set(a)
}

func (x *Split) bounds(k Key, boxes int) Proved {
	if a, ok := x.Known[k]; ok {
		return a
	}
	return Proved{Key: k, Lower: int8(-boxes), Upper: int8(boxes)}
}

func (x *Split) set(a Proved) error {
	x.Known[a.Key] = a
	if x.Record != nil {
		return x.Record(a)
	}
	return nil
}

// frontier runs the null-window searches, in goroutines that use only search and results.
type frontier struct {
	search  func(NullWindow) (reached bool, err error)
	limit   int             // maximum length of running
	running map[window]bool // searches that run or are in waiting
	waiting []frontierSearch
	results chan result
}

// window identifies a search: it tests whether the positions with a key are worth at least t.
type window struct {
	key Key
	t   int
}

type frontierSearch struct {
	NullWindow
	window
}

type result struct {
	frontierSearch
	reached bool
	err     error
}

// add adds a search to waiting, unless the frontier is full or the search runs or waits already.
func (f *frontier) add(s frontierSearch) {
	if !f.full() && !f.running[s.window] {
		f.running[s.window] = true
		f.waiting = append(f.waiting, s)
	}
}

func (f *frontier) full() bool { return len(f.running) >= f.limit }

func (f *frontier) start() {
	for _, s := range f.waiting {
		go func() {
			reached, err := f.search(s.NullWindow)
			f.results <- result{s, reached, err}
		}()
	}
	f.waiting = nil
}

func (f *frontier) forget() {
	for _, s := range f.waiting {
		delete(f.running, s.window)
	}
	f.waiting = nil
}

// next waits for the next result. A search must be running.
func (f *frontier) next() result {
	r := <-f.results
	delete(f.running, r.window)
	return r
}

func (f *frontier) drain() {
	for len(f.running) > 0 {
		f.next()
	}
}

// rootTree is one traversal of the root tree. A result is proved if it follows without assumptions:
// a position reaches the threshold by a move for which this is proved, or fails because it is
// proved that all moves fail. Only proved results are kept.
type rootTree struct {
	*Split
	*frontier
	ctx context.Context
}

// halted reports whether the traversal can end: no search can be added, or the run ends.
func (u *rootTree) halted() bool { return u.full() || u.err != nil || u.ctx.Err() != nil }

// atLeast is a null-window search of a position of the root tree: v is a lower bound of the
// position's value if v >= t, and an upper bound otherwise. At the frontier and in positions
// without joints it adds a search and assumes that the position reaches t if assume is set, and
// that it does not otherwise. proved reports whether v follows without assumptions.
func (u *rootTree) atLeast(depth int, mask uint64, boxes, t int, assume bool) (v int, proved bool) {
	if mask == 0 {
		return 0, true
	}
	k, joints := u.positions.Decompose(depth, mask)
	a := u.bounds(k, boxes)
	switch {
	case int(a.Lower) >= t:
		return int(a.Lower), true
	case int(a.Upper) < t:
		return int(a.Upper), true
	case depth == u.Plies || joints == 0:
		u.add(frontierSearch{NullWindow{Mask: mask, Boxes: boxes, T: t}, window{k, t}})
		if assume {
			return t, false
		}
		return t - 2, false
	}
	v, proved = u.expand(depth, t)
	if !proved || u.err != nil {
		return v, false
	}
	if v >= t {
		a.Lower = max(a.Lower, int8(v))
	} else {
		a.Upper = min(a.Upper, int8(v))
	}
	u.err = u.set(a)
	return v, u.err == nil
}

// expand is atLeast for the position decomposed at a depth.
func (u *rootTree) expand(depth, t int) (best int, proved bool) {
	moves, boxes, best := u.positions.moves(depth, t)
	proved = true
	// Moves that give away boxes rarely reach t, and near the root they are slow to refute.
	slices.SortStableFunc(moves, func(a, b Move) int {
		return cmp.Compare(min(a.Taken, 1), min(b.Taken, 1))
	})
	if depth == 0 {
		u.centreFirst(moves)
	}
	for _, m := range moves {
		v, ok := u.tryMove(depth, m, boxes-int(m.Taken), t)
		if v >= t {
			return v, ok
		}
		best, proved = max(best, v), proved && ok
		if u.halted() {
			return best, false
		}
	}
	return best, proved
}

// tryMove is atLeast for a move of the position at a depth; left is the number of boxes after it.
func (u *rootTree) tryMove(depth int, m Move, left, t int) (v int, proved bool) {
	taken := int(m.Taken)
	most, certain := left, true // upper bound of the move's value, and whether it is proved
	if m.refusable() {
		need := t + taken - int(m.Price)
		v, certain = u.atLeast(depth+1, m.Child, left, need, false)
		if most = v + int(m.Price) - taken; v < need {
			return most, certain
		}
	}
	v, proved = u.atLeast(depth+1, m.Child, left, -taken-t+2, true)
	return min(most, -taken-v), proved && certain
}

// centreFirst moves the centre line of an empty board, if there is one, to the front of the moves:
// the position after it is as symmetric as the board.
func (u *rootTree) centreFirst(moves []Move) {
	rows, cols := u.Board.Rows, u.Board.Cols
	for i, m := range moves {
		drawn := u.Board.All().Minus(u.positions.Set(m.Child)).Segments()
		if len(drawn) != 1 {
			continue
		}
		r, c, horizontal := u.Board.Line(drawn[0])
		inCentre := 2*r+1 == rows && 2*c == cols
		if horizontal {
			inCentre = 2*r == rows && 2*c+1 == cols
		}
		if inCentre {
			copy(moves[1:i+1], moves[:i])
			moves[0] = m
			return
		}
	}
}
