package retrograde

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"endwise/engine/testenv"
	wyb "endwise/engine/watchyourback"
	"endwise/engine/watchyourback/plain"
	"endwise/solver/watchyourback/tables"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// solveLayers computes the layers for up to a number of pieces in a directory.
func solveLayers(ctx context.Context, pieces int, dir string, progress func(done, total int)) (*Solved, error) {
	parts, err := NewParts(pieces, 8)
	if err != nil {
		return nil, err
	}
	s, err := NewLayerSolver(ctx, parts, finalTable)
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

// memory is a table in memory.
type memory [][]byte

// Block implements [tables.Blocks].
func (m memory) Block(i uint64) ([]byte, error) {
	if i >= uint64(len(m)) {
		return nil, fmt.Errorf("block %d: the table has %d", i, len(m))
	}
	return m[i], nil
}

// solveInMemory solves and packs the tables of up to the given number of pieces.
func solveInMemory(dir string, pieces int) (*tables.Tables, map[int]tables.Stats, map[int]memory, error) {
	ctx := context.Background()
	solved, err := solveLayers(ctx, pieces, dir, func(int, int) {})
	if err != nil {
		return nil, nil, nil, err
	}
	t := &tables.Tables{Final: finalTable}
	stats, memories := map[int]tables.Stats{}, map[int]memory{}
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
		table, err := tables.OpenTable(n, m, 0)
		if err != nil {
			return nil, nil, nil, err
		}
		t.Add(table)
		memories[n] = m
	}
	return t, stats, memories, nil
}

// upToFive solves the tables used by most tests, once.
var upToFive = sync.OnceValues(func() (*tables.Tables, map[int]tables.Stats) {
	dir, err := os.MkdirTemp("", "layers")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	t, stats, _, err := solveInMemory(dir, 5)
	if err != nil {
		panic(err)
	}
	for r := range layersOfFive {
		if layersOfFive[r], err = ReadLayerFile(dir, r+1); err != nil {
			panic(err)
		}
	}
	return t, stats
})

// layersOfFive contains the files of layers 1, 2, … solved by upToFive.
var layersOfFive [tables.Layers][]byte

// census returns the number of stable positions of a material and the percentages of wins,
// ties and losses.
func census(t *testing.T, all *tables.Tables, m tables.Material, turns int) (n uint64, percent [3]float64) {
	t.Helper()
	var count [3]uint64
	for _, own := range tables.SetsOf(m.Own) {
		for _, opp := range tables.SetsOf(m.Opp) {
			if own&opp != 0 {
				continue
			}
			o, p := tables.Widen(own), tables.Widen(opp)
			if wyb.Surrounded(o, p, wyb.Middle) != 0 {
				continue
			}
			v, ok, err := all.Middle(o, p, turns)
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

// The numbers of stable positions, and the percentages with 64 turns left, are those of two
// independent programs.
func TestTablesHaveKnownCounts(t *testing.T) {
	all, stats := upToFive()
	for _, c := range []struct {
		m         tables.Material
		positions int
		stable    uint64
		percent   [3]float64
	}{
		{tables.Material{Own: 2, Opp: 2}, 215760, 200176, [3]float64{9.3, 90.4, 0.3}},
		{tables.Material{Own: 3, Opp: 2}, 2013760, 1785828, [3]float64{99.7, 0.3, 0}},
	} {
		if got := c.m.Positions(); got != c.positions {
			t.Errorf("%s: %d positions, want %d", c.m, got, c.positions)
		}
		n, percent := census(t, all, c.m, tables.Layers)
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
	for _, m := range tables.Materials(tables.MaxTablePieces) {
		total += m.Positions()
	}
	if total != 426_528_752 { // 427 million
		t.Errorf("%d positions with at most 7 pieces, want 426528752", total)
	}
}

// The same for the tables of six pieces, which take minutes.
func TestTablesOfSixPieces(t *testing.T) {
	if os.Getenv("ENDWISE_DEEP") == "" {
		t.Skip("set ENDWISE_DEEP=1 to solve the tables of six pieces")
	}
	all, stats, _, err := solveInMemory(t.TempDir(), 6)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", stats)
	n, percent := census(t, all, tables.Material{Own: 3, Opp: 3}, tables.Layers)
	if want := [3]float64{23.6, 74.7, 1.7}; n != 14964880 || percent != want {
		t.Errorf("3v3: %d stable positions, %v %%; want 14964880, %v", n, percent, want)
	}
	// Values need not settle by parity however many turns are left: count the positions whose
	// last 21 values repeat after four turns and not earlier.
	var period4 int
	own := tables.SetsOf(3)
	for _, a := range own {
		for _, b := range own {
			if a&b != 0 {
				continue
			}
			if o, p := tables.Widen(a), tables.Widen(b); wyb.Surrounded(o, p, wyb.Middle) == 0 {
				value := func(r int) int {
					v, _, err := all.Middle(o, p, r)
					testenv.OK(t, err)
					return v
				}
				repeats := func(after int) bool {
					for r := 44; r+after <= tables.Layers; r++ {
						if value(r) != value(r+after) {
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
	if checked, err := Verify(t.Context(), all, 6, 20000, 1); err != nil {
		t.Errorf("after %d positions: %v", checked, err)
	}
}

func TestVerifyAcceptsCorrectTables(t *testing.T) {
	all, _ := upToFive()
	for n := 4; n <= 5; n++ {
		samples := 4000
		if os.Getenv("ENDWISE_DEEP") != "" {
			samples = 100000
		}
		checked, err := Verify(t.Context(), all, n, samples, 7)
		if err != nil || checked != uint64(samples) {
			t.Errorf("%d pieces: %d checked, %v", n, checked, err)
		}
	}
}

// plainSearch returns the value by minimax with the plain rules, with a table of the 4x4
// board only.
func plainSearch(t *testing.T, all *tables.Tables, g plain.Game) int {
	if over, _ := g.Ended(); over || g.Turns >= wyb.SecondShrink {
		v, err := plainValue(all, g)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	best := -1
	for _, m := range g.Moves() {
		if best = max(best, -plainSearch(t, all, g.Play(m))); best == 1 {
			break
		}
	}
	return best
}

func TestTablesEqualPlainSearch(t *testing.T) {
	all, _ := upToFive()
	only := &tables.Tables{Final: finalTable}
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ turns, positions int }{{1, 300}, {2, 100}, {3, 25}} {
		for range c.positions {
			m := tables.Materials(5)[r.IntN(3)]
			own, opp := randomStable(r, m)
			got, _, err := all.Middle(own, opp, c.turns)
			if err != nil {
				t.Fatal(err)
			}
			if want := plainSearch(t, only, plainMiddle(own, opp, c.turns)); got != want {
				t.Fatalf("%x %x, %d turns left: table %d, plain search %d", own, opp, c.turns, got, want)
			}
		}
	}
}

func TestInvalidArgumentsAreErrors(t *testing.T) {
	for _, pieces := range []int{-1, 3, 8} {
		if _, err := NewParts(pieces, 1); err == nil {
			t.Errorf("%d pieces: no error", pieces)
		}
	}
	if _, err := solveLayers(t.Context(), 4, filepath.Join(t.TempDir(), "missing"), func(int, int) {}); err == nil {
		t.Error("missing directory: no error")
	}
}

func BenchmarkProbe(b *testing.B) {
	all, _ := upToFive()
	r := rand.New(rand.NewPCG(3, 3))
	var list [4096][2]uint64
	for i := range list {
		list[i][0], list[i][1] = randomStable(r, tables.Material{Own: 3, Opp: 2})
	}
	for i := range list { // decode the blocks
		if _, _, err := all.Middle(list[i][0], list[i][1], 1); err != nil {
			b.Fatal(err)
		}
	}
	i := 0
	for b.Loop() {
		p := &list[i&4095]
		i++
		if _, ok, _ := all.Middle(p[0], p[1], 1+i&63); !ok {
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

// finalTable is shared by all tests.
var finalTable = tables.NewFinal()

// turn rotates an 8x8 set by a quarter turn.
func turn(s uint64) (out uint64) {
	for i := range 64 {
		out |= s >> i & 1 << (8*(i%8) + 7 - i/8)
	}
	return out
}

func flip(s uint64) (out uint64) {
	for i := range 64 {
		out |= s >> i & 1 << (i ^ 7)
	}
	return out
}

// The 4x4 stage has the symmetries of its board, the 6x6 stage has none, because the second
// shrink sets the corners in order.
func TestOnlyTheFinalStageIsSymmetric(t *testing.T) {
	playable := wyb.Playable(wyb.Final)
	for own := playable; own != 0; own = (own - 1) & playable {
		free := playable &^ own
		for opp := free; opp != 0; opp = (opp - 1) & free {
			v, d, ok := finalTable.Probe(own, opp)
			for _, image := range [2]func(uint64) uint64{turn, flip} {
				if v2, d2, ok2 := finalTable.Probe(image(own), image(opp)); ok != ok2 || v != v2 || d != d2 {
					t.Fatalf("own %x, opponent %x: %d in %d, its image %d in %d", own, opp, v, d, v2, d2)
				}
			}
		}
	}
	all, _ := upToFive()
	images := map[string]func(uint64) uint64{
		"quarter turn": turn, "half turn": func(s uint64) uint64 { return turn(turn(s)) },
		"quarter turn back": func(s uint64) uint64 { return turn(turn(turn(s))) },
		"left-right":        flip, "top-bottom": func(s uint64) uint64 { return flip(turn(turn(s))) },
		"diagonal": func(s uint64) uint64 { return flip(turn(s)) }, "antidiagonal": func(s uint64) uint64 { return turn(flip(s)) },
	}
	r := rand.New(rand.NewPCG(11, 12))
	for name, image := range images {
		broken := false
		for range 200000 {
			own, opp := randomStable(r, tables.Material{Own: 2, Opp: 2})
			a, _, err := all.Middle(own, opp, 1)
			if err != nil {
				t.Fatal(err)
			}
			b, ok, err := all.Middle(image(own), image(opp), 1)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if a != b {
				broken = true
				break
			}
		}
		if !broken {
			t.Errorf("no position distinguishes the %s from the identity", name)
		}
	}
}

// The memory allocated for strokes suffices; LayerBytes counts it.
func TestStrokesPerPiece(t *testing.T) {
	for k := 2; k < tables.MaxSide; k++ {
		sets := tables.SetsOf(k)
		if n, most := len(strokesOf(sets).list), strokesPerPiece*k*len(sets); n > most {
			t.Errorf("%d strokes of sets of %d, memory for %d", n, k, most)
		}
	}
}
