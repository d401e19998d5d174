package exact

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"endwise/engine/grid"
	"endwise/solver/circuitwars/canon"
)

// TestReferences puts components beside each other and beside forests of hot
// paths and checks the inequality of bounds.go itself, for every choice of
// references: the value, found without static bounds, lies within the errors
// of what the masks are worth.
func TestReferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	types := canon.NewStore()
	layers := componentTypes(t, types, 8)
	s := New(small(Options{}))
	s.prepare(grid.MaxSegments)
	st := s.workers[0].types
	plain := New(small(Options{NoBounds: true, NoMirror: true}))

	var few, many []typeID // with at most 6 and 8 edges
	ids := map[typeID]canon.ID{}
	for e, layer := range layers {
		for _, id := range layer {
			x := st.intern(types.Type(id).Code, true)
			if t := &st.types[x]; t.hot || t.nReduced != asItself {
				continue
			}
			if !st.room() || !st.expand(x) {
				t.Fatal("store full")
			}
			if !st.types[x].complete {
				t.Fatalf("%v is not complete", types.Type(id).Code)
			}
			ids[x] = id
			many = append(many, x)
			if e <= 6 {
				few = append(few, x)
			}
		}
	}

	hot := make([]canon.ID, 6)
	for n := 1; n <= 5; n++ {
		c := make(canon.Code, n)
		for v := range c {
			before, after := uint32(canon.Ground), uint32(canon.None)
			if v > 0 {
				before = uint32(v - 1)
			}
			if v < n-1 {
				after = uint32(v + 1)
			}
			c[v] = before | after<<8 | canon.None<<16 | canon.None<<24
		}
		hot[n] = types.Intern(c)
	}

	checked, tight := 0, 0
	check := func(forest int, parts ...typeID) {
		t.Helper()
		var p canon.Position
		mask := uint64(0)
		for n := 1; n <= 5; n++ {
			if forest>>(n-1)&1 != 0 {
				p = append(p, hot[n])
				mask ^= hotMask(n)
			}
		}
		for _, x := range parts {
			p = append(p, ids[x])
		}
		r, err := plain.Value(context.Background(), types.Graph(p))
		if err != nil || !r.Exact() {
			t.Fatalf("plain solve: %+v, %v", r, err)
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
				t.Errorf("%s: value %d, masks say %d with an error of %d", describe(types, p), r.Lower, size(mask), e)
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
		t.Errorf("%d of %d bounds met exactly: the test shows nothing", tight, checked)
	}
}
