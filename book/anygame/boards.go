package anygame

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"endwise/book"
	"endwise/book/solving"
	"endwise/book/store"
	"endwise/book/store/build"
	"endwise/engine"
	"endwise/solver/farm"
	"endwise/solver/negamax"
)

// The table of a board has the value of every position that can be reached
// from the board's first one and is not over: a sparse table from the hash of
// the canonical key to the value. While it is made, a journal keeps what is
// known.

const (
	// positionsSolver changes when a table would hold other bytes.
	positionsSolver = 1
	// positionKeyBits of the hash count; Finish finds positions that share
	// them.
	positionKeyBits = 96
	positionShards  = 16
	// positionOffset makes values positive.
	positionOffset    = negamax.MaxValue
	positionValueBits = 15
	positionRecord    = len(negamax.Key{}) + 2
	// maxPositions bounds what is solved in memory: about 3 GB.
	maxPositions = 50_000_000
)

// positionsName is the name of a board's table.
func positionsName(g engine.Game, board string) string { return g.Name() + "-board-" + board }

// positionsKind is the kind of table that SolvePositions writes.
func positionsKind(g engine.CanonicalGame) book.TableKind {
	return book.TableKind{
		Name: "positions", Solver: positionsSolver,
		Check: func(ctx context.Context, dir string, h *store.Header, extent book.Extent, p *farm.Progress) (uint64, error) {
			t, err := openPositions(store.Dir(dir, h.Name), g)
			if err != nil {
				return 0, err
			}
			checked, err := t.check(ctx, extent, p)
			return checked, errors.Join(err, t.Close())
		},
	}
}

// SolvePositions works out the value of every position of a board of any game
// with canonical keys, and stores the table in the directory dir. A run that
// was stopped in any way is resumed by calling it again and ends with the same
// digest. It returns an error that wraps store.ErrExists when the table is
// there, and the context's error when that ends.
func SolvePositions(ctx context.Context, dir string, g engine.CanonicalGame, board string, p *farm.Progress) (*store.Header, error) {
	start, err := firstPosition(g, board)
	if err != nil {
		return nil, err
	}
	board = start.BoardName()
	name := positionsName(g, board)
	spec := store.Spec{
		Name: name, Title: fmt.Sprintf("every position of %s on %s", g.Title(), board),
		Game: g.Name(), Rules: g.RulesVersion(), Solver: positionsSolver,
		Params: map[string]string{"board": board},
		Kind:   store.Sparse, KeyBits: positionKeyBits, ValueBits: positionValueBits, Shards: positionShards, Compress: true,
	}
	return solving.MakeTable(ctx, dir, spec, name, build.Options{
		Verify: func(ctx context.Context, t *store.Table) (uint64, error) {
			return newPositionTable(t, g).check(ctx, book.Share, p)
		},
	}, p, func(builder *build.Builder) error {
		if len(builder.Pending()) == 0 {
			return nil
		}
		values, err := fillPositions(ctx, solving.JournalPath(dir, name), g, start, p)
		if err != nil {
			return err
		}
		return storePositions(ctx, values, builder, p)
	})
}

// firstPosition is the first position of a board with its key.
func firstPosition(g engine.Game, board string) (engine.Canonical, error) {
	start, err := g.Start(board)
	if err != nil {
		return nil, err
	}
	c, ok := start.(engine.Canonical)
	if !ok {
		return nil, fmt.Errorf("%s: its positions have no canonical keys", g.Name())
	}
	return c, nil
}

// fillPositions takes the journal up and solves what is not in it.
func fillPositions(ctx context.Context, path string, g engine.CanonicalGame, start engine.Canonical, p *farm.Progress) (values map[negamax.Key]int16, err error) {
	values = map[negamax.Key]int16{}
	title := fmt.Sprintf("endwise positions %s %s rules %d solver %d", g.Name(), start.BoardName(), g.RulesVersion(), positionsSolver)
	j, err := solving.OpenJournal(path, title, positionRecord, func(r []byte) error {
		values[negamax.Key(r)] = int16(binary.BigEndian.Uint16(r[len(negamax.Key{}):]))
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	p.Begin(fmt.Sprintf("solve %s on %s", g.Title(), start.BoardName()), "positions", uint64(len(values)), 0)
	e := negamax.Exhaust{Values: values, Limit: maxPositions, Found: func(k negamax.Key, v int) error {
		p.Add(1)
		return j.Add(binary.BigEndian.AppendUint16(k[:], uint16(int16(v))))
	}}
	_, err = e.Run(ctx, start)
	return values, err
}

// storePositions writes the shards, each the positions of a range of keys.
func storePositions(ctx context.Context, values map[negamax.Key]int16, builder *build.Builder, p *farm.Progress) error {
	shards := make([][]negamax.Key, positionShards)
	for k := range values {
		i := int(k[0]) * positionShards >> 8
		shards[i] = append(shards[i], k)
	}
	return solving.WriteShards(ctx, builder, "positions", positionOffset, p, func(shard int) (out []solving.Scored) {
		for _, k := range shards[shard] {
			out = append(out, solving.Scored{Key: tableKey(k), Score: int(values[k])})
		}
		return out
	})
}

// tableKey is a hash as a table's key.
func tableKey(k negamax.Key) store.Key {
	return store.Key{Hi: binary.BigEndian.Uint64(k[:8]), Lo: binary.BigEndian.Uint64(k[8:])}
}
