package book

import (
	"context"
	"errors"
	"fmt"

	"endwise/engine/grid"
	"endwise/solver/coins"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// wholeClasses compares every position of a board of Dots and Boxes with the
// plain solver.
func wholeClasses(ctx context.Context, t *classTable, p *farm.Progress) (checked uint64, err error) {
	values, err := plain.DotsAndBoxesBoard(ctx, t.board.String(), stage(p, "solve "+t.board.String()+" again", "positions"))
	if errors.Is(err, plain.ErrTooLarge) {
		return verifyClasses(ctx, t.board, t.table, p)
	}
	if err != nil {
		return 0, err
	}
	c := coins.NewClasses(t.board)
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
			return checked, fmt.Errorf("position %x of %s: the table says %+d (known: %v), the rules say %+d", free, t.board, got, known, want)
		}
		checked++
	}
	p.Set(uint64(len(values)))
	return checked, nil
}
