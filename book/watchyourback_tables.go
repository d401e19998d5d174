package book

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"endwise/book/store"
	"endwise/engine/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/plain"
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
// place, samples of its values are compared with a plain search. p, which may
// be nil, counts planes, shards and samples.
func SolveWatchYourBack(ctx context.Context, dir string, pieces, samples int, p *farm.Progress) ([]WatchYourBackSolved, error) {
	return solveWatchYourBackTables(ctx, dir, pieces, samples, p, func(final *retrograde.Final, work string) (*retrograde.Solved, error) {
		return retrograde.Solve(ctx, final, pieces, work, planeProgress(pieces, p))
	})
}

// solveWatchYourBackTables makes the tables; planes is asked for the planes of
// all materials in a working directory, if a table is missing.
func solveWatchYourBackTables(ctx context.Context, dir string, pieces, samples int, p *farm.Progress, planes func(final *retrograde.Final, work string) (*retrograde.Solved, error)) ([]WatchYourBackSolved, error) {
	if pieces < 4 || pieces > retrograde.MaxTablePieces {
		return nil, fmt.Errorf("%d pieces: want 4 to %d", pieces, retrograde.MaxTablePieces)
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
				if solved, err = planes(tables.Final, work); err != nil {
					return out, err
				}
			}
			if err := packWatchYourBack(ctx, dir, n, samples, solved, tables, p); err != nil {
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

// planeProgress counts planes.
func planeProgress(pieces int, p *farm.Progress) func(done, total int) {
	begun := false
	return func(done, total int) {
		if !begun {
			p.Begin(fmt.Sprintf("solve up to %d pieces", pieces), "planes", uint64(done), uint64(total))
			begun = true
		}
		p.Set(uint64(done))
	}
}

// packWatchYourBack packs one table from solved planes into the store.
func packWatchYourBack(ctx context.Context, dir string, n, samples int, solved *retrograde.Solved, tables *retrograde.Tables, p *farm.Progress) error {
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
	p.Begin(fmt.Sprintf("pack %d pieces", n), "shards", uint64(total-len(b.Pending())), uint64(total))
	var held *store.ShardWriter // the last shard, until the statistics are known
	stats, err := solved.Pack(ctx, n, func(block uint64, payload []byte) error {
		shard := int(block / shardBlocks)
		first, end := b.Spec().ShardRange(shard)
		if block == first && !b.Done(shard) {
			p.Set(uint64(shard))
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
	p.Set(uint64(total))
	p.Begin(fmt.Sprintf("store %d pieces", n), "shards", 0, uint64(total))
	_, err = b.Finish(ctx, store.FinishOptions{
		Notes: map[string]uint64{
			"wins in all planes": stats.Values[2], "ties in all planes": stats.Values[1], "losses in all planes": stats.Values[0],
			"profiles": uint64(stats.Profiles),
		},
		Verify: func(ctx context.Context, t *store.Table) (uint64, error) {
			return verifyWatchYourBack(ctx, tables, n, samples, t, p)
		},
		Progress: func(done, _ int) { p.Set(uint64(done)) },
	})
	return err
}

// verifyWatchYourBack compares samples of a table with a plain search, which
// needs the tables of fewer pieces.
func verifyWatchYourBack(ctx context.Context, smaller *retrograde.Tables, n, samples int, t *store.Table, p *farm.Progress) (checked uint64, err error) {
	table, err := retrograde.OpenTable(n, t, 64*retrograde.BlockPositions)
	if err != nil {
		return 0, err
	}
	all := *smaller
	all.Add(table)
	p.Begin(fmt.Sprintf("verify %d pieces", n), "positions", 0, uint64(samples))
	const step = 500
	for seed := uint64(1); checked < uint64(samples); seed++ {
		k, err := retrograde.Verify(ctx, &all, n, min(step, samples-int(checked)), seed)
		checked += k
		p.Set(checked)
		if err != nil {
			return checked, err
		}
	}
	return checked, nil
}

// How many values of a table the verify command works out again; manySamples
// where all are asked for and the plain solver can't hold them.
const (
	checkSamples = 20_000
	manySamples  = 1_000_000
)

// checkWatchYourBack is CheckTable for the 6x6 tables.
func checkWatchYourBack(ctx context.Context, dir string, h *store.Header, extent Extent, p *farm.Progress) (checked uint64, err error) {
	n, err := strconv.Atoi(h.Params["pieces"])
	if err != nil || n < 4 || n > retrograde.MaxTablePieces {
		return 0, fmt.Errorf("%w: pieces %q", store.ErrDamaged, h.Params["pieces"])
	}
	tables := &retrograde.Tables{Final: retrograde.NewFinal()}
	for k := 4; k <= n; k++ {
		t, err := openWatchYourBack(dir, k)
		if err != nil {
			return 0, err
		}
		defer t.Close()
		if k == n && extent == Whole && n <= plain.MaxMiddlePieces {
			return wholeMiddle(ctx, tables, n, t, p)
		}
		if k == n {
			samples := checkSamples
			if extent == Whole {
				samples = manySamples
			}
			return verifyWatchYourBack(ctx, tables, n, samples, t, p)
		}
		table, err := retrograde.OpenTable(k, t, 64*retrograde.BlockPositions)
		if err != nil {
			return 0, err
		}
		tables.Add(table)
	}
	return 0, nil
}

func openWatchYourBack(dir string, pieces int) (*store.Table, error) {
	t, err := store.Open(store.Dir(dir, watchYourBackTable(pieces)), store.Options{
		Game: watchyourback.Name, Rules: watchyourback.Game{}.RulesVersion(),
		CacheBytes: -1, // decoded blocks are kept by retrograde.Table
	})
	if err != nil {
		return nil, err
	}
	err = WatchYourBackGame().CheckVersion(t.Path(), t.Header())
	if h := t.Header(); err == nil && (h.Kind != store.Dense || h.Bits != 0 || h.Blocks != retrograde.LayoutOf(pieces).Blocks()) {
		err = fmt.Errorf("%s: %w: its layout is not the one this program writes: delete the table and solve it again", t.Path(), store.ErrForeign)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// watchYourBackTables is everything solved that the store holds.
type watchYourBackTables struct {
	*retrograde.Tables
	stored []*store.Table
	log    *slog.Logger
	// left, by pieces, are the tables that turned out to be damaged.
	left [retrograde.MaxTablePieces + 1]atomic.Bool
}

// leaveOut stops using a table that turned out to be damaged, and says so once.
func (t *watchYourBackTables) leaveOut(pieces int, err error) {
	if !t.left[pieces].Swap(true) {
		leaveOut(t.log, err)
	}
}

// Probe is retrograde.Tables.Probe; what a damaged table holds is unknown.
func (t *watchYourBackTables) Probe(p watchyourback.Position) (value, distance int, ok bool) {
	own, opp := p.OwnOpp()
	n := bits.OnesCount64(own | opp)
	stored := p.Stage() == watchyourback.Middle && t.Has(n)
	if stored && t.left[n].Load() {
		return 0, 0, false
	}
	value, distance, ok, err := t.Tables.Probe(p)
	if err != nil && stored {
		t.leaveOut(n, err)
	}
	return value, distance, ok && err == nil
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
		log:    log,
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
			leaveOut(log, err)
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
	n := bits.OnesCount64(own | opp)
	if !o.Has(n) || o.left[n].Load() {
		return 0, false
	}
	v, ok, err := o.Tables.Middle(own, opp, turns)
	if err != nil {
		o.leaveOut(n, err)
		return 0, false
	}
	return v, ok
}
