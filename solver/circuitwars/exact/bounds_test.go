package exact

import (
	"math/rand/v2"
	"os"
	"testing"

	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// The inequality of bounds.go holds for sums of components and forests of hot paths, with
// every choice of references. The values are computed without static bounds.
func TestReferencesBoundTheValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	types := newMultisets()
	layers := componentTypes(t, types, 8)
	s := New(small(Options{}))
	s.prepare(grid.MaxSegments)
	st := s.workers[0].types
	plain := New(small(Options{NoBounds: true, NoMirror: true}))
	plain.prepare(grid.MaxSegments)

	var few, many []typeID // types with at most 6 and 8 edges
	ids := map[typeID]int{}
	for e, layer := range layers {
		for _, id := range layer {
			x := st.intern(types.types[id].Code, true)
			if t := &st.types[x]; t.hot || t.nReduced != asItself {
				continue
			}
			if !st.room() || !st.expandType(x) {
				t.Fatal("store full")
			}
			if !st.types[x].complete {
				t.Fatalf("%v is not complete", types.types[id].Code)
			}
			ids[x] = id
			many = append(many, x)
			if e <= 6 {
				few = append(few, x)
			}
		}
	}

	var hot []int // paths by squares minus one
	for _, text := range []string{"g", "1g 0", "1g 0,2 1", "1g 0,2 1,3 2", "1g 0,2 1,3 2,4 3"} {
		c, err := parseCode(text)
		testenv.OK(t, err)
		hot = append(hot, types.intern(c))
	}

	checked, tight := 0, 0
	check := func(forest int, parts ...typeID) {
		t.Helper()
		var p multiset
		mask := uint64(0)
		for i, id := range hot {
			if forest>>i&1 != 0 {
				p = append(p, id)
				mask ^= hotMask(i + 1)
			}
		}
		for _, x := range parts {
			p = append(p, ids[x])
		}
		r := plain.value(t.Context(), types.parts(p))
		if !r.Exact() {
			t.Fatalf("plain solve: %+v", r)
		}
		var choose func(parts []typeID, mask uint64, e int)
		choose = func(parts []typeID, mask uint64, e int) {
			if len(parts) > 0 {
				x := &st.types[parts[0]]
				for _, r := range x.refs[:x.nRefs] {
					choose(parts[1:], mask^r.mask, e+int(r.err))
				}
				return
			}
			checked++
			d := r.Lower - size(mask)
			if d < -e || d > e {
				t.Errorf("%s: value %d, bounded by masks to %d with an error of %d", describe(types, p), r.Lower, size(mask), e)
			}
			if max(d, -d) == e {
				tight++
			}
		}
		choose(parts, mask, 0)
	}

	for _, x := range many {
		for range 4 {
			check(rng.IntN(32), x)
		}
	}
	for i, x := range few {
		for _, y := range few[:i+1] {
			check(rng.IntN(32), x, y)
		}
	}
	rounds := 300
	if os.Getenv("ENDWISE_DEEP") != "" {
		rounds = 20000 // minutes
	}
	for range rounds {
		parts := make([]typeID, 1+rng.IntN(3))
		for i := range parts {
			parts[i] = few[rng.IntN(len(few))]
			if len(parts) < 3 {
				parts[i] = many[rng.IntN(len(many))]
			}
		}
		check(rng.IntN(32), parts...)
	}
	if tight == 0 || tight == checked {
		t.Errorf("%d of %d bounds are tight, want some but not all", tight, checked)
	}
}
