package exact

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

var (
	update      = flag.Bool("update", false, "find the rules and rewrite rules.txt")
	updateEdges = flag.Int("edges", 9, "with -update: the maximum number of edges of a type")
)

// The rules of small types in rules.txt are those found here. With -update the test
// rewrites rules.txt.
//
// Types are processed by edges. A type is a candidate if it has the same values in all
// contexts as a sum of irreducible types with no more edges; the lemma decides. Sums are
// registered before types with the same number of edges, so that a type that equals a sum
// is replaced by it.
func TestRulesAreReproducible(t *testing.T) {
	most := 6
	if *update {
		most = *updateEdges
	}
	types := newMultisets()
	f := &ruleFinder{
		types:   types,
		lemma:   newLemma(types),
		byMark:  map[string][]*expanded{},
		rules:   map[int]multiset{},
		cancels: map[int]bool{},
	}
	f.lemma.contexts = contexts(types)
	f.lemma.normal = f.simplify
	f.register(f.lemma.set(multiset{}))
	var out strings.Builder
	irreducible := []int{0, 1, 2, 3, 4, 14, 35, 132, 350, 1163}
	for e, layer := range componentTypes(t, types, most) {
		f.layer(e, layer, &out)
		if e > 0 && e < len(irreducible) && f.irreducible(e) != irreducible[e] {
			t.Errorf("%d edges: %d irreducible types, want %d", e, f.irreducible(e), irreducible[e])
		}
		if *update {
			t.Logf("%d edges: %d types, %d irreducible", e, len(layer), f.irreducible(e))
		}
	}
	if *update {
		testenv.OK(t, os.WriteFile("rules.txt", []byte(out.String()), 0o644))
		return
	}
	if !strings.HasPrefix(rulesText, out.String()) {
		t.Errorf("rules.txt does not start with the rules of types up to %d edges; run go test -run RulesAreReproducible -update", most)
	}
}

// componentTypes returns the types of components on a 7x7 board by edges: those that
// contain one of the first four segments of the top border, which by symmetry is every
// component too small to connect two borders.
func componentTypes(t *testing.T, types *multisets, most int) [][]int {
	b := enginetest.Board(t, "7x7")
	out := make([][]int, most+1)
	var layer []grid.Set
	for c := range 4 {
		var s grid.Set
		s.Add(b.H(0, c))
		layer = append(layer, s)
	}
	for e := 1; e <= most; e++ {
		seen := map[int]bool{}
		next := map[grid.Set]bool{}
		for _, set := range layer {
			p := types.position(t, b, set)
			if len(p) != 1 {
				t.Fatalf("%v is no component", set.Segments())
			}
			if !seen[p[0]] {
				seen[p[0]] = true
				out[e] = append(out[e], p[0])
			}
			for _, s := range set.Segments() {
				for _, sq := range b.Sides(s) {
					if sq == grid.Outside {
						continue
					}
					for _, o := range b.Around(sq) {
						if !set.Has(o) {
							grown := set
							grown.Add(o)
							next[grown] = true
						}
					}
				}
			}
		}
		layer = layer[:0]
		for set := range next {
			layer = append(layer, set)
		}
		slices.SortFunc(out[e], func(a, b int) int {
			return slices.Compare(types.types[a].Code, types.types[b].Code)
		})
	}
	return out
}

// ruleFinder finds rules by the number of edges.
type ruleFinder struct {
	types   *multisets
	lemma   *lemma
	byMark  map[string][]*expanded // irreducible sums by their values
	rules   map[int]multiset
	cancels map[int]bool
	simple  []int // irreducible types, by edges
}

func (f *ruleFinder) irreducible(edges int) int {
	n := 0
	for _, id := range f.simple {
		if f.types.types[id].Edges() == edges {
			n++
		}
	}
	return n
}

// simplify applies the rules found so far.
func (f *ruleFinder) simplify(p multiset) multiset {
	return rewrite(p, f.rules, func(id int) bool { return f.cancels[id] })
}

func (f *ruleFinder) mark(e *expanded) string { return fmt.Sprint(f.lemma.mark(e)) }

func (f *ruleFinder) register(e *expanded) {
	m := f.mark(e)
	f.byMark[m] = append(f.byMark[m], e)
}

// simpler finds a registered sum that is interchangeable with e.
func (f *ruleFinder) simpler(e *expanded) (*expanded, bool) {
	for _, y := range f.byMark[f.mark(e)] {
		if f.lemma.distance(e, y) == 0 {
			return y, true
		}
	}
	return nil, false
}

// layer finds the rules of the types with e edges.
func (f *ruleFinder) layer(e int, layer []int, out *strings.Builder) {
	f.sums(0, e, nil)
	for _, id := range layer {
		x := f.lemma.raw(multiset{id})
		code := f.types.types[id].Code
		if y, ok := f.simpler(x); ok {
			f.rules[id] = y.pos
			var parts []string
			for _, k := range y.pos {
				parts = append(parts, f.types.types[k].Code.String())
			}
			slices.Sort(parts)
			if len(parts) == 0 {
				parts = []string{"nothing"}
			}
			fmt.Fprintf(out, "%v = %s\n", code, strings.Join(parts, " + "))
			continue
		}
		f.lemma.sets[x.key] = x
		f.simple = append(f.simple, id)
		f.register(x)
		if f.types.types[id].Grounds() == 1 {
			f.cancels[id] = true
			continue
		}
		twice, nothing := f.lemma.raw(multiset{id, id}), f.lemma.set(multiset{})
		if f.lemma.apart(twice, nothing) == 0 && f.lemma.distance(twice, nothing) == 0 {
			f.cancels[id] = true
			fmt.Fprintf(out, "twice %v = nothing\n", code)
		}
	}
}

// sums registers the sums of at least two irreducible types with the given number of
// edges.
func (f *ruleFinder) sums(from, edges int, p multiset) {
	if edges == 0 {
		if q := slices.Sorted(slices.Values(p)); len(q) > 1 && len(f.simplify(q)) == len(q) {
			e := f.lemma.set(q)
			if _, ok := f.simpler(e); !ok {
				f.register(e)
			}
		}
		return
	}
	for i := from; i < len(f.simple); i++ {
		if n := f.types.types[f.simple[i]].Edges(); n <= edges {
			f.sums(i, edges-n, append(p, f.simple[i]))
		}
	}
}

// contexts returns sums that distinguish most multisets.
func contexts(types *multisets) []multiset {
	var out []multiset
	for _, text := range []string{
		"", "g", "1g 0", "1g 0,2 1", "1g 0,2 1,3 2", "1g 0,2 1,3 2,4 3",
		"g + 1g 0", "g + 1g 0,2 1", "1g 0 + 1g 0,2 1",
		"gg", "gg + g", "gg + 1g 0", "gg + 1g 0,2 1",
		"1g 0g", "1g 0g + g", "1g 0g + gg",
		"gg + gg", "gg + gg + g", "ggg", "1g 0 + 1g 0,2 1,3 2", "g + 1g 0 + 1g 0,2 1",
	} {
		var p multiset
		for part := range strings.SplitSeq(text, " + ") {
			if part == "" {
				continue
			}
			c, err := parseCode(part)
			if err != nil {
				panic(err)
			}
			p = append(p, types.intern(c))
		}
		slices.Sort(p)
		out = append(out, p)
	}
	return out
}
