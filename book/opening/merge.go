package opening

import (
	"context"
	"fmt"
)

// Merged is the result of [Book.Merge].
type Merged struct {
	Added    int // nodes that b did not contain
	Improved int // nodes of both books whose record in b changed
}

// Merge adds the records of another book to b. It combines the two records of a node in both books
// (mergeRecords). Merge returns [ErrContradiction] and changes nothing if proofs of the two books
// exclude each other, and [ErrForeign] for a book of another game or board.
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
	// Merge in memory first: records that contradict each other must not be saved.
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

// renewed returns a copy of the book in which the given records are added or replaced, and all links and
// values are computed again. Nodes keep their numbers. A record against the rules is [ErrDamaged].
func (b *Book) renewed(records ...record) (*Book, error) {
	out := b.without(nil)
	out.journal = b.journal
	for _, r := range records {
		out.replace(r)
	}
	var p problemList
	out.linkAll(p.report)
	return out, p.err()
}
