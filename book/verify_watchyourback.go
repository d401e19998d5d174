package book

import (
	"context"
	"fmt"

	"endwise/book/store"
	"endwise/engine/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/plain"
	retrograde "endwise/solver/retrograde/watchyourback"
)

// wholeMiddle compares every value of a 6x6 table of 4 or 5 pieces with the
// plain solver; of larger ones a larger share than usual with a plain search.
func wholeMiddle(ctx context.Context, tables *retrograde.Tables, n int, t *store.Table, p *farm.Progress) (checked uint64, err error) {
	table, err := retrograde.OpenTable(n, t, 0)
	if err != nil {
		return 0, err
	}
	all := *tables
	all.Add(table)
	spread := map[int]uint64{}
	err = plain.WatchYourBackMiddle(ctx, n, stage(p, fmt.Sprintf("solve %d pieces again", n), "planes"), func(own, opp uint64, values []int8) error {
		if watchyourback.Surrounded(own, opp, watchyourback.Middle) != 0 {
			return nil
		}
		for turns := 1; turns < len(values); turns++ {
			got, ok, err := all.Middle(own, opp, turns)
			if err != nil {
				return err
			}
			if !ok || got != int(values[turns]) {
				return fmt.Errorf("own %x, opponent %x, %d turns to the shrink: the table says %d (there: %v), the rules say %d", own, opp, turns, got, ok, values[turns])
			}
			checked++
		}
		spread[int(values[len(values)-1])]++
		return nil
	})
	if err != nil {
		return checked, err
	}
	return checked, sameSpread(t, spread)
}
