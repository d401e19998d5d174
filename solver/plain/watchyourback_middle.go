package plain

import (
	"context"
	"fmt"
	"math/bits"

	rules "endwise/engine/watchyourback/plain"
)

// MaxMiddlePieces is the maximum number of pieces for [WatchYourBackMiddle].
const MaxMiddlePieces = 5

// WatchYourBackMiddle calls f with every position of the 6x6 board with the given number of pieces,
// 4 or 5, and at least two on each side, also those with a surrounded piece. own are the squares of
// the side to move and opp those of its opponent: bit 8*y+x is square (x, y). values[r] is the value
// for the side to move with r turns left to the second shrink, under the usual rules (not
// Game.Strict); values[0] is the value just after the shrink. f must not keep the slice. progress
// gets the numbers of finished and all layers. Errors are of f or ctx, or wrap [ErrTooLarge].
func WatchYourBackMiddle(
	ctx context.Context, pieces int, progress func(done, layers uint64),
	f func(own, opp uint64, values []int8) error,
) error {
	if pieces < 4 || pieces > MaxMiddlePieces {
		return fmt.Errorf("%d pieces on the 6x6 board: only 4 to %d are supported: %w",
			pieces, MaxMiddlePieces, ErrTooLarge)
	}
	const layers = rules.SecondShrink - rules.FirstShrink + 1
	progress(0, layers)
	t := newMiddleTable(pieces, newFinalTable())
	for r := range layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.addLayer(false)
		progress(uint64(r+1), layers)
	}
	values := make([]int8, layers)
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
		for r, layer := range t.layers[false] {
			values[r] = layer[i]
		}
		if err := f(own, opp, values); err != nil {
			return err
		}
	}
	return nil
}
