package tables

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/engine/testenv"
	wyb "endwise/engine/watchyourback"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// memory is a table in memory.
type memory [][]byte

// Block implements [Blocks].
func (m memory) Block(i uint64) ([]byte, error) {
	if i >= uint64(len(m)) {
		return nil, fmt.Errorf("block %d: the table has %d", i, len(m))
	}
	return m[i], nil
}

// arbitrary returns a table of four pieces with profiles computed from their ranks.
func arbitrary(t *testing.T) (m memory, profileAt func(rank uint64) Profile) {
	t.Helper()
	profileAt = func(rank uint64) Profile {
		win := rank % 700 * 0x9e3779b97f4a7c15
		return Profile{Win: win, Loss: ^win & (rank % 11 * 0xc2b2ae3d27d4eb4f)}
	}
	w := NewWriter(4, func(_ uint64, payload []byte) error {
		m = append(m, payload)
		return nil
	})
	for rank := range LayoutOf(4).Positions() {
		testenv.OK(t, w.Add([]Profile{profileAt(rank)}))
	}
	_, err := w.Finish()
	testenv.OK(t, err)
	return m, profileAt
}

// A small cache does not affect the profiles read, also concurrently.
func TestSmallCacheReturnsTheSameProfiles(t *testing.T) {
	m, profileAt := arbitrary(t)
	small, err := OpenTable(4, m, 3*BlockPositions)
	testenv.OK(t, err)
	var wg sync.WaitGroup
	for seed := range uint64(2) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for range 3000 {
				sets := SetsOf(2)
				own, opp := sets[r.IntN(len(sets))], sets[r.IntN(len(sets))]
				if own&opp != 0 {
					continue
				}
				got, err := small.profile(own, opp)
				if want := profileAt(small.layout.rankOf(own, opp)); err != nil || got != want {
					t.Errorf("%x %x: %v, %v; want %v", own, opp, got, err, want)
					return
				}
			}
		})
	}
	wg.Wait()
	kept := 0
	for i := range small.decoded {
		if small.decoded[i].Load() != nil {
			kept++
		}
	}
	if kept != 3 {
		t.Errorf("%d decoded blocks, want 3", kept)
	}
}

// Inconsistent bytes are an error, never a value or a panic.
func TestDamagedTablesAreErrors(t *testing.T) {
	source, _ := arbitrary(t)
	whole, err := OpenTable(4, source, 0)
	testenv.OK(t, err)
	n := len(whole.profiles)
	for _, b := range [][]byte{nil, {}, {0}, {1}, {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}, source[0][:100], append(slices.Clone(source[0]), 0)} {
		if _, err := decodeBlock(b, BlockPositions, n); err == nil {
			t.Errorf("block %x: no error", b[:min(len(b), 20)])
		}
	}
	for _, b := range [][]byte{nil, {9}, {0, 0, 5, 1}, {0, 0, 1, 0, 0}} {
		if _, err := decodeDictionary(b); err == nil {
			t.Errorf("dictionary %x: no error", b)
		}
	}
	cut := slices.Clone(source)
	cut[whole.layout.positionBlocks()] = nil
	if _, err := OpenTable(4, cut, 0); err == nil {
		t.Error("no dictionary: no error")
	}
	if _, err := OpenTable(4, source[:3], 0); err == nil {
		t.Error("missing blocks: no error")
	}
}

func TestRanksArePerfect(t *testing.T) {
	for k := 1; k <= MaxSide; k++ {
		sets := SetsOf(k)
		if len(sets) != int(binomial[Squares][k]) {
			t.Fatalf("%d sets of %d", len(sets), k)
		}
		for i, m := range sets {
			if Rank(m) != uint32(i) {
				t.Fatalf("set %x has rank %d, want %d", m, Rank(m), i)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		m := r.Uint32()
		if Squeeze(Widen(m)) != m || Widen(m)&^wyb.Playable(wyb.Middle) != 0 {
			t.Fatalf("%x becomes %x and %x", m, Widen(m), Squeeze(Widen(m)))
		}
	}
	l := LayoutOf(5)
	seen := make([]bool, l.Positions())
	for _, m := range []Material{{2, 3}, {3, 2}} {
		for _, own := range SetsOf(m.Own) {
			for _, opp := range SetsOf(m.Opp) {
				if own&opp == 0 {
					i := l.rankOf(own, opp)
					if seen[i] {
						t.Fatalf("rank %d twice", i)
					}
					seen[i] = true
				}
			}
		}
	}
	if slices.Contains(seen, false) {
		t.Error("ranks are not perfect")
	}
}

func TestProfilesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	d := dictionary{number: map[Profile]uint32{}}
	for range 1000 {
		win := r.Uint64()
		p := Profile{win, r.Uint64() &^ win}
		if got := profileOf(p.halves()); got != p {
			t.Fatalf("%x becomes %x", p, got)
		}
		d.list = append(d.list, p)
	}
	data := d.encode()
	back, err := decodeDictionary(data)
	if err != nil || !cmp.Equal(back, d.list, cmp.AllowUnexported(Profile{})) {
		t.Errorf("dictionary does not read back: %v", err)
	}
	var encoder blockEncoder
	for _, many := range []int{1, 200, 3000} {
		ids := make([]uint32, BlockPositions)
		for i := range ids {
			ids[i] = uint32(r.IntN(many))
		}
		b, err := decodeBlock(encoder.encode(ids, many), len(ids), many)
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			if b.ids[b.index(i)] != id {
				t.Fatalf("%d profiles: position %d", many, i)
			}
		}
	}
}

// Blocks and dictionaries that the decoders accept have only valid indexes.
func FuzzDecode(f *testing.F) {
	d := dictionary{list: []Profile{{1, 2}, {4, 8}, {5, 2}}}
	data := d.encode()
	f.Add(data, 3)
	f.Add(new(blockEncoder).encode([]uint32{0, 2, 1, 2}, 3), 4)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		if list, err := decodeDictionary(data); err == nil {
			for _, p := range list {
				if v := p.Value(Layers); v < -1 || v > 1 {
					t.Fatalf("value %d", v)
				}
			}
		}
		if n < 1 || n > BlockPositions {
			return
		}
		if b, err := decodeBlock(data, n, 3); err == nil {
			for i := range n {
				if b.ids[b.index(i)] > 2 {
					t.Fatalf("profile %d of 3", b.ids[b.index(i)])
				}
			}
		}
	})
}

func BenchmarkNewFinal(b *testing.B) {
	for b.Loop() {
		NewFinal()
	}
}
