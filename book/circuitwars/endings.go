package circuitwars

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"endwise/book/store"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/circuitwars/tables"
	"endwise/solver/farm"
)

const endingsSolverVersion = 1

// SensibleEndings is the greatest number of free segments for which a table of endings is useful. The
// exact solver is fast enough for positions with a few more segments.
const SensibleEndings = 12

func endingsTableName(segments int) string {
	return fmt.Sprintf("%s-endings-%d", circuitwars.Name, segments)
}

// CanSolveEndings returns an error if endings with the given number of free segments cannot be solved.
func CanSolveEndings(segments int) error {
	if segments < 1 || segments > tables.MaxEndingEdges {
		return fmt.Errorf("endings of %d free segments: want 1 to %d", segments, tables.MaxEndingEdges)
	}
	return nil
}

// endingParts returns the number of shards of the positions with n free segments.
func endingParts(n int) int {
	switch {
	case n <= 10:
		return 1
	case n <= 12:
		return 8
	}
	return 16
}

// endingShard identifies a shard of the table: shard number part of the parts shards of the positions
// with the same number of free segments.
type endingShard struct{ segments, part, parts int }

func endingShards(segments int) []endingShard {
	var out []endingShard
	for n := 1; n <= segments; n++ {
		for part := range endingParts(n) {
			out = append(out, endingShard{n, part, endingParts(n)})
		}
	}
	return out
}

// endingKeyBits returns the number of bits of the keys. It is more than twice the binary logarithm of
// the number of positions, so that two positions with the same key are improbable.
// [store.Builder.Finish] returns an error if two such positions have different values.
func endingKeyBits(segments int) int {
	if segments <= 12 {
		return 48
	}
	return 56
}

// SolveEndings solves all positions (except finished games) with at most the given number of free
// segments on any board up to 7x7, and stores the table in the store dir. It lists the components of
// these positions on the given number of threads. Each job of f then solves one shard. Another call
// resumes an interrupted run. SolveEndings returns a [store.ExistsError] if the table exists.
func SolveEndings(ctx context.Context, dir string, segments, threads int, f farm.Farm, p *farm.Progress) (*store.Header, error) {
	if err := CanSolveEndings(segments); err != nil {
		return nil, err
	}
	name := endingsTableName(segments)
	shards := endingShards(segments)
	spec := store.Spec{
		Name: name,
		Title: fmt.Sprintf("every ending with at most %d free segments on boards up to %dx%d",
			segments, tables.Side, tables.Side),
		Game: circuitwars.Name, Rules: circuitwars.RulesVersion, Solver: endingsSolverVersion,
		Params: map[string]string{"segments": strconv.Itoa(segments)},
		Kind:   store.Sparse, KeyBits: endingKeyBits(segments), ValueBits: endingValueBits, Shards: len(shards),
	}
	b, err := store.Create(dir, spec)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	e, err := tables.NewEndings(ctx, segments, endingKeyBits(segments), threads, p)
	if err != nil {
		return nil, err
	}
	solve := &endingsSolve{
		farm: f, segments: segments, builder: b, endings: e, progress: p, shards: shards,
		lists: make([][]tables.Entry, len(shards)), digests: make([]farm.Digest, len(shards)),
	}
	if err := solve.run(ctx); err != nil {
		return nil, err
	}
	p.Begin(fmt.Sprintf("store endings of %d", segments), "parts", 0, uint64(len(shards)))
	return b.Finish(ctx, store.FinishOptions{
		Notes: map[string]uint64{"component types": uint64(e.Types())},
		Verify: func(ctx context.Context, t *store.Table) (uint64, error) {
			return verifyEndings(ctx, &endingsTable{segments, store.Scores{Table: t, Offset: endingOffset}}, p)
		},
		Progress: p.Set,
	})
}

// The table is sparse. The key of a position is the sum of the keys of its components ([graph.KeyOf] of
// their canonical codes). The value is between -MaxEndingEdges and MaxEndingEdges.
const (
	endingValueBits = 5
	endingOffset    = tables.MaxEndingEdges
)

func storedEndings(b *store.Builder, shard int) (list []tables.Entry, err error) {
	err = b.EachEntry(shard, func(k store.Key, v uint32) error {
		list = append(list, tables.Entry{Key: k.Hi, Value: int(v) - endingOffset})
		return nil
	})
	return list, err
}

func storeEndings(b *store.Builder, shard int, list []tables.Entry) error {
	scores := make([]store.Scored, len(list))
	for i, x := range list {
		scores[i] = store.Scored{Key: store.Key{Hi: x.Key}, Score: x.Value}
	}
	return b.WriteScores(shard, endingOffset, scores)
}

type endingsTable struct {
	segments int
	store.Scores
}

func openEndingsTable(dir string, segments int) (*endingsTable, error) {
	path := store.Dir(dir, endingsTableName(segments))
	fits := func(h *store.Header) bool {
		return h.Kind == store.Sparse && h.ValueBits == endingValueBits &&
			h.Solver == endingsSolverVersion && h.Params["segments"] == strconv.Itoa(segments)
	}
	t, err := store.Open(path, store.Options{Game: circuitwars.Name, Rules: circuitwars.RulesVersion, Fits: fits})
	return &endingsTable{segments, store.Scores{Table: t, Offset: endingOffset}}, err
}

// covers reports whether the table contains all positions of b with the given number of free segments.
func (t *endingsTable) covers(b *grid.Board, segments int) bool {
	return segments <= t.segments && b.Rows <= tables.Side && b.Cols <= tables.Side
}

var labelers = sync.Pool{New: func() any { return new(graph.Labeler) }}

// value returns the exact value for the side to move of a position in normal form that the table covers.
func (t *endingsTable) value(b *grid.Board, free grid.Set) (int, error) {
	key, err := keyOf(b, free)
	if err != nil {
		return 0, err
	}
	return t.byKey(key)
}

// keyOf returns the key of a position in normal form.
func keyOf(b *grid.Board, free grid.Set) (key graph.Key, err error) {
	parts, err := graph.Components(b, free)
	if err != nil {
		return key, err
	}
	l := labelers.Get().(*graph.Labeler)
	defer labelers.Put(l)
	for _, c := range parts {
		key = key.Add(graph.KeyOf(l.Label(c.Code)))
	}
	return key, nil
}

func (t *endingsTable) byKey(key graph.Key) (int, error) {
	if key == (graph.Key{}) { // the game is over
		return 0, nil
	}
	v, ok, err := t.Score(store.Key{Hi: key.Hi, Lo: key.Lo})
	if err == nil && !ok {
		err = fmt.Errorf("%s: %w: an ending of at most %d free segments is missing: delete the table and solve it again",
			t.Table.Path(), store.ErrDamaged, t.segments)
	}
	return v, err
}
