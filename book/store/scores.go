package store

import (
	"context"
	"maps"
	"slices"
)

// Scores is a sparse table of scores, which may be negative. The table stores score + Offset.
type Scores struct {
	*Table
	Offset int
}

// Score returns the score of a key; found is false if the table does not contain the key.
func (t Scores) Score(k Key) (score int, found bool, err error) {
	v, found, err := t.Lookup(k)
	return int(v) - t.Offset, found, err
}

// CheckHistogram returns [ErrDamaged] if the numbers of scores differ from the header's Histogram.
func (t Scores) CheckHistogram(ctx context.Context) error {
	histogram := map[int]uint64{}
	err := t.Each(ctx, func(_ Key, v uint32) error {
		histogram[int(v)-t.Offset]++
		return nil
	})
	if err != nil {
		return err
	}
	return SameHistogram(t.Table, histogram)
}

// SameHistogram returns [ErrDamaged] if histogram, the positions by value, differs from the header's.
func SameHistogram(t *Table, histogram map[int]uint64) error {
	if !maps.Equal(histogram, t.Header().Histogram) {
		return damaged(t.Path(), "the values do not match the histogram in its header")
	}
	return nil
}

// Scored is a key with its score.
type Scored struct {
	Key
	Score int
}

// WriteScores sorts scores by key, writes them as a shard for [Scores] with this Offset and counts them.
func (b *Builder) WriteScores(shard, offset int, scores []Scored) error {
	slices.SortFunc(scores, func(x, y Scored) int { return x.Key.compare(y.Key) })
	w, err := b.CreateShard(shard)
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
