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

// The table of a board contains the values of the board's R-type positions (package exact) by
// canonical key. Positions with the same key form a class. By theorem T1 (package exact), the
// value of every other position of the board follows from these. A key does not depend on the
// board, so the table also covers positions of other boards that have one of its keys.
//
// The table is sparse: [tables.KeyBits] bits of the key are stored, and the value plus
// classOffset.

const (
	// classSolver changes whenever the bytes of a board's table would change.
	classSolver = 1
	classShards = 64
	// classRecord is the size of a journal record in bytes: tables.KeyBits bits of the key,
	// big-endian, and a byte with the value plus classOffset.
	classRecord = tables.KeyBits/8 + 1
	classOffset = 64
	// maxClassLines is the maximum number of lines of a board that can be solved completely,
	// that of 4x4. The classes of larger boards exceed the memory of one machine.
	maxClassLines = 40
)

// knownClasses contains the numbers of classes of boards, counted by complete solves. The
// number of 4x4 is an estimate.
var knownClasses = map[string]uint64{
	"1x1": 3, "1x2": 10, "2x2": 73, "2x3": 1_243, "2x4": 18_335, "3x3": 39_348,
	"2x5": 292_862, "3x4": 3_711_332, "2x6": 4_606_834, "4x4": 360_000_000,
}

// countedLines is the number of lines up to which knownClasses contains every board of at
// least two rows.
const countedLines = 32

// EstimateClasses returns the number of classes of a board from knownClasses. For other boards
// it returns an estimate: each additional line multiplies the number by about 1.8.
func EstimateClasses(b *grid.Board) uint64 {
	lying := b
	if b.Rows > b.Cols {
		if t, err := grid.New(b.Cols, b.Rows); err == nil {
			lying = t
		}
	}
	if n, ok := knownClasses[lying.String()]; ok {
		return n
	}
	return uint64(292_862 * math.Pow(1.8, float64(b.Segments()-27)))
}

// CanSolveBoard returns nil if a board can be solved completely, and otherwise an error
// that explains why not.
func CanSolveBoard(b *grid.Board) error {
	if n := b.Segments(); n > maxClassLines {
		return fmt.Errorf("board %s: has %d lines, a complete table is possible up to %d; --value solves the value of larger boards", b, n, maxClassLines)
	}
	return nil
}

// classTableName returns the name of the table of a board.
func classTableName(b *grid.Board) string {
	return fmt.Sprintf("%s-board-%dx%d", dotsandboxes.Name, min(b.Rows, b.Cols), max(b.Rows, b.Cols))
}

// SolveBoard solves all positions of a board and stores the table in the store dir. It writes
// each solved class to a journal, from which another call resumes an interrupted run. It
// returns [store.ErrExists] if the table exists, and ctx's error if ctx ends.
func SolveBoard(ctx context.Context, dir string, b *grid.Board, threads int, p *farm.Progress) (*store.Header, error) {
	if err := CanSolveBoard(b); err != nil {
		return nil, err
	}
	b, err := grid.New(min(b.Rows, b.Cols), max(b.Rows, b.Cols))
	if err != nil {
		return nil, err
	}
	builder, err := store.Create(dir, store.Spec{
		Name: classTableName(b), Title: fmt.Sprintf("every position of the %s board", b),
		Game: dotsandboxes.Name, Rules: dotsandboxes.RulesVersion, Solver: classSolver,
		Params: map[string]string{"board": b.String()},
		Kind:   store.Sparse, KeyBits: tables.KeyBits, ValueBits: 7, Shards: classShards,
	})
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	if pending := builder.Pending(); len(pending) > 0 {
		table, err := solveClasses(ctx, builder.JournalPath(), b, threads, p)
		if err != nil {
			return nil, err
		}
		p.Begin("sort "+b.String(), "parts", uint64(classShards-len(pending)), classShards)
		for _, shard := range pending {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var scores []store.Scored
			table.Range(shard, classShards, func(k tables.Key, v int) { scores = append(scores, store.Scored{Key: store.Key(k), Score: v}) })
			if err := builder.WriteScores(shard, classOffset, scores); err != nil {
				return nil, err
			}
			p.Add(1)
		}
	}
	p.Begin("store "+b.String(), "parts", 0, classShards)
	return builder.Finish(ctx, store.FinishOptions{
		Verify: func(ctx context.Context, t *store.Table) (uint64, error) {
			return verifyClasses(ctx, newClassTable(b, t), p)
		},
		Progress: p.Set,
	})
}

// solveClasses returns the values of all classes of a board. It reads those in the journal and
// solves the others.
func solveClasses(ctx context.Context, journal string, b *grid.Board, threads int, p *farm.Progress) (*tables.Table, error) {
	room := EstimateClasses(b)
	for {
		table := tables.NewTable(room)
		err := fillClasses(ctx, journal, b, table, room, threads, p)
		if !errors.Is(err, exact.ErrTooLarge) {
			return table, err
		}
		// There are more classes than estimated: continue with twice the memory.
		room = 2 * max(room, table.Len())
		table = nil
		debug.FreeOSMemory()
	}
}

// fillClasses reads the journal into table, then solves the missing classes.
func fillClasses(ctx context.Context, path string, b *grid.Board, table *tables.Table, room uint64, threads int, p *farm.Progress) (err error) {
	j, err := store.OpenJournal(path, fmt.Sprintf("endwise classes %s rules %d solver %d", b, dotsandboxes.RulesVersion, classSolver), classRecord,
		func(r []byte) error {
			k := tables.Key{Hi: binary.BigEndian.Uint64(r), Lo: uint64(r[8]) << 56}
			if _, room := table.Put(k, int(r[9])-classOffset); !room {
				return exact.ErrTooLarge
			}
			return nil
		})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	p.Begin("solve "+b.String(), "positions", table.Len(), max(room, table.Len()))
	if b.Segments() > countedLines {
		p.Note("the total is an estimate")
	}
	defer farm.Follow(func() { p.Set(table.Len()) })()
	s := tables.Solve{Board: b, Table: table, Threads: threads, Journal: func(k tables.Key, v int) error {
		var r [classRecord]byte
		binary.BigEndian.PutUint64(r[:], k.Hi)
		r[8], r[9] = byte(k.Lo>>56), byte(v+classOffset)
		return j.Add(r[:])
	}}
	return s.Run(ctx)
}

// Forecast is an estimate of the cost of a complete solve on this computer.
type Forecast struct {
	Classes uint64
	Memory  uint64 // bytes
	Journal uint64 // bytes on disk during the solve
	Table   uint64 // bytes on disk afterwards
	Time    time.Duration
}

// ForecastBoard estimates the cost of a complete solve of b. It measures the solve of a small
// board.
func ForecastBoard(ctx context.Context, b *grid.Board, threads int) (Forecast, error) {
	f := Forecast{Classes: EstimateClasses(b)}
	f.Memory = tables.TableBytes(f.Classes)
	f.Journal = f.Classes * (classRecord + 1)
	bitsEach := tables.KeyBits - bits.Len64(f.Classes) + 2 + 7
	f.Table = f.Classes * uint64(bitsEach) / 8
	sample, err := grid.New(3, 3)
	if err != nil {
		return f, err
	}
	start := time.Now()
	s := tables.Solve{Board: sample, Table: tables.NewTable(1 << 16), Threads: threads}
	if err := s.Run(ctx); err != nil {
		return f, err
	}
	// A class of a larger board takes more time: it has more lines, and a longer key.
	each := float64(time.Since(start)) / float64(s.Table.Len())
	growth := math.Pow(float64(b.Segments())/float64(sample.Segments()), 1.5)
	f.Time = time.Duration(each * growth * float64(f.Classes))
	runtime.KeepAlive(s.Table)
	return f, nil
}
