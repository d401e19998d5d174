package opening

import (
	"context"
	"fmt"
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
		r := other.nodes[i].record
		id, ok := b.find(r.Key)
		if !ok {
			out.Added++
			changed = append(changed, r)
			continue
		}
		mine := b.nodes[id].record
		both, err := joinRecords(mine, r)
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
