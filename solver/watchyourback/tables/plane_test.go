package tables

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"endwise/engine/testenv"
	wyb "endwise/engine/watchyourback"
	"endwise/engine/watchyourback/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// solvePlanes has a PlaneSolver compute the planes of at most so many pieces into
// a directory.
func solvePlanes(ctx context.Context, pieces int, dir string, progress func(done, total int)) (*Solved, error) {
	parts, err := NewParts(pieces, 8)
	if err != nil {
		return nil, err
	}
	s, err := NewPlaneSolver(ctx, parts, finalTable)
	if err != nil {
		return nil, err
	}
	return Solve(ctx, parts, dir, progress, func(ctx context.Context, r int) error {
		if err := s.takeAllBefore(r, dir); err != nil {
			return err
		}
		files := make([][]byte, parts.Len())
		group, ctx := errgroup.WithContext(ctx)
		for i := range files {
			group.Go(func() (err error) {
				files[i], err = s.Solve(ctx, r, i)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		return parts.Write(dir, r, files)
	})
}

// memory is a packed table in memory.
type memory [][]byte

// Block implements Blocks.
func (m memory) Block(i uint64) ([]byte, error) {
	if i >= uint64(len(m)) {
		return nil, fmt.Errorf("block %d: the table has %d", i, len(m))
	}
	return m[i], nil
}

// solveInMemory solves and packs everything up to a number of pieces.
func solveInMemory(dir string, pieces int) (*Tables, map[int]Stats, map[int]memory, error) {
	ctx := context.Background()
	solved, err := solvePlanes(ctx, pieces, dir, func(int, int) {})
	if err != nil {
		return nil, nil, nil, err
	}
	t := &Tables{Final: finalTable}
	stats, memories := map[int]Stats{}, map[int]memory{}
	for n := 4; n <= pieces; n++ {
		var m memory
		stats[n], err = solved.Pack(ctx, n, func(block uint64, payload []byte) error {
			if block != uint64(len(m)) {
				return fmt.Errorf("block %d after %d", block, len(m))
			}
			m = append(m, payload)
			return nil
		})
		if err != nil {
			return nil, nil, nil, err
		}
		table, err := OpenTable(n, m, 0)
		if err != nil {
			return nil, nil, nil, err
		}
		t.Add(table)
		memories[n] = m
	}
	return t, stats, memories, nil
}

// upToFive is what most tests look at; it takes some three seconds once.
var upToFive = sync.OnceValues(func() (*Tables, map[int]Stats) {
	dir, err := os.MkdirTemp("", "planes")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	t, stats, _, err := solveInMemory(dir, 5)
	if err != nil {
		panic(err)
	}
	for r := range planesOfFive {
		if planesOfFive[r], err = PlaneFile(dir, r+1); err != nil {
			panic(err)
		}
	}
	return t, stats
})

// planesOfFive are the files of planes 1, 2, … that upToFive solved.
var planesOfFive [Planes][]byte

// census counts what the stable positions of one material are worth.
func census(t *testing.T, tables *Tables, m Material, turns int) (n uint64, percent [3]float64) {
	t.Helper()
	var count [3]uint64
	for _, own := range setsOf(m.Own) {
		for _, opp := range setsOf(m.Opp) {
			if own&opp != 0 {
				continue
			}
			o, p := widen32(own), widen32(opp)
			if wyb.Surrounded(o, p, wyb.Middle) != 0 {
				continue
			}
			v, ok, err := tables.Middle(o, p, turns)
			if !ok || err != nil {
				t.Fatalf("%s: %v %v", m, ok, err)
			}
			count[1-v]++
			n++
		}
	}
	for i, c := range count {
		percent[i] = float64(int(float64(c)/float64(n)*1000+0.5)) / 10
	}
	return n, percent
}

// TestCounts compares with what two independent programs have measured:
// stable positions, and wins, ties and losses in per cent with all 64 turns
// left.
func TestCounts(t *testing.T) {
	tables, stats := upToFive()
	for _, c := range []struct {
		m         Material
		positions int
		stable    uint64
		percent   [3]float64
	}{
		{Material{2, 2}, 215760, 200176, [3]float64{9.3, 90.4, 0.3}},
		{Material{3, 2}, 2013760, 1785828, [3]float64{99.7, 0.3, 0}},
	} {
		if got := c.m.Positions(); got != c.positions {
			t.Errorf("%s: %d positions, want %d", c.m, got, c.positions)
		}
		n, percent := census(t, tables, c.m, Planes)
		if n != c.stable || percent != c.percent {
			t.Errorf("%s: %d stable positions, %v %% won, tied, lost; want %d, %v", c.m, n, percent, c.stable, c.percent)
		}
	}
	if got := stats[4].Positions; got != 200176 {
		t.Errorf("packing counted %d stable positions of 4 pieces", got)
	}
	if got := stats[5].Positions; got != 2*1785828 {
		t.Errorf("packing counted %d stable positions of 5 pieces", got)
	}
	total := 0
	for _, m := range Materials(MaxTablePieces) {
		total += m.Positions()
	}
	if total != 426_528_752 { // 427 million
		t.Errorf("%d positions with at most 7 pieces, want 426528752", total)
	}
}

// TestSixPieces is the long form of TestCounts: some 40 s of processor time.
func TestSixPieces(t *testing.T) {
	if os.Getenv("ENDWISE_DEEP") == "" {
		t.Skip("set ENDWISE_DEEP=1 to solve the tables of six pieces")
	}
	tables, stats, _, err := solveInMemory(t.TempDir(), 6)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", stats)
	n, percent := census(t, tables, Material{3, 3}, Planes)
	if want := [3]float64{23.6, 74.7, 1.7}; n != 14964880 || percent != want {
		t.Errorf("3v3: %d stable positions, %v %%; want 14964880, %v", n, percent, want)
	}
	// Values with r and r+2 turns left need not agree however large r is: the
	// positions whose last 21 values repeat after four turns and not sooner.
	var period4 int
	own := setsOf(3)
	for _, a := range own {
		for _, b := range own {
			if a&b != 0 {
				continue
			}
			if o, p := widen32(a), widen32(b); wyb.Surrounded(o, p, wyb.Middle) == 0 {
				v, err := tables.middle[6].profile(a, b)
				if err != nil {
					t.Fatal(err)
				}
				repeats := func(after int) bool {
					for r := 44; r+after <= Planes; r++ {
						if v.value(r) != v.value(r+after) {
							return false
						}
					}
					return true
				}
				if repeats(4) && !repeats(2) {
					period4++
				}
			}
		}
	}
	if period4 != 6945 {
		t.Errorf("%d positions of 3v3 with period 4, want 6945", period4)
	}
	if checked, err := Verify(t.Context(), tables, 6, 20000, 1); err != nil {
		t.Errorf("after %d positions: %v", checked, err)
	}
}

func TestVerify(t *testing.T) {
	tables, _ := upToFive()
	for n := 4; n <= 5; n++ {
		samples := 4000
		if os.Getenv("ENDWISE_DEEP") != "" {
			samples = 100000
		}
		checked, err := Verify(t.Context(), tables, n, samples, 7)
		if err != nil || checked != uint64(samples) {
			t.Errorf("%d pieces: %d checked, %v", n, checked, err)
		}
	}
}

// plainSearch is minimax to the shrink by the plain rules, tables on the 4x4
// board alone.
func plainSearch(t *testing.T, tables *Tables, g plain.Game) int {
	if over, _ := g.Ended(); over || g.Turns >= wyb.SecondShrink {
		v, err := tables.plainValue(g)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	best := -1
	for _, m := range g.Moves() {
		if best = max(best, -plainSearch(t, tables, g.Play(m))); best == 1 {
			break
		}
	}
	return best
}

func TestAgainstPlainSearch(t *testing.T) {
	tables, _ := upToFive()
	only := &Tables{Final: finalTable}
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ turns, positions int }{{1, 300}, {2, 100}, {3, 25}} {
		for range c.positions {
			m := Materials(5)[r.IntN(3)]
			own, opp := randomStable(r, m)
			got, _, err := tables.Middle(own, opp, c.turns)
			if err != nil {
				t.Fatal(err)
			}
			if want := plainSearch(t, only, plainMiddle(own, opp, c.turns)); got != want {
				t.Fatalf("%x %x, %d turns left: table %d, plain search %d", own, opp, c.turns, got, want)
			}
		}
	}
}

// TestResume interrupts a solve, damages a plane and takes it up again: the
// tables are byte for byte those of an undisturbed solve.
func TestResume(t *testing.T) {
	_, _, want, err := solveInMemory(t.TempDir(), 4)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, stop := range []int{0, 1, 2, 9, 40} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := solvePlanes(ctx, 4, dir, func(done, _ int) {
			if done >= stop {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after plane %d: %v", stop, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 40 || len(files) > 41 {
		t.Fatalf("%d files after 40 planes, %v", len(files), err)
	}
	data, err := os.ReadFile(planePath(dir, 30))
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(planePath(dir, 30), data, 0o600); err != nil {
		t.Fatal(err)
	}
	tookOver := -1
	if _, err := solvePlanes(t.Context(), 4, dir, func(done, _ int) {
		if tookOver < 0 {
			tookOver = done
		}
	}); err != nil {
		t.Fatal(err)
	}
	if tookOver != 29 {
		t.Errorf("took over %d planes, want 29", tookOver)
	}
	_, _, got, err := solveInMemory(dir, 4)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got[4], want[4], slices.Equal) {
		t.Error("the resumed solve gives another table")
	}
}

func TestSolveErrors(t *testing.T) {
	for _, pieces := range []int{-1, 3, 8} {
		if _, err := NewParts(pieces, 1); err == nil {
			t.Errorf("%d pieces: no error", pieces)
		}
	}
	if _, err := solvePlanes(t.Context(), 4, filepath.Join(t.TempDir(), "missing"), func(int, int) {}); err == nil {
		t.Error("missing directory: no error")
	}
}

func TestSmallCache(t *testing.T) {
	tables, _ := upToFive()
	small, err := OpenTable(5, tables.middle[5].source, 3*BlockPositions)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(8, 9))
	var wg sync.WaitGroup
	seeds := []uint64{r.Uint64(), r.Uint64()}
	for _, seed := range seeds {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for range 3000 {
				own, opp := randomStable(r, Material{3, 2})
				a, err := small.profile(squeeze32(own), squeeze32(opp))
				b, err2 := tables.middle[5].profile(squeeze32(own), squeeze32(opp))
				if err != nil || err2 != nil || a != b {
					t.Errorf("%x %x: %v %v, %v %v", own, opp, a, b, err, err2)
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
		t.Errorf("%d blocks are decoded, the limit is 3", kept)
	}
}

// TestDamage feeds a table bytes that contradict themselves: an error, never
// a value or a panic.
func TestDamage(t *testing.T) {
	tables, _ := upToFive()
	source := tables.middle[4].source.(memory)
	n := len(tables.middle[4].profiles)
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
	cut[tables.middle[4].layout.positionBlocks()] = nil
	if _, err := OpenTable(4, cut, 0); err == nil {
		t.Error("no dictionary: no error")
	}
	if _, err := OpenTable(4, source[:3], 0); err == nil {
		t.Error("missing blocks: no error")
	}
}

func TestRanks(t *testing.T) {
	for k := 1; k <= maxSide; k++ {
		sets := setsOf(k)
		if len(sets) != int(binomial[squares][k]) {
			t.Fatalf("%d sets of %d", len(sets), k)
		}
		for i, m := range sets {
			if rank(m) != uint32(i) {
				t.Fatalf("set %x has rank %d, want %d", m, rank(m), i)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		m := r.Uint32()
		if squeeze32(widen32(m)) != m || widen32(m)&^wyb.Playable(wyb.Middle) != 0 {
			t.Fatalf("%x becomes %x and %x", m, widen32(m), squeeze32(widen32(m)))
		}
	}
	l := LayoutOf(5)
	seen := make([]bool, l.Positions())
	for _, m := range l.materials {
		for _, own := range setsOf(m.Own) {
			for _, opp := range setsOf(m.Opp) {
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

func TestProfiles(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	d := dictionary{number: map[profile]uint32{}}
	for range 1000 {
		win := r.Uint64()
		p := profile{win, r.Uint64() &^ win}
		if got := profileOf(p.halves()); got != p {
			t.Fatalf("%x becomes %x", p, got)
		}
		d.list = append(d.list, p)
	}
	data := d.encode()
	back, err := decodeDictionary(data)
	if err != nil || !cmp.Equal(back, d.list, cmp.AllowUnexported(profile{})) {
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

// FuzzDecode feeds bytes to the decoders of blocks and dictionaries: what
// they accept they can also index.
func FuzzDecode(f *testing.F) {
	d := dictionary{list: []profile{{1, 2}, {4, 8}, {5, 2}}}
	data := d.encode()
	f.Add(data, 3)
	f.Add(new(blockEncoder).encode([]uint32{0, 2, 1, 2}, 3), 4)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		if list, err := decodeDictionary(data); err == nil {
			for _, p := range list {
				if v := p.value(Planes); v < -1 || v > 1 {
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

func BenchmarkProbe(b *testing.B) {
	tables, _ := upToFive()
	for n := range tables.middle[5].decoded {
		if _, err := tables.middle[5].load(uint64(n)); err != nil {
			b.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	var list [4096][2]uint64
	for i := range list {
		list[i][0], list[i][1] = randomStable(r, Material{3, 2})
	}
	i := 0
	for b.Loop() {
		p := &list[i&4095]
		i++
		if _, ok, _ := tables.Middle(p[0], p[1], 1+i&63); !ok {
			b.Fatal("no value")
		}
	}
}

func BenchmarkFiveAndFewer(b *testing.B) {
	for b.Loop() {
		if _, _, _, err := solveInMemory(b.TempDir(), 5); err != nil {
			b.Fatal(err)
		}
	}
}
