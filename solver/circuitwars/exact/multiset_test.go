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

// multisets implements Circuit Wars on multisets of component types, without a board and
// without a search. The rules are found and proved with it.
type multisets struct {
	types   []plainType
	byKey   map[graph.Key]int
	labeler graph.Labeler
	cutter  graph.Cutter
}

type plainType struct {
	graph.Code
	key     graph.Key
	options []plainOption // nil until computed
}

// plainOption is a move inside a type: its gain and the components left.
type plainOption struct {
	gain int
	kids multiset
}

// multiset contains type numbers in ascending order, one per component.
type multiset []int

func newMultisets() *multisets { return &multisets{byKey: map[graph.Key]int{}} }

// intern returns the number of a component's type.
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

// position returns the multiset of a board's free segments.
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

// parts returns the components of a multiset.
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

// key returns the sum of the types' keys.
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

// plainMove is a move and the position after it.
type plainMove struct {
	gain int
	to   multiset
}

// moves returns the distinct moves of a position.
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

// squares returns the number of squares of a position.
func (s *multisets) squares(p multiset) (n int) {
	for _, id := range p {
		n += len(s.types[id].Code)
	}
	return n
}

// The numbers of reachable positions and types on small boards do not change.
func TestReachablePositionsAndTypesAreCounted(t *testing.T) {
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
			continue // takes seconds
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

// The options of the components are the moves on the board.
func TestOptionsAreTheMovesOnTheBoard(t *testing.T) {
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
				t.Errorf("%s: %v: moves on the board and of the components:\n%s", size, free.Segments(), diff)
			}
		}
	}
}
