package watchyourback

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/plain"
	"endwise/solver/watchyourback/tables"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func parse(t *testing.T, text string) watchyourback.Position {
	t.Helper()
	p, err := watchyourback.Parse(text)
	testenv.OK(t, err)
	return p
}

func lookup(t *testing.T, dir string) *book.Lookup {
	t.Helper()
	return booktest.Open(t, Open, book.Options{Store: dir, Threads: 1, HashBytes: 4 << 20})
}

// here is a farm of two goroutines.
func here() farm.Farm { return farm.InProcess(2) }

// TestSolve builds the smallest table into a store with interruptions; the digest is that
// of an uninterrupted build.
func TestSolve(t *testing.T) {
	dir, broken := t.TempDir(), filepath.Join(t.TempDir(), "store")
	first, err := Solve(t.Context(), dir, 4, 300, here(), nil)
	testenv.OK(t, err)
	h := first[0].Header
	if len(first) != 1 || first[0].Old || h.Positions != 200176 || h.Verified != 300 {
		t.Fatalf("%+v %+v", first, h)
	}
	// Wins, ties and losses with 64 turns left: 9.3, 90.4 and 0.3 %.
	if h.Histogram[1] != 18648 || h.Histogram[0] != 180980 || h.Histogram[-1] != 548 {
		t.Errorf("histogram %v", h.Histogram)
	}
	stopped := 0
	for i, stop := range []string{"solve up to 4 pieces", "pack 4 pieces", "verify 4 pieces"} {
		err := booktest.StopWhere(t, func(all []farm.Snapshot) bool {
			last := len(all) - 1
			return last >= 0 && all[last].Stage == stop && (i > 0 || all[last].Done > 0)
		}, func(ctx context.Context, p *farm.Progress) error {
			_, err := Solve(ctx, broken, 4, 300, here(), p)
			if all := p.Stages(0); i == 1 && (len(all) == 0 || all[0].Before == 0) {
				t.Errorf("no plane of the first solve is taken up again: %+v", all)
			}
			return err
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at %s: %v", stop, err)
		}
		if (err == nil) != Has(broken, 4) {
			t.Fatalf("stopped at %s: %v, and a table: %v", stop, err, err != nil)
		}
		if err != nil {
			stopped++
		}
	}
	if stopped < 2 { // a busy machine may be late for one
		t.Errorf("%d of 3 solves were interrupted", stopped)
	}
	again, err := Solve(t.Context(), broken, 4, 300, here(), nil)
	testenv.OK(t, err)
	if again[0].Header.SHA256 != h.SHA256 {
		t.Error("an interrupted solve gives another table")
	}
	if again, err = Solve(t.Context(), dir, 4, 300, here(), nil); err != nil || !again[0].Old {
		t.Errorf("solving again: %+v, %v", again, err)
	}
	for _, d := range []string{dir, broken} {
		if names, err := os.ReadDir(d); err != nil || len(names) != 1 {
			t.Errorf("left in the store: %v, %v", names, err)
		}
	}
	for _, pieces := range []int{3, 8} {
		if _, err := Solve(t.Context(), dir, pieces, 1, here(), nil); err == nil {
			t.Errorf("%d pieces: no error", pieces)
		}
	}
}

// randomFinal is a random position on the 4x4 board that is not over, with many
// empty squares or few.
func randomFinal(r *rand.Rand) watchyourback.Position {
	for {
		letters := "O@----"[:3+r.IntN(4)]
		rows := []byte("......../......../..X--X../..----../..----../..X--X../......../........")
		for i := range rows {
			if rows[i] == '-' {
				rows[i] = letters[r.IntN(len(letters))]
			}
		}
		if p, err := watchyourback.Parse(string(rows) + ":moving:192"); err == nil && !p.Over() {
			return p
		}
	}
}

// nearLimit is a random position on the 4x4 board that is not over, with most to 1
// turns left to the limit of quiet turns.
func nearLimit(t *testing.T, r *rand.Rand, most int) watchyourback.Position {
	t.Helper()
	turns := watchyourback.SecondShrink + watchyourback.QuietLimit + r.IntN(2)
	end := fmt.Sprintf(":%d:quiet=%d", turns, watchyourback.QuietLimit-1-r.IntN(most))
	return parse(t, strings.TrimSuffix(randomFinal(r).String(), ":192")+end)
}

// TestFinalPlay plays out won 4x4 positions, half of them close to the limit of
// quiet turns, against random moves and against the longest defence: each turn
// brings the end nearer.
func TestFinalPlay(t *testing.T) {
	l := lookup(t, "")
	r := rand.New(rand.NewPCG(2, 2))
	won := map[bool]int{}
	for i := range 800 {
		p, random := randomFinal(r), i%2 == 0
		if i%4 > 1 {
			p = nearLimit(t, r, 30)
		}
		d, err := l.Decide(t.Context(), book.Question{Position: p})
		if err != nil || d.Source != "table" || !d.Exact {
			t.Fatalf("%s: %+v, %v", p, d, err)
		}
		if d.Score != 1 {
			continue
		}
		won[i%4 > 1]++
		winner, left := p.Turn(), d.Distance
		for !p.Over() {
			m, err := p.ParseMove(d.Move)
			if p.Turn() != winner && random && err == nil {
				moves := p.Moves()
				m = moves[r.IntN(len(moves))]
			}
			testenv.OK(t, err)
			p = p.Next(m)
			left--
			if d, err = l.Decide(t.Context(), book.Question{Position: p}); err != nil && !errors.Is(err, engine.ErrGameOver) {
				t.Fatal(err)
			}
			if !p.Over() && (d.Distance > left || d.Distance < left && !random) {
				t.Fatalf("%s: %d turns to the end, want %d, or fewer against random moves", p, d.Distance, left)
			}
		}
		if p.Winner() != winner {
			t.Fatalf("%s: not won", p)
		}
	}
	if won[false] < 40 || won[true] < 40 {
		t.Errorf("only %d positions were won, and %d close to the limit", won[false], won[true])
	}
}

// TestTies checks that in a tie the move played leaves more losing answers
// than any other move that keeps the tie.
func TestTies(t *testing.T) {
	l := lookup(t, "")
	source := l.Sources[0].(*tableSource)
	r := rand.New(rand.NewPCG(6, 6))
	ties := 0
	for ties < 40 {
		p := randomFinal(r)
		d, err := l.Decide(t.Context(), book.Question{Position: p})
		testenv.OK(t, err)
		if d.Score != 0 {
			continue
		}
		ties++
		losing := map[string]int{}
		most := -1
		for _, m := range p.Moves() {
			q := p.Next(m)
			if v, _, ok := source.probe(q); !ok || v != 0 {
				continue
			}
			n := 0
			for _, a := range q.Moves() {
				if v, _, ok := source.probe(q.Next(a)); ok && v > 0 {
					n++
				}
			}
			losing[p.MoveString(m)] = n
			most = max(most, n)
		}
		if n, ok := losing[d.Move]; !ok || n != most {
			t.Errorf("%s: %s leaves %d losing answers, the most is %d", p, d.Move, n, most)
		}
	}
}

// Close to the limit of quiet turns every value is exact, and so is that of every
// move: both are compared with the plain solver, which only uses the rules.
func TestQuietLimit(t *testing.T) {
	l := lookup(t, "")
	var judge plain.WatchYourBack
	const won = "......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:400"
	positions := []watchyourback.Position{
		// A loss by the move that an estimate prefers, a tie by others.
		parse(t, "......../......../..XOOX../..-@@O../..-@-O../..X-OX../......../........:moving:291:quiet=97"),
		// Won in time and too late; a number of turns alone means quiet=0.
		parse(t, won), parse(t, won+":quiet=60"), parse(t, won+":quiet=97"), parse(t, won+":quiet=98"), parse(t, won+":strict"),
		// White is blocked: a loss without the limit, a tie with it.
		parse(t, "......../......../..X-@X../..-@@O../..-@@O../..X--X../......../........:moving:292:quiet=99"),
	}
	r := rand.New(rand.NewPCG(7, 7))
	for range 1500 {
		positions = append(positions, nearLimit(t, r, 30))
	}
	late := 0
	for _, p := range positions {
		want, err := judge.Solve(p.String())
		testenv.OK(t, err)
		d, err := l.Decide(t.Context(), book.Question{Position: p, AllMoves: true})
		testenv.OK(t, err)
		if d.Source != "table" || d.Proof != engine.Exact || d.Score != want.Value || want.Moves[d.Move] != want.Value {
			t.Errorf("%s: %s is %d, %s, from %s; want %d, and the move is worth %d", p, d.Move, d.Score, d.Proof, d.Source, want.Value, want.Moves[d.Move])
		}
		if len(d.Moves) != len(want.Moves) {
			t.Errorf("%s: %d moves, want %d", p, len(d.Moves), len(want.Moves))
		}
		for _, m := range d.Moves {
			if m.Proof != engine.Exact || m.Score != want.Moves[m.Move] {
				t.Errorf("%s: %s is %d, %s; want %d", p, m.Move, m.Score, m.Proof, want.Moves[m.Move])
			}
		}
		own, opp := p.OwnOpp()
		if v, _, _ := finalTable().Probe(own, opp); v != d.Score {
			late++
		}
	}
	if late < 20 {
		t.Errorf("the limit makes ties of %d wins and losses: too few to test it", late)
	}
}

// The second shrink can block both sides, which is a tie.
func TestBlockedByShrink(t *testing.T) {
	const text = "......../.X----X./.--OO--./.@@OOO-./.-@OOO-./.--OO--./.X----X./........:moving:191"
	p := parse(t, text)
	want, err := new(plain.WatchYourBack).Solve(text)
	testenv.OK(t, err)
	d, err := lookup(t, "").Decide(t.Context(), book.Question{Position: p, AllMoves: true})
	testenv.OK(t, err)
	if d.Proof != engine.Exact || d.Score != 0 || len(d.Moves) != len(want.Moves) {
		t.Errorf("%+v", d)
	}
	for _, m := range d.Moves {
		if m.Proof != engine.Exact || m.Score != want.Moves[m.Move] {
			t.Errorf("%s is %d, %s; want %d", m.Move, m.Score, m.Proof, want.Moves[m.Move])
		}
	}
	first, err := p.ParseMove(d.Move)
	testenv.OK(t, err)
	if own, opp := p.Next(first).Sides(); !watchyourback.Blocked(own, opp, watchyourback.Final) || !watchyourback.Blocked(opp, own, watchyourback.Final) {
		t.Errorf("after %s a side can move", d.Move)
	}
}

func TestHeuristicSearchIsLegal(t *testing.T) {
	l := lookup(t, "")
	p := watchyourback.New(false)
	searched := 0
	for !p.Over() && p.Turns() < 20 {
		d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(60 * time.Millisecond)})
		testenv.OK(t, err)
		if d.Source == "search" { // not "heuristic", as on a machine that is very busy
			searched++
		} else if d.Source != "heuristic" || d.Proof == engine.Estimate && d.Depth < 1 {
			t.Fatalf("%s: %+v", p, d)
		}
		m, err := p.ParseMove(d.Move)
		testenv.OK(t, err)
		p = p.Next(m)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if d, err := l.Decide(cancelled, book.Question{Position: watchyourback.New(false)}); err != nil || d.Move == "" {
		t.Errorf("cancelled: %+v, %v", d, err)
	}
	if searched == 0 {
		t.Error("every answer was late")
	}
}

// BenchmarkStored measures a probe whose block has to be read
// from the store and decoded: no block is kept but the last one.
func BenchmarkStored(b *testing.B) {
	dir := b.TempDir()
	if _, err := Solve(b.Context(), dir, 4, 0, here(), nil); err != nil {
		b.Fatal(err)
	}
	s, _, err := openTable(dir, 4)
	testenv.OK(b, err)
	defer s.Close()
	table, err := tables.OpenTable(4, s, 1)
	testenv.OK(b, err)
	tables := tables.Tables{}
	tables.Add(table)
	r := rand.New(rand.NewPCG(1, 2))
	var list [512][2]uint64
	for i := range list {
		for bits.OnesCount64(list[i][0]) < 2 || bits.OnesCount64(list[i][1]) < 2 {
			bit := uint64(1) << r.IntN(64) & watchyourback.Playable(watchyourback.Middle)
			if side := r.IntN(2); bits.OnesCount64(list[i][side]) < 2 && list[i][1-side]&bit == 0 {
				list[i][side] |= bit
			}
		}
	}
	i := 0
	for b.Loop() {
		i++
		if _, ok, err := tables.Middle(list[i&511][0], list[i&511][1], 1+i&63); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
