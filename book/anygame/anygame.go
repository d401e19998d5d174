// Package anygame is what is kept and answered of a game that has nothing of its
// own but its rules: boards makes tables, tables opens them, ahead searches.
package anygame

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"endwise/book"
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
		Open: func(o book.Options) (*book.Lookup, error) { return open(g, o) },
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

func open(g engine.Game, o book.Options) (*book.Lookup, error) {
	_, counted := g.(engine.Counted)
	l := &book.Lookup{
		Sources: []book.Source{aheadSource{name: "search", counted: counted, positions: int(max(o.HashBytes/aheadBytes, 1<<10))}},
		Instant: aheadSource{name: "instant", counted: counted, turns: 1},
	}
	if c, ok := g.(engine.CanonicalGame); ok {
		t := openPositionTables(o.Store, c, o.Logger())
		l.Closers = []io.Closer{t}
		l.Sources = slices.Insert(l.Sources, 0, book.Source(book.TableSource{Know: t.know}), book.Source(negamaxSource{negamax.New(o.HashBytes)}))
	}
	return book.WithOpening(l, o, g), nil
}

// shareOfNegamax is the part of the clock that the exact search gets; a game
// with so little of its own has no better use for the time.
const shareOfNegamax = 0.75

// aheadBytes is about what a proved value takes in the memory of a lookahead.
const aheadBytes = 256

// negamaxSource solves positions exactly inside the clock.
type negamaxSource struct{ solver *negamax.Solver }

func (negamaxSource) Name() string { return "solved" }

func (s negamaxSource) Answer(ctx context.Context, q *book.Question) (engine.Decision, bool, error) {
	c, err := book.CanonicalPosition(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	if left, limited := q.Clock.Remaining(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(float64(left)*shareOfNegamax))
		defer cancel()
	}
	moves, complete, nodes, err := s.solver.Moves(ctx, c, q.AllMoves)
	q.Nodes += nodes
	if errors.Is(err, negamax.ErrRange) {
		return engine.Decision{}, false, nil // the live search has no limits
	}
	if err != nil {
		return engine.Decision{}, false, err
	}
	if !complete {
		for _, m := range moves {
			q.Known = append(q.Known, engine.MoveValue{Move: c.MoveString(m.Move), Score: m.Value, Proof: engine.Exact, Source: s.Name()})
		}
		return engine.Decision{}, false, nil
	}
	if !q.AllMoves {
		moves = moves[:1]
	}
	d := book.ExactDecision(q, c, s.Name(), moves)
	// The line is what the search has in its memory, at little cost.
	err = book.AddLines(ctx, &d, c, moves[:1], book.LineMoves, func(p engine.Canonical) (int, bool) {
		v, n, err := s.solver.Value(ctx, p)
		q.Nodes += n
		return v, err == nil
	})
	d.Nodes = q.Nodes
	return d, err == nil, err
}
