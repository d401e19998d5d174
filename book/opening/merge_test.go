package opening

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"endwise/book/opening/value"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// Two halves of a book, with nodes in common, merge to the whole, whichever
// comes first.
func TestMergedHalvesAreTheWhole(t *testing.T) {
	o := newOracle()
	for _, eval := range []Evaluator{guesser, o.prover(5)} {
		b := emptyBook(t, "2x3")
		grow(t, b, GrowOptions{Evaluators: []Evaluator{eval}, Nodes: 500})
		want := export(t, b)
		rng := rand.New(rand.NewPCG(1, 9))
		var gone [2]map[int32]bool
		gone[0], gone[1] = map[int32]bool{}, map[int32]bool{}
		for id := range b.nodes {
			if k := rng.IntN(3); k < 2 {
				gone[k][int32(id)] = true
			}
		}
		for first := range 2 {
			half, other := b.without(gone[first]), b.without(gone[1-first])
			for _, h := range []*Book{half, other} {
				h.finish(func(p Problem) { t.Error(p) })
			}
			dir := filepath.Join(t.TempDir(), "half")
			testenv.OK(t, half.Import(dir))
			m, err := Open(dir, circuitwars.Game{}, "2x3")
			testenv.OK(t, err)
			got, err := m.Merge(context.Background(), other)
			testenv.OK(t, err)
			if got.Added != len(gone[first]) || got.Improved != 0 {
				t.Errorf("merged: %+v, %d nodes were missing", got, len(gone[first]))
			}
			if export(t, m) != want {
				t.Error("the merged halves are not the whole")
			}
			testenv.OK(t, m.Close())
			if export(t, read(t, dir)) != want {
				t.Error("the merged halves are not the whole on disk")
			}
		}
	}
}

// Books that say different things about the same nodes merge to the same book
// in either order, with all proofs of both; contradictions are refused.
func TestMergeKeepsProofsOfBoth(t *testing.T) {
	o := newOracle()
	later := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		d, err := o.prover(9)(ctx, p)
		d.Elapsed = time.Second
		return d, err
	}
	var books [2]*Book
	for i, eval := range []Evaluator{guesser, later} {
		books[i] = emptyBook(t, "2x2")
		grow(t, books[i], GrowOptions{Evaluators: []Evaluator{eval}, Nodes: 30})
	}
	var got [2]string
	for i := range got {
		b := books[i].without(nil)
		b.finish(func(p Problem) { t.Error(p) })
		if _, err := b.Merge(context.Background(), books[1-i]); err != nil {
			t.Fatal(err)
		}
		holdsTruth(t, b, o)
		got[i] = export(t, b)
		if m, err := b.Merge(context.Background(), books[1-i]); err != nil || m != (Merged{}) {
			t.Errorf("merging once more changes %+v (%v)", m, err)
		}
	}
	if got[0] != got[1] {
		t.Error("the order of a merge matters")
	}
	lie := books[0].without(nil)
	lie.nodes[0].Own = value.Exactly(33)
	if _, err := books[1].Merge(context.Background(), lie); !errors.Is(err, value.ErrContradiction) {
		t.Errorf("a lie is merged: %v", err)
	}
	if _, err := books[1].Merge(context.Background(), emptyBook(t, "3x3")); !errors.Is(err, ErrForeign) {
		t.Errorf("another board is merged: %v", err)
	}
}

func onlyCircuitWars(name string) (engine.Game, error) {
	if name != circuitwars.Name {
		return nil, fmt.Errorf("no %s here", name)
	}
	return circuitwars.Game{}, nil
}

func TestTextRoundTrip(t *testing.T) {
	o := newOracle()
	dir := saved(t, "2x3", 200, o.prover(7))
	text := export(t, read(t, dir))
	b, err := ReadText(context.Background(), strings.NewReader(text), "book.txt", onlyCircuitWars)
	testenv.OK(t, err)
	again := filepath.Join(t.TempDir(), "again")
	testenv.OK(t, b.Import(again))
	if export(t, read(t, again)) != text {
		t.Error("import and export change the text")
	}
	if err := b.Import(again); err == nil {
		t.Error("a book is imported over another one")
	}
	// Text that was changed, with its digest made right again.
	lines := strings.Split(text, "\n")
	swap := func(line int, old, new string) func([]string) {
		return func(l []string) {
			if !strings.Contains(l[line], old) {
				t.Fatalf("line %d has no %q: %s", line, old, l[line])
			}
			l[line] = strings.Replace(l[line], old, new, 1)
		}
	}
	value := strings.Fields(lines[9])[1]
	for says, change := range map[string]func([]string){
		"want a line \"game\"":             swap(1, "game", "gem"),
		"no chess here":                    swap(1, "circuitwars", "chess"),
		"format 3, this program":           swap(0, "book 1", "book 3"),
		"this program plays version 1":     swap(2, "1", "3"),
		"line 10: the value 29? does not":  swap(9, " "+value+" ", " 29? "),
		"line 10: key":                     swap(9, lines[9][:4], "0203zz"),
		"line 10: \"depth=x\"":             swap(9, "depth=1", "depth=x"),
		"moves: the position has":          func(l []string) { l[9] = l[9][:strings.LastIndexByte(l[9], ' ')] },
		"the keys do not ascend":           func(l []string) { l[8], l[9] = l[9], l[8] },
		"2 fields: want KEY":               func(l []string) { l[4] = "nodes 201" },
		"the text goes on after its diges": func(l []string) { l[len(l)-1] = "more" },
	} {
		l := append([]string(nil), lines...)
		change(l)
		body := strings.Join(l[:len(l)-2], "\n") + "\n"
		bad := body + fmt.Sprintf("sha256 %x\n", sha256.Sum256([]byte(body))) + l[len(l)-1]
		if _, err := ReadText(context.Background(), strings.NewReader(bad), "book.txt", onlyCircuitWars); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if _, err := ReadText(context.Background(), strings.NewReader(text[:len(text)/2]), "book.txt", onlyCircuitWars); err == nil || !strings.Contains(err.Error(), "the text stops here") {
		t.Errorf("half a text: %v", err)
	}
	for i := 0; i < len(text); i += 101 {
		bad := []byte(text)
		bad[i] ^= 2
		if _, err := ReadText(context.Background(), bytes.NewReader(bad), "book.txt", onlyCircuitWars); err == nil {
			t.Fatalf("a changed byte at %d is not noticed", i)
		}
	}
}
