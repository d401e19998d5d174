package book

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"endwise/book/store"
	"endwise/engine"
	"endwise/solver/farm"
	"endwise/solver/negamax"
	"endwise/solver/plain"
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
func positionsKind(g engine.CanonicalGame) TableKind {
	return TableKind{
		Name: "positions", Solver: positionsSolver,
		Check: func(ctx context.Context, path string, _ *store.Header, extent Extent, p *farm.Progress) (uint64, error) {
			t, err := openPositions(path, g)
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
	builder, err := store.Create(dir, store.Spec{
		Name: name, Title: fmt.Sprintf("every position of %s on %s", g.Title(), board),
		Game: g.Name(), Rules: g.RulesVersion(), Solver: positionsSolver,
		Params: map[string]string{"board": board},
		Kind:   store.Sparse, KeyBits: positionKeyBits, ValueBits: positionValueBits, Shards: positionShards, Compress: true,
	})
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	journal := journalPath(dir, name)
	if len(builder.Pending()) > 0 {
		values, err := fillPositions(ctx, journal, g, start, p)
		if err != nil {
			return nil, err
		}
		if err := storePositions(ctx, values, builder, p); err != nil {
			return nil, err
		}
	}
	p.Begin("store "+name, "shards", 0, positionShards)
	h, err := builder.Finish(ctx, store.FinishOptions{
		Progress: func(done, _ int) { p.Set(uint64(done)) },
		Verify: func(ctx context.Context, t *store.Table) (uint64, error) {
			p.Set(positionShards)
			return (&positionTable{Table: t, game: g, board: board}).check(ctx, Share, p)
		},
	})
	if err != nil {
		return nil, err
	}
	return h, os.Remove(journal)
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
	j, err := openJournal(path, title, positionRecord, func(r []byte) error {
		values[negamax.Key(r)] = int16(binary.BigEndian.Uint16(r[len(negamax.Key{}):]))
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	p.Begin(fmt.Sprintf("solve %s on %s", g.Title(), start.BoardName()), "positions", uint64(len(values)), 0)
	e := negamax.Exhaust{Values: values, Limit: maxPositions, Found: func(k negamax.Key, v int) error {
		p.Add(1)
		return j.add(binary.BigEndian.AppendUint16(k[:], uint16(int16(v))))
	}}
	_, err = e.Run(ctx, start)
	return values, err
}

// storePositions writes the shards, each the positions of a range of keys.
func storePositions(ctx context.Context, values map[negamax.Key]int16, builder *store.Builder, p *farm.Progress) error {
	shards := make([][]negamax.Key, positionShards)
	for k := range values {
		i := int(k[0]) * positionShards >> 8
		shards[i] = append(shards[i], k)
	}
	pending := builder.Pending()
	p.Begin("sort positions", "shards", uint64(positionShards-len(pending)), positionShards)
	for _, shard := range pending {
		if err := ctx.Err(); err != nil {
			return err
		}
		keys := shards[shard]
		slices.SortFunc(keys, func(a, b negamax.Key) int {
			ka, kb := tableKey(a), tableKey(b)
			return cmp.Or(cmp.Compare(ka.Hi, kb.Hi), cmp.Compare(ka.Lo, kb.Lo))
		})
		w, err := builder.Shard(shard)
		if err != nil {
			return err
		}
		for _, k := range keys {
			v := int(values[k])
			if err := w.Put(tableKey(k), uint32(v+positionOffset)); err != nil {
				w.Abort()
				return err
			}
			w.Count(v, 1)
		}
		if err := w.Finish(); err != nil {
			return err
		}
		p.Add(1)
	}
	return nil
}

// tableKey is a hash as a table's key.
func tableKey(k negamax.Key) store.Key {
	return store.Key{Hi: binary.BigEndian.Uint64(k[:8]), Lo: binary.BigEndian.Uint64(k[8:])}
}

// positionTable is a board's table opened for reading.
type positionTable struct {
	*store.Table
	game  engine.CanonicalGame
	board string
	left  atomic.Bool // out, because it is damaged
}

func openPositions(path string, g engine.CanonicalGame) (*positionTable, error) {
	t, err := store.Open(path, store.Options{Game: g.Name(), Rules: g.RulesVersion()})
	if err != nil {
		return nil, err
	}
	h := t.Header()
	if h.Kind != store.Sparse || h.KeyBits != positionKeyBits || h.ValueBits != positionValueBits || h.Solver != positionsSolver || filepath.Base(path) != positionsName(g, h.Params["board"]) {
		t.Close()
		return nil, fmt.Errorf("%s: %w: its layout is not the one this program writes: delete the table and solve it again", t.Path(), store.ErrForeign)
	}
	return &positionTable{Table: t, game: g, board: h.Params["board"]}, nil
}

// value is the exact value of a position for its mover; known is false where
// the table has no such position.
func (t *positionTable) value(p engine.Canonical) (v int, known bool, err error) {
	if p.Over() {
		return 0, true, nil
	}
	code, known, err := t.Lookup(tableKey(negamax.KeyOf(p)))
	return int(code) - positionOffset, known, err
}

// How many games are played at random to find positions to compare, and how
// many positions plain minimax may visit for one.
const (
	positionSamples = 300
	plainVisits     = 1000
)

// check compares values of a table with plain minimax: those of positions met
// in random play, or all where the extent is Whole and plain minimax reaches.
func (t *positionTable) check(ctx context.Context, extent Extent, p *farm.Progress) (checked uint64, err error) {
	h := t.Header()
	spread := map[int]uint64{}
	if err := t.Each(ctx, func(_ store.Key, code uint32) error {
		spread[int(code)-positionOffset]++
		return nil
	}); err != nil {
		return 0, err
	}
	if err := sameSpread(t.Table, spread); err != nil {
		return 0, err
	}
	start, err := firstPosition(t.game, t.board)
	if err != nil {
		return 0, err
	}
	judge := &plain.Rules{Game: t.game, Visits: plainVisits}
	if extent == Whole {
		return t.checkWhole(ctx, start, judge, p)
	}
	p.Begin("verify "+h.Name, "games", 0, positionSamples)
	compared := map[negamax.Key]bool{}
	r := rand.New(rand.NewPCG(20, 26))
	for range positionSamples {
		if err := ctx.Err(); err != nil {
			return checked, err
		}
		// A game to its end, of which one position is compared.
		line := []engine.Canonical{start}
		for c := start; ; {
			moves := c.Moves()
			q, err := c.Play(moves[r.IntN(len(moves))])
			if err != nil {
				return checked, err
			}
			if q.Over() {
				break
			}
			c = q.(engine.Canonical)
			line = append(line, c)
		}
		p.Add(1)
		c := line[r.IntN(len(line))]
		if k := negamax.KeyOf(c); !compared[k] {
			compared[k] = true
			if err := t.compare(c, judge); err != nil {
				return checked, err
			}
			checked++
		}
	}
	return checked, nil
}

// checkWhole compares every position once.
func (t *positionTable) checkWhole(ctx context.Context, start engine.Canonical, judge *plain.Rules, p *farm.Progress) (checked uint64, err error) {
	h := t.Header()
	p.Begin("compare "+h.Name, "positions", 0, h.Positions)
	seen := map[negamax.Key]bool{negamax.KeyOf(start): true}
	for todo := []engine.Canonical{start}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if err := ctx.Err(); err != nil {
			return checked, err
		}
		if err := t.compare(c, judge); err != nil {
			return checked, err
		}
		checked++
		p.Add(1)
		for _, m := range c.Moves() {
			q, err := c.Play(m)
			if err != nil {
				return checked, err
			}
			if q.Over() {
				continue
			}
			next := q.(engine.Canonical)
			if k := negamax.KeyOf(next); !seen[k] {
				seen[k] = true
				todo = append(todo, next)
			}
		}
	}
	if checked != h.Positions {
		return checked, fmt.Errorf("%s: %w: %d positions can be reached, the table has %d", t.Path(), store.ErrDamaged, checked, h.Positions)
	}
	return checked, nil
}

// compare compares the value of a position with plain minimax or, where that is
// too much, with what follows by the rules from the values behind its moves.
func (t *positionTable) compare(c engine.Canonical, judge *plain.Rules) error {
	got, known, err := t.value(c)
	if err != nil {
		return err
	}
	var want int
	switch a, err := judge.Solve(c.String()); {
	case err == nil:
		want = a.Value
	case errors.Is(err, plain.ErrTooLarge):
		var failed error
		moves, ok, err := movesByValue(c, func(q engine.Canonical) (int, bool) {
			v, known, err := t.value(q)
			failed = errors.Join(failed, err)
			return v, known && err == nil
		})
		if err = errors.Join(err, failed); err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s: the table lacks a position after it", c)
		}
		want = moves[0].Value
	default:
		return err
	}
	if !known || got != want {
		return fmt.Errorf("position %s: the table says %+d (there: %v), the rules say %+d", c, got, known, want)
	}
	return nil
}
