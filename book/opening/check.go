package opening

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"endwise/engine"
)

// Check reads the book in a directory, tells report of everything that is
// wrong with it and returns the number of nodes that it could read. It finds
// damaged bytes, records that are malformed, keys that are not canonical,
// moves that are not legal or are left out, wrong hashes and ends of games,
// cycles, and nodes where proofs exclude each other. What follows from the
// facts is worked out anew, so a stored value can't disagree with it. The facts
// themselves are checked against a second solver by endwise verify (book/verify.go).
// Another process may be writing to the book.
func Check(ctx context.Context, dir string, game engine.Game, report func(Problem)) (nodes int, err error) {
	b, bad, err := checkRecords(ctx, dir, game, report)
	if err != nil {
		return 0, err
	}
	if len(bad) > 0 {
		// Links from sound nodes only; the bad ones are reported already.
		b = b.without(bad)
	}
	b.finish(report)
	b.checkGraph(report)
	return b.Len(), nil
}

// checkRecords loads a journal and checks every record by itself; bad are the
// nodes whose records are wrong.
func checkRecords(ctx context.Context, dir string, game engine.Game, report func(Problem)) (b *Book, bad map[int32]bool, err error) {
	path := filepath.Join(dir, journalName)
	b, end, _, err := load(path, game, "", report)
	if err != nil {
		return nil, nil, err
	}
	if st, err := os.Stat(path); err == nil && st.Size() > int64(end) {
		report(Problem{fmt.Sprintf("%s at %d", path, end), fmt.Sprintf("%d bytes at the end are no record: damaged, or a write that was cut off or is going on", st.Size()-int64(end))})
	}
	bad = map[int32]bool{}
	for id := range b.nodes {
		if id%256 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		b.rules.checkRecord(&b.nodes[id].record, func(where, what string) {
			bad[int32(id)] = true
			report(Problem{where, what})
		})
	}
	return b, bad, nil
}

// checkRecord compares a record with the rules.
func (g *rules) checkRecord(r *record, report func(where, what string)) {
	where := fmt.Sprintf("node %x", r.key)
	p, err := g.canonicalPosition(r.key)
	if err != nil {
		report(where, err.Error())
		return
	}
	where = "node " + p.String()
	steps, members, err := g.steps(p)
	if err != nil {
		report(where, err.Error())
		return
	}
	if r.own.Lo > r.own.Hi {
		report(where, fmt.Sprintf("proved at least %d and at most %d", r.own.Lo, r.own.Hi))
	}
	want := blank(steps)
	held := make([]bool, len(steps))
	for _, c := range r.classes {
		name := p.MoveString(engine.Move(c.move))
		at, legal := members[engine.Move(c.move)]
		if !legal {
			report(where, fmt.Sprintf("move %s is not legal there", name))
			continue
		}
		w := want[at]
		held[at] = true
		switch {
		case w.move != c.move:
			report(where, fmt.Sprintf("move %s: its class is led by %s", name, p.MoveString(engine.Move(w.move))))
		case w.child != c.child:
			report(where, fmt.Sprintf("move %s: wrong about whether the game is over after it", name))
		case c.child == final && c.leaf != w.leaf:
			report(where, fmt.Sprintf("move %s: %s, but it ends the game with %d", name, c.leaf, w.leaf.Lo))
		case c.child != final && c.hash != w.hash:
			report(where, fmt.Sprintf("move %s: the hash of its position is wrong", name))
		case c.leaf != c.leaf.clamp():
			report(where, fmt.Sprintf("move %s: the estimate %s lies outside its bounds", name, c.leaf))
		}
	}
	for at, w := range want {
		if !held[at] {
			report(where, fmt.Sprintf("move %s is left out", p.MoveString(engine.Move(w.move))))
		}
	}
}

// checkGraph reports cycles and proofs that exclude each other.
func (b *Book) checkGraph(report func(Problem)) {
	if n := len(b.childrenFirst()); n < len(b.nodes) {
		report(Problem{b.header.Game, fmt.Sprintf("%d nodes lie on cycles or above them", len(b.nodes)-n)})
	}
	for id := range b.nodes {
		n := &b.nodes[id]
		if !n.conflict {
			continue
		}
		where := fmt.Sprintf("node %x", n.key)
		p, err := b.position(int32(id))
		if err == nil {
			where = "node " + p.String()
		}
		said := false
		for i := range n.classes {
			c := &n.classes[i]
			if v, ok := b.classValue(c); !ok && p != nil {
				said = true
				report(Problem{where, fmt.Sprintf("move %s: its evaluation proved %s, the position after it %s", p.MoveString(engine.Move(c.move)), c.leaf.bounds(), v.bounds())})
			}
		}
		if !said {
			report(Problem{where, fmt.Sprintf("proved %s itself, its moves prove %s", n.own.bounds(), n.value.bounds())})
		}
	}
}

// without is a book in memory of all nodes but some, not linked.
func (b *Book) without(gone map[int32]bool) *Book {
	out := &Book{header: b.header, rules: b.rules, heads: map[uint32]int32{}}
	for id := range b.nodes {
		if !gone[int32(id)] {
			out.insert(b.nodes[id].record.unlinked())
		}
	}
	return out
}

// unlinked is the record with what is worked out taken back.
func (r *record) unlinked() record {
	out := *r
	out.classes = make([]class, len(r.classes))
	for i, c := range r.classes {
		if c.child != final {
			c.child = unlinked
		}
		c.gain, c.passes = 0, false
		out.classes[i] = c
	}
	return out
}

// savedSuffix and a number end the name under which Fix keeps the journal it
// repairs.
const savedSuffix = ".before-fix"

// Fix repairs the book in a directory. Records that Check finds wrong are
// corrected where the rules say how (hashes, ends of games, the order of
// moves), else removed: the moves that led to them have their own evaluations
// again. Where two proofs exclude each other, both nodes are removed, because
// nothing says which one is wrong. The journal as it was is kept beside the
// new one. report hears of every repair.
func Fix(ctx context.Context, dir string, game engine.Game, report func(Problem)) (kept, removed int, err error) {
	if !Exists(dir) {
		return 0, 0, fmt.Errorf("%s: %w", dir, ErrMissing)
	}
	unlock, err := hold(dir)
	if err != nil {
		return 0, 0, err
	}
	defer unlock()
	b, bad, err := checkRecords(ctx, dir, game, report)
	if err != nil {
		return 0, 0, err
	}
	all := b.Len()
	gone := map[int32]bool{}
	for id := range bad {
		if !b.rules.mend(&b.nodes[id].record) {
			gone[id] = true
		}
	}
	for {
		b = b.without(gone)
		b.finish(report)
		if b.conflicts == 0 {
			break
		}
		b.checkGraph(report)
		gone = map[int32]bool{}
		for id := range b.nodes {
			if b.nodes[id].conflict {
				gone[int32(id)] = true
				for i := range b.nodes[id].classes {
					if c := &b.nodes[id].classes[i]; c.child >= 0 {
						if _, ok := b.classValue(c); !ok {
							gone[c.child] = true
						}
					}
				}
			}
		}
	}
	path := filepath.Join(dir, journalName)
	for n := 1; ; n++ {
		err := os.Link(path, fmt.Sprintf("%s%s-%d", path, savedSuffix, n))
		if err == nil {
			break
		}
		if !os.IsExist(err) {
			return 0, 0, err
		}
	}
	if err := b.rewrite(dir); err != nil {
		return 0, 0, err
	}
	if err := b.journal.log.Close(); err != nil {
		return 0, 0, err
	}
	return b.Len(), all - b.Len(), nil
}

// mend corrects what the rules alone decide, and says whether the record is
// sound afterwards.
func (g *rules) mend(r *record) bool {
	p, err := g.canonicalPosition(r.key)
	if err != nil || r.own.Lo > r.own.Hi {
		return false
	}
	steps, members, err := g.steps(p)
	if err != nil {
		return false
	}
	classes := blank(steps)
	have := make([]bool, len(steps))
	for _, c := range r.classes {
		at, legal := members[engine.Move(c.move)]
		if !legal || have[at] {
			return false
		}
		have[at] = true
		if !steps[at].over {
			classes[at].leaf = c.leaf.clamp()
		}
	}
	for at, s := range steps {
		if !s.over && !have[at] {
			return false
		}
	}
	r.classes = classes
	return true
}
