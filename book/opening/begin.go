package opening

import (
	"context"
	"fmt"

	"endwise/engine"
)

// adopt adds the positions of the published book from to the empty book b, with unchanged
// values.
func (b *Book) adopt(ctx context.Context, from *Published) error {
	err := from.Each(ctx, func(p engine.Position, e Entry) error {
		r, err := from.recordOf(p, e)
		if err == nil {
			b.insert(r)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", from.table.Path(), err)
	}
	return nil
}

// recordOf returns a record of the canonical position p that gives it the value of its
// published entry e. Of the moves without a node, the entry contains only the best one and its
// value; the estimates of the others become one point lower.
func (b *Published) recordOf(p engine.Position, e Entry) (record, error) {
	key, _ := p.CanonicalKey(nil)
	r := record{Key: string(key), Own: e.Value.boundsOnly(), Visits: uint32(e.Visits)}
	if e.Origin.Plies == 0 {
		r.Depth, r.Millis = e.Origin.Depth, e.Origin.Millis
	}
	steps, indexOf, err := stepsOf(b.game, p)
	if err != nil {
		return r, err
	}
	lower := max(e.UnlinkedValue.Est, -maxScore+1) - 1
	r.Moves = blank(steps)
	for i, s := range steps {
		if s.Over {
			continue
		}
		child, ok, err := b.find([]byte(s.Key))
		if err != nil {
			return r, err
		}
		leaf := Value{Lo: -Unbounded, Hi: e.Value.Hi, Est: lower} // no move exceeds the position's upper bound
		if ok {
			leaf = child.Value.Through(int(s.Gain), s.Passes)
		}
		r.Moves[i].Leaf = leaf.clamp()
	}
	if i, ok := indexOf[e.Unlinked]; ok && e.HasUnlinked {
		r.Moves[i].Leaf = e.UnlinkedValue
	}
	if i, ok := indexOf[e.Safe]; ok && e.HasSafe {
		leaf := &r.Moves[i].Leaf
		leaf.Lo = max(leaf.Lo, e.Value.Lo)
		*leaf = leaf.clamp()
	}
	return r, nil
}
