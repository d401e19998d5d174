package watchyourback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine/disk"
	"endwise/engine/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/watchyourback/retrograde"
	"endwise/solver/watchyourback/tables"
)

// The tables of the 6x6 board (solver/watchyourback/tables) are one per number of pieces, from 4.

const solverVersion = 1

const shardBlocks = 256

func tableName(pieces int) string { return fmt.Sprintf("watchyourback-6x6-%d", pieces) }

func tableSpec(pieces int) store.Spec {
	l := tables.LayoutOf(pieces)
	return store.Spec{
		Name:  tableName(pieces),
		Title: fmt.Sprintf("Watch Your Back, 6x6 stage, %d pieces, 1 to 64 turns to the second shrink", pieces),
		Game:  watchyourback.Name, Rules: watchyourback.Game{}.RulesVersion(), Solver: solverVersion,
		Params:      map[string]string{"pieces": strconv.Itoa(pieces)},
		Kind:        store.Dense,
		BlockValues: tables.BlockPositions, Values: l.Positions(),
		Blocks: l.Blocks(), ShardBlocks: shardBlocks,
		Compress: true,
	}
}

// Solved describes a table after [Solve].
type Solved struct {
	Header *store.Header
	// Old reports whether the table existed already; then the times are 0.
	Old bool
	// The times are processor times of this process.
	Solving  time.Duration // for the layers of all tables; set for the first new table only
	Packing  time.Duration // for writing the table
	Checking time.Duration // for comparing values with those after each move
}

// Has reports whether the store dir contains all 6x6 tables of up to the given number of pieces.
func Has(dir string, pieces int) bool {
	for n := 4; n <= pieces; n++ {
		if _, err := store.ReadHeader(store.Dir(dir, tableName(n))); err != nil {
			return false
		}
	}
	return true
}

// Solve builds the missing 6x6 tables in the store dir, from 4 pieces to the given number, at most
// [tables.MaxTablePieces]. It returns one result per table; with an error, those of the tables before
// the failed one. Each job of f computes a part of a layer. Solve compares the values of samples random
// positions of each new table with those after each move. Another call resumes an interrupted run. p, which
// may be nil, counts layers, shards and samples.
func Solve(ctx context.Context, dir string, pieces, samples int, f farm.Farm, p *farm.Progress) ([]Solved, error) {
	if pieces < 4 || pieces > tables.MaxTablePieces {
		return nil, fmt.Errorf("%d pieces: want 4 to %d", pieces, tables.MaxTablePieces)
	}
	if err := disk.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s := &tableSolver{
		dir: dir, pieces: pieces, samples: samples, farm: f, progress: p,
		work:    filepath.Join(dir, fmt.Sprintf("watchyourback-6x6-planes-%d", pieces)),
		smaller: &tables.Tables{Final: finalTable()},
	}
	var out []Solved
	for n := 4; n <= pieces; n++ {
		result, err := s.solve(ctx, n)
		if err != nil {
			return out, err
		}
		t, table, err := openTable(dir, n)
		if err != nil {
			return out, err
		}
		defer t.Close() // s.smaller reads t until Solve returns
		s.smaller.Add(table)
		result.Header = t.Header()
		out = append(out, result)
	}
	return out, os.RemoveAll(s.work)
}

type tableSolver struct {
	dir, work       string // the store, and the directory of the layers
	pieces, samples int
	farm            farm.Farm
	progress        *farm.Progress
	layers          *retrograde.Solved // of all tables; nil until a table is missing
	smaller         *tables.Tables     // the tables built so far
}

// solve builds the table of n pieces if it is missing. It sets all fields of the result but the header.
func (s *tableSolver) solve(ctx context.Context, n int) (result Solved, err error) {
	_, err = store.ReadHeader(store.Dir(s.dir, tableName(n)))
	if err == nil {
		return Solved{Old: true}, nil
	}
	if !errors.Is(err, store.ErrMissing) {
		return result, err
	}
	if s.layers == nil {
		if err := disk.MkdirAll(s.work, 0o777); err != nil {
			return result, err
		}
		err := timed(&result.Solving, func() (err error) {
			s.layers, err = solveLayers(ctx, s.farm, s.pieces, s.work, s.progress)
			return err
		})
		if err != nil {
			return result, err
		}
	}
	check := func(ctx context.Context, t *store.Table) (checked uint64, err error) {
		err = timed(&result.Checking, func() (err error) {
			checked, err = verifyTable(ctx, s.smaller, n, s.samples, t, s.progress)
			return err
		})
		return checked, err
	}
	err = timed(&result.Packing, func() error { return s.pack(ctx, n, check) })
	result.Packing -= result.Checking // pack calls check
	return result, err
}

func timed(spent *time.Duration, f func() error) error {
	start := book.ProcessorTime()
	defer func() { *spent += book.ProcessorTime() - start }()
	return f()
}

// pack writes the table of n pieces from the layers. check is Verify of [store.FinishOptions].
func (s *tableSolver) pack(
	ctx context.Context, n int, check func(context.Context, *store.Table) (checked uint64, err error),
) error {
	b, err := store.Create(s.dir, tableSpec(n))
	if err != nil {
		return err
	}
	defer b.Close()
	stats, err := s.packShards(ctx, b, n)
	if err != nil {
		return err
	}
	s.progress.Begin(fmt.Sprintf("store %d pieces", n), "parts", 0, uint64(b.Spec().Shards))
	_, err = b.Finish(ctx, store.FinishOptions{Verify: check, Progress: s.progress.Set, Notes: map[string]uint64{
		"wins in all layers":   stats.Values[2],
		"ties in all layers":   stats.Values[1],
		"losses in all layers": stats.Values[0],
		"profiles":             uint64(stats.Profiles),
	}})
	return err
}

// packShards writes the unfinished shards of the table of n pieces.
func (s *tableSolver) packShards(ctx context.Context, b *store.Builder, n int) (tables.Stats, error) {
	total := uint64(b.Spec().Shards)
	s.progress.Begin(fmt.Sprintf("pack %d pieces", n), "parts", total-uint64(len(b.Pending())), total)
	packer := &shardPacker{builder: b, progress: s.progress}
	defer func() {
		if packer.shard != nil {
			packer.shard.Abort()
		}
	}()
	stats, err := s.layers.Pack(ctx, n, packer.put)
	if err != nil {
		return stats, err
	}
	if packer.shard != nil {
		// The last shard contains the counts of the whole table, which are complete only now.
		for v, k := range stats.FullClock {
			packer.shard.Count(v-1, k)
		}
	}
	if err := packer.finish(); err != nil {
		return stats, err
	}
	s.progress.Set(total)
	return stats, nil
}

// shardPacker writes the blocks of a table to its unfinished shards. It gets the other blocks too:
// profiles are numbered in order of occurrence, so a block can be encoded only after all earlier ones.
type shardPacker struct {
	builder  *store.Builder
	progress *farm.Progress
	shard    *store.ShardWriter // of the block written last; nil if an earlier run finished the shard
}

// put writes the next block of the table, unless its shard is finished.
func (s *shardPacker) put(block uint64, payload []byte) (err error) {
	if block%shardBlocks == 0 {
		if err := s.finish(); err != nil {
			return err
		}
		if n := int(block / shardBlocks); !s.builder.Done(n) {
			s.progress.Set(uint64(n))
			if s.shard, err = s.builder.CreateShard(n); err != nil {
				return err
			}
		}
	}
	if s.shard == nil {
		return nil
	}
	return s.shard.PutBlock(block, payload)
}

func (s *shardPacker) finish() error {
	shard := s.shard
	s.shard = nil // Finish closes the shard, even if it fails
	if shard == nil {
		return nil
	}
	return shard.Finish()
}

// verifyTable checks random positions of t, the table of n pieces, up to the first error: each value
// must be the best of the values after the moves, which are in t and, after captures, in smaller.
func verifyTable(
	ctx context.Context, smaller *tables.Tables, n, samples int, t *store.Table, p *farm.Progress,
) (checked uint64, err error) {
	table, err := tables.OpenTable(n, t, keepPositions)
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
