package opening

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"endwise/book/opening/published"
	"endwise/book/opening/value"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/disk"
)

// entry sums a node up.
func (b *Book) entry(id int32) published.Entry {
	n := &b.nodes[id]
	e := published.Entry{Value: n.value, Behind: n.behind, Visits: int(n.Visits)}
	var rest value.Value
	restAt := -1
	e.Best, e.BestLinked = engine.Move(n.Classes[n.best].Move), n.links[n.best].child >= 0
	for i := range n.Classes {
		v, _ := b.classValue(n, i)
		if safe := v.Lo > -value.Unbounded && v.Lo >= n.value.Lo; safe && (!e.HasSafe || i == int(n.best)) {
			e.Safe, e.HasSafe = engine.Move(n.Classes[i].Move), true
		}
		v.Est = min(v.Est, n.value.Hi)
		if n.links[i].child < 0 && (restAt < 0 || better(v, false, rest, false)) {
			restAt, rest = i, v
		}
	}
	if restAt >= 0 {
		e.Rest, e.RestValue, e.HasRest = engine.Move(n.Classes[restAt].Move), rest.Clamp(), true
	}
	return e
}

// Publish writes the book as an immutable table into a store, in place of an
// earlier one of the same game and board. Whoever has that one open keeps it.
// It returns the table's header.
func (b *Book) Publish(ctx context.Context, dir string) (*store.Header, error) {
	if b.Len() == 0 {
		return nil, errors.New("publish: the book is empty")
	}
	if b.conflicts > 0 {
		return nil, b.contradiction()
	}
	name := published.TableName(b.header.Game, b.header.Board)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	work := filepath.Join(dir, name+".publishing")
	unlock, err := hold(work)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, left := range []string{name, name + store.BuildingSuffix} {
		if err := os.RemoveAll(filepath.Join(work, left)); err != nil {
			return nil, err
		}
	}
	order := b.sorted()
	keys := make([]string, len(order))
	for i, id := range order {
		keys[i] = b.nodes[id].Key
	}
	h, err := published.Write(ctx, work, b.game, b.header.Board, keys, b.links, func(i int) published.Entry { return b.entry(order[i]) })
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	// A directory can't be renamed over another one: the old one steps aside.
	// If the process ends between the two renames, the next Publish puts
	// things right.
	final, old := filepath.Join(dir, name), filepath.Join(work, "old")
	if err := os.RemoveAll(old); err != nil {
		return nil, err
	}
	if err := os.Rename(final, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := disk.Rename(filepath.Join(work, name), final); err != nil {
		_ = os.Rename(old, final) // the old book, if there is one, serves on
		return nil, err
	}
	return h, os.RemoveAll(work)
}
