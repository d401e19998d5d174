package opening

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Merged says what a merge did.
type Merged struct {
	Added    int // nodes that were not there
	Improved int // nodes about which the other book knew more
}

// Merge puts the facts of another book of the same game and board into b.
// A node of both keeps every proof of either, and the estimates of the
// evaluation that took longer; a merged with b says what b merged with a says.
func (b *Book) Merge(ctx context.Context, other *Book) (Merged, error) {
	var out Merged
	if b.header != other.header {
		return out, fmt.Errorf("%w: %s %s (rules %d) cannot be merged into %s %s (rules %d)", ErrForeign,
			other.header.Game, other.header.Board, other.header.Rules, b.header.Game, b.header.Board, b.header.Rules)
	}
	var changed []record
	for i := range other.nodes {
		if i%1024 == 0 && ctx.Err() != nil {
			return out, ctx.Err()
		}
		r := other.nodes[i].record.unlinked()
		id, ok := b.find(r.key)
		if !ok {
			out.Added++
			changed = append(changed, r)
			continue
		}
		mine := b.nodes[id].record.unlinked()
		both, err := join(mine, r)
		if err != nil {
			return out, err
		}
		if !both.equal(&mine) {
			out.Improved++
			changed = append(changed, both)
		}
	}
	// Try it in memory first: what is saved must not contradict itself.
	merged, err := b.renewed(changed...)
	if err != nil {
		return Merged{}, err
	}
	if merged.conflicts > 0 {
		return Merged{}, merged.contradiction()
	}
	for i := range changed {
		if err := b.save(&changed[i]); err != nil {
			return Merged{}, err
		}
	}
	*b = *merged
	return out, nil
}

// renewed is the book with some records more, or in place of those of the same
// nodes: linked and worked out from scratch, the nodes in the same order.
func (b *Book) renewed(records ...record) (*Book, error) {
	out := b.without(nil)
	out.journal = b.journal
	for _, r := range records {
		out.replace(r)
	}
	var p problemList
	out.finish(p.report)
	return out, p.err()
}

// join is the least upper bound of what two records know: all proofs, and the
// estimates with more time, then more depth behind them. Among equals any
// fixed order will do; it is that of the estimates.
func join(a, b record) (record, error) {
	if len(a.classes) != len(b.classes) {
		return a, fmt.Errorf("node %x: %w: %d moves and %d moves", a.key, ErrDamaged, len(a.classes), len(b.classes))
	}
	if a.effort(&b) < 0 {
		a, b = b, a
	}
	conflict := func() error { return fmt.Errorf("node %x: %w", a.key, ErrContradiction) }
	out := a
	out.visits = max(a.visits, b.visits)
	if a.work != b.work {
		out.work = Work{} // no evaluation gives the proofs of both
	}
	var ok bool
	if out.own, ok = a.own.Within(b.own); !ok {
		return a, conflict()
	}
	out.own.Est = 0 // of the proofs alone, as in newRecord
	out.own = out.own.clamp()
	out.classes = slices.Clone(a.classes)
	for i := range out.classes {
		c, d := &out.classes[i], &b.classes[i]
		if c.move != d.move || c.hash != d.hash {
			return a, fmt.Errorf("node %x: %w: different moves", a.key, ErrDamaged)
		}
		if c.leaf, ok = c.leaf.Within(d.leaf); !ok {
			return a, conflict()
		}
	}
	return out, nil
}

// effort compares what stands behind the estimates of two records.
func (r *record) effort(o *record) int {
	return cmp.Or(cmp.Compare(r.millis, o.millis), cmp.Compare(r.depth, o.depth),
		slices.CompareFunc(r.classes, o.classes, func(c, d class) int { return cmp.Compare(c.leaf.Est, d.leaf.Est) }))
}

func (r *record) equal(o *record) bool {
	return r.key == o.key && r.own == o.own && r.depth == o.depth && r.millis == o.millis && r.visits == o.visits && r.work == o.work &&
		slices.Equal(r.classes, o.classes)
}
