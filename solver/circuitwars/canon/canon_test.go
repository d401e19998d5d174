package canon

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// TestCounts compares the numbers of positions and types that can be reached
// on small boards with known ones.
func TestCounts(t *testing.T) {
	deep := os.Getenv("ENDWISE_DEEP") != ""
	for _, tt := range []struct {
		size             string
		positions, types int
		deep             bool
	}{
		{"1x5", 1303, 341, false},
		{"2x2", 175, 88, false},
		{"2x3", 3596, 1670, false},
		{"2x4", 66445, 27238, false},
		{"3x3", 181322, 73285, true},
	} {
		if tt.deep && !deep {
			continue // seconds; ENDWISE_DEEP=1 counts these as well
		}
		t.Run(tt.size, func(t *testing.T) {
			b := enginetest.Board(t, tt.size)
			s := NewStore()
			start, err := s.Position(b.Graph(b.All()))
			testenv.OK(t, err)
			seen := map[Key]bool{s.Key(start): true}
			types := map[ID]bool{}
			for queue := []Position{start}; len(queue) > 0; {
				p := queue[len(queue)-1]
				queue = queue[:len(queue)-1]
				for _, id := range p {
					types[id] = true
				}
				for _, m := range s.Moves(p) {
					if !seen[m.Key] {
						seen[m.Key] = true
						queue = append(queue, p.After(m))
					}
				}
			}
			if len(seen) != tt.positions || len(types) != tt.types {
				t.Errorf("%d positions of %d types, want %d of %d", len(seen), len(types), tt.positions, tt.types)
			}
		})
	}
}

// TestIsomorphic relabels components at random: the code must not change, and
// it must be the component that came in.
func TestIsomorphic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var a, b Labeler
	for _, size := range []string{"1x7", "2x3", "3x3", "4x4", "5x5", "7x7", "9x9"} {
		bd := enginetest.Board(t, size)
		for range 200 {
			free := enginetest.Live(bd, rng, 1+rng.IntN(bd.Segments()))
			parts, err := Components(bd.Graph(free))
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
				var raw []byte
				for _, w := range code {
					raw = binary.LittleEndian.AppendUint32(raw, w)
				}
				back, err := CodeOf(raw)
				if err != nil || !slices.Equal(back, code) {
					t.Errorf("%v came back from bytes as %v, %v", code, back, err)
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

// squares counts the squares of a position.
func (s *Store) squares(p Position) int {
	n := 0
	for _, id := range p {
		n += s.Type(id).Squares
	}
	return n
}

// edges counts the free segments of a position.
func (s *Store) edges(p Position) int {
	n := 0
	for _, id := range p {
		n += s.Type(id).Edges
	}
	return n
}

// TestMoves compares the options of a position with the moves on the board.
func TestMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := NewStore()
	for _, size := range []string{"1x4", "2x2", "3x3", "5x5", "7x7", "7x9"} {
		b := enginetest.Board(t, size)
		for range 60 {
			free := enginetest.Live(b, rng, 1+rng.IntN(b.Segments()))
			p, err := s.Position(b.Graph(free))
			testenv.OK(t, err)
			if s.edges(p) != free.Len() {
				t.Fatalf("%s: %d edges of %d free segments", size, s.edges(p), free.Len())
			}
			type result struct {
				gain int
				key  Key
			}
			want := map[result]bool{}
			for _, seg := range free.Segments() {
				next := free
				next.Remove(seg)
				next, _ = b.Live(next)
				q, err := s.Position(b.Graph(next))
				testenv.OK(t, err)
				want[result{s.squares(p) - s.squares(q), s.Key(q)}] = true
			}
			got := map[result]bool{}
			for _, m := range s.Moves(p) {
				got[result{m.Gain, m.Key}] = true
				if q := p.After(m); s.Key(q) != m.Key {
					t.Errorf("%s: key of a move differs from the key of the position after it", size)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%s: %d results, want %d", size, len(got), len(want))
			}
			for r := range want {
				if !got[r] {
					t.Errorf("%s: no move with gain %d and key %x", size, r.gain, r.key)
				}
			}
		}
	}
}

// TestCutParts compares what a cut says about its parts with the parts.
func TestCutParts(t *testing.T) {
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
		parts, err := Components(b.Graph(free))
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

// TestTooLarge: nothing larger than a board is a position.
func TestTooLarge(t *testing.T) {
	one := func(n int) (g grid.Graph) { // squares with four free segments each
		for v := range n {
			g.Squares = append(g.Squares, v)
			for range 4 {
				g.Edges = append(g.Edges, grid.Edge{A: v, B: grid.Outside, Segment: len(g.Edges)})
			}
		}
		return g
	}
	for _, n := range []int{grid.MaxSegments/4 + 1, MaxSquares + 1} {
		if _, err := Components(one(n)); err == nil {
			t.Errorf("%d squares were taken", n)
		}
	}
	if c, err := Components(one(grid.MaxSegments / 4)); err != nil || len(c) != grid.MaxSegments/4 {
		t.Errorf("as many free segments as a board has: %v", err)
	}
	// A path of 96 squares, all borders free.
	var b []byte
	for v := range MaxSquares {
		w := [4]byte{Ground, Ground, Ground, Ground}
		n := 0
		for _, o := range []int{v - 1, v + 1} {
			if o >= 0 && o < MaxSquares {
				w[n] = byte(o)
				n++
			}
		}
		b = append(b, w[:]...)
	}
	if _, err := CodeOf(b); err == nil {
		t.Error("a code of 289 free segments was taken")
	}
}

// TestKeysArePermanent pins keys: tables on disk are built on them.
func TestKeysArePermanent(t *testing.T) {
	s := NewStore()
	for _, tt := range []struct{ size, want string }{
		{"1x1", "ee327d1428743794b4b2dcbb0ce6720f"},
		{"2x2", "a4a1ee95815b39c90c37f2e5bcfbf720"},
		{"7x7", "037efb13f7cb243881da14f831a775a3"},
	} {
		b := enginetest.Board(t, tt.size)
		p, err := s.Position(b.Graph(b.All()))
		testenv.OK(t, err)
		if got := fmt.Sprintf("%x", s.Key(p).AppendBytes(nil)); got != tt.want {
			t.Errorf("%s: key %s, want %s", tt.size, got, tt.want)
		}
	}
}

func TestGraphRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	s := NewStore()
	b := enginetest.Board(t, "5x6")
	for range 100 {
		p, err := s.Position(b.Graph(enginetest.Live(b, rng, rng.IntN(b.Segments()))))
		testenv.OK(t, err)
		q, err := s.Position(s.Graph(p))
		testenv.OK(t, err)
		if diff := cmp.Diff(p, q); diff != "" {
			t.Errorf("position changed on its way through a graph:\n%s", diff)
		}
	}
}

// FuzzCodeOf reads arbitrary bytes: an error or a component that can be cut.
func FuzzCodeOf(f *testing.F) {
	f.Add([]byte{0xFE, 0xFE, 0xFE, 0xFE})
	f.Add([]byte{1, 0xFE, 0xFF, 0xFF, 0, 0xFE, 0xFF, 0xFF})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := CodeOf(b)
		if err != nil {
			return
		}
		var l Labeler
		var u Cutter
		for _, cut := range u.Cuts(c) {
			l.Kids(c, cut.A, cut.B, func(Code) {})
		}
	})
}

// BenchmarkKids labels what the cuts of middle-game components leave behind;
// one operation is all cuts of one component.
func BenchmarkKids(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 10))
	bd := enginetest.Board(b, "7x7")
	var codes []Code
	for len(codes) < 100 {
		parts, err := Components(bd.Graph(enginetest.Live(bd, rng, 50)))
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
