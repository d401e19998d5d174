package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"endwise/solver/farm"
)

// MakeTable makes a table in the directory dir: fill writes the shards that are
// missing, which may be all, and o.Verify compares a share of the finished table
// before it is put into place. At the end the table's journal (JournalPath) goes,
// if it has one. The error wraps ErrExists when the table is there.
func MakeTable(ctx context.Context, dir string, spec Spec, what string, o FinishOptions, p *farm.Progress, fill func(*Builder) error) (*Header, error) {
	b, err := Create(dir, spec)
	if errors.Is(err, ErrExists) {
		return nil, errors.Join(err, removeJournal(dir, spec.Name))
	}
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := fill(b); err != nil {
		return nil, err
	}
	shards := uint64(b.Spec().Shards)
	p.Begin("store "+what, "shards", 0, shards)
	o.Progress = func(done, _ int) { p.Set(uint64(done)) }
	verify := o.Verify
	o.Verify = func(ctx context.Context, t *Table) (uint64, error) {
		p.Set(shards)
		return verify(ctx, t)
	}
	h, err := b.Finish(ctx, o)
	if err != nil {
		return nil, err
	}
	return h, removeJournal(dir, spec.Name)
}

// Scores is a sparse table of scores. They may be negative, and are stored with
// Offset added.
type Scores struct {
	*Table
	Offset int
}

// Score is the score of a key; known is false where the table lacks it.
func (t Scores) Score(k Key) (score int, known bool, err error) {
	v, known, err := t.Lookup(k)
	return int(v) - t.Offset, known, err
}

// CheckSpread counts all scores again and compares the counts with the header's.
func (t Scores) CheckSpread(ctx context.Context) error {
	spread := map[int]uint64{}
	err := t.Each(ctx, func(_ Key, v uint32) error {
		spread[int(v)-t.Offset]++
		return nil
	})
	if err != nil {
		return err
	}
	return SameSpread(t.Table, spread)
}

// SameSpread compares counted values with the header's histogram.
func SameSpread(t *Table, spread map[int]uint64) error {
	if !maps.Equal(spread, t.Header().Histogram) {
		return fmt.Errorf("%s: %w: the values are not spread as its header says", t.Path(), ErrDamaged)
	}
	return nil
}

// Scored is the score of a key.
type Scored struct {
	Key
	Score int
}

// WriteScores writes a shard of such a table.
func WriteScores(b *Builder, shard, offset int, scores []Scored) error {
	slices.SortFunc(scores, func(x, y Scored) int {
		return cmp.Or(cmp.Compare(x.Hi, y.Hi), cmp.Compare(x.Lo, y.Lo))
	})
	w, err := b.Shard(shard)
	if err != nil {
		return err
	}
	for _, s := range scores {
		if err := w.Put(s.Key, uint32(s.Score+offset)); err != nil {
			w.Abort()
			return err
		}
		w.Count(s.Score, 1)
	}
	return w.Finish()
}

// WriteShards writes the shards of such a table that are missing.
func WriteShards(ctx context.Context, b *Builder, what string, offset int, p *farm.Progress, scores func(shard int) []Scored) error {
	pending := b.Pending()
	total := uint64(b.Spec().Shards)
	p.Begin("sort "+what, "shards", total-uint64(len(pending)), total)
	for _, shard := range pending {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := WriteScores(b, shard, offset, scores(shard)); err != nil {
			return err
		}
		p.Add(1)
	}
	return nil
}
