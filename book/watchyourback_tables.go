package book

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"

	"endwise/book/store"
	"endwise/engine/watchyourback"
	retrograde "endwise/solver/retrograde/watchyourback"
)

// The 6x6 stage of Watch Your Back is kept in one table a number of pieces,
// 4 to 7. They are rebuilt on each machine and not shipped: those of up to 5
// pieces take some three seconds of processor time, less than it takes to
// fetch them, and those of 6 under a minute.

// watchYourBackSolver is the version of the solver in the tables' headers.
const watchYourBackSolver = 1

// shardBlocks is how many blocks of 4096 positions make a shard.
const shardBlocks = 256

func watchYourBackTable(pieces int) string { return fmt.Sprintf("watchyourback-6x6-%d", pieces) }

func watchYourBackSpec(pieces int) store.Spec {
	l := retrograde.LayoutOf(pieces)
	return store.Spec{
		Name:  watchYourBackTable(pieces),
		Title: fmt.Sprintf("Watch Your Back, 6x6 stage, %d pieces, 1 to 64 turns to the second shrink", pieces),
		Game:  watchyourback.Name, Rules: watchyourback.Game{}.RulesVersion(), Solver: watchYourBackSolver,
		Params:      map[string]string{"pieces": strconv.Itoa(pieces)},
		Kind:        store.Dense,
		BlockValues: retrograde.BlockPositions, Values: l.Positions(),
		Blocks: l.Blocks(), ShardBlocks: shardBlocks,
		Compress: true,
	}
}

// WatchYourBackProgress hears how a solve goes: the stage in words and how
// much of it is done.
type WatchYourBackProgress func(stage string, done, total int)

// WatchYourBackSolved is what SolveWatchYourBack reports of one table.
type WatchYourBackSolved struct {
	Pieces int
	Header *store.Header
	// Old says that the table was there already.
	Old bool
}

// HasWatchYourBack reports whether the store holds the 6x6 tables of 4 to
// pieces pieces.
func HasWatchYourBack(dir string, pieces int) bool {
	for n := 4; n <= pieces; n++ {
		if _, err := store.ReadHeader(store.Dir(dir, watchYourBackTable(n))); err != nil {
			return false
		}
	}
	return true
}

// SolveWatchYourBack builds the 6x6 tables of 4 to pieces pieces (at most
// retrograde.MaxTablePieces) that the store in dir lacks. Every plane and
// every shard is kept as soon as it is done, so that a call after an
// interruption goes on where the last one stopped. Before a table is put into
// place, samples of its values are compared with a plain search.
func SolveWatchYourBack(ctx context.Context, dir string, pieces, samples int, progress WatchYourBackProgress) ([]WatchYourBackSolved, error) {
	if pieces < 4 || pieces > retrograde.MaxTablePieces {
		return nil, fmt.Errorf("%d pieces: want 4 to %d", pieces, retrograde.MaxTablePieces)
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	work := filepath.Join(dir, fmt.Sprintf("watchyourback-6x6-planes-%d", pieces))
	var solved *retrograde.Solved
	tables := &retrograde.Tables{Final: retrograde.NewFinal()}
	var out []WatchYourBackSolved
	var closers []*store.Table
	defer func() {
		for _, t := range closers {
			t.Close()
		}
	}()
	for n := 4; n <= pieces; n++ {
		path := store.Dir(dir, watchYourBackTable(n))
		old := true
		if _, err := store.ReadHeader(path); errors.Is(err, store.ErrMissing) {
			old = false
			if solved == nil {
				if err := os.MkdirAll(work, 0o777); err != nil {
					return out, err
				}
				if solved, err = retrograde.Solve(ctx, tables.Final, pieces, work, func(done, total int) {
					progress("planes", done, total)
				}); err != nil {
					return out, err
				}
			}
			if err := packWatchYourBack(ctx, dir, n, samples, solved, tables, progress); err != nil {
				return out, err
			}
		} else if err != nil {
			return out, err
		}
		t, err := openWatchYourBack(dir, n)
		if err != nil {
			return out, err
		}
		closers = append(closers, t)
		table, err := retrograde.OpenTable(n, t, 64*retrograde.BlockPositions)
		if err != nil {
			return out, fmt.Errorf("%s: %w", path, err)
		}
		tables.Add(table)
		out = append(out, WatchYourBackSolved{n, t.Header(), old})
	}
	return out, os.RemoveAll(work)
}

// packWatchYourBack packs one table from solved planes into the store.
func packWatchYourBack(ctx context.Context, dir string, n, samples int, solved *retrograde.Solved, tables *retrograde.Tables, progress WatchYourBackProgress) error {
	b, err := store.Create(dir, watchYourBackSpec(n))
	if err != nil {
		return err
	}
	defer b.Close()
	// Profiles are numbered as they appear, so packing runs through all
	// blocks, and those of finished shards are not written again.
	var w *store.ShardWriter
	total := b.Spec().Shards
	last := total - 1
	var held *store.ShardWriter // the last shard, until the statistics are known
	stats, err := solved.Pack(ctx, n, func(block uint64, payload []byte) error {
		shard := int(block / shardBlocks)
		first, end := b.Spec().ShardRange(shard)
		if block == first && !b.Done(shard) {
			progress(fmt.Sprintf("packing %d pieces", n), shard, total)
			if w, err = b.Shard(shard); err != nil {
				return err
			}
		}
		if w == nil {
			return nil
		}
		if err := w.PutBlock(block, payload); err != nil {
			return err
		}
		if block == end-1 {
			if shard == last {
				held, w = w, nil
				return nil
			}
			err := w.Finish()
			w = nil
			return err
		}
		return nil
	})
	if err != nil {
		if w != nil {
			w.Abort()
		}
		if held != nil {
			held.Abort()
		}
		return err
	}
	if held != nil {
		for v, k := range stats.FullClock {
			held.Count(v-1, k)
		}
		if err := held.Finish(); err != nil {
			return err
		}
	}
	progress(fmt.Sprintf("packing %d pieces", n), total, total)
	_, err = b.Finish(ctx, store.FinishOptions{
		Notes: map[string]uint64{
			"losses, all turns": stats.Values[0], "ties, all turns": stats.Values[1], "wins, all turns": stats.Values[2],
			"profiles": uint64(stats.Profiles), "odd halves": uint64(stats.Odd), "even halves": uint64(stats.Even),
		},
		Verify: func(ctx context.Context, t *store.Table) (uint64, error) {
			table, err := retrograde.OpenTable(n, t, 64*retrograde.BlockPositions)
			if err != nil {
				return 0, err
			}
			all := *tables
			all.Add(table)
			return retrograde.Verify(ctx, &all, n, samples, 1)
		},
		Progress: func(done, total int) { progress(fmt.Sprintf("storing %d pieces", n), done, total) },
	})
	return err
}

func openWatchYourBack(dir string, pieces int) (*store.Table, error) {
	return store.Open(store.Dir(dir, watchYourBackTable(pieces)), store.Options{
		Game: watchyourback.Name, Rules: watchyourback.Game{}.RulesVersion(),
		CacheBytes: -1, // decoded blocks are kept by retrograde.Table
	})
}

// watchYourBackTables is everything solved that the store holds.
type watchYourBackTables struct {
	*retrograde.Tables
	stored []*store.Table
	failed func(error)
}

// keepPositions bounds the decoded positions of one table in memory, some two
// bytes each.
const keepPositions = 128 << 20

// openWatchYourBackTables opens the 4x4 table, which is worked out anew in a
// tenth of a second, and the 6x6 tables of the store from 4 pieces up to the
// first that is missing: a position's captures lead to all smaller ones.
func openWatchYourBackTables(o Options) *watchYourBackTables {
	log := o.logger()
	t := &watchYourBackTables{
		Tables: &retrograde.Tables{Final: retrograde.NewFinal()},
		failed: func(err error) { log.Error("6x6 table", "err", err) },
	}
	for n := 4; o.Store != "" && n <= retrograde.MaxTablePieces; n++ {
		s, err := openWatchYourBack(o.Store, n)
		if errors.Is(err, store.ErrMissing) {
			break
		}
		if err == nil {
			var m *retrograde.Table
			if m, err = retrograde.OpenTable(n, s, keepPositions); err != nil {
				s.Close()
			} else {
				t.stored = append(t.stored, s)
				t.Add(m)
			}
		}
		if err != nil {
			log.Warn("table left out", "table", watchYourBackTable(n), "err", err)
			break
		}
	}
	return t
}

// Close implements io.Closer.
func (t *watchYourBackTables) Close() error {
	var first error
	for _, s := range t.stored {
		if err := s.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// oracle lends the tables to the search.
type oracle struct{ *watchYourBackTables }

// Final implements search.Oracle.
func (o oracle) Final(own, opp uint64) (value, distance int, ok bool) {
	return o.Tables.Final.Probe(own, opp)
}

// Middle implements search.Oracle. A damaged block counts as unknown.
func (o oracle) Middle(own, opp uint64, turns int) (int, bool) {
	if n := bits.OnesCount64(own | opp); !o.Has(n) {
		return 0, false
	}
	v, ok, err := o.Tables.Middle(own, opp, turns)
	if err != nil {
		o.failed(err)
		return 0, false
	}
	return v, ok
}
