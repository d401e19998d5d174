package tables

import (
	"math/rand/v2"
	"testing"

	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/plain"
)

const testKeyBits = 40

// cut returns the key bits of a position used in these tests.
func cut(t *testing.T, b *grid.Board, free grid.Set) uint64 {
	t.Helper()
	parts, err := graph.Components(b, free)
	testenv.OK(t, err)
	var l graph.Labeler
	var key uint64
	for _, c := range parts {
		key += graph.KeyOf(l.Label(c.Code)).Hi
	}
	return key >> (64 - testKeyBits) << (64 - testKeyBits)
}

// endings solves all layers, each in several parts.
func endings(t testing.TB, edges, parts int) (*Endings, map[uint64]int) {
	t.Helper()
	e, err := NewEndings(t.Context(), edges, testKeyBits, 2, nil)
	testenv.OK(t, err)
	values := map[uint64]int{0: 0}
	for n := 1; n <= edges; n++ {
		var all []Entry
		for part := range parts {
			list, err := e.Solve(t.Context(), n, part, parts)
			testenv.OK(t, err)
			all = append(all, list...)
		}
		if uint64(len(all)) != e.layers[n] {
			t.Fatalf("%d positions of %d segments, want %d", len(all), n, e.layers[n])
		}
		for _, x := range all {
			values[x.Key] = x.Value
		}
		testenv.OK(t, e.Restore(all))
	}
	if uint64(len(values)) != e.Positions()+1 {
		t.Errorf("%d positions, want %d", len(values)-1, e.Positions())
	}
	return e, values
}

// The values of endings of random games on boards of all sizes equal those by plain minimax.
func TestEndingsEqualMinimax(t *testing.T) {
	const edges = 9
	_, values := endings(t, edges, 3)
	r := rand.New(rand.NewPCG(6, 6))
	met := map[uint64]bool{}
	for range 1500 {
		b, err := grid.New(1+r.IntN(Side), 1+r.IntN(Side))
		testenv.OK(t, err)
		free := b.All()
		for keep := 1 + r.IntN(edges); free.Len() > keep; {
			list := free.Segments()
			free.Remove(list[r.IntN(len(list))])
			free, _ = b.Live(free)
		}
		key := cut(t, b, free)
		got, ok := values[key]
		if !ok {
			t.Fatalf("%s: position %v is not in the list", b, free)
		}
		if met[key] {
			continue
		}
		met[key] = true
		want, err := plain.CircuitWarsValue(b.String(), free.Segments())
		testenv.OK(t, err)
		if got != want {
			t.Fatalf("%s: position %v: %d, want %d", b, free, got, want)
		}
	}
	if len(met) < 100 {
		t.Errorf("only %d distinct positions", len(met))
	}
}

// The values of endings equal those in the tables of boards.
func TestEndingsAgreeWithBoards(t *testing.T) {
	const edges = 8
	_, values := endings(t, edges, 1)
	for _, size := range []string{"1x4", "2x2", "2x3"} {
		b := board(t, size)
		solved, _ := solve(t, b)
		for m := range uint32(b.Masks()) {
			if n, _ := b.Normal(m); n != m || set(m).Len() > edges {
				continue
			}
			if got, ok := values[cut(t, b.board, set(m))]; !ok || got != solved.Value(m) {
				t.Fatalf("%s: mask %x: %d, %v; want %d", size, m, got, ok, solved.Value(m))
			}
		}
	}
}

func TestEndingsOutOfRangeAreRefused(t *testing.T) {
	for _, n := range []int{-1, 0, MaxEndingEdges + 1} {
		if _, err := NewEndings(t.Context(), n, 64, 1, nil); err == nil {
			t.Errorf("endings of %d segments were accepted", n)
		}
	}
}

func TestValueMapResolvesCollisions(t *testing.T) {
	m := newValueMap(3)
	for i := range uint64(10) { // adjacent slots, wrapping around at the end
		testenv.OK(t, m.put(^uint64(0)-i, int8(i)-5))
	}
	for i := range uint64(10) {
		if v, ok := m.get(^uint64(0) - i); !ok || v != int8(i)-5 {
			t.Errorf("entry %d: %d, %v", i, v, ok)
		}
	}
	if _, ok := m.get(7); ok {
		t.Error("found a key that was not added")
	}
	if err := m.put(^uint64(0), 1); err == nil {
		t.Error("a key was added twice")
	}
}

// If keys are too short to distinguish all positions, Restore returns an error.
func TestTooShortKeysAreAnError(t *testing.T) {
	e, err := NewEndings(t.Context(), 8, 16, 1, nil)
	testenv.OK(t, err)
	for n := 1; n <= 8; n++ {
		list, err := e.Solve(t.Context(), n, 0, 1)
		if err == nil {
			err = e.Restore(list)
		}
		if err != nil {
			return
		}
	}
	t.Error("2053 positions have distinct keys of 16 bits")
}
