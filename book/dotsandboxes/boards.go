package dotsandboxes

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"runtime/debug"
	"time"

	"endwise/book/store"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/tables"
	"endwise/solver/farm"
)

// The table of a board contains the values of the board's R-type positions, in which no box can be
// captured, by canonical key. The values of all other positions follow from these by theorem T1
// (package exact). Other boards have positions with the same keys, so the table covers them too.
// Below, a canonical position is a set of R-type positions with the same key.

const (
	tableSolverVersion = 1
	tableShards        = 64
	// scoreRecord is the size of a journal record in bytes: tables.KeyBits bits of the key,
	// big-endian, and a byte with the value plus scoreOffset.
	scoreRecord   = tables.KeyBits/8 + 1
	scoreOffset   = 64
	valueBits     = 7 // of a value plus scoreOffset
	maxTableLines = 40
)

// countedPositions maps boards to their numbers of canonical positions; the number for 4x4 is estimated.
var countedPositions = map[string]uint64{
	"1x1": 3, "1x2": 10, "2x2": 73, "2x3": 1_243, "2x4": 18_335, "3x3": 39_348,
	"2x5": 292_862, "3x4": 3_711_332, "2x6": 4_606_834, "4x4": 360_000_000,
}

// EstimatePositions returns the number of canonical positions of a board: that of countedPositions, or
// else an estimate that grows by a factor of 1.8 with each line beyond the 27 of 2x5.
func EstimatePositions(b *grid.Board) uint64 {
	wide := b // turned so that it has at least as many columns as rows
	if b.Rows > b.Cols {
		if t, err := grid.New(b.Cols, b.Rows); err == nil {
			wide = t
		}
	}
	if n, ok := countedPositions[wide.String()]; ok {
		return n
	}
	return uint64(float64(countedPositions["2x5"]) * math.Pow(1.8, float64(b.Segments()-27)))
}

// CanSolveBoard returns an error that explains why a board cannot be solved completely, or nil.
func CanSolveBoard(b *grid.Board) error {
	if n := b.Segments(); n > maxTableLines {
		return fmt.Errorf("board %s has %d lines; a complete table is possible up to %d; "+
			"--value computes the value of larger boards", b, n, maxTableLines)
	}
	return nil
}

func tableName(b *grid.Board) string {
	return fmt.Sprintf("%s-board-%dx%d", dotsandboxes.Name, min(b.Rows, b.Cols), max(b.Rows, b.Cols))
}

// SolveBoard solves all positions of a board and stores the table in the store dir. It writes each
// solved value to a journal, from which another call resumes an interrupted run. The error is that of
// [CanSolveBoard] if b is too large, and a [store.ExistsError] if the table exists.
func SolveBoard(ctx context.Context, dir string, b *grid.Board, threads int, p *farm.Progress) (*store.Header, error) {
	if err := CanSolveBoard(b); err != nil {
		return nil, err
	}
	b, err := grid.New(min(b.Rows, b.Cols), max(b.Rows, b.Cols))
	if err != nil {
		return nil, err
	}
	builder, err := store.Create(dir, store.Spec{
		Name: tableName(b), Title: fmt.Sprintf("every position of the %s board", b),
		Game: dotsandboxes.Name, Rules: dotsandboxes.RulesVersion, Solver: tableSolverVersion,
		Params: map[string]string{"board": b.String()},
		Kind:   store.Sparse, KeyBits: tables.KeyBits, ValueBits: valueBits, Shards: tableShards,
	})
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	if pending := builder.Pending(); len(pending) > 0 {
		table, err := solvePositions(ctx, builder.JournalPath(), b, threads, p)
		if err != nil {
			return nil, err
		}
		p.Begin("sort "+b.String(), "parts", uint64(tableShards-len(pending)), tableShards)
		for _, shard := range pending {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var scores []store.Scored
			table.Range(shard, tableShards, func(k tables.Key, v int) {
				scores = append(scores, store.Scored{Key: store.Key(k), Score: v})
			})
			if err := builder.WriteScores(shard, scoreOffset, scores); err != nil {
				return nil, err
			}
			p.Add(1)
		}
	}
	p.Begin("store "+b.String(), "parts", 0, tableShards)
	return builder.Finish(ctx, store.FinishOptions{
		Verify: func(ctx context.Context, t *store.Table) (uint64, error) {
			return verifyTable(ctx, newBoardTable(b, t), p)
		},
		Progress: p.Set,
	})
}

// solvePositions returns the values of all canonical positions of a board. It reads those in the file
// journal, and appends the others to the file as it solves them.
func solvePositions(ctx context.Context, journal string, b *grid.Board, threads int, p *farm.Progress) (*tables.Table, error) {
	capacity := EstimatePositions(b)
	for {
		s := tables.Solve{Board: b, Table: tables.NewTable(capacity), Threads: threads}
		err := fillTable(ctx, journal, &s, capacity, p)
		if !errors.Is(err, exact.ErrTooLarge) {
			return s.Table, err
		}
		capacity = 2 * max(capacity, s.Table.Len())
		s.Table = nil // free its memory before the larger table is allocated
		debug.FreeOSMemory()
	}
}

// fillTable reads the journal at path into s.Table, then solves the missing canonical positions.
// expected is an estimate of their total. The error is [exact.ErrTooLarge] if the table is too small.
func fillTable(ctx context.Context, path string, s *tables.Solve, expected uint64, p *farm.Progress) (err error) {
	b, table := s.Board, s.Table
	title := fmt.Sprintf("endwise classes %s rules %d solver %d", b, dotsandboxes.RulesVersion, tableSolverVersion)
	j, err := store.OpenJournal(path, title, scoreRecord, func(r []byte) error {
		k := tables.Key{Hi: binary.BigEndian.Uint64(r), Lo: uint64(r[8]) << 56}
		if _, room := table.Put(k, int(r[9])-scoreOffset); !room {
			return exact.ErrTooLarge
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer func() { err = j.Close(err) }()
	p.Begin("solve "+b.String(), "positions", table.Len(), max(expected, table.Len()))
	if _, counted := countedPositions[b.String()]; !counted || b.Segments() == maxTableLines {
		p.Note("the total is an estimate")
	}
	defer farm.Follow(func() { p.Set(table.Len()) })()
	s.Journal = func(k tables.Key, v int) error {
		var r [scoreRecord]byte
		binary.BigEndian.PutUint64(r[:], k.Hi)
		r[8], r[9] = byte(k.Lo>>56), byte(v+scoreOffset)
		return j.Add(r[:])
	}
	return s.Run(ctx)
}

// Forecast is an estimate of the cost of a complete solve on this computer.
type Forecast struct {
	Positions uint64 // number of canonical positions
	Memory    uint64 // bytes
	Journal   uint64 // bytes on disk during the solve
	Table     uint64 // bytes on disk afterwards
	Time      time.Duration
}

// ForecastBoard estimates the cost of a complete solve of b from the solve of a small board.
func ForecastBoard(ctx context.Context, b *grid.Board, threads int) (Forecast, error) {
	f := Forecast{Positions: EstimatePositions(b)}
	f.Memory = tables.TableBytes(f.Positions)
	f.Journal = f.Positions * (scoreRecord + 1)
	// The coding of sparse tables omits about log2(n) bits of each of n keys, and adds two.
	bitsEach := tables.KeyBits - bits.Len64(f.Positions) + 2 + valueBits
	f.Table = f.Positions * uint64(bitsEach) / 8
	sample, err := grid.New(3, 3)
	if err != nil {
		return f, err
	}
	start := time.Now()
	s := tables.Solve{Board: sample, Table: tables.NewTable(1 << 16), Threads: threads}
	if err := s.Run(ctx); err != nil {
		return f, err
	}
	// A position of a larger board has more lines, and its key takes longer to compute.
	each := float64(time.Since(start)) / float64(s.Table.Len())
	growth := math.Pow(float64(b.Segments())/float64(sample.Segments()), 1.5)
	f.Time = time.Duration(each * growth * float64(f.Positions))
	runtime.KeepAlive(s.Table)
	return f, nil
}
