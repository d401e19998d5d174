package opening

import (
	"context"
	"fmt"

	"endwise/book/opening/facts"
	"endwise/book/opening/value"
	"endwise/engine"
)

// Deepened is one node that Deepen evaluated again.
type Deepened struct {
	Position      engine.Canonical
	Before, After value.Value
}

// Deepen evaluates the line of best play from a position again, node by node
// down to the end of the book. What an evaluation says replaces all that the
// node's former one said, its proofs included: it is for lines that somebody
// doubts. When the best line changes on the way the new one is followed, until
// every node of the line that is best in the end has been evaluated. report,
// if given, hears of every node. value.ErrContradiction means that the new proofs
// and those of nodes off the line exclude each other.
func (b *Book) Deepen(ctx context.Context, from engine.Position, eval Evaluator, report func(Deepened)) error {
	root, _, ok, err := b.Find(from)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%s: %w", from, ErrNotInBook)
	}
	done := map[int32]bool{}
	for {
		id := int32(root)
		for done[id] {
			n := &b.nodes[id]
			if id = n.links[n.best].child; id < 0 {
				if b.conflicts > 0 {
					return b.contradiction()
				}
				return nil
			}
		}
		p, err := b.position(id)
		if err != nil {
			return err
		}
		before := b.nodes[id].value
		r, err := b.evaluate(ctx, eval, &job{key: b.nodes[id].Key, position: p, visits: b.nodes[id].Visits}, facts.Work{})
		if err != nil {
			return err
		}
		renewed, err := b.renewed(r)
		if err != nil {
			return err
		}
		*b = *renewed
		if err := b.save(&r); err != nil {
			return err
		}
		done[id] = true
		if report != nil {
			report(Deepened{p, before, b.nodes[id].value})
		}
	}
}
