package opening

import (
	"context"
	"errors"
	"fmt"

	"endwise/engine"
)

// CheckPublished reads the published book at path completely and calls report for every problem:
// damaged files and blocks, keys that are not canonical or in the wrong block, illegal moves, and
// values that do not follow from the children's values and [Entry.Unlinked]. It returns the number of
// nodes. progress, if not nil, is called with numbers of blocks.
func CheckPublished(
	ctx context.Context, path string, game engine.Game, report func(problem error), progress func(done, total uint64),
) (nodes int, err error) {
	b, err := OpenPublished(path, game)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	if progress == nil {
		progress = func(done, total uint64) {}
	}
	problem := func(where, what string) { report(errors.New(where + ": " + what)) }
	if err := b.table.Verify(ctx, report, nil); err != nil {
		return 0, err
	}
	blocks := b.table.Header().Blocks
	progress(0, blocks)
	for n := range blocks {
		if err := ctx.Err(); err != nil {
			return nodes, err
		}
		block, err := b.table.Block(n)
		if err != nil {
			continue // reported by Verify
		}
		last := ""
		for key, e := range b.nodes(n, block, &err) {
			nodes++
			where := fmt.Sprintf("block %d, node %x", n, key)
			if string(key) <= last && last != "" {
				problem(where, "the keys do not ascend")
			}
			last = string(key)
			if blockOf(key, blocks) != n {
				problem(where, fmt.Sprintf("belongs in block %d", blockOf(key, blocks)))
			}
			b.checkEntry(where, last, e, problem)
		}
		if err != nil {
			problem(path, err.Error())
		}
		progress(n+1, blocks)
	}
	if want := b.table.Header().Notes["nodes"]; uint64(nodes) != want {
		problem(path, fmt.Sprintf("%d nodes, but the header has %d", nodes, want))
	}
	return nodes, nil
}

// checkEntry reports the faults of the entry e of a key; where names the entry.
func (b *Published) checkEntry(where, key string, e Entry, report func(where, what string)) {
	pos, err := positionOf(b.game, key)
	if err != nil {
		report(where, err.Error())
		return
	}
	where = "node " + pos.String()
	steps, indexOf, err := stepsOf(b.game, pos)
	if err != nil {
		report(where, err.Error())
		return
	}
	for _, m := range []struct {
		what string
		move engine.Move
		used bool
	}{{"best", e.Best, true}, {"safe", e.Safe, e.HasSafe}, {"best unlinked", e.Unlinked, e.HasUnlinked}} {
		if _, legal := indexOf[m.move]; m.used && !legal {
			report(where, fmt.Sprintf("its %s move %s is not legal", m.what, pos.MoveString(m.move)))
			return
		}
	}
	b.checkChildren(where, pos, steps, e, report)
}

// checkChildren reports what in the entry e of pos does not follow from pos's children in the book. steps
// are those of pos.
func (b *Published) checkChildren(where string, pos engine.Position, steps []step, e Entry, report func(where, what string)) {
	est := int16(-Unbounded)
	if e.HasUnlinked {
		est = e.UnlinkedValue.Est
	}
	bestLinked, unlinkedLinked := false, false
	for _, s := range steps {
		if s.Over {
			continue
		}
		child, ok, err := b.find([]byte(s.Key))
		if err != nil || !ok {
			continue // Verify reports a damaged block
		}
		v := child.Value.Through(int(s.Gain), s.Passes)
		est = max(est, min(v.Est, e.Value.Hi))
		if v.Lo > e.Value.Hi {
			report(where, fmt.Sprintf("proved %s, but move %s is worth at least %d", e.Value.Bounds(), pos.MoveString(s.Move), v.Lo))
		}
		bestLinked = bestLinked || s.Move == e.Best
		unlinkedLinked = unlinkedLinked || s.Move == e.Unlinked && e.HasUnlinked
		if s.Move == e.Best && e.Value.Exact() && v.Hi < e.Value.Lo {
			report(where, fmt.Sprintf("proved %s, but its best move %s is worth at most %d",
				e.Value.Bounds(), pos.MoveString(s.Move), v.Hi))
		}
	}
	want := e.Value
	want.Est = est
	if want = want.clamp(); want != e.Value {
		report(where, fmt.Sprintf("the estimate %s does not follow from its moves: %s does", e.Value, want))
	}
	if bestLinked != e.BestLinked {
		report(where, fmt.Sprintf("BestLinked is wrong for its best move %s", pos.MoveString(e.Best)))
	}
	if unlinkedLinked {
		report(where, fmt.Sprintf("its best unlinked move %s leads to a node", pos.MoveString(e.Unlinked)))
	}
}
