package book

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"endwise/book/opening"
	"endwise/book/store"
	"endwise/engine"
)

// openingSource answers from the published opening books of a game, one a
// board. A lookup has two of them. The first source of all gives what the book
// proves: exact moves, and moves that certainly win. The other one gives
// estimates, behind everything that proves something and before the live
// search: no estimate may stand in the way of an exact solve. It speaks where
// the book has looked beyond the position, or has spent more time on it than
// the clock allows now; else the live search does.
type openingSource struct {
	books     []*openingBook
	scale     int // the game's ProofScale
	estimates bool
}

// openingBook is an opened book. One that turns out to be damaged is reported
// once and left out.
type openingBook struct {
	*opening.Published
	log  *slog.Logger
	left *atomic.Bool
}

// Lookup finds a position; damage is the same as not being there.
func (b *openingBook) Lookup(c engine.Canonical) (e opening.Entry, o engine.Orientation, ok bool, err error) {
	if b.left.Load() {
		return e, o, false, nil
	}
	e, o, ok, err = b.Published.Lookup(c)
	if errors.Is(err, store.ErrDamaged) {
		if !b.left.Swap(true) {
			b.log.Warn("opening book is left out", "why", err)
		}
		return e, o, false, nil // the other sources still know how to play
	}
	return e, o, ok, err
}

// StarterDir is the directory in a store for the books that ship with the program.
const StarterDir = "starter"

// WithOpening puts the opening books of a game, if the store has any, into its
// lookup, whose last source is the live search.
func WithOpening(l *Lookup, o Options, game engine.Game) *Lookup {
	g, ok := game.(engine.CanonicalGame)
	if !ok || o.Store == "" {
		return l
	}
	stored, err := store.Named(o.Store, opening.TableName(game.Name(), ""))
	if err != nil {
		o.Logger().Warn("opening books are left out", "why", err)
	}
	s := openingSource{scale: g.ProofScale()}
	have := map[string]bool{}
	open := func(dir string, err error) {
		var p *opening.Published
		if err == nil {
			p, err = opening.OpenPublished(dir, game)
		}
		if err != nil {
			o.Logger().Warn("opening book is left out", "why", err)
			return
		}
		have[filepath.Base(dir)] = true
		s.books = append(s.books, &openingBook{p, o.Logger(), new(atomic.Bool)})
		l.Closers = append(l.Closers, p)
	}
	for _, path := range stored {
		open(path, nil)
	}
	if o.Starter != nil {
		names, err := opening.StarterBooks(o.Starter, game.Name())
		if err != nil {
			o.Logger().Warn("starter books are left out", "why", err)
		}
		for _, name := range names {
			if !have[name] {
				open(opening.Unpack(o.Starter, name, filepath.Join(o.Store, StarterDir)))
			}
		}
	}
	if len(s.books) > 0 {
		proved, estimates := s, s
		estimates.estimates = true
		l.Sources = slices.Insert(l.Sources, len(l.Sources)-1, Source(&estimates))
		l.Sources = slices.Insert(l.Sources, 0, Source(&proved))
	}
	return l
}

func (*openingSource) Name() string { return "book" }

// LineMoves is the longest line of book moves in an answer.
const LineMoves = 12

func (s *openingSource) Answer(_ context.Context, q *Question) (engine.Decision, bool, error) {
	c, ok := q.Position.(engine.Canonical)
	if !ok {
		return engine.Decision{}, false, nil
	}
	for _, b := range s.books {
		if b.Board() != c.BoardName() {
			continue
		}
		e, o, ok, err := b.Lookup(c)
		if err != nil || !ok {
			return engine.Decision{}, false, err
		}
		return s.decide(b, c, e, o, q)
	}
	return engine.Decision{}, false, nil
}

// decide makes an answer of what the book says about the question's position.
func (s *openingSource) decide(b *openingBook, c engine.Canonical, e opening.Entry, o engine.Orientation, q *Question) (d engine.Decision, ok bool, err error) {
	d = engine.Decision{Source: s.Name(), Nodes: q.Nodes}
	move := e.Best
	// A value may be proved of the position alone, by its parents' evaluations,
	// and of none of its moves: then other sources have to find one.
	exact, wins := e.HasSafe && e.Value.Exact(), e.HasSafe && s.wins(c, e.Value)
	if s.estimates == (exact || wins) || s.estimates && e.Value.Exact() {
		return d, false, nil
	}
	switch {
	case exact:
		move = e.Safe
		d.Score, d.Proof = int(e.Value.Lo)/s.scale, engine.Exact
		d.Note = "opening book: proved"
	case wins:
		move = e.Safe
		d.Score, d.Proof = int(e.Value.Lo)/s.scale, engine.Lower
		d.Note = "opening book: a win is proved with this move, its size is not"
	default:
		behind := time.Duration(e.Behind.Millis) * time.Millisecond
		left, limited := q.Clock.Remaining()
		if !e.BestLinked && (!limited || left > behind) {
			return d, false, nil
		}
		d.Score, d.Depth = int(e.Value.Est), int(e.Behind.Depth)+int(e.Behind.Plies)
		moves := "moves"
		if e.Behind.Plies == 1 {
			moves = "move"
		}
		d.Note = fmt.Sprintf("opening book: an estimate, %d plies deep after %d book %s, from %v", e.Behind.Depth, e.Behind.Plies, moves, behind)
	}
	m, ok := o.FromCanonical(move)
	if !ok {
		return engine.Decision{}, false, fmt.Errorf("the book of %s names a move that %s has not", b.Board(), c)
	}
	d.Move = c.MoveString(m)
	if s.estimates && overruled(d, q.Known) {
		return d, false, nil
	}
	if d.Line, err = s.line(b, c, m); err != nil {
		return engine.Decision{}, false, err
	}
	best := engine.MoveValue{Move: d.Move, Score: d.Score, Proof: d.Proof, Source: s.Name(), Line: d.Line[1:]}
	d.Moves = []engine.MoveValue{best}
	if q.AllMoves {
		others, err := s.others(b, c, m)
		if err != nil {
			return engine.Decision{}, false, err
		}
		d.Moves = append(d.Moves, others...)
	}
	return d, true, nil
}

// overruled says whether something proved stands against an estimate: the
// worth of some move, or that the estimated one is worth less. The live search
// weighs such things.
func overruled(d engine.Decision, known []engine.MoveValue) bool {
	return slices.ContainsFunc(known, func(k engine.MoveValue) bool {
		return k.Proof == engine.Exact || k.Proof == engine.Lower || k.Proof == engine.Upper && k.Move == d.Move && k.Score < d.Score
	})
}

// wins says whether a lower bound of the value wins the game from its score.
func (s *openingSource) wins(c engine.Canonical, v opening.Value) bool {
	if v.Lo == -opening.Unbounded {
		return false
	}
	if s.scale > 1 {
		return int(v.Lo) >= s.scale
	}
	score, me := c.Score(), c.Turn()
	return score[me-1]-score[me.Other()-1]+int(v.Lo) > 0
}

// line is the move and what the book expects after it.
func (s *openingSource) line(b *openingBook, c engine.Canonical, m engine.Move) ([]string, error) {
	var out []string
	for {
		out = append(out, c.MoveString(m))
		q, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		if q.Over() || len(out) == LineMoves {
			return out, nil
		}
		c = q.(engine.Canonical)
		e, o, ok, err := b.Lookup(c)
		if err != nil || !ok {
			return out, nil // the line ends where the book does
		}
		if m, ok = o.FromCanonical(e.Best); !ok {
			return out, nil
		}
	}
}

// others are the moves besides one whose positions are in the book.
func (s *openingSource) others(b *openingBook, c engine.Canonical, except engine.Move) ([]engine.MoveValue, error) {
	var out []engine.MoveValue
	for _, m := range c.Moves() {
		if m == except {
			continue
		}
		q, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		if q.Over() {
			out = append(out, engine.MoveValue{Move: c.MoveString(m), Score: c.Gain(q), Proof: engine.Exact, Source: "rules"})
			continue
		}
		next := q.(engine.Canonical)
		e, _, ok, err := b.Lookup(next)
		if err != nil || !ok {
			continue
		}
		v := e.Value.Through(c.Gain(q)*s.scale, q.Turn() != c.Turn())
		proof, score := v.Proof()
		if proof != engine.Estimate {
			score /= int16(s.scale)
		}
		out = append(out, engine.MoveValue{Move: c.MoveString(m), Score: int(score), Proof: proof, Source: s.Name()})
	}
	slices.SortStableFunc(out, func(x, y engine.MoveValue) int { return y.Score - x.Score })
	return out, nil
}

// Evaluator lets the lookup judge the leaves of an opening book: every source
// but the book itself, moveTime a position, every move, and what theorems
// prove. A move that the sources say nothing about is judged by the
// position behind it.
func Evaluator(l *Lookup, moveTime time.Duration) opening.Evaluator {
	inner := &Lookup{Sources: slices.DeleteFunc(slices.Clone(l.Sources), func(s Source) bool {
		_, book := s.(*openingSource)
		return book
	})}
	return func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		start := time.Now()
		d, err := inner.Decide(ctx, Question{Position: p, Clock: engine.ClockFor(moveTime), AllMoves: true})
		if err != nil {
			return d, err
		}
		if d.Source == "search" {
			// What a search proved is in its moves.
			d.Proof = engine.Estimate
		}
		if l.Theorems != nil {
			d.Moves = append(d.Moves, l.Theorems(p)...)
		}
		if err := inner.complete(ctx, p, &d, moveTime); err != nil {
			return d, err
		}
		d.Elapsed = time.Since(start)
		return d, nil
	}
}

// complete judges the moves that a decision leaves out.
func (l *Lookup) complete(ctx context.Context, p engine.Position, d *engine.Decision, moveTime time.Duration) error {
	c, ok := p.(engine.Canonical)
	if !ok {
		return nil
	}
	// Moves that lead to one canonical position are one: some sources only name
	// the first of them.
	after := func(m engine.Move) (q engine.Position, key string, err error) {
		if q, err = p.Play(m); err != nil {
			return nil, "", err
		}
		raw, _ := q.(engine.Canonical).CanonicalKey(nil)
		return q, string(raw), nil
	}
	said := map[string]bool{}
	for _, v := range d.Moves {
		m, err := p.ParseMove(v.Move)
		if err != nil {
			return err
		}
		_, key, err := after(m)
		if err != nil {
			return err
		}
		said[key] = true
	}
	type behind struct {
		move     engine.Move
		position engine.Position
	}
	var missing []behind
	for _, m := range p.Moves() {
		q, key, err := after(m)
		if err != nil {
			return err
		}
		if !said[key] && !q.Over() { // the rules say what the end is worth
			missing = append(missing, behind{m, q})
		}
		said[key] = true
	}
	for _, w := range missing {
		m, q := w.move, w.position
		r, err := l.Decide(ctx, Question{Position: q, Clock: engine.ClockFor(moveTime / time.Duration(len(missing)))})
		if err != nil {
			return err
		}
		v := engine.MoveValue{Move: p.MoveString(m), Proof: r.Proof}
		gain := c.Gain(q)
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
