package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Components relabelled at random have the same code, which is isomorphic to the original.
func TestIsomorphicComponentsHaveTheSameCode(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var a, b Labeler
	for _, size := range []string{"1x7", "2x3", "3x3", "4x4", "5x5", "7x7", "9x9"} {
		bd := enginetest.Board(t, size)
		for range 200 {
			free := enginetest.Live(bd, rng, 1+rng.IntN(bd.Segments()))
			parts, err := Components(bd, free)
			testenv.OK(t, err)
			for _, part := range parts {
				code := slices.Clone(a.Label(part.Code))
				for i := range code {
					for k := range 4 {
						x := code.Border(i, k)
						if x < Ground {
							x = uint8(a.Source(int(x)))
						}
						if !hasBorder(part.Code, a.Source(i), x) {
							t.Fatalf("%s: square %d of %v is not square %d of %v", size, i, code, a.Source(i), part.Code)
						}
					}
				}
				perm := rng.Perm(len(code))
				shuffled := make(Code, len(code))
				for v := range code {
					var x [4]uint8
					for k := range x {
						if x[k] = code.Border(v, k); x[k] < Ground {
							x[k] = uint8(perm[x[k]])
						}
					}
					rng.Shuffle(4, func(i, j int) { x[i], x[j] = x[j], x[i] })
					shuffled[perm[v]] = uint32(x[0]) | uint32(x[1])<<8 | uint32(x[2])<<16 | uint32(x[3])<<24
				}
				if got := b.Label(shuffled); !slices.Equal(got, code) {
					t.Errorf("%s: %v and %v are isomorphic", size, code, got)
				}
			}
		}
	}
}

func hasBorder(c Code, v int, x uint8) bool {
	for k := range 4 {
		if c.Border(v, k) == x {
			return true
		}
	}
	return false
}

// The parts of a cut describe the components that it leaves.
func TestCutPartsDescribeTheComponentsLeft(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var l Labeler
	var u Cutter
	small, large := enginetest.Board(t, "7x7"), enginetest.Board(t, "9x9")
	for i := range 101 {
		b, free := small, grid.Set{}
		if i < 100 {
			free = enginetest.Live(b, rng, 1+rng.IntN(80))
		} else { // nearly a whole large board behind one bridge
			b, free = large, large.All()
			free.Remove(b.V(0, 1))
		}
		parts, err := Components(b, free)
		testenv.OK(t, err)
		for _, part := range parts {
			for _, cut := range u.Cuts(part.Code) {
				var got []Part
				gain := l.Kids(part.Code, cut.A, cut.B, func(c Code) {
					got = append(got, Part{uint8(len(c)), uint8(c.Grounds()), uint8(c.Edges())})
				})
				var want []Part
				for _, p := range cut.Parts {
					if p.Squares > 0 {
						want = append(want, p)
					}
				}
				if gain == 0 && len(got) == 1 {
					var kid Code
					l.Kids(part.Code, cut.A, cut.B, func(c Code) { kid = slices.Clone(c) })
					if w := l.Without(part.Code, cut.A, cut.B); !slices.Equal(w, kid) {
						t.Fatalf("cut %+v of %v leaves %v by Without, %v by Kids", cut, part.Code, w, kid)
					}
				}
				if gain != int(cut.Gain) || !cmp.Equal(got, want) {
					t.Fatalf("cut %+v of %v: gain %d, parts %+v", cut, part.Code, gain, got)
				}
			}
		}
	}
}

// Keys never change: tables on disk contain them.
func TestKeysArePermanent(t *testing.T) {
	var l Labeler
	for size, want := range map[string]string{
		"1x1": "ee327d1428743794b4b2dcbb0ce6720f",
		"2x2": "a4a1ee95815b39c90c37f2e5bcfbf720",
		"7x7": "037efb13f7cb243881da14f831a775a3",
	} {
		b := enginetest.Board(t, size)
		parts, err := Components(b, b.All())
		testenv.OK(t, err)
		if got := fmt.Sprintf("%x", KeyOf(l.Label(parts[0].Code)).AppendBytes(nil)); len(parts) != 1 || got != want {
			t.Errorf("%s: key %s of %d components, want %s", size, got, len(parts), want)
		}
	}
}

// BenchmarkKids labels the components left by all cuts of one component per operation.
func BenchmarkKids(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 10))
	bd := enginetest.Board(b, "7x7")
	var codes []Code
	for len(codes) < 100 {
		parts, err := Components(bd, enginetest.Live(bd, rng, 50))
		testenv.OK(b, err)
		for _, p := range parts {
			if p.Code.Edges() >= 15 {
				codes = append(codes, p.Code)
			}
		}
	}
	var l Labeler
	var u Cutter
	labelled, i := 0, 0
	for b.Loop() {
		c := codes[i%len(codes)]
		i++
		for _, cut := range u.Cuts(c) {
			l.Kids(c, cut.A, cut.B, func(kid Code) { labelled++; KeyOf(kid) })
		}
	}
	b.ReportMetric(float64(labelled)/b.Elapsed().Seconds(), "labels/s")
}
