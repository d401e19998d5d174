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

type openingBooks struct {
	books []*openingBook
	scale int
}

type bookProofs struct{ openingBooks }

type bookEstimates struct{ openingBooks }

// openingBook is an opened book. If reading it fails, the error is logged and the book no longer used.
type openingBook struct {
	*opening.NamedBook
	log      *slog.Logger
	disabled *atomic.Bool
}

type bookEntry struct {
	opening.Entry
	position    engine.Position
	book        *openingBook
	orientation engine.Orientation
}

func (b *openingBook) entry(p engine.Position) (e bookEntry, ok bool) {
	if b.disabled.Load() {
		return e, false
	}
	found, o, ok, err := b.NamedBook.Lookup(p)
	if err != nil {
		if !b.disabled.Swap(true) {
			b.log.Warn("opening book ignored", "why", err)
		}
		return e, false
	}
	return bookEntry{found, p, b, o}, ok
}

// WithOpening sets l.Game and l.Log, opens the game's opening books unless o.NoBooks is set, and inserts
// the sources of their proofs and estimates into l.Sources. The last two sources of l must be the exact
// solver and the heuristic search. It returns l. Closing l closes the books.
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
		n := len(l.Sources)
		solver, search := l.Sources[n-2], l.Sources[n-1]
		l.Sources = append(l.Sources[:n-2:n-2], &bookProofs{s}, solver, &bookEstimates{s}, search)
	}
	return l
}

func (*openingBooks) Name() string { return "book" }

const maxLineMoves = 12

func (s *openingBooks) booksOf(p engine.Position) (books []*openingBook) {
	for _, b := range s.books {
		if b.Board() == p.BoardName() {
			books = append(books, b)
		}
	}
	return books
}

func (*bookProofs) Stored() {}

// Improve records the bounds that the books contain. enough reports whether a book proves the value of
// the position with a move, or that a move wins, and, with AllMoves, every move has a value.
func (s *bookProofs) Improve(_ context.Context, q *Question) (enough bool, err error) {
	books := s.booksOf(q.Position)
	found := entries(books, q.Position)
	for _, e := range found {
		proved, err := s.prove(e, q)
		if err != nil {
			return false, err
		}
		enough = enough || proved
	}
	switch {
	case enough && q.AllMoves:
		return s.recordAll(books, q)
	case len(found) > 0 && !enough && len(books) > 1:
		// One book may contain the position, and another a proof of a position after it.
		return false, s.recordMoves(books, q, false)
	}
	return enough, nil
}

// Improve records the estimate of the deepest entry that the method estimate accepts. enough reports
// whether there is one and, with AllMoves, every move has a value.
func (s *bookEstimates) Improve(_ context.Context, q *Question) (enough bool, err error) {
	books := s.booksOf(q.Position)
	for _, e := range deepestFirst(entries(books, q.Position)) {
		if enough, err = s.estimate(e, q); err != nil || enough {
			break
		}
	}
	if err != nil || !enough || !q.AllMoves {
		return enough, err
	}
	return s.recordAll(books, q)
}

// recordAll records the books' results for all moves. complete reports whether every move has a value.
func (s *openingBooks) recordAll(books []*openingBook, q *Question) (complete bool, err error) {
	if err := s.recordMoves(books, q, true); err != nil {
		return false, err
	}
	q.Known.KeepEstimates()
	d, _, _ := q.Known.Decide(true)
	return len(d.Moves) == len(q.Position.Moves()), nil
}

func entries(books []*openingBook, p engine.Position) (out []bookEntry) {
	for _, b := range books {
		if e, ok := b.entry(p); ok {
			out = append(out, e)
		}
	}
	return out
}

func deepestFirst(entries []bookEntry) []bookEntry {
	slices.SortStableFunc(entries, func(x, y bookEntry) int {
		return cmp.Compare(y.depth(), x.depth())
	})
	return entries
}

func (e *bookEntry) depth() int { return int(e.Origin.Depth) + int(e.Origin.Plies) }

func (e *bookEntry) note(what string) string { return "opening book, " + e.book.Name + ": " + what }

// move returns the move of e.position that corresponds to a move of the book.
func (e *bookEntry) move(m engine.Move) (engine.Move, error) {
	here, ok := e.orientation.FromCanonical(m)
	if !ok {
		return 0, fmt.Errorf("the book of %s contains a move that is illegal in %s", e.book.Board(), e.position)
	}
	return here, nil
}

// bounds returns the bounds of v as proved scores, ±Unbounded for none.
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

// prove records the bounds of q.Position from its entry e, and a move that is proved to be worth the
// lower bound. enough reports whether the value is proved with a move, or a move wins.
func (s *bookProofs) prove(e bookEntry, q *Question) (enough bool, err error) {
	lower, upper := s.bounds(e.Value)
	q.Known.Bound(s.Name(), -Unbounded, upper)
	// Without a move, other sources have to find one; the lower bound alone is not recorded.
	if !e.HasSafe || lower == -Unbounded {
		return false, nil
	}
	m, err := e.move(e.Safe)
	if err != nil {
		return false, err
	}
	claim := Claim{Move: m, Lower: lower, Upper: upper}
	switch wins := lower > q.Known.Ties(); {
	case e.Value.Exact():
		claim.Note, enough = e.note("proved"), true
	case wins:
		claim.Note, enough = e.note("a win is proved with this move, its size is not"), true
	}
	if claim.Line, err = lineAfter(e.book, q.Position, m); err != nil {
		return false, err
	}
	q.Known.Prove(s.Name(), claim)
	return enough, nil
}

// estimate records the estimate of q.Position from its entry e, and reports whether it has recorded one.
// The position after the book's best move must be in the book too, or the book must have evaluated the
// position for at least the remaining time.
//
// It records nothing if another source has proved a lower bound of a move, or an upper bound of the
// book's best move below the estimate. A lower bound of the book itself counts only if it is exact or
// does not lose.
func (s *bookEstimates) estimate(e bookEntry, q *Question) (recorded bool, err error) {
	evaluation := time.Duration(e.Origin.Millis) * time.Millisecond
	left, limited := q.Clock.Remaining()
	if e.Value.Exact() || !e.BestLinked && (!limited || left > evaluation) {
		return false, nil
	}
	m, err := e.move(e.Best)
	if err != nil {
		return false, err
	}
	for _, k := range q.Known.Moves() {
		ownLoss := k.LowerFrom == s.Name() && k.Lower < q.Known.Ties() && !k.Exact()
		excluded := k.Move == m && k.Upper*s.scale < int(e.Value.Est)
		if k.LowerFrom != "" && !ownLoss || excluded {
			return false, nil
		}
	}
	est := Estimate{Move: m, Score: int(e.Value.Est)}
	note := fmt.Sprintf("an estimate by a search to depth %d", e.Origin.Depth)
	if n := e.Origin.Plies; n > 0 {
		note += fmt.Sprintf(" after a book line of length %d", n)
	}
	est.Note = e.note(note)
	if est.Line, err = lineAfter(e.book, q.Position, m); err != nil {
		return false, err
	}
	q.Known.Estimate(s.Name(), e.depth(), est)
	return true, nil
}

// lineAfter returns the line of a book after move m of p: the best moves, up to the end of the book, the
// end of the game, or maxLineMoves moves including m. The error means that m is illegal.
func lineAfter(b *openingBook, p engine.Position, m engine.Move) (line []engine.Move, err error) {
	for {
		if p, err = p.Play(m); err != nil {
			return nil, err
		}
		if p.Over() || len(line) == maxLineMoves-1 {
			return line, nil
		}
		e, ok := b.entry(p)
		if !ok {
			return line, nil
		}
		if m, ok = e.orientation.FromCanonical(e.Best); !ok {
			return line, nil
		}
		line = append(line, m)
	}
}

// recordMoves records the bounds of all moves of q.Position that follow from the books' entries of the
// positions after them. With withEstimates it also records the deepest estimate of each of these
// positions, after the estimates that the books have recorded already.
func (s *openingBooks) recordMoves(books []*openingBook, q *Question, withEstimates bool) error {
	p := q.Position
	estimates, depth := q.Known.Estimates(s.Name())
	recorded := len(estimates)
	for _, m := range p.Moves() {
		if q.Known.Move(m).Exact() {
			continue
		}
		after, err := p.Play(m)
		if err != nil {
			return err
		}
		if after.Over() {
			v := p.Gain(after)
			q.Known.Prove("rules", Claim{Move: m, Lower: v, Upper: v})
			continue
		}
		for i, e := range deepestFirst(entries(books, after)) {
			v := e.Value.Through(p.Gain(after)*s.scale, after.Turn() != p.Turn())
			claim := Claim{Move: m, Note: e.note("proved of the position after the move")}
			claim.Lower, claim.Upper = s.bounds(v)
			q.Known.Prove(s.Name(), claim)
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

// Evaluator returns an evaluator for growing an opening book, which spends moveTime on each position. It
// calls the sources of l except the opening books, and returns all bounds and estimates of the moves.
// All moves without any together take about moveTime again, more if questions are repeated (minNodes).
func Evaluator(l *Lookup, moveTime time.Duration) opening.Evaluator {
	inner := &Lookup{Game: l.Game, Heuristic: l.Heuristic, Log: l.Log, Sources: slices.Clone(l.Sources)}
	inner.Sources = slices.DeleteFunc(inner.Sources, func(s Source) bool {
		switch s.(type) {
		case *bookProofs, *bookEstimates:
			return true
		}
		return false
	})
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
		if d.Proof != engine.Exact || d.Source == Recorded {
			// A value of Known.Cite is not a proof here; d.Moves contains all other bounds.
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

type step struct {
	move  engine.Move
	after engine.Position
	key   string
}

// addMissingMoves evaluates the moves that d.Moves does not contain, in equal parts of moveTime. It
// omits moves that end the game, and all but one of the moves that lead to the same canonical position.
func (l *Lookup) addMissingMoves(
	ctx context.Context, p engine.Position, d *engine.Decision, moveTime time.Duration,
) error {
	missing, err := missingMoves(p, d.Moves)
	if err != nil {
		return err
	}
	for _, s := range missing {
		clock := engine.ClockFor(moveTime / time.Duration(len(missing)))
		r, err := l.Decide(ctx, Question{Position: s.after, Clock: clock})
		if err != nil {
			return err
		}
		d.Nodes += r.Nodes
		v := engine.MoveValue{Move: p.MoveString(s.move), Proof: r.Proof}
		gain := p.Gain(s.after)
		if s.after.Turn() == p.Turn() {
			v.Score = gain + r.Score
		} else { // r is the decision for the opponent
			v.Score = gain - r.Score
			switch r.Proof {
			case engine.Lower:
				v.Proof = engine.Upper
			case engine.Upper:
				v.Proof = engine.Lower
			}
		}
		d.Moves = append(d.Moves, v)
	}
	return nil
}

// missingMoves returns the moves that addMissingMoves evaluates.
func missingMoves(p engine.Position, listed []engine.MoveValue) (missing []step, err error) {
	keys := map[string]string{} // canonical key of the position after a move, by the move's notation
	for _, m := range p.Moves() {
		after, err := p.Play(m)
		if err != nil {
			return nil, err
		}
		key, _ := after.CanonicalKey(nil)
		keys[p.MoveString(m)] = string(key)
		missing = append(missing, step{m, after, string(key)})
	}
	evaluated := map[string]bool{} // by canonical key
	for _, v := range listed {
		evaluated[keys[v.Move]] = true
	}
	return slices.DeleteFunc(missing, func(s step) bool {
		skip := evaluated[s.key] || s.after.Over()
		evaluated[s.key] = true
		return skip
	}), nil
}
