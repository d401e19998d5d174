package opening

import (
	"context"
	"fmt"
)

// Merged is the result of a merge.
type Merged struct {
	Added    int // new nodes
	Improved int // nodes that the other book improved
}

// Merge adds the records of another book of the same game and board to b. A node of both
// keeps the proofs of both and the estimates of the evaluation that took longer; merging a
// into b gives the same records as merging b into a.
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
		both, err := mergeRecords(mine, r)
		if err != nil {
			return out, err
		}
		if !both.equal(&mine) {
			out.Improved++
			changed = append(changed, both)
		}
	}
	// Merge in memory first: records that contradict each other are not saved.
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

// renewed returns the book with records added or replaced, linked and computed from
// scratch, with the nodes in the same order.
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
