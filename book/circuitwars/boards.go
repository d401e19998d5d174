package circuitwars

import (
	"context"
	"fmt"
	"sync/atomic"

	"endwise/book/store"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/circuitwars/tables"
	"endwise/solver/farm"
)

const boardSolverVersion = 1

// CanSolveBoard returns an error that explains why a board cannot be solved completely, or nil.
func CanSolveBoard(b *grid.Board) error {
	_, err := tables.NewBoard(b)
	return err
}

type boardLayout struct {
	name  string        // of the table
	size  *grid.Board   // has at least as many columns as rows
	board *tables.Board // numbers the positions and encodes their values
}

// layoutOf returns the layout of the table for a board. A board with more rows than columns shares the
// table of the board turned by 90 degrees.
func layoutOf(b *grid.Board) (l boardLayout, err error) {
	if b.Rows > b.Cols {
		if b, err = grid.New(b.Cols, b.Rows); err != nil {
			return l, err
		}
	}
	l = boardLayout{name: fmt.Sprintf("%s-board-%s", circuitwars.Name, b), size: b}
	l.board, err = tables.NewBoard(b)
	return l, err
}

// transpose maps the free segments of a board to the board turned by 90 degrees.
func transpose(from, to *grid.Board, free grid.Set) grid.Set {
	var out grid.Set
	for _, s := range free.Segments() {
		if r, c, horizontal := from.Line(s); horizontal {
			out.Add(to.V(c, r))
		} else {
			out.Add(to.H(c, r))
		}
	}
	return out
}

// SolveBoard solves all positions of a board and stores the table in the store dir. Each job of f solves
// one chunk ([tables.BoardSolver]). Another call resumes an interrupted run. SolveBoard returns a
// [store.ExistsError] if the table exists.
func SolveBoard(ctx context.Context, dir string, b *grid.Board, f farm.Farm, p *farm.Progress) (*store.Header, error) {
	l, err := layoutOf(b)
	if err != nil {
		return nil, err
	}
	name, b, board := l.name, l.size, l.board
	s := tables.NewBoardSolver(board)
	spec := store.Spec{
		Name: name, Title: fmt.Sprintf("every position of the %s board", b),
		Game: circuitwars.Name, Rules: circuitwars.RulesVersion, Solver: boardSolverVersion,
		Params: map[string]string{"board": b.String()},
		Kind:   store.Dense, Bits: 4, BlockValues: tables.BlockValues, Values: board.Masks(),
		ShardBlocks: max(1, s.ChunkMasks()/tables.BlockValues), Compress: true,
	}
	builder, err := store.Create(dir, spec)
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	done := s.Chunks() - len(builder.Pending())
	p.Begin("solve "+b.String(), "positions", s.ChunkMasks()*uint64(done), board.Masks())
	if err := solveChunks(ctx, f, builder, s, p); err != nil {
		return nil, err
	}
	var canonical atomic.Uint64 // number of values stored, those of canonical positions
	notes := map[string]uint64{}
	p.Begin("store "+b.String(), "parts", 0, uint64(s.Chunks()))
	return builder.Finish(ctx, store.FinishOptions{
		Transform: func(block uint64, payload []byte) ([]byte, error) {
			codes, n := board.Encode(block, payload)
			canonical.Add(n)
			return codes, nil
		},
		Notes: notes,
		Verify: func(ctx context.Context, t *store.Table) (uint64, error) {
			notes["canonical"] = canonical.Load()
			return verifyBoard(ctx, &boardTable{l, t}, p)
		},
		Progress: p.Set,
	})
}

// storeChunk stores the values of a solved chunk as a shard; hist is the number of positions by value.
func storeChunk(b *store.Builder, s *tables.BoardSolver, chunk int, hist map[int]uint64) error {
	w, err := b.CreateShard(chunk)
	if err != nil {
		return err
	}
	values := s.Values(chunk)
	first, end := b.Spec().ShardRange(chunk)
	size := len(values) / int(end-first)
	for n := first; n < end; n++ {
		if err := w.PutBlock(n, values[:size]); err != nil {
			w.Abort()
			return err
		}
		values = values[size:]
	}
	for v, n := range hist {
		w.Count(v, n)
	}
	return w.Finish()
}

type boardTable struct {
	boardLayout
	*store.Table
}

func openBoardTable(dir string, b *grid.Board) (*boardTable, error) {
	l, err := layoutOf(b)
	if err != nil {
		return nil, err
	}
	fits := func(h *store.Header) bool {
		return h.Kind == store.Dense && h.Bits == 4 && h.Values == l.board.Masks() &&
			h.Solver == boardSolverVersion && h.Params["board"] == l.size.String()
	}
	t, err := store.Open(store.Dir(dir, l.name),
		store.Options{Game: circuitwars.Name, Rules: circuitwars.RulesVersion, Fits: fits})
	return &boardTable{l, t}, err
}

// value returns the exact value for the side to move. b is t.size, or that board turned by 90 degrees.
func (t *boardTable) value(b *grid.Board, free grid.Set) (int, error) {
	if b != t.size {
		free = transpose(b, t.size, free)
	}
	rank, grounded := t.board.Place(uint32(free[0]))
	code, err := t.Table.Value(rank)
	if err != nil {
		return 0, err
	}
	return tables.Decode(code, grounded), nil
}

// compare returns an error unless the table has the value want for a position.
func (t *boardTable) compare(free grid.Set, want int) error {
	got, err := t.value(t.size, free)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("position %x of %s: the table has %+d, but the value is %+d", free[0], t.size, got, want)
	}
	return nil
}

func (t *boardTable) byMoves(free grid.Set) (int, error) {
	return valueByMoves(t.size, free, func(next grid.Set) (int, error) { return t.value(t.size, next) })
}

// valueByMoves computes the value of a position from the values of the positions after its moves; it is
// 0 without moves. It calls value with the segments that can still be drawn ([grid.Board.Live]).
func valueByMoves(b *grid.Board, free grid.Set, value func(free grid.Set) (int, error)) (int, error) {
	best, first := 0, true
	_, before := b.Live(free)
	for _, s := range free.Segments() {
		next := free
		next.Remove(s)
		next, after := b.Live(next)
		v, err := value(next)
		if err != nil {
			return 0, err
		}
		if v = before - after - v; first || v > best {
			best, first = v, false
		}
	}
	return best, nil
}
