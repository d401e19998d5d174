package certificate

import (
	"context"
	"fmt"

	wyb "endwise/engine/watchyourback"
	"endwise/solver/watchyourback/tables"
)

// WatchYourBack returns the certificate of Watch Your Back on 4x4, which is valid only if the error
// is nil. The error is that of ctx, or wraps [ErrWrong] if V is 0 or does not fit a byte.
func WatchYourBack(ctx context.Context) (*Certificate, error) {
	table := tables.NewFinal()
	c := &Certificate{Game: "watchyourback", Rows: wyb.Final.Side(), Cols: wyb.Final.Side()}
	var squares []int
	for s := range 64 {
		if wyb.Playable(wyb.Final)>>s&1 != 0 {
			squares = append(squares, s)
		}
	}
	positions := 1
	for range squares {
		positions *= 3
	}
	for n := range positions {
		var sides [3]uint64 // empty, own, the opponent's
		rest := n
		for _, square := range squares {
			sides[rest%3] |= 1 << square
			rest /= 3
		}
		value, distance, ok := table.Probe(sides[1], sides[2])
		if !ok {
			continue
		}
		c.Body = append(c.Body, byte(value*(winInZero-distance)))
		c.Value = max(c.Value, distance)
	}
	if c.Value == 0 || c.Value >= winInZero {
		return nil, fmt.Errorf("%w: %d turns", ErrWrong, c.Value)
	}
	return c, ctx.Err()
}

const winInZero = 100 // the byte of a win in d turns is smaller by d
