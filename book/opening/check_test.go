package opening

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// Check finds the change of any byte of a journal. After Fix the book is sound and contains
// no record that it did not contain before.
func TestCheckFindsEveryChangedByte(t *testing.T) {
	o := newOracle()
	dir := saved(t, "1x2", 12, o.prover(2))
	path := filepath.Join(dir, journalName)
	whole := testenv.ReadFile(t, path)
	if p := problems(t, dir); len(p) > 0 {
		t.Fatalf("the book as it was: %q", p)
	}
	lines := map[string]bool{}
	for _, l := range nodeLines(export(t, read(t, dir))) {
		lines[l] = true
	}
	_, head := frames.First(whole)
	last := 0
	if _, _, err := frames.Scan(bytes.NewReader(whole), func(at int64, _ []byte) error { last = int(at); return nil }); err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 1 << (i % 8)
		testenv.OK(t, os.WriteFile(path, bad, 0o644))
		if len(problems(t, dir)) == 0 {
			t.Fatalf("a changed byte at %d is not found", i)
		}
		// Readers refuse the book, but ignore a broken last record.
		if b, err := Read(dir, circuitwars.Game{}, ""); (err == nil) != (i >= last) || err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d of %d changed: %v", i, len(whole), err)
		} else if err == nil && b.Len() != len(lines)-1 {
			t.Fatalf("byte %d changed: %d nodes of %d are read", i, b.Len(), len(lines))
		}
		if h, err := ReadHeader(dir); (err == nil) != (i >= head) || err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d changed: header %+v, %v", i, h, err)
		}
		if i < head || i%7 != 0 {
			continue // without a header nothing can be repaired
		}
		if _, _, err := Fix(context.Background(), dir, circuitwars.Game{}, func(Problem) {}); err != nil {
			t.Fatal(err)
		}
		if p := problems(t, dir); len(p) > 0 {
			t.Fatalf("byte %d changed, after fix: %q", i, p)
		}
		n := 0
		for _, l := range nodeLines(export(t, read(t, dir))) {
			if n++; !lines[l] {
				t.Fatalf("byte %d changed, after fix the book says %s", i, l)
			}
		}
		if n < len(lines)-2 {
			t.Fatalf("byte %d changed: %d of %d nodes are left", i, n, len(lines))
		}
	}
	kept, _ := filepath.Glob(path + savedSuffix + "*")
	if len(kept) == 0 {
		t.Error("fix does not keep the journal as it was")
	}
}

// nodeLines returns the records of an exported book without the values, which follow from
// other lines.
func nodeLines(text string) (out []string) {
	for _, l := range strings.Split(text, "\n")[5:] {
		if f := strings.SplitN(l, " ", 3); len(f) == 3 {
			out = append(out, f[0]+" "+f[2])
		}
	}
	return out
}

// Check reports every kind of fault in a record with a valid checksum, and Fix repairs it.
func TestCheckFindsEveryInjectedFault(t *testing.T) {
	o := newOracle()
	inner := func(b *Book) *node { // a node with a linked and an open move
		for id := range b.nodes {
			linked, open := 0, 0
			for i, c := range b.nodes[id].Moves {
				if b.nodes[id].links[i].child >= 0 {
					linked++
				} else if !c.Ends {
					open++
				}
			}
			if linked > 0 && open > 0 && len(b.nodes[id].parents) > 0 {
				return &b.nodes[id]
			}
		}
		panic("no such node")
	}
	linked := func(n *node) int {
		return slices.IndexFunc(n.links, func(l link) bool { return l.child >= 0 })
	}
	faults := map[string]struct {
		inject func(b *Book)
		says   string
	}{
		"turned key": {func(b *Book) {
			p, _ := b.position(int32(5))
			cw := p.(circuitwars.Position)
			for _, y := range cw.Board().Symmetries() {
				if k := string(cw.Board().Key(nil, y.Apply(cw.Free()))); k != b.nodes[5].Key {
					b.nodes[5].Key = k
					return
				}
			}
		}, "not canonical"},
		"key of nothing":    {func(b *Book) { b.nodes[5].Key = "zz" }, "key"},
		"game over":         {func(b *Book) { b.nodes[5].Key = b.nodes[5].Key[:2] + "\x00\x00" }, "the game is over there"},
		"illegal move":      {func(b *Book) { c := inner(b).Moves; c[len(c)-1].Move = 300 }, "not legal"},
		"missing move":      {func(b *Book) { n := inner(b); n.Moves = n.Moves[1:] }, "missing"},
		"wrong hash":        {func(b *Book) { n := inner(b); n.Moves[linked(n)].Hash++ }, "hash of its position is wrong"},
		"not over":          {func(b *Book) { n := inner(b); n.Moves[0].Ends = true; n.Moves[0].Eval = exactly(1) }, "wrong about whether the game is over"},
		"estimate beyond":   {func(b *Book) { inner(b).Moves[0].Eval = Value{Lo: 1, Hi: 4, Est: 9} }, "outside its bounds"},
		"wrong proof":       {func(b *Book) { n := inner(b); n.Moves[linked(n)].Eval = exactly(40) }, "proved 40"},
		"wrong own proof":   {func(b *Book) { inner(b).Own = exactly(-40) }, "-40 by it, "},
		"false child proof": {func(b *Book) { n := inner(b); b.nodes[n.links[linked(n)].child].Own = exactly(-50) }, "-50 by it, "},
	}
	for name, f := range faults {
		b := emptyBook(t, "2x2")
		grow(t, b, GrowOptions{Evaluators: []Evaluator{o.prover(3)}, Nodes: 40})
		if b.Len() < 20 { // proofs may complete the book early
			b = emptyBook(t, "2x2")
			grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 60})
			// Proofs for the faults to contradict.
			for id := range b.nodes {
				p, _ := b.position(int32(id))
				v := int16(o.value(p))
				b.nodes[id].Own = Value{Lo: v - 1, Hi: v + 1}
			}
		}
		f.inject(b)
		dir := filepath.Join(t.TempDir(), "book")
		write(t, b, dir)
		found := problems(t, dir)
		if !strings.Contains(strings.Join(found, "\n"), f.says) {
			t.Errorf("%s: %q, want %q", name, found, f.says)
		}
		if _, _, err := Fix(context.Background(), dir, circuitwars.Game{}, func(Problem) {}); err != nil {
			t.Fatal(err)
		}
		if left := problems(t, dir); len(left) > 0 {
			t.Errorf("%s: after fix %q", name, left)
		}
		if got := read(t, dir); got.Len() < b.Len()/2 {
			t.Errorf("%s: fix leaves %d of %d nodes", name, got.Len(), b.Len())
		}
	}
}

// A cycle of nodes is reported, and the computation of values ends nevertheless. Only a wrong
// key or a game without an end can cause one.
func TestCyclesAreReported(t *testing.T) {
	leads := func(to ...int32) (n node) {
		n.best, n.Own, n.fromParents = -1, unknown(0), unknown(0)
		for _, child := range to {
			n.links = append(n.links, link{child: child, passes: true})
			n.Moves = append(n.Moves, storedMove{Eval: unknown(0)})
		}
		return n
	}
	b := &Book{game: circuitwars.Game{}, nodes: []node{leads(1, 2), leads(0), leads(unlinked)}}
	b.nodes[0].parents, b.nodes[1].parents, b.nodes[2].parents = []int32{1}, []int32{0}, []int32{0}
	b.propagateAll()
	var told []Problem
	b.checkGraph(func(p Problem) { told = append(told, p) })
	if len(told) != 1 || !strings.Contains(told[0].What, "2 nodes lie on cycles") {
		t.Errorf("%+v", told)
	}
}
