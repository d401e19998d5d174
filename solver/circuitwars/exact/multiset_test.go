package exact

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/graph"
)

// multisets is Circuit Wars on multisets of component types, without a board and
// without a search: the plain game in which the rules are found and proved.
type multisets struct {
	types   []plainType
	byKey   map[graph.Key]int
	labeler graph.Labeler
	cutter  graph.Cutter
}

type plainType struct {
	graph.Code
	key     graph.Key
	options []plainOption // once they were asked for
}

// plainOption is a move inside a type: what it gains and leaves.
type plainOption struct {
	gain int
	kids multiset
}

// multiset is the numbers of types in ascending order, one a component.
type multiset []int

func newMultisets() *multisets { return &multisets{byKey: map[graph.Key]int{}} }

// intern numbers the type of a component given in any order.
func (s *multisets) intern(c graph.Code) int { return s.number(s.labeler.Label(c)) }

func (s *multisets) number(canonical graph.Code) int {
	k := graph.KeyOf(canonical)
	id, ok := s.byKey[k]
	if !ok {
		id = len(s.types)
		s.byKey[k] = id
		s.types = append(s.types, plainType{Code: slices.Clone(canonical), key: k})
	}
	return id
}

// position is that of the free segments of a board.
func (s *multisets) position(t testing.TB, b *grid.Board, free grid.Set) (p multiset) {
	t.Helper()
	parts, err := graph.Components(b, free)
	testenv.OK(t, err)
	for _, c := range parts {
		p = append(p, s.intern(c.Code))
	}
	slices.Sort(p)
	return p
}

// parts are the components of a multiset.
func (s *multisets) parts(p multiset) (out []graph.Component) {
	n := 0
	for _, id := range p {
		c := graph.Component{Code: s.types[id].Code}
		for range c.Code {
			c.Vertices = append(c.Vertices, n)
			n++
		}
		out = append(out, c)
	}
	return out
}

// key is the sum of the types' keys.
func (s *multisets) key(p multiset) (k graph.Key) {
	for _, id := range p {
		k = k.Add(s.types[id].key)
	}
	return k
}

func (s *multisets) options(id int) []plainOption {
	if s.types[id].options == nil {
		code := s.types[id].Code
		for _, cut := range s.cutter.Cuts(code) {
			var kids multiset
			gain := s.labeler.Kids(code, cut.A, cut.B, func(kid graph.Code) { kids = append(kids, s.number(kid)) })
			s.types[id].options = append(s.types[id].options, plainOption{gain, kids})
		}
	}
	return s.types[id].options
}

// plainMove is a move and the position that it leads to.
type plainMove struct {
	gain int
	to   multiset
}

// moves are the different results of moving in a position.
func (s *multisets) moves(p multiset) (out []plainMove) {
	for i, id := range p {
		if i > 0 && p[i-1] == id {
			continue
		}
		for _, o := range s.options(id) {
			m := plainMove{o.gain, sum(slices.Delete(slices.Clone(p), i, i+1), o.kids)}
			if !slices.ContainsFunc(out, func(x plainMove) bool { return x.gain == m.gain && slices.Equal(x.to, m.to) }) {
				out = append(out, m)
			}
		}
	}
	return out
}

func sum(a, b multiset) multiset {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return out
}

// squares counts the squares of a position.
func (s *multisets) squares(p multiset) (n int) {
	for _, id := range p {
		n += len(s.types[id].Code)
	}
	return n
}

// TestCounts compares the numbers of positions and types that can be reached
// on small boards with known ones.
func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		size             string
		positions, types int
	}{
		{"1x5", 1303, 341},
		{"2x2", 175, 88},
		{"2x3", 3596, 1670},
		{"2x4", 66445, 27238},
		{"3x3", 181322, 73285},
	} {
		if tt.size == "3x3" && os.Getenv("ENDWISE_DEEP") == "" {
			continue // seconds; ENDWISE_DEEP=1 counts these as well
		}
		b := enginetest.Board(t, tt.size)
		s := newMultisets()
		start := s.position(t, b, b.All())
		seen := map[graph.Key]bool{s.key(start): true}
		for queue := []multiset{start}; len(queue) > 0; {
			p := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for _, m := range s.moves(p) {
				if k := s.key(m.to); !seen[k] {
					seen[k] = true
					queue = append(queue, m.to)
				}
			}
		}
		if len(seen) != tt.positions || len(s.types) != tt.types {
			t.Errorf("%s: %d positions of %d types, want %d of %d", tt.size, len(seen), len(s.types), tt.positions, tt.types)
		}
	}
}

// TestMoves compares the options of a position with the moves on the board.
func TestMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := newMultisets()
	for _, size := range []string{"1x4", "2x2", "3x3", "5x5", "7x7", "7x9"} {
		b := enginetest.Board(t, size)
		for range 60 {
			free := enginetest.Live(b, rng, 1+rng.IntN(b.Segments()))
			p := s.position(t, b, free)
			edges := 0
			for _, id := range p {
				edges += s.types[id].Edges()
			}
			if edges != free.Len() {
				t.Fatalf("%s: %d edges of %d free segments", size, edges, free.Len())
			}
			type result struct {
				gain int
				key  graph.Key
			}
			want, got := map[result]bool{}, map[result]bool{}
			for _, seg := range free.Segments() {
				next := free
				next.Remove(seg)
				next, _ = b.Live(next)
				q := s.position(t, b, next)
				want[result{s.squares(p) - s.squares(q), s.key(q)}] = true
			}
			for _, m := range s.moves(p) {
				got[result{m.gain, s.key(m.to)}] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %v: results on the board and among components:\n%s", size, free.Segments(), diff)
			}
		}
	}
}
