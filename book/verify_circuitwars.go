package book

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"endwise/book/store"
	"endwise/engine/grid"
	"endwise/solver/farm"
	"endwise/solver/plain"
	"endwise/solver/retrograde/layers"
)

// checkCircuitWarsBoard checks the table of a board.
func checkCircuitWarsBoard(ctx context.Context, path string, h *store.Header, extent Extent, p *farm.Progress) (checked uint64, err error) {
	b, err := grid.Parse(h.Params["board"])
	if err != nil {
		return 0, fmt.Errorf("%w: board %q", store.ErrDamaged, h.Params["board"])
	}
	t, err := openBoardTable(filepath.Dir(path), b)
	if err != nil {
		return 0, err
	}
	defer t.table.Close()
	if extent == Whole {
		return wholeBoard(ctx, t, p)
	}
	return verifyBoard(ctx, t, p)
}

// checkCircuitWarsEndings checks a table of endings.
func checkCircuitWarsEndings(ctx context.Context, path string, h *store.Header, extent Extent, p *farm.Progress) (checked uint64, err error) {
	n, err := strconv.Atoi(h.Params["segments"])
	if err != nil {
		return 0, fmt.Errorf("%w: segments %q", store.ErrDamaged, h.Params["segments"])
	}
	t, err := openEndingsTable(filepath.Dir(path), n)
	if err != nil {
		return 0, err
	}
	defer t.table.Close()
	checked, err = verifyEndings(ctx, t, p)
	if err == nil && extent == Whole {
		var more uint64
		more, err = wholeEndings(ctx, t, p)
		checked += more
	}
	return checked, err
}

// wholeBoard compares every position of a board with the plain solver, and the
// spread of the values with the header.
func wholeBoard(ctx context.Context, t *boardTable, p *farm.Progress) (checked uint64, err error) {
	values, err := plain.CircuitWarsBoard(ctx, t.size.String(), stage(p, "solve "+t.size.String()+" again", "positions"))
	if errors.Is(err, plain.ErrTooLarge) {
		return verifyBoard(ctx, t, p)
	}
	if err != nil {
		return 0, err
	}
	p.Begin("compare "+t.size.String(), "positions", 0, uint64(len(values)))
	spread := map[int]uint64{}
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
		spread[int(v)]++
		checked++
	}
	p.Set(uint64(len(values)))
	return checked, sameSpread(t.table, spread)
}

// wholeEndings works all endings out again, without the table, and compares
// every entry. It is the method that made the table; the plain solver cannot
// list the endings of all boards.
func wholeEndings(ctx context.Context, t *endingsTable, p *farm.Progress) (checked uint64, err error) {
	h := t.table.Header()
	e, err := layers.NewEndings(ctx, t.segments, h.KeyBits, 1, p)
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
			v, ok, err := t.table.Lookup(store.Key{Hi: x.Key})
			if err != nil {
				return checked, err
			}
			if !ok || int(v)-endingOffset != x.Value {
				return checked, fmt.Errorf("ending %x of %d segments: the table says %+d (there: %v), solved again %+d", x.Key, n, int(v)-endingOffset, ok, x.Value)
			}
			checked++
		}
		p.Add(uint64(len(list)))
	}
	if checked != h.Entries {
		return checked, fmt.Errorf("%s: %w: %d endings, the table has %d", t.table.Path(), store.ErrDamaged, checked, h.Entries)
	}
	return checked, nil
}
