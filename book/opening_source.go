package book

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"endwise/book/opening"
	"endwise/engine"
)

// openingBooks are the opening books of a game in lookup order. If several books contain a
// position, the bounds of all are used, and the estimate of the one that looks ahead furthest.
type openingBooks struct {
	books []*openingBook
	scale int // the game's ProofScale
}

// bookProofs is the source of the bounds in opening books. It is called before the exact
// solver.
type bookProofs struct{ openingBooks }

// bookEstimates is the source of the estimates in opening books. It is called after all
// sources that prove values and before the heuristic search.
type bookEstimates struct{ openingBooks }

// openingBook is an opened book. If reading it fails, the error is logged once and the book is
// ignored afterwards.
type openingBook struct {
	*opening.NamedBook
	log      *slog.Logger
	disabled *atomic.Bool
}

// Lookup returns the entry of a position ([opening.Published.Lookup]). If the entry cannot be
// read, ok is false. The error is always nil.
func (b *openingBook) Lookup(c engine.Position) (e opening.Entry, o engine.Orientation, ok bool, err error) {
	if b.disabled.Load() {
		return e, o, false, nil
	}
	e, o, ok, err = b.NamedBook.Lookup(c)
	if err != nil {
		if !b.disabled.Swap(true) {
			b.log.Warn("opening book ignored", "why", err)
		}
		return e, o, false, nil // the other sources still answer
	}
	return e, o, ok, nil
}

// WithOpening sets l.Game and l.Log, opens the game's opening books unless o.NoBooks is set, and
// inserts the sources of their proofs and estimates. The last two sources of l must be the exact solver and the
// heuristic search.
func WithOpening(l *Lookup, o Options, game engine.Game) *Lookup {
	l.Game, l.Log = game, o.Logger()
	s := openingBooks{scale: game.ProofScale()}
	if o.NoBooks {
		return l
	}
	books := opening.OpenBooks(o.Books, o.Store, o.Starter, game, func(err error) {
		o.Logger().Warn("opening book ignored", "why", err)
	})
	for _, b := range books {
		s.books = append(s.books, &openingBook{b, o.Logger(), new(atomic.Bool)})
		l.Closers = append(l.Closers, b)
	}
	if len(s.books) > 0 {
		l.Sources = slices.Insert(l.Sources, len(l.Sources)-1, Source(&bookEstimates{s}))
		l.Sources = slices.Insert(l.Sources, len(l.Sources)-3, Source(&bookProofs{s}))
	}
	return l
}

// Name implements [Source].
func (*openingBooks) Name() string { return "book" }

// LineMoves is the maximum number of moves in a line from an opening book.
const LineMoves = 12

// booksOf returns the books of a position's board.
func (s *openingBooks) booksOf(p engine.Position) (books []*openingBook) {
	for _, b := range s.books {
		if b.Board() == p.BoardName() {
			books = append(books, b)
		}
	}
	return books
}

// Stored implements [Stored].
func (*bookProofs) Stored() {}

// Improve records the bounds that the books contain.
func (s *bookProofs) Improve(_ context.Context, q *Question) (enough bool, err error) {
	c, books := q.Position, s.booksOf(q.Position)
	contained := false
	for _, b := range books {
		e, o, ok, err := b.Lookup(c)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		contained = true
		proved, err := s.prove(b, c, e, o, q)
		if err != nil {
			return false, err
		}
		enough = enough || proved
	}
	switch {
	case enough && q.AllMoves:
		return true, s.recordMoves(books, c, q, true)
	case contained && !enough && len(books) > 1:
		// One book may contain the position, and another a proof of a position after it.
		return false, s.recordMoves(books, c, q, false)
	}
	return enough, nil
}

// Improve records the estimate of the book that looks ahead furthest.
func (s *bookEstimates) Improve(_ context.Context, q *Question) (enough bool, err error) {
	c, books := q.Position, s.booksOf(q.Position)
	found, err := entries(books, c)
	for _, e := range found {
		if enough, err = s.estimate(e.book, c, e.Entry, e.orientation, q); err != nil || enough {
			break
		}
	}
	if err == nil && enough && q.AllMoves {
		err = s.recordMoves(books, c, q, true)
	}
	return enough, err
}

// bookEntry is the entry of a position in one book.
type bookEntry struct {
	opening.Entry
	book        *openingBook
	orientation engine.Orientation
}

// entries returns the entries of position c in the given books: by falling depth of the
// estimate, then by falling time, then in the order of the books.
func entries(books []*openingBook, c engine.Position) (out []bookEntry, err error) {
	for _, b := range books {
		e, o, ok, err := b.Lookup(c)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, bookEntry{e, b, o})
		}
	}
	slices.SortStableFunc(out, func(x, y bookEntry) int {
		return cmp.Or(cmp.Compare(y.depth(), x.depth()), cmp.Compare(y.Origin.Millis, x.Origin.Millis))
	})
	return out, nil
}

// depth returns the number of moves that the estimate looks ahead.
func (e *bookEntry) depth() int { return int(e.Origin.Depth) + int(e.Origin.Plies) }

// note returns a note for users that names the book.
func (b *openingBook) note(what string) string { return "opening book, " + b.Name + ": " + what }

// move converts a move of the canonical position of c to a move of c; o is the orientation
// that Lookup returned. It returns an error if the move is illegal.
func (b *openingBook) move(c engine.Position, o engine.Orientation, m engine.Move) (engine.Move, error) {
	here, ok := o.FromCanonical(m)
	if !ok {
		return 0, fmt.Errorf("the book of %s contains a move that is illegal in %s", b.Board(), c)
	}
	return here, nil
}

// bounds returns the bounds of a book's value as values of the game, ±Unbounded for none.
func (s *openingBooks) bounds(v opening.Value) (lower, upper int) {
	lower, upper = -Unbounded, Unbounded
	if v.Lo > -opening.Unbounded {
		lower = int(v.Lo) / s.scale
	}
	if v.Hi < opening.Unbounded {
		upper = int(v.Hi) / s.scale
	}
	return lower, upper
}

// prove records the bounds of the position's entry e in book b, and a move that is proved to
// be worth the lower bound. enough reports whether the value is proved with a move, or a move
// wins.
func (s *bookProofs) prove(b *openingBook, c engine.Position, e opening.Entry, o engine.Orientation, q *Question) (enough bool, err error) {
	lower, upper := s.bounds(e.Value)
	q.Known.Bound(s.Name(), -Unbounded, upper)
	// A lower bound without a move is not recorded; other sources have to find a move.
	if !e.HasSafe || lower == -Unbounded {
		return false, nil
	}
	m, err := b.move(c, o, e.Safe)
	if err != nil {
		return false, err
	}
	claim := Claim{Move: m, Lower: lower, Upper: upper}
	switch wins := lower > q.Known.Ties(); {
	case e.Value.Exact():
		claim.Note, enough = b.note("proved"), true
	case wins:
		claim.Note, enough = b.note("a win is proved with this move, its size is not"), true
	}
	if claim.Line, err = s.line(b, c, m); err != nil {
		return false, err
	}
	q.Known.Prove(s.Name(), claim)
	return enough, nil
}

// estimate records the estimate of the position's entry e in book b, if it is better than what
// heuristic search can do now: the position after the book's best move is in the book too, or
// the book has evaluated the position for longer than the clock allows.
//
// It records nothing if other proofs call for a search: if another source has proved a lower
// bound of a move, or an upper bound of the book's best move below the estimate. A lower bound
// of the book itself counts only if it does not lose.
func (s *bookEstimates) estimate(b *openingBook, c engine.Position, e opening.Entry, o engine.Orientation, q *Question) (enough bool, err error) {
	evaluation := time.Duration(e.Origin.Millis) * time.Millisecond
	left, limited := q.Clock.Remaining()
	if e.Value.Exact() || !e.BestLinked && (!limited || left > evaluation) {
		return false, nil
	}
	m, err := b.move(c, o, e.Best)
	if err != nil {
		return false, err
	}
	for _, k := range q.Known.Moves() {
		ownLoss := k.LowerFrom == s.Name() && k.Lower < q.Known.Ties() && !k.Exact()
		if k.LowerFrom != "" && !ownLoss || k.Move == m && k.Upper*s.scale < int(e.Value.Est) {
			return false, nil
		}
	}
	g := Estimate{Move: m, Score: int(e.Value.Est), Note: b.note(fmt.Sprintf("an estimate, searched to depth %d after book moves: %d", e.Origin.Depth, e.Origin.Plies))}
	if g.Line, err = s.line(b, c, m); err != nil {
		return false, err
	}
	q.Known.Estimate(s.Name(), int(e.Origin.Depth)+int(e.Origin.Plies), g)
	return true, nil
}

// line returns the line of book b after move m of c: the best moves, up to the end of the book,
// the end of the game, or LineMoves moves including m.
func (s *openingBooks) line(b *openingBook, c engine.Position, m engine.Move) (out []engine.Move, err error) {
	for {
		q, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		if q.Over() || len(out) == LineMoves-1 {
			return out, nil
		}
		c = q
		e, o, ok, err := b.Lookup(c)
		if err != nil || !ok {
			return out, nil // the line ends with the book
		}
		if m, ok = o.FromCanonical(e.Best); !ok {
			return out, nil
		}
		out = append(out, m)
	}
}

// recordMoves records the bounds of all moves that follow from the books' entries of the
// positions after them. With withEstimates it also records the deepest estimate of each of
// these positions, after the estimate of the best move.
func (s *openingBooks) recordMoves(books []*openingBook, c engine.Position, q *Question, withEstimates bool) error {
	estimates, depth := q.Known.Estimates(s.Name())
	recorded := len(estimates)
	for _, m := range c.Moves() {
		if q.Known.Move(m).Exact() {
			continue
		}
		after, err := c.Play(m)
		if err != nil {
			return err
		}
		if after.Over() {
			v := c.Gain(after)
			q.Known.Prove("rules", Claim{Move: m, Lower: v, Upper: v})
			continue
		}
		found, err := entries(books, after)
		if err != nil {
			return err
		}
		for i, e := range found {
			v := e.Value.Through(c.Gain(after)*s.scale, after.Turn() != c.Turn())
			lower, upper := s.bounds(v)
			q.Known.Prove(s.Name(), Claim{Move: m, Lower: lower, Upper: upper, Note: e.book.note("proved of the position after the move")})
			if i == 0 && (recorded == 0 || estimates[0].Move != m) {
				estimates = append(estimates, Estimate{Move: m, Score: int(v.Est)})
			}
		}
	}
	if !withEstimates {
		return nil
	}
	slices.SortStableFunc(estimates[recorded:], func(x, y Estimate) int { return y.Score - x.Score })
	q.Known.Estimate(s.Name(), depth, estimates...)
	return nil
}

// Evaluator returns an evaluator for growing an opening book, which spends moveTime on each
// position. It calls the sources of l except the opening books, and returns all bounds and
// estimates of the moves. For a move without any, it evaluates the position after the move.
func Evaluator(l *Lookup, moveTime time.Duration) opening.Evaluator {
	inner := &Lookup{Game: l.Game, Heuristic: l.Heuristic, Log: l.Log, Sources: slices.DeleteFunc(slices.Clone(l.Sources), func(s Source) bool {
		switch s.(type) {
		case *bookProofs, *bookEstimates:
			return true
		}
		return false
	})}
	return func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		start := time.Now()
		q := Question{Position: p, AllMoves: true, Clock: engine.ClockFor(moveTime)}
		q.Clock.Deadline = q.Clock.Deadline.Add(-engine.Reserve(moveTime, 0))
		if err := inner.initKnown(ctx, &q); err != nil {
			return engine.Decision{}, err
		}
		if _, err := inner.query(ctx, &q, inner.Sources); err != nil {
			return engine.Decision{}, err
		}
		d, _, _ := q.Known.Decide(true)
		if d.Proof != engine.Exact || d.Source == Literature {
			// A value in the literature is not a proof; d.Moves contains all other bounds.
			d.Proof = engine.Estimate
		}
		d.Moves = q.Known.Claims()
		if err := inner.addMissingMoves(ctx, p, &d, moveTime); err != nil {
			return d, err
		}
		d.Elapsed = time.Since(start)
		return d, nil
	}
}

// addMissingMoves evaluates the moves that d.Moves does not contain, within moveTime together,
// and adds them. Of moves that lead to the same canonical position, one is enough.
func (l *Lookup) addMissingMoves(ctx context.Context, p engine.Position, d *engine.Decision, moveTime time.Duration) error {
	type step struct {
		move  engine.Move
		after engine.Position
		key   string
	}
	var steps []step
	keys := map[string]string{} // canonical key of the position after a move, by the move's notation
	for _, m := range p.Moves() {
		q, err := p.Play(m)
		if err != nil {
			return err
		}
		key, _ := q.CanonicalKey(nil)
		keys[p.MoveString(m)] = string(key)
		steps = append(steps, step{m, q, string(key)})
	}
	listed := map[string]bool{} // the keys of positions that need no evaluation
	for _, v := range d.Moves {
		listed[keys[v.Move]] = true
	}
	missing := slices.DeleteFunc(steps, func(s step) bool {
		skip := listed[s.key] || s.after.Over() // the rules give the value of the end
		listed[s.key] = true
		return skip
	})
	for _, s := range missing {
		m, q := s.move, s.after
		r, err := l.Decide(ctx, Question{Position: q, Clock: engine.ClockFor(moveTime / time.Duration(len(missing)))})
		if err != nil {
			return err
		}
		d.Nodes += r.Nodes
		v := engine.MoveValue{Move: p.MoveString(m), Proof: r.Proof}
		gain := p.Gain(q)
		if q.Turn() != p.Turn() {
			v.Score = gain - r.Score
			switch r.Proof {
			case engine.Lower:
				v.Proof = engine.Upper
			case engine.Upper:
				v.Proof = engine.Lower
			}
		} else {
			v.Score = gain + r.Score
		}
		d.Moves = append(d.Moves, v)
	}
	return nil
}
