package opening

import (
	"context"
	"math"

	"endwise/book/opening/facts"
	"endwise/book/opening/value"
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
		case n.Work == (facts.Work{}):
			out.Timed++
		case n.Work.Engine != engine:
			out.Foreign++
		case float64(value.Hash(n.Key))/math.MaxUint64 <= share:
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
		r, err := b.evaluate(ctx, eval(n.Work.Limit), &job{key: n.Key, position: p, visits: n.Visits}, n.Work)
		if err != nil {
			return out, err
		}
		out.Again++
		if what := n.Differs(&r); what != "" {
			out.Differ++
			report(Problem{"node " + p.String(), what})
		}
	}
	progress(len(again), len(again))
	return out, nil
}
