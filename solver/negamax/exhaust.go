package negamax

import (
	"context"
	"errors"
	"fmt"

	"endwise/engine"
)

// ErrTooLarge is wrapped where there are more positions than a table has room
// for.
var ErrTooLarge = errors.New("too many positions")

// Exhaust works out the value of every position that can be reached from one,
// by going through all moves once and nothing cut off.
type Exhaust struct {
	// Values are the values known so far, those of an earlier run included.
	// Finished positions, which are worth 0, are not among them.
	Values map[Key]int16
	// Limit is the most positions that are kept.
	Limit int
	// Found hears of every new value, those behind a position before its own,
	// so that whatever part of them is kept is a part to go on from. nil is
	// allowed.
	Found func(k Key, value int) error

	steps uint64
}

// Run goes through the positions from p on. The error is the context's or
// Found's, wraps ErrRange or ErrTooLarge, or is that of the game's rules.
func (e *Exhaust) Run(ctx context.Context, p engine.Canonical) (value int, err error) {
	if p.Over() {
		return 0, nil
	}
	key := KeyOf(p)
	if v, ok := e.Values[key]; ok {
		return int(v), nil
	}
	if e.steps++; e.steps%checkEvery == 0 && ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	best := -infinity
	kids, err := children(p)
	if err != nil {
		return 0, err
	}
	for _, c := range kids {
		v, err := e.Run(ctx, c.Canonical)
		if err != nil {
			return 0, err
		}
		if !c.Over() && c.Turn() != p.Turn() {
			v = -v
		}
		best = max(best, c.gain+v)
	}
	if best < -MaxValue || best > MaxValue {
		return 0, fmt.Errorf("%s: value %d: %w", p, best, ErrRange)
	}
	if len(e.Values) >= e.Limit {
		return 0, fmt.Errorf("more than %d: %w", e.Limit, ErrTooLarge)
	}
	e.Values[key] = int16(best)
	if e.Found != nil {
		return best, e.Found(key, best)
	}
	return best, nil
}
