package opening

import (
	"context"
	"fmt"

	"endwise/engine"
)

// adopt inserts a record for each entry of a published book. It does not link the nodes.
func (b *Book) adopt(ctx context.Context, published *Published) error {
	err := published.Each(ctx, func(p engine.Position, e Entry) error {
		r, err := published.recordOf(p, e)
		if err == nil {
			b.insert(r)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", published.table.Path(), err)
	}
	return nil
}

// recordOf converts the entry of a canonical position p to a record that gives p the same value in a
// working book. Of the moves that do not lead to nodes an entry contains only Unlinked; the others
// get an estimate 1 below UnlinkedValue.
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
		eval := Value{Lo: -Unbounded, Hi: e.Value.Hi, Est: lower}
		if ok {
			eval = child.Value.Through(int(s.Gain), s.Passes)
		}
		r.Moves[i].Eval = eval.clamp()
	}
	if i, ok := indexOf[e.Unlinked]; ok && e.HasUnlinked {
		r.Moves[i].Eval = e.UnlinkedValue
	}
	if i, ok := indexOf[e.Safe]; ok && e.HasSafe {
		eval := &r.Moves[i].Eval
		eval.Lo = max(eval.Lo, e.Value.Lo)
		*eval = eval.clamp()
	}
	return r, nil
}
