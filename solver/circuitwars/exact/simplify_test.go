package exact

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// simplifier returns a function that applies the rules of rules.txt.
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

// rewrite replaces types by their replacements and removes pairs that cancel.
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

// raw returns a multiset with its moves, without simplifying the multiset itself.
func (l *lemma) raw(p multiset) *expanded {
	e := &expanded{pos: p, key: l.types.key(p)}
	for _, m := range l.types.moves(p) {
		e.moves = append(e.moves, lemmaMove{m.gain, l.set(m.to)})
	}
	return e
}

// The lemma proves every line of rules.txt. The proof of a line uses, besides its left
// side, only components with fewer edges, so the use of other lines is not circular.
func TestLemmaProvesEveryRule(t *testing.T) {
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
			t.Errorf("%v: %d edges, want at most %d", f.left, edges, eagerEdges)
		}
		if edges > 7 && !deep {
			continue // takes half a minute
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

// The inequality of the lemma holds for all pairs of contexts in every context.
func TestDistanceBoundsTheDifferenceOfValues(t *testing.T) {
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
					t.Errorf("distance of %v and %v is %d, but in context %v the values are %d and %d", x, y, d, r, a, b)
				}
			}
		}
	}
	if differ == 0 {
		t.Error("all distances are 0")
	}
}

// Both sides of every small rule have the same values in all contexts, by plain negamax.
func TestRulesKeepValuesInSums(t *testing.T) {
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
				t.Errorf("%v in context %s: value %d, replacement %d", f.left, describe(types, r), a, b)
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
