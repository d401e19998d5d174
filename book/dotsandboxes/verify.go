package dotsandboxes

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/tables"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// wholeTable compares the value of every position of a board with the plain solver. If the board is
// too large for the plain solver, it calls verifyTable instead.
func wholeTable(ctx context.Context, t *boardTable, p *farm.Progress) (checked uint64, err error) {
	values, err := plain.DotsAndBoxesBoard(ctx, t.board.String(), book.Stage(p, "solve "+t.board.String()+" again", "positions"))
	if errors.Is(err, plain.ErrTooLarge) {
		return verifyTable(ctx, t, p)
	}
	if err != nil {
		return 0, err
	}
	c := tables.NewFinder(t.board)
	p.Begin("compare "+t.board.String(), "positions", 0, uint64(len(values)))
	for m, want := range values {
		if m%(1<<12) == 0 {
			if err := ctx.Err(); err != nil {
				return checked, err
			}
			p.Set(uint64(m))
		}
		free := grid.Set{uint64(m)}
		got, known, err := t.value(c, t.board, free)
		if err != nil {
			return checked, err
		}
		if !known || got != int(want) {
			return checked, fmt.Errorf("position %x of %s: the table has %+d (found: %v), the value is %+d",
				free, t.board, got, known, want)
		}
		checked++
	}
	p.Set(uint64(len(values)))
	return checked, nil
}

const (
	// verifyByLines is the number of positions compared with the values after each line.
	verifyByLines = 2000
	verifyByPlain = 200
	// plainLines is the maximum number of free lines for plain minimax.
	plainLines = 12
)

// verifyTable checks random positions, the same in every call: verifyByLines positions, first the empty
// board, by the values after their lines, and verifyByPlain positions near the end by plain minimax.
func verifyTable(ctx context.Context, t *boardTable, p *farm.Progress) (checked uint64, err error) {
	b := t.board
	c := tables.NewFinder(b)
	r := rand.New(rand.NewPCG(20, 26))
	p.Begin("verify "+b.String(), "positions", 0, verifyByLines+verifyByPlain)
	for i := range verifyByLines + verifyByPlain {
		if err := ctx.Err(); err != nil {
			return checked, err
		}
		free := b.All()
		drawn := r.IntN(b.Segments() + 1)
		switch {
		case i == 0:
			drawn = 0
		case i >= verifyByLines:
			drawn = max(drawn, b.Segments()-plainLines)
		}
		for _, s := range r.Perm(b.Segments())[:drawn] {
			free.Remove(s)
		}
		got, known, err := t.value(c, b, free)
		if err == nil && !known {
			err = fmt.Errorf("position %x is missing", free)
		}
		if err != nil {
			return checked, err
		}
		var want int
		if i < verifyByLines {
			want, err = t.byLines(c, b, free)
		} else {
			want, err = plain.DotsAndBoxesValue(b.String(), free.Segments())
		}
		if err != nil {
			return checked, err
		}
		if got != want {
			return checked, fmt.Errorf("position %x of %s: the table has %+d, the value is %+d", free, b, got, want)
		}
		checked++
		p.Add(1)
	}
	return checked, nil
}

// completes returns the number of boxes that drawing line s completes.
func completes(b *grid.Board, free grid.Set, s int) int {
	n := 0
	free.Remove(s)
	for _, q := range b.Sides(s) {
		if q == grid.Outside {
			continue
		}
		around := b.Around(q)
		if !slices.ContainsFunc(around[:], free.Has) {
			n++
		}
	}
	return n
}

// byLines computes the value of a position from the table's values of the positions after each line.
func (t *boardTable) byLines(c *tables.Finder, b *grid.Board, free grid.Set) (int, error) {
	best, first := 0, true
	for _, s := range free.Segments() {
		after := free
		after.Remove(s)
		v, known, err := t.value(c, b, after)
		if err == nil && !known {
			err = fmt.Errorf("position %x is missing", after)
		}
		if err != nil {
			return 0, err
		}
		if n := completes(b, free, s); n > 0 {
			v += n
		} else {
			v = -v
		}
		if first || v > best {
			best, first = v, false
		}
	}
	return best, nil
}

// checkTable implements [book.TableKind] Check.
func checkTable(ctx context.Context, dir string, h *store.Header, extent book.Extent, p *farm.Progress) (uint64, error) {
	t, err := openBoardTable(dir, h.Name)
	if err != nil {
		return 0, err
	}
	defer t.Table.Close()
	if err := t.CheckHistogram(ctx); err != nil {
		return 0, err
	}
	if extent == book.Whole {
		return wholeTable(ctx, t, p)
	}
	return verifyTable(ctx, t, p)
}
