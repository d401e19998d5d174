package exact

import "endwise/solver/circuitwars/graph"

// lemma computes a bound of the difference between two multisets of components:
// distance(X, Y) = c means
//
//	|V(R + X) - V(R + Y)| <= c for every R.
//
// Proof that the recursion below computes such a c, by induction on the edges of R, X and
// Y. By symmetry it suffices to show V(R+X) <= V(R+Y) + c, that is, to bound every option
// of R + X. An option in R leads to the same X and Y with a smaller R. An option
// X → (gain g, X1) has the value g - V(R+X1), and one of these holds:
//
//   - It is matched by Y → (h, Y1) with distance(X1, Y1) <= c+h-g. Then it is at most
//     c + h - V(R+Y1) <= c + V(R+Y).
//   - It is answered by X1 → (k, X2) with distance(X2, Y) <= c+k-g. Then
//     V(R+X1) >= k - V(R+X2), and g - V(R+X1) <= g - k + V(R+Y) + c + k - g.
//
// If R and X are empty, V(R+X) = 0 is at most V(Y) + c if V(Y) >= -c. QED
type lemma struct {
	types     *multisets
	values    map[graph.Key]int
	distances map[[2]graph.Key]int
	contexts  []multiset
	marks     map[graph.Key][]int8
	// normal applies rules proved before; nil for none.
	normal func(multiset) multiset
	sets   map[graph.Key]*expanded
}

// expanded is a multiset with its distinct moves.
type expanded struct {
	pos   multiset
	key   graph.Key
	moves []lemmaMove
}

type lemmaMove struct {
	gain int
	to   *expanded
}

const far = 1 << 20

func newLemma(types *multisets) *lemma {
	return &lemma{
		types:     types,
		values:    map[graph.Key]int{},
		distances: map[[2]graph.Key]int{},
		marks:     map[graph.Key][]int8{},
		sets:      map[graph.Key]*expanded{},
	}
}

// value returns the value of a multiset by plain negamax.
func (l *lemma) value(p multiset) int {
	if l.normal != nil {
		p = l.normal(p)
	}
	if len(p) == 0 {
		return 0
	}
	k := l.types.key(p)
	if v, ok := l.values[k]; ok {
		return v
	}
	best := -far
	for _, m := range l.types.moves(p) {
		best = max(best, m.gain-l.value(m.to))
	}
	l.values[k] = best
	return best
}

// mark returns the values of a multiset in all contexts. Interchangeable multisets have
// equal marks; the largest difference is a lower bound of the distance.
func (l *lemma) mark(e *expanded) []int8 {
	if m, ok := l.marks[e.key]; ok {
		return m
	}
	m := make([]int8, len(l.contexts))
	for i, c := range l.contexts {
		m[i] = int8(l.value(sum(e.pos, c)))
	}
	l.marks[e.key] = m
	return m
}

func (l *lemma) apart(x, y *expanded) int {
	a, b := l.mark(x), l.mark(y)
	d := 0
	for i := range a {
		d = max(d, int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return d
}

// set returns the multiset with its moves; equal multisets share one.
func (l *lemma) set(p multiset) *expanded {
	if l.normal != nil {
		p = l.normal(p)
	}
	k := l.types.key(p)
	if e, ok := l.sets[k]; ok {
		return e
	}
	e := l.raw(p)
	l.sets[k] = e
	return e
}

// distance returns the smallest c that the recursion proves.
func (l *lemma) distance(x, y *expanded) int {
	if x.key == y.key {
		return 0
	}
	k := [2]graph.Key{x.key, y.key}
	if x.key.Compare(y.key) > 0 {
		k = [2]graph.Key{y.key, x.key}
	}
	if d, ok := l.distances[k]; ok {
		return d
	}
	d := max(l.oneWay(x, y), l.oneWay(y, x))
	l.distances[k] = d
	return d
}

// oneWay returns the smallest c for which the recursion proves V(R+X) <= V(R+Y) + c.
func (l *lemma) oneWay(x, y *expanded) int {
	c := 0
	if len(x.pos) == 0 {
		c = max(c, -l.value(y.pos))
	}
	for _, m := range x.moves {
		need := far
		for _, n := range y.moves {
			if len(l.contexts) == 0 || l.apart(m.to, n.to)-n.gain+m.gain < need {
				need = min(need, l.distance(m.to, n.to)-n.gain+m.gain)
			}
			if need <= c {
				break
			}
		}
		if need > c {
			for _, a := range m.to.moves {
				if len(l.contexts) == 0 || l.apart(a.to, y)-a.gain+m.gain < need {
					need = min(need, l.distance(a.to, y)-a.gain+m.gain)
				}
				if need <= c {
					break
				}
			}
		}
		c = max(c, need)
	}
	return c
}
