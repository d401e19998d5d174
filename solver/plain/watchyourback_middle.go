package plain

import (
	"context"
	"fmt"
	"math/bits"

	rules "endwise/engine/watchyourback/plain"
)

// MaxMiddlePieces bounds WatchYourBackMiddle: 5 pieces take a gigabyte of memory
// and some minutes.
const MaxMiddlePieces = 5

// WatchYourBackMiddle calls f with every position of the 6x6 board with exactly
// so many pieces, 4 or 5, at least two on each side, and its values for the side
// to move: values[r] with r turns left to the second shrink, r = 1..64. Squares
// are bits 8*y+x. Some of the positions cannot occur, because a piece in them is
// surrounded. The error is f's, the context's, or wraps ErrTooLarge.
func WatchYourBackMiddle(ctx context.Context, pieces int, progress func(done, planes uint64), f func(own, opp uint64, values []int8) error) error {
	if pieces < 4 || pieces > MaxMiddlePieces {
		return fmt.Errorf("%d pieces on the 6x6 board, 4 to %d are worked out: %w", pieces, MaxMiddlePieces, ErrTooLarge)
	}
	const planes = rules.SecondShrink - rules.FirstShrink
	if progress != nil {
		progress(0, planes)
	}
	t := newMiddleTable(pieces, newFinalTable())
	for r := range planes + 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if progress != nil {
			progress(uint64(r), planes)
		}
		t.addPlane(0, false)
	}
	values := make([]int8, planes+1)
	for i, name := range t.names {
		if i%interval == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		var own, opp uint64
		for k, sq := range t.squares {
			switch name[k] {
			case '1':
				own |= 1 << sq
			case '2':
				opp |= 1 << sq
			}
		}
		if bits.OnesCount64(own|opp) != pieces {
			continue
		}
		for r := range values {
			values[r] = t.planes[0][r][i]
		}
		if err := f(own, opp, values); err != nil {
			return err
		}
	}
	return nil
}
