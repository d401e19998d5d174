package book

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"

	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/retrograde/layers"
)

// CanSolveCircuitWarsBoard says why a board cannot be solved completely, nil if
// it can.
func CanSolveCircuitWarsBoard(b *grid.Board) error {
	if n := b.Segments(); n > layers.MaxBoardSegments {
		return fmt.Errorf("board %s: has %d segments, a complete table is possible up to %d", b, n, layers.MaxBoardSegments)
	}
	return nil
}

// CircuitWarsTables are the solved tables of a store: those of whole boards,
// opened when a position of the board is asked for, and the largest one of
// endings. A table that cannot be used is reported to the log once and left
// out. It is safe for concurrent use.
type CircuitWarsTables struct {
	dir string
	log *slog.Logger

	mu      sync.Mutex
	boards  map[*grid.Board]*boardTable // nil entries: there is none
	looked  bool                        // for endings
	endings *endingsTable
	open    []*store.Table // all that were opened, those left out later included
}

// OpenCircuitWarsTables gives access to the tables in a store directory, which
// need not exist.
func OpenCircuitWarsTables(dir string, log *slog.Logger) *CircuitWarsTables {
	return &CircuitWarsTables{dir: dir, log: log, boards: map[*grid.Board]*boardTable{}}
}

// Close closes the tables. None may be in use.
func (t *CircuitWarsTables) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, o := range t.open {
		errs = append(errs, o.Close())
	}
	t.dir, t.open, t.boards, t.endings = "", nil, map[*grid.Board]*boardTable{}, nil
	return errors.Join(errs...)
}

// leaveOut reports a table that cannot be used; one that is not there is no
// news.
func (t *CircuitWarsTables) leaveOut(err error) {
	if !errors.Is(err, store.ErrMissing) {
		t.log.Warn("table left out", "error", err)
	}
}

// board is the table of a board, nil if there is none.
func (t *CircuitWarsTables) board(b *grid.Board) *boardTable {
	if b.Segments() > layers.MaxBoardSegments {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dir == "" {
		return nil
	}
	tab, ok := t.boards[b]
	if !ok {
		var err error
		if tab, err = openBoardTable(t.dir, b); err != nil {
			t.leaveOut(err)
			tab = nil
		} else {
			t.open = append(t.open, tab.table)
		}
		t.boards[b] = tab
	}
	return tab
}

// endingsFor is the largest table of endings, nil if there is none.
func (t *CircuitWarsTables) endingsFor() *endingsTable {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.looked || t.dir == "" {
		return t.endings
	}
	t.looked = true
	list, err := store.List(t.dir)
	if err != nil {
		t.leaveOut(err)
		return nil
	}
	best := 0
	for _, l := range list {
		n, isEndings := strings.CutPrefix(l.Name, circuitwars.Name+"-endings-")
		segments, err := strconv.Atoi(n)
		if !isEndings || err != nil || l.Building || segments <= best {
			continue
		}
		tab, err := openEndingsTable(t.dir, segments)
		if err != nil {
			t.leaveOut(err)
			continue
		}
		t.open = append(t.open, tab.table)
		t.endings, best = tab, segments
	}
	return t.endings
}

// drop stops using a table that turned out to be damaged. It stays open until
// Close, because others may be reading.
func (t *CircuitWarsTables) drop(b *grid.Board, err error) {
	t.leaveOut(err)
	t.mu.Lock()
	defer t.mu.Unlock()
	if b != nil {
		t.boards[b] = nil
	} else {
		t.endings = nil
	}
}

// Value is the exact value of a position for the mover, given the board and
// its free segments in normal form (none inside a closed area), and the name
// of the table that knows it. ok is false where no table does.
func (t *CircuitWarsTables) Value(b *grid.Board, free grid.Set) (value int, table string, ok bool) {
	if tab := t.board(b); tab != nil {
		v, err := tab.value(b, free)
		if err == nil {
			return v, tab.table.Header().Name, true
		}
		t.drop(b, err)
	}
	if n := free.Len(); n <= layers.MaxEndingEdges {
		if tab := t.endingsFor(); tab != nil && tab.covers(b, n) {
			v, err := tab.value(b.Graph(free))
			if err == nil {
				return v, tab.table.Header().Name, true
			}
			t.drop(nil, err)
		}
	}
	return 0, "", false
}

// tableSource answers from the solved tables where these know the position
// and all positions one move later.
type tableSource struct{ tables *CircuitWarsTables }

func (tableSource) Name() string { return "table" }

func (s tableSource) Answer(ctx context.Context, q *Question) (engine.Decision, bool, error) {
	p, err := circuitWarsPosition(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	_, name, ok := s.tables.Value(p.Board(), p.Free())
	if !ok {
		return engine.Decision{}, false, nil
	}
	moves, ok, err := s.moves(p)
	if !ok || err != nil {
		return engine.Decision{}, false, err
	}
	d := engine.Decision{Source: s.Name(), Proof: engine.Exact, Nodes: q.Nodes, Note: "from the table " + name}
	for i, m := range moves {
		v := engine.MoveValue{Move: p.MoveString(m.move), Score: m.value, Proof: engine.Exact, Source: s.Name()}
		if i == 0 || q.AllMoves {
			if v.Line, err = s.line(ctx, m.after); err != nil {
				return engine.Decision{}, false, err
			}
		}
		d.Moves = append(d.Moves, v)
	}
	d.Move, d.Score = d.Moves[0].Move, d.Moves[0].Score
	d.Line = append([]string{d.Move}, d.Moves[0].Line...)
	return d, true, nil
}

// tableMove is a move with its value and where it leads.
type tableMove struct {
	move  engine.Move
	value int
	after circuitwars.Position
}

// moves gives all moves of a position with their values, best first, equal
// ones in the order of the game; false where a table does not know one.
func (s tableSource) moves(p circuitwars.Position) ([]tableMove, bool, error) {
	var out []tableMove
	for _, m := range p.Moves() {
		after, err := p.Occupy(int(m))
		if err != nil {
			return nil, false, err
		}
		v, _, ok := s.tables.Value(p.Board(), after.Free())
		if !ok {
			return nil, false, nil
		}
		out = append(out, tableMove{m, p.Left() - after.Left() - v, after})
	}
	slices.SortStableFunc(out, func(a, b tableMove) int { return b.value - a.value })
	return out, len(out) > 0, nil
}

// line is best play from a position to the end, always the first move that
// keeps the value.
func (s tableSource) line(ctx context.Context, p circuitwars.Position) ([]string, error) {
	var line []string
	for !p.Over() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		want, _, ok := s.tables.Value(p.Board(), p.Free())
		if !ok {
			return line, nil
		}
		next := p
		for _, m := range p.Moves() {
			after, err := p.Occupy(int(m))
			if err != nil {
				return nil, err
			}
			if v, _, ok := s.tables.Value(p.Board(), after.Free()); ok && p.Left()-after.Left()-v == want {
				line, next = append(line, p.MoveString(m)), after
				break
			}
		}
		if next.Free() == p.Free() {
			return line, nil // a table was left out on the way
		}
		p = next
	}
	return line, nil
}
