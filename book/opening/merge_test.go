package opening

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// Merging two overlapping parts of a book gives the whole book, in either order.
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
				h.linkAll(func(p Problem) { t.Error(p) })
			}
			dir := filepath.Join(t.TempDir(), "half")
			write(t, half, dir)
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

// Books with different evaluations of the same nodes merge to the same book in either
// order, with all proofs of both; contradictions are refused.
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
		b.linkAll(func(p Problem) { t.Error(p) })
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
	lie.nodes[0].Own = exactly(33)
	if _, err := books[1].Merge(context.Background(), lie); !errors.Is(err, ErrContradiction) {
		t.Errorf("a lie is merged: %v", err)
	}
	if _, err := books[1].Merge(context.Background(), emptyBook(t, "3x3")); !errors.Is(err, ErrForeign) {
		t.Errorf("another board is merged: %v", err)
	}
}

// The text form is sorted and does not depend on the order of addition; its digest covers
// the lines before it.
func TestExport(t *testing.T) {
	b := emptyBook(t, "2x3")
	grow(t, b, GrowOptions{Evaluators: []Evaluator{newOracle().prover(7)}, Nodes: 60})
	text := export(t, b)
	turned := emptyBook(t, "2x3")
	for id := range slices.Backward(b.nodes) {
		turned.insert(b.nodes[id].record)
	}
	turned.linkAll(func(p Problem) { t.Error(p) })
	if export(t, turned) != text {
		t.Error("the order of the positions matters")
	}
	body, digest, ok := strings.Cut(text, "sha256 ")
	if want := fmt.Sprintf("%x\n", sha256.Sum256([]byte(body))); !ok || digest != want {
		t.Errorf("digest %q, want %q", digest, want)
	}
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if head := strings.Join(lines[:5], "\n"); head != fmt.Sprintf("endwise opening book 1\ngame circuitwars\nrules 1\nboard 2x3\nnodes %d", b.Len()) {
		t.Errorf("header %q", head)
	}
	if nodes := lines[5:]; len(nodes) != b.Len() || !slices.IsSorted(nodes) {
		t.Errorf("%d lines of %d positions, sorted: %t", len(nodes), b.Len(), slices.IsSorted(nodes))
	}
}
