package opening

import (
	"context"
	"fmt"
	"math"
)

// Recurred says how many evaluations of a book were worked out again.
type Recurred struct {
	Again   int `json:"worked_out_again"`
	Differ  int `json:"differ"`
	Foreign int `json:"other_version"` // of other searches, which can't be expected to
	Timed   int `json:"timed"`         // that had a time instead of nodes
}

// Recur works a share of the evaluations that recur out again, the same ones in
// every run, and tells report of those that count other nodes or say something
// else. engine is the version of the searches, eval their evaluator with so many
// nodes.
func (b *Book) Recur(ctx context.Context, engine uint32, share float64, eval func(nodes uint64) Evaluator, report func(Problem), progress func(done, total int)) (out Recurred, err error) {
	var again []int32
	for _, id := range b.sorted() {
		switch n := &b.nodes[id]; {
		case n.work == (Work{}):
			out.Timed++
		case n.work.Engine != engine:
			out.Foreign++
		case float64(hash64(n.key))/math.MaxUint64 <= share:
			again = append(again, id)
		}
	}
	for i, id := range again {
		progress(i, len(again))
		n := &b.nodes[id]
		p, err := b.position(id)
		if err != nil {
			return out, err
		}
		r, err := b.rules.evaluate(ctx, eval(n.work.Limit), &job{key: n.key, position: p, visits: n.visits}, n.work)
		if err != nil {
			return out, err
		}
		out.Again++
		if what := n.differs(&r); what != "" {
			out.Differ++
			report(Problem{"node " + p.String(), what})
		}
	}
	progress(len(again), len(again))
	return out, nil
}

// differs says in what a record differs from one worked out again, "" for nothing.
func (n *node) differs(again *record) string {
	if n.work.Nodes != again.work.Nodes {
		return fmt.Sprintf("its evaluation took %d nodes, again %d", n.work.Nodes, again.work.Nodes)
	}
	old := n.record
	for i := range old.classes {
		if c, d := &old.classes[i], &again.classes[i]; c.leaf != d.leaf {
			return fmt.Sprintf("move %d was worth %s, again %s", c.move, c.leaf, d.leaf)
		}
	}
	if old.own != again.own || old.depth != again.depth || old.millis != again.millis {
		return fmt.Sprintf("depth %d and %s were proved, again %d and %s", old.depth, old.own, again.depth, again.own)
	}
	return ""
}
