package watchyourback

import (
	"context"
	"fmt"
	"strconv"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/plain"
	wybtables "endwise/solver/watchyourback/tables"
)

// wholeMiddle compares all values of t, the 6x6 table of n pieces, with the plain solver, and the
// number of positions with each value at 64 turns with the histogram in the header. n is at most
// [plain.MaxMiddlePieces].
func wholeMiddle(ctx context.Context, n int, t *store.Table, p *farm.Progress) (checked uint64, err error) {
	table, err := wybtables.OpenTable(n, t, 0)
	if err != nil {
		return 0, err
	}
	var tables wybtables.Tables
	tables.Add(table)
	histogram := map[int]uint64{}
	compare := func(own, opp uint64, values []int8) error {
		if watchyourback.Surrounded(own, opp, watchyourback.Middle) != 0 {
			return nil
		}
		for turns := 1; turns < len(values); turns++ {
			got, ok, err := tables.Middle(own, opp, turns)
			if err != nil {
				return err
			}
			if !ok || got != int(values[turns]) {
				return fmt.Errorf("own %x, opponent %x, %d turns to the shrink: the table has %d (found: %v), the value is %d",
					own, opp, turns, got, ok, values[turns])
			}
			checked++
		}
		histogram[int(values[len(values)-1])]++
		return nil
	}
	stage := book.Stage(p, fmt.Sprintf("solve %d pieces again", n), "layers")
	if err := plain.WatchYourBackMiddle(ctx, n, stage, compare); err != nil {
		return checked, err
	}
	return checked, store.SameHistogram(t, histogram)
}

// Numbers of random positions of a table that are compared: manySamples if the whole table is
// requested but too large for the plain solver.
const (
	checkSamples = 20_000
	manySamples  = 1_000_000
)

// checkTable implements [book.TableKind] Check.
func checkTable(
	ctx context.Context, dir string, h *store.Header, extent book.Extent, p *farm.Progress,
) (checked uint64, err error) {
	n, err := strconv.Atoi(h.Params["pieces"])
	if err != nil || n < 4 || n > wybtables.MaxTablePieces {
		return 0, fmt.Errorf("%w: pieces %q", store.ErrDamaged, h.Params["pieces"])
	}
	tables := &wybtables.Tables{Final: finalTable()}
	for k := 4; k < n; k++ {
		t, table, err := openTable(dir, k)
		if err != nil {
			return 0, err
		}
		defer t.Close()
		tables.Add(table)
	}
	t, _, err := openTable(dir, n)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	switch {
	case extent == book.Share:
		return verifyTable(ctx, tables, n, checkSamples, t, p)
	case n <= plain.MaxMiddlePieces:
		return wholeMiddle(ctx, n, t, p)
	}
	return verifyTable(ctx, tables, n, manySamples, t, p)
}
