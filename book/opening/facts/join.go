package facts

import (
	"cmp"
	"fmt"
	"slices"

	"endwise/book/opening/value"
)

// Join is the least upper bound of what two records know: all proofs, and the
// estimates with more time, then more depth behind them. Among equals any
// fixed order will do; it is that of the estimates.
func Join(a, b Record) (Record, error) {
	if len(a.Classes) != len(b.Classes) {
		return a, fmt.Errorf("node %x: %w: %d moves and %d moves", a.Key, ErrDamaged, len(a.Classes), len(b.Classes))
	}
	if a.effort(&b) < 0 {
		a, b = b, a
	}
	conflict := func() error { return fmt.Errorf("node %x: %w", a.Key, value.ErrContradiction) }
	out := a
	out.Visits = max(a.Visits, b.Visits)
	var ok bool
	if out.Own, ok = a.Own.Within(b.Own); !ok {
		return a, conflict()
	}
	out.Own.Est = 0 // of the proofs alone, as in New
	out.Own = out.Own.Clamp()
	out.Classes = slices.Clone(a.Classes)
	for i := range out.Classes {
		c, d := &out.Classes[i], &b.Classes[i]
		if c.Move != d.Move || c.Hash != d.Hash {
			return a, fmt.Errorf("node %x: %w: different moves", a.Key, ErrDamaged)
		}
		if c.Leaf, ok = c.Leaf.Within(d.Leaf); !ok {
			return a, conflict()
		}
	}
	return out, nil
}

// effort compares what stands behind the estimates of two records.
func (r *Record) effort(o *Record) int {
	return cmp.Or(cmp.Compare(r.Millis, o.Millis), cmp.Compare(r.Depth, o.Depth),
		slices.CompareFunc(r.Classes, o.Classes, func(c, d Class) int { return cmp.Compare(c.Leaf.Est, d.Leaf.Est) }))
}

// Equal says whether two records say the same.
func (r *Record) Equal(o *Record) bool {
	return r.Key == o.Key && r.Own == o.Own && r.Depth == o.Depth && r.Millis == o.Millis && r.Visits == o.Visits &&
		slices.Equal(r.Classes, o.Classes)
}
