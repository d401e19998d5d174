package opening

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

func TestPublishedBook(t *testing.T) {
	o := newOracle()
	b := read(t, saved(t, "2x3", 400, o.prover(5)))
	if b.Len() < 30 {
		b = read(t, saved(t, "2x3", 400, guesser))
	}
	dir := t.TempDir()
	open := func() *Published {
		p, err := OpenPublished(filepath.Join(dir, TableName("circuitwars", "2x3")), circuitwars.Game{})
		testenv.OK(t, err)
		return p
	}
	if _, err := b.Publish(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	p := open()
	defer p.Close()
	for id := range b.nodes {
		pos, err := b.position(int32(id))
		testenv.OK(t, err)
		e, _, ok, err := p.Lookup(pos)
		if err != nil || !ok || e != b.entry(int32(id)) {
			t.Fatalf("%s: %+v %v %v", pos, e, ok, err)
		}
		if e.HasSafe {
			if v := int16(o.move(pos, e.Safe)); v < e.Value.Lo {
				t.Fatalf("%s: the safe move is worth %d, the book proves %v", pos, v, e.Value)
			}
		}
		if v := int16(o.move(pos, e.Best)); e.Value.Exact() && v != e.Value.Lo && e.HasSafe {
			t.Fatalf("%s: the best move is worth %d, the book proves %v", pos, v, e.Value)
		}
	}
	missing := 0
	for id := range b.nodes {
		pos, _ := b.position(int32(id))
		for _, m := range pos.Moves() {
			q, err := pos.Play(m)
			testenv.OK(t, err)
			if !q.Over() {
				_, _, want, _ := b.Find(q)
				if _, _, ok, err := p.Lookup(q); ok != want || err != nil {
					t.Fatalf("%s: published %v, in the book %v (%v)", q, ok, want, err)
				} else if !ok {
					missing++
				}
			}
		}
	}
	if missing == 0 {
		t.Error("no position outside the book was asked for")
	}
	each := 0
	stop := errors.New("enough")
	err := p.Each(t.Context(), func(pos engine.Position, e Entry) error {
		id, _, ok, err := b.Find(pos)
		if err != nil || !ok || e != b.entry(int32(id)) {
			t.Fatalf("each: %s: %+v %v %v", pos, e, ok, err)
		}
		if each++; each == b.Len() {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("%d of %d nodes, %v", each, b.Len(), err)
	}
	three, err := circuitwars.New(3, 3)
	testenv.OK(t, err)
	if _, _, ok, err := p.Lookup(three); ok || err != nil {
		t.Errorf("a position of another board: %v %v", ok, err)
	}
	// Publish again while the old book is open.
	h, err := b.Publish(context.Background(), dir)
	testenv.OK(t, err)
	if h.SHA256 != p.Header().SHA256 {
		t.Error("the same book is published with another digest")
	}
	start, _ := b.Start()
	if _, _, ok, err := p.Lookup(start); !ok || err != nil {
		t.Errorf("the book that was open is gone: %v %v", ok, err)
	}
	checkRemains(t, dir, TableName("circuitwars", "2x3"))
	if _, err := OpenPublished(store.Dir(dir, TableName("circuitwars", "2x3")), otherRules{circuitwars.Game{}}); !errors.Is(err, store.ErrForeign) {
		t.Errorf("other rules: %v", err)
	}
}

// Publish recovers after a process was killed before the book was complete, or between the
// two renames.
func TestPublishRecoversFromKill(t *testing.T) {
	b := emptyBook(t, "2x2")
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 20})
	dir, name := t.TempDir(), TableName("circuitwars", "2x2")
	work := filepath.Join(dir, name+".publishing")
	want, err := b.Publish(t.Context(), dir)
	testenv.OK(t, err)
	for _, where := range []string{"old", name} {
		testenv.OK(t, os.MkdirAll(work, 0o755))
		testenv.OK(t, os.Rename(filepath.Join(dir, name), filepath.Join(work, where)))
		testenv.OK(t, os.Mkdir(filepath.Join(work, name+store.BuildingSuffix), 0o755))
		if h, err := b.Publish(t.Context(), dir); err != nil || h.SHA256 != want.SHA256 {
			t.Fatalf("%+v, %v", h, err)
		}
		if p := publishedProblems(t, dir); len(p) > 0 {
			t.Errorf("%q", p)
		}
		checkRemains(t, dir, name)
	}
	if _, err := emptyBook(t, "2x2").Publish(t.Context(), dir); err == nil {
		t.Error("an empty book is published")
	}
}

// checkRemains expects in dir the table called name and a directory with only the lock for publishing.
func checkRemains(t *testing.T, dir, name string) {
	t.Helper()
	work := filepath.Join(dir, name+".publishing")
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	inside, _ := filepath.Glob(filepath.Join(work, "*"))
	inside = slices.DeleteFunc(inside, func(path string) bool { return path == filepath.Join(work, lockName) })
	if !slices.Equal(left, []string{filepath.Join(dir, name), work}) || len(inside) > 0 {
		t.Errorf("publishing leaves %v %v", left, inside)
	}
}

func publishedProblems(t *testing.T, dir string) (out []string) {
	t.Helper()
	path := filepath.Join(dir, TableName("circuitwars", "2x2"))
	if _, err := CheckPublished(context.Background(), path, circuitwars.Game{}, func(err error) { out = append(out, err.Error()) }, nil); err != nil {
		out = append(out, err.Error())
	}
	return out
}

// CheckPublished recomputes every value from the children.
func TestCheckPublishedFindsWrongValues(t *testing.T) {
	o := newOracle()
	b := emptyBook(t, "2x2")
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 80})
	for id := range b.nodes { // some bounds
		if id%5 == 0 {
			p, _ := b.position(int32(id))
			b.nodes[id].Own.Lo = int16(o.value(p)) - 1
		}
	}
	b.propagateAll()
	b.propagateAll()
	dir := t.TempDir()
	publish := func() []string {
		if _, err := b.Publish(context.Background(), dir); err != nil {
			t.Fatal(err)
		}
		return publishedProblems(t, dir)
	}
	if p := publish(); len(p) > 0 {
		t.Fatalf("the book as it is: %q", p)
	}
	changed := 0
	for id := range b.nodes {
		n := &b.nodes[id]
		if id%9 != 0 || n.value.Exact() {
			continue
		}
		changed++
		was := n.value
		if n.value.Est++; n.value.Est > n.value.Hi {
			n.value.Est -= 2
		}
		if p := publish(); len(p) == 0 {
			t.Errorf("node %d: the estimate %v instead of %v is not found", id, n.value, was)
		}
		n.value = was
	}
	path := filepath.Join(dir, TableName("circuitwars", "2x2"))
	files, err := filepath.Glob(filepath.Join(path, "*.sst"))
	if err != nil || len(files) == 0 || changed == 0 {
		t.Fatalf("%d values were changed; files %v, %v", changed, files, err)
	}
	for _, name := range files {
		whole := testenv.ReadFile(t, name)
		for i := 0; i < len(whole); i += 97 {
			bad := bytes.Clone(whole)
			bad[i] ^= 4
			testenv.OK(t, os.WriteFile(name, bad, 0o644))
			if len(publishedProblems(t, dir)) == 0 {
				t.Fatalf("%s: a changed byte at %d is not found", name, i)
			}
		}
	}
}
