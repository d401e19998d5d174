package book

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"endwise/engine"
	"endwise/engine/search"
	"endwise/solver/negamax"
	"endwise/solver/plain"
)

// AnyGame is a game as this room knows it from its rules alone. Where its
// positions have canonical keys (engine.CanonicalGame) it has opening books,
// tables of all positions of a board, and exact answers by alpha-beta search
// over keys; every game has the built-in level that looks furthest as its live
// search.
func AnyGame(g engine.Game) Game {
	out := Game{
		Game: g,
		Open: func(o Options) (*Lookup, error) { return openAnyGame(g, o) },
		Plain: func(extent Extent) plain.Solver {
			if extent == Whole {
				return &plain.Rules{Game: g, Visits: 20 * plain.RulesVisits}
			}
			return &plain.Rules{Game: g}
		},
	}
	if c, ok := g.(engine.CanonicalGame); ok {
		out.Tables = []TableKind{positionsKind(c)}
	}
	return out
}

func openAnyGame(g engine.Game, o Options) (*Lookup, error) {
	deep, err := search.NewLevel(search.Levels, 1)
	if err != nil {
		return nil, err
	}
	quick, err := search.NewLevel(2, 1)
	if err != nil {
		return nil, err
	}
	l := &Lookup{Sources: []Source{levelSource{deep, "search"}}, Instant: levelSource{quick, "instant"}}
	if c, ok := g.(engine.CanonicalGame); ok {
		t := openPositionTables(o.Store, c, o.logger())
		l.closers = []io.Closer{t}
		l.Sources = slices.Insert(l.Sources, 0, Source(positionSource{t}), Source(negamaxSource{negamax.New(o.HashBytes)}))
	}
	return withOpening(l, o, g), nil
}

// canonical is the question's position with its keys.
func canonical(q *Question) (engine.Canonical, error) {
	c, ok := q.Position.(engine.Canonical)
	if !ok {
		return nil, fmt.Errorf("a position of %s where one with a canonical key is expected", q.Position.Game())
	}
	return c, nil
}

// exactDecision is the answer where the best move's value is known, and those
// of the others too where they are given. value gives the values of later
// positions as far as they are known, for the line.
func exactDecision(q *Question, c engine.Canonical, source string, moves []negamax.Move, value func(engine.Canonical) (int, bool)) (engine.Decision, error) {
	best := moves[0]
	d := engine.Decision{Move: c.MoveString(best.Move), Score: best.Value, Proof: engine.Exact, Source: source, Nodes: q.Nodes}
	var err error
	if d.Line, err = bestLine(c, best.Move, value); err != nil {
		return d, err
	}
	for i, m := range moves {
		v := engine.MoveValue{Move: c.MoveString(m.Move), Score: m.Value, Proof: engine.Exact, Source: source}
		if i == 0 {
			v.Line = d.Line[1:]
		}
		d.Moves = append(d.Moves, v)
	}
	return d, nil
}

// bestLine is a move and best play after it, as far as values are known.
func bestLine(c engine.Canonical, m engine.Move, value func(engine.Canonical) (int, bool)) ([]string, error) {
	var out []string
	for {
		out = append(out, c.MoveString(m))
		next, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		if next.Over() || len(out) == lineMoves {
			return out, nil
		}
		c = next.(engine.Canonical)
		moves, ok, err := movesByValue(c, value)
		if err != nil || !ok {
			return out, err
		}
		m = moves[0].Move
	}
}

// movesByValue are the moves of a position, best first, from the values of the
// positions behind them; ok is false where one is not known.
func movesByValue(c engine.Canonical, value func(engine.Canonical) (int, bool)) (moves []negamax.Move, ok bool, err error) {
	for _, m := range c.Moves() {
		next, err := c.Play(m)
		if err != nil {
			return nil, false, err
		}
		v := c.Gain(next)
		if !next.Over() {
			w, known := value(next.(engine.Canonical))
			if !known {
				return nil, false, nil
			}
			if next.Turn() == c.Turn() {
				v += w
			} else {
				v -= w
			}
		}
		moves = append(moves, negamax.Move{Move: m, Value: v})
	}
	slices.SortStableFunc(moves, func(a, b negamax.Move) int { return b.Value - a.Value })
	return moves, true, nil
}

// shareOfNegamax is the part of the clock that the exact search gets; a game
// with so little of its own has no better use for the time.
const shareOfNegamax = 0.75

// negamaxSource solves positions exactly inside the clock.
type negamaxSource struct{ solver *negamax.Solver }

func (negamaxSource) Name() string { return "solved" }

func (s negamaxSource) Answer(ctx context.Context, q *Question) (engine.Decision, bool, error) {
	c, err := canonical(q)
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
	// The line is what the search has in its memory, at little cost.
	d, err := exactDecision(q, c, s.Name(), moves, func(p engine.Canonical) (int, bool) {
		v, n, err := s.solver.Value(ctx, p)
		q.Nodes += n
		return v, err == nil
	})
	return d, err == nil, err
}

// levelSource asks a built-in level, whose answer counts also where the time was
// up before it had looked at all that it wanted to. Where the values of some moves are proved
// it does not give up the best of them for a move that is proved to be worse.
type levelSource struct {
	level *search.Level
	name  string
}

func (s levelSource) Name() string { return s.name }

func (s levelSource) Answer(ctx context.Context, q *Question) (engine.Decision, bool, error) {
	d, err := s.level.Choose(ctx, q.Position, q.Clock)
	if err != nil && !(d.Move != "" && errors.Is(err, context.DeadlineExceeded)) {
		return engine.Decision{}, false, err
	}
	d.Source, d.Nodes = s.name, q.Nodes
	for i := range d.Moves {
		d.Moves[i].Source = s.name
	}
	if len(q.Known) == 0 {
		return d, true, nil
	}
	best := q.Known[0]
	for _, k := range q.Known[1:] {
		if k.Score > best.Score {
			best = k
		}
	}
	i := slices.IndexFunc(q.Known, func(k engine.MoveValue) bool { return k.Move == d.Move })
	switch {
	case i < 0: // nothing is proved of the move
		d.Moves = append(d.Moves, q.Known...)
		return d, true, nil
	case q.Known[i].Score == best.Score:
		best = q.Known[i]
	}
	// The best that is proved; other moves may be worth more.
	d.Move, d.Score, d.Proof, d.Depth, d.Line = best.Move, best.Score, engine.Lower, 0, []string{best.Move}
	d.Moves = slices.Clone(q.Known)
	slices.SortStableFunc(d.Moves, func(a, b engine.MoveValue) int { return b.Score - a.Score })
	return d, true, nil
}

// positionTables are the tables of all positions of a board that a store has. A
// table that can't be used is reported once and left out.
type positionTables struct {
	list []*positionTable
	log  *slog.Logger
}

func openPositionTables(dir string, g engine.CanonicalGame, log *slog.Logger) *positionTables {
	t := &positionTables{log: log}
	if dir == "" {
		return t
	}
	paths, err := filepath.Glob(filepath.Join(dir, positionsName(g, "*"), "table.json"))
	if err != nil { // the directory's name is no pattern
		return t
	}
	for _, path := range paths {
		table, err := openPositions(filepath.Dir(path), g)
		if err != nil {
			if !errors.Is(err, os.ErrNotExist) {
				log.Warn("table is left out", "why", err)
			}
			continue
		}
		t.list = append(t.list, table)
	}
	return t
}

// Close closes the tables.
func (t *positionTables) Close() error {
	var errs []error
	for _, table := range t.list {
		errs = append(errs, table.Close())
	}
	return errors.Join(errs...)
}

// positionSource answers from tables of all positions of a board.
type positionSource struct{ tables *positionTables }

func (positionSource) Name() string { return "table" }

func (s positionSource) Answer(_ context.Context, q *Question) (engine.Decision, bool, error) {
	c, err := canonical(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	for _, t := range s.tables.list {
		if t.board != c.BoardName() || t.left.Load() {
			continue
		}
		value := func(p engine.Canonical) (int, bool) {
			v, known, err := t.value(p)
			if err != nil {
				if !t.left.Swap(true) {
					s.tables.log.Warn("table is left out", "why", err)
				}
				return 0, false
			}
			return v, known
		}
		moves, ok, err := movesByValue(c, value)
		if err != nil || !ok {
			return engine.Decision{}, false, err
		}
		d, err := exactDecision(q, c, s.Name(), moves, value)
		return d, err == nil, err
	}
	return engine.Decision{}, false, nil
}
