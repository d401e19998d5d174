package exact

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// simplifier rewrites multisets by the facts of rules.txt.
func simplifier(types *multisets) func(multiset) multiset {
	by := map[int]multiset{}
	cancels := map[int]bool{}
	for _, f := range provedFacts() {
		id := types.intern(f.left)
		if f.pair {
			cancels[id] = true
			continue
		}
		by[id] = multiset{}
		for _, c := range f.right {
			by[id] = append(by[id], types.intern(c))
		}
	}
	return func(p multiset) multiset {
		return rewrite(p, by, func(id int) bool { return cancels[id] || types.types[id].Grounds() == 1 })
	}
}

// rewrite puts what stands for a type in its place, and drops pairs that cancel.
func rewrite(p multiset, by map[int]multiset, cancels func(int) bool) multiset {
	var all, out multiset
	for _, id := range p {
		if r, ok := by[id]; ok {
			all = append(all, r...)
		} else {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	for _, id := range all {
		if n := len(out); n > 0 && out[n-1] == id && cancels(id) {
			out = out[:n-1]
			continue
		}
		out = append(out, id)
	}
	return out
}

// raw is a multiset with its moves, itself not simplified.
func (l *lemma) raw(p multiset) *expanded {
	e := &expanded{pos: p, key: l.types.key(p)}
	for _, m := range l.types.moves(p) {
		e.moves = append(e.moves, lemmaMove{m.gain, l.set(m.to)})
	}
	return e
}

// TestRules proves every line of rules.txt by the lemma. The proof of a line
// meets, but for the left side itself, only components with fewer edges than
// the left side has, so using the other lines on the way goes round in no
// circle.
func TestRules(t *testing.T) {
	deep := os.Getenv("ENDWISE_DEEP") != ""
	types := newMultisets()
	l := newLemma(types)
	l.normal = simplifier(types)
	l.contexts = contexts(types)
	proved := 0
	for _, f := range provedFacts() {
		edges := f.left.Edges()
		id := types.intern(f.left)
		if !slices.Equal(types.types[id].Code, f.left) {
			t.Errorf("%v: not in canonical order", f.left)
		}
		if edges > eagerEdges {
			t.Errorf("%v: %d edges, at most %d are possible", f.left, edges, eagerEdges)
		}
		if edges > 7 && !deep {
			continue // half a minute; ENDWISE_DEEP=1 proves these as well
		}
		x := multiset{id}
		var y multiset
		if f.pair {
			x = multiset{id, id}
		}
		for _, c := range f.right {
			if c.Edges() > edges {
				t.Errorf("%v: the right side has a component of more edges", f.left)
			}
			y = append(y, types.intern(c))
		}
		slices.Sort(y)
		if !slices.Equal(l.normal(y), y) {
			t.Errorf("%v: the right side can be simplified", f.left)
		}
		if d := l.distance(l.raw(x), l.raw(y)); d != 0 {
			t.Errorf("%v: distance %d", f.left, d)
		}
		proved++
	}
	if proved < 50 {
		t.Errorf("only %d lines proved", proved)
	}
}

// TestDistance checks the lemma itself against the inequality that it claims:
// random pairs of multisets in random company.
func TestDistance(t *testing.T) {
	types := newMultisets()
	l := newLemma(types)
	all := contexts(types)
	plain := newLemma(types)
	differ := 0
	for i, x := range all {
		for _, y := range all[:i] {
			d := l.distance(l.raw(x), l.raw(y))
			if d > 0 {
				differ++
			}
			for _, r := range all {
				if a, b := plain.value(sum(x, r)), plain.value(sum(y, r)); max(a-b, b-a) > d {
					t.Errorf("distance of %v and %v is %d, but beside %v they are worth %d and %d", x, y, d, r, a, b)
				}
			}
		}
	}
	if differ == 0 {
		t.Error("no two multisets differ: the test shows nothing")
	}
}

// TestRulesInSums puts both sides of every rule into company and compares
// plain values: the inequality itself, not its proof.
func TestRulesInSums(t *testing.T) {
	types := newMultisets()
	plain := newLemma(types)
	for _, f := range provedFacts() {
		if f.left.Edges() > 6 {
			continue
		}
		id := types.intern(f.left)
		x := multiset{id}
		if f.pair {
			x = multiset{id, id}
		}
		var y multiset
		for _, c := range f.right {
			y = append(y, types.intern(c))
		}
		for _, r := range contexts(types) {
			if a, b := plain.value(sum(x, r)), plain.value(sum(y, r)); a != b {
				t.Errorf("%v beside %s: %d, what stands for it %d", f.left, describe(types, r), a, b)
			}
		}
	}
}

func describe(types *multisets, p multiset) string {
	s := ""
	for _, id := range p {
		s += fmt.Sprintf("[%v]", types.types[id].Code)
	}
	return s
}
