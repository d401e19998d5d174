package alphabeta

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"endwise/engine/grid"
	"endwise/solver/canon"
)

// grow lists all component types with at most n edges that fit a board.
func grow(b *grid.Board, types *canon.Store, n int) [][]canon.ID {
	out := make([][]canon.ID, n+1)
	// A set of segments of a component is grown by any segment of its squares,
	// starting from one segment of the border... components grow edge by edge.
	seen := map[grid.Set]bool{}
	seenType := map[canon.ID]bool{}
	var layer []grid.Set
	for s := range b.Segments() {
		if r, c, h := b.Line(s); h && r == 0 && c < 4 {
			var set grid.Set
			set.Add(s)
			layer = append(layer, set)
		}
	}
	for e := 1; e <= n; e++ {
		var next []grid.Set
		for _, set := range layer {
			p, err := types.Position(b.Graph(set))
			if err != nil {
				continue
			}
			if len(p) != 1 {
				panic("more than one component")
			}
			if seenType[p[0]] {
				continue
			}
			seenType[p[0]] = true
			out[e] = append(out[e], p[0])
			_ = next
		}
		if e == n {
			break
		}
		nextSeen := map[grid.Set]bool{}
		for _, set := range layer {
			in := map[int]bool{}
			for _, s := range set.Segments() {
				for _, sq := range b.Sides(s) {
					if sq != grid.Outside {
						in[sq] = true
					}
				}
			}
			for sq := range in {
				for _, s := range b.Around(sq) {
					if set.Has(s) {
						continue
					}
					t := set
					t.Add(s)
					if !nextSeen[t] {
						nextSeen[t] = true
						next = append(next, t)
					}
				}
			}
		}
		layer = next
		_ = seen
	}
	return out
}

func TestGrow(t *testing.T) {
	if os.Getenv("EXPLORE") == "" {
		t.Skip()
	}
	b, _ := grid.New(7, 7)
	types := canon.NewStore()
	start := time.Now()
	for e, l := range grow(b, types, 9) {
		fmt.Println(e, len(l), time.Since(start))
	}
	_ = slices.Sort[[]int]
}

func parse(types *canon.Store, b [][4]uint8) canon.ID {
	var c canon.Code
	for _, x := range b {
		c = append(c, uint32(x[0])|uint32(x[1])<<8|uint32(x[2])<<16|uint32(x[3])<<24)
	}
	return types.Intern(c)
}

func hotPath(types *canon.Store, n int) canon.ID {
	var b [][4]uint8
	for i := range n {
		x := [4]uint8{canon.None, canon.None, canon.None, canon.None}
		x[0] = canon.Ground
		if i > 0 {
			x[0] = uint8(i - 1)
		}
		if i < n-1 {
			x[1] = uint8(i + 1)
		}
		b = append(b, x)
	}
	return parse(types, b)
}

func contexts(types *canon.Store) []canon.Position {
	N, G := uint8(canon.None), uint8(canon.Ground)
	h := func(n int) canon.ID { return hotPath(types, n) }
	g2 := parse(types, [][4]uint8{{G, G, N, N}})
	g3 := parse(types, [][4]uint8{{G, G, G, N}})
	c2 := parse(types, [][4]uint8{{G, 1, N, N}, {0, G, N, N}})
	var out []canon.Position
	for _, p := range []canon.Position{{}, {h(1)}, {h(2)}, {h(3)}, {h(4)}, {h(5)}, {h(1), h(2)}, {h(1), h(3)}, {h(2), h(3)}, {g2}, {g2, h(1)}, {g2, h(2)}, {g2, h(3)},
		{c2}, {c2, h(1)}, {c2, g2}, {g2, g2}, {g2, g2, h(1)}, {g3}, {h(2), h(4)}, {h(1), h(2), h(3)}} {
		slices.Sort(p)
		out = append(out, p)
	}
	return out
}

func TestFind(t *testing.T) {
	if os.Getenv("EXPLORE") == "" {
		t.Skip()
	}
	maxE := 8
	fmt.Sscan(os.Getenv("EXPLORE"), &maxE)
	b, _ := grid.New(7, 7)
	types := canon.NewStore()
	start := time.Now()
	all := grow(b, types, maxE)
	l := newLemma(types)
	l.contexts = contexts(types)
	rules := map[canon.ID]canon.Position{} // reducible
	cancel := map[canon.ID]bool{}
	l.normal = func(p canon.Position) canon.Position {
		var out canon.Position
		for _, id := range p {
			if r, ok := rules[id]; ok {
				out = append(out, r...)
			} else {
				out = append(out, id)
			}
		}
		slices.Sort(out)
		// cancel
		var q canon.Position
		for _, id := range out {
			if len(q) > 0 && q[len(q)-1] == id && cancel[id] {
				q = q[:len(q)-1]
				continue
			}
			q = append(q, id)
		}
		return q
	}
	bySig := map[string][]*expanded{}
	sig := func(e *expanded) string {
		m := l.mark(e)
		s := make([]byte, len(m))
		for i := range m {
			s[i] = byte(m[i])
		}
		return string(s)
	}
	empty := l.set(canon.Position{})
	multis := make([][]*expanded, maxE+1) // irreducible multisets by edges
	multis[0] = []*expanded{empty}
	bySig[sig(empty)] = append(bySig[sig(empty)], empty)
	irr := make([]int, maxE+1)
	var irreducible []canon.ID
	pairRules := 0
	_ = pairRules
	for e := 1; e <= maxE; e++ {
		// multisets with at least two components of total e edges, for use from now on
		var rec func(at int, left int, cur canon.Position)
		count, dup := 0, 0
		rec = func(at int, left int, cur canon.Position) {
			if left == 0 {
				if len(cur) < 2 {
					return
				}
				p := slices.Clone(cur)
				slices.Sort(p)
				q := l.normal(p)
				if len(q) != len(p) {
					return
				}
				m := l.set(p)
				count++
				s := sig(m)
				for _, y := range bySig[s] {
					if l.distance(m, y) == 0 {
						dup++
						if dup <= 30 {
							fmt.Print("   multi ", e, " ")
							for _, k := range p {
								fmt.Print("  [", types.Type(k).Code, "]")
							}
							fmt.Print(" =")
							for _, k := range y.pos {
								fmt.Print("  [", types.Type(k).Code, "]")
							}
							fmt.Println()
						}
						return
					}
				}
				bySig[s] = append(bySig[s], m)
				return
			}
			for i := at; i < len(irreducible); i++ {
				ed := types.Type(irreducible[i]).Edges
				if ed == e {
					break
				}
				if ed > left {
					break
				}
				rec(i, left-ed, append(cur, irreducible[i]))
			}
		}
		if e <= 9 {
			rec(0, e, nil)
		}
		before := len(irreducible)
		ncancel := 0
		for _, id := range all[e] {
			x := &expanded{pos: canon.Position{id}, key: types.Type(id).Key}
			for _, m := range types.Moves(x.pos) {
				x.moves = append(x.moves, lemmaMove{m.Gain, l.set(x.pos.After(m))})
			}
			l.sets[x.key] = x
			found := false
			tried := 0
			for _, y := range bySig[sig(x)] {
				tried++
				if l.distance(x, y) == 0 {
					rules[id] = y.pos
					found = true
					break
				}
			}
			if found {
				delete(l.sets, x.key)
				if e <= 6 {
					fmt.Print(e, "  ", types.Type(id).Code, "  =")
					for _, k := range rules[id] {
						fmt.Print("  [", types.Type(k).Code, "]")
					}
					fmt.Println()
				}
				continue
			}
			if tried > 0 {
				//fmt.Println(e, "same signature, not proved", types.Type(id).Code, tried)
			}
			irr[e]++
			irreducible = append(irreducible, id)
			// does it cancel?
			if types.Type(id).Hot() {
				cancel[id] = true
			} else if e <= 9 {
				xx := &expanded{pos: canon.Position{id, id}, key: types.Key(canon.Position{id, id})}
				for _, m := range types.Moves(xx.pos) {
					xx.moves = append(xx.moves, lemmaMove{m.Gain, l.set(xx.pos.After(m))})
				}
				if l.apart(xx, empty) == 0 && l.distance(xx, empty) == 0 {
					cancel[id] = true
					ncancel++
				}
			}
			// irreducible, so register as multiset
			s := sig(x)
			bySig[s] = append(bySig[s], x)
		}
		if f := os.Getenv("RULESOUT"); f != "" {
			w, _ := os.OpenFile(f, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			for _, id := range all[e] {
				if r, ok := rules[id]; ok {
					fmt.Fprint(w, types.Type(id).Code, " =")
					for i, k := range r {
						if i > 0 {
							fmt.Fprint(w, " +")
						}
						fmt.Fprint(w, " ", types.Type(k).Code)
					}
					if len(r) == 0 {
						fmt.Fprint(w, " nothing")
					}
					fmt.Fprintln(w)
				} else if cancel[id] && !types.Type(id).Hot() {
					fmt.Fprintln(w, "twice", types.Type(id).Code, "= nothing")
				}
			}
			w.Close()
		}
		fmt.Println("edges", e, "types", len(all[e]), "irreducible", len(irreducible)-before, "cancel", ncancel, "multisets", count, "equal to simpler", dup, time.Since(start), "distances", len(l.distances), "values", len(l.values))
	}
}
