package circuitwars

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine/grid"
	"endwise/solver/circuitwars/tables"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// checkBoard implements [book.TableKind] Check for the table of a board.
func checkBoard(
	ctx context.Context, dir string, h *store.Header, extent book.Extent, p *farm.Progress,
) (checked uint64, err error) {
	b, err := grid.Parse(h.Params["board"])
	if err != nil {
		return 0, fmt.Errorf("%w: board %q", store.ErrDamaged, h.Params["board"])
	}
	t, err := openBoardTable(dir, b)
	if err != nil {
		return 0, err
	}
	defer t.Table.Close()
	if extent == book.Whole {
		return wholeBoard(ctx, t, p)
	}
	return verifyBoard(ctx, t, p)
}

// checkEndings implements [book.TableKind] Check for a table of endings.
func checkEndings(
	ctx context.Context, dir string, h *store.Header, extent book.Extent, p *farm.Progress,
) (checked uint64, err error) {
	n, err := strconv.Atoi(h.Params["segments"])
	if err != nil {
		return 0, fmt.Errorf("%w: segments %q", store.ErrDamaged, h.Params["segments"])
	}
	t, err := openEndingsTable(dir, n)
	if err != nil {
		return 0, err
	}
	defer t.Table.Close()
	checked, err = verifyEndings(ctx, t, p)
	if err == nil && extent == book.Whole {
		var more uint64
		more, err = wholeEndings(ctx, t, p)
		checked += more
	}
	return checked, err
}

// wholeBoard compares the value of every position in the table with the plain solver, and the numbers of
// values with the header. If the board is too large for the plain solver, it calls verifyBoard instead.
func wholeBoard(ctx context.Context, t *boardTable, p *farm.Progress) (checked uint64, err error) {
	values, err := plain.CircuitWarsBoard(ctx, t.size.String(), book.Stage(p, "solve "+t.size.String()+" again", "positions"))
	if errors.Is(err, plain.ErrTooLarge) {
		return verifyBoard(ctx, t, p)
	}
	if err != nil {
		return 0, err
	}
	p.Begin("compare "+t.size.String(), "positions", 0, uint64(len(values)))
	histogram := map[int]uint64{}
	for m, v := range values {
		if m%(1<<16) == 0 {
			if err := ctx.Err(); err != nil {
				return checked, err
			}
			p.Set(uint64(m))
		}
		if normal, _ := t.board.Normal(uint32(m)); normal != uint32(m) {
			continue
		}
		if err := t.compare(grid.Set{uint64(m)}, int(v)); err != nil {
			return checked, err
		}
		histogram[int(v)]++
		checked++
	}
	p.Set(uint64(len(values)))
	return checked, store.SameHistogram(t.Table, histogram)
}

// wholeEndings solves all endings again and compares every entry of the table. It uses the method that
// built the table, because the plain solver cannot list the endings of all boards.
func wholeEndings(ctx context.Context, t *endingsTable, p *farm.Progress) (checked uint64, err error) {
	h := t.Table.Header()
	e, err := tables.NewEndings(ctx, t.segments, h.KeyBits, 1, p)
	if err != nil {
		return 0, err
	}
	p.Begin(fmt.Sprintf("solve endings of %d again", t.segments), "positions", 0, e.Positions())
	for n := 1; n <= t.segments; n++ {
		list, err := e.Solve(ctx, n, 0, 1)
		if err != nil {
			return checked, err
		}
		if err := e.Restore(list); err != nil {
			return checked, err
		}
		for _, x := range list {
			v, ok, err := t.Score(store.Key{Hi: x.Key})
			if err != nil {
				return checked, err
			}
			if !ok || v != x.Value {
				return checked, fmt.Errorf("ending %x of %d segments: the table has %+d (found: %v), but the value is %+d",
					x.Key, n, v, ok, x.Value)
			}
			checked++
		}
		p.Add(uint64(len(list)))
	}
	if checked != h.Entries {
		return checked, fmt.Errorf("%s: %w: %d endings, the table has %d", t.Table.Path(), store.ErrDamaged, checked, h.Entries)
	}
	return checked, nil
}

const (
	verifySteps = 3000 // positions compared with the values of the positions after their moves
	verifyPlain = 60   // positions compared with plain minimax
	plainEdges  = 13   // maximum number of free segments of these
)

// verifyBoard compares random positions of a board's table, or all of a small one, with the values that
// follow from their moves, and some more with plain minimax.
func verifyBoard(ctx context.Context, t *boardTable, p *farm.Progress) (uint64, error) {
	r := rand.New(rand.NewPCG(20, 26))
	masks := t.board.Masks()
	steps := min(verifySteps, masks)
	p.Begin("verify "+t.size.String(), "positions", 0, steps+verifyPlain)
	for i := range steps + verifyPlain {
		if err := ctx.Err(); err != nil {
			return i, err
		}
		m, value := r.Uint64N(masks), t.byMoves
		switch {
		case i >= steps:
			for bits.OnesCount64(m) > plainEdges {
				m &^= 1 << r.IntN(t.size.Segments())
			}
			value = func(free grid.Set) (int, error) { return plain.CircuitWarsValue(t.size.String(), free.Segments()) }
		case steps == masks:
			m = i
		case i == steps-1:
			m = masks - 1 // the empty board
		}
		free, _ := t.size.Live(grid.Set{m})
		want, err := value(free)
		if err == nil {
			err = t.compare(free, want)
		}
		if err != nil {
			return i, err
		}
		p.Add(1)
	}
	return steps + verifyPlain, nil
}

// verifyEndings compares the numbers of values with the header, and positions of random games with plain
// minimax or with the values after their moves.
func verifyEndings(ctx context.Context, t *endingsTable, p *farm.Progress) (uint64, error) {
	if err := t.CheckHistogram(ctx); err != nil {
		return 0, err
	}
	r := rand.New(rand.NewPCG(20, 26))
	p.Begin(fmt.Sprintf("verify endings of %d", t.segments), "positions", 0, verifySteps)
	for i := range uint64(verifySteps) {
		if err := ctx.Err(); err != nil {
			return i, err
		}
		b, err := grid.New(1+r.IntN(tables.Side), 1+r.IntN(tables.Side))
		if err != nil {
			return i, err
		}
		free := b.All()
		for keep := 1 + r.IntN(t.segments); free.Len() > keep; {
			list := free.Segments()
			free.Remove(list[r.IntN(len(list))])
			free, _ = b.Live(free)
		}
		got, err := t.value(b, free)
		if err != nil {
			return i, err
		}
		var want int
		if i < verifyPlain && free.Len() <= plainEdges {
			want, err = plain.CircuitWarsValue(b.String(), free.Segments())
		} else {
			want, err = valueByMoves(b, free, func(next grid.Set) (int, error) { return t.value(b, next) })
		}
		if err != nil {
			return i, err
		}
		if got != want {
			return i, fmt.Errorf("position %x of %s: the table has %+d, but the value is %+d", free, b, got, want)
		}
		p.Add(1)
	}
	return verifySteps, nil
}
