// Package anygame is what is kept and answered of a game that has nothing of its
// own but its rules: boards makes tables, tables opens them, package ahead searches.
package anygame

import (
	"context"
	"errors"
	"io"

	"endwise/book"
	"endwise/book/anygame/ahead"
	"endwise/book/known"
	"endwise/engine"
	"endwise/solver/negamax"
	"endwise/solver/plain"
)

// FromRules is a game as package book knows it from its rules alone. Where its
// positions have canonical keys (engine.CanonicalGame) it has opening books,
// tables of all positions of a board, and exact answers by alpha-beta search
// over keys; every game has a look ahead by its rules as its live search.
func FromRules(g engine.Game) book.Game {
	out := book.Game{
		Game: g,
		Open: func(o book.Options) (*book.Lookup, error) { return Open(g, o) },
		Plain: func(extent book.Extent) plain.Solver {
			if extent == book.Whole {
				return &plain.Rules{Game: g, Visits: 20 * plain.RulesVisits}
			}
			return &plain.Rules{Game: g}
		},
	}
	if c, ok := g.(engine.CanonicalGame); ok {
		out.Tables = []book.TableKind{positionsKind(c)}
	}
	return out
}

// Open opens the sources of a game of which only the rules are known.
func Open(g engine.Game, o book.Options) (*book.Lookup, error) {
	l := &book.Lookup{Instant: ahead.Instant(g)}
	if c, ok := g.(engine.CanonicalGame); ok {
		t := openPositionTables(o.Store, c, o.Logger())
		l.Closers = []io.Closer{t}
		l.Sources = []book.Source{book.TableSource{Know: t.know}}
		if o.Nodes == 0 { // the exact search knows no other limit than the clock
			l.Sources = append(l.Sources, negamaxSource{negamax.New(o.HashBytes)})
		}
	}
	l.Sources = append(l.Sources, ahead.Search(g, o.HashBytes, o.Nodes))
	return book.WithOpening(l, o, g), nil
}

// shareOfNegamax is the part of the clock that the exact search gets; a game
// with so little of its own has no better use for the time.
const shareOfNegamax = 0.75

// negamaxSource solves positions exactly inside the clock.
type negamaxSource struct{ solver *negamax.Solver }

func (negamaxSource) Name() string { return "solved" }

func (s negamaxSource) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	c, err := book.CanonicalPosition(q)
	if err != nil {
		return false, err
	}
	share := shareOfNegamax
	if _, owed := q.Known.Owed(); owed {
		share = book.ShareToKeep
	}
	ctx, cancel := book.Within(ctx, q.Clock, share)
	defer cancel()
	moves, complete, nodes, err := s.solver.Moves(ctx, c, q.AllMoves)
	q.Known.Count(nodes)
	if errors.Is(err, negamax.ErrRange) {
		return false, nil // the live search has no limits
	}
	if err != nil {
		return false, err
	}
	if !complete {
		for _, m := range moves {
			q.Known.Prove(s.Name(), known.Claim{Move: m.Move, Lower: m.Value, Upper: m.Value})
		}
		return false, nil
	}
	best := moves[0].Value
	q.Known.Bound(s.Name(), best, best)
	// The line is what the search has in its memory, at little cost.
	return false, book.ProveValues(ctx, s.Name(), q, c, moves, book.LineMoves, "", func(p engine.Canonical) (int, bool) {
		v, n, err := s.solver.Value(ctx, p)
		q.Known.Count(n)
		return v, err == nil
	})
}
