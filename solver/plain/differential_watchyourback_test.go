package plain

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"endwise/engine"
	"endwise/engine/testenv"
	wyb "endwise/engine/watchyourback"
	rules "endwise/engine/watchyourback/plain"
	"endwise/solver/watchyourback/retrograde"
	"endwise/solver/watchyourback/search"
	wybtables "endwise/solver/watchyourback/tables"
)

// randomBoard places the given numbers of pieces at random on the board after the given
// turns. No piece is surrounded, as after every turn of a game.
func randomBoard(rng *rand.Rand, turns, whites, blacks int) rules.Game {
	for {
		g := rules.EmptyBoard(turns)
		side, left := byte(rules.White), whites
		for side != 0 {
			for left > 0 {
				if sq := rng.IntN(64); g.Board[sq] == rules.Empty {
					g.Board[sq] = side
					left--
				}
			}
			if side == rules.White {
				side, left = rules.Black, blacks
			} else {
				side = 0
			}
		}
		if !surrounded(g) {
			return g
		}
	}
}

// randomGame plays random moves until the given turn of the moving phase or the end of the
// game. A negative number means turns before the end of the placing phase.
func randomGame(rng *rand.Rand, turns int) rules.Game {
	g, err := rules.Read(backStart)
	if err != nil {
		panic(err)
	}
	placing := rules.PlacingTurns
	if turns < 0 {
		placing += turns
	}
	for range placing {
		m := g.Moves()
		g = g.Play(m[rng.IntN(len(m))])
	}
	for g.Moving && g.Turns < turns {
		if over, _ := g.Ended(); over {
			break
		}
		m := g.Moves()
		g = g.Play(m[rng.IntN(len(m))])
	}
	return g
}

// blocks is a packed table in memory.
type blocks [][]byte

func (b blocks) Block(i uint64) ([]byte, error) { return b[i], nil }

// backTables caches the result of realTables.
var backTables *wybtables.Tables

// realTables returns tables of the 4x4 board and of the 6x6 board with four pieces.
func realTables(t *testing.T) *wybtables.Tables {
	t.Helper()
	if backTables != nil {
		return backTables
	}
	tables := &wybtables.Tables{Final: wybtables.NewFinal()}
	parts, err := retrograde.NewParts(4, 1)
	testenv.OK(t, err)
	s, err := retrograde.NewLayerSolver(context.Background(), parts, tables.Final)
	testenv.OK(t, err)
	dir := t.TempDir()
	solved, err := retrograde.Solve(context.Background(), parts, dir, func(int, int) {}, func(ctx context.Context, r int) error {
		layer, err := s.Solve(ctx, r, 0)
		if err != nil {
			return err
		}
		return errors.Join(s.Add(layer), parts.Write(dir, r, [][]byte{layer}))
	})
	testenv.OK(t, err)
	var packed blocks
	_, err = solved.Pack(context.Background(), 4, func(_ uint64, payload []byte) error {
		packed = append(packed, payload)
		return nil
	})
	testenv.OK(t, err)
	table, err := wybtables.OpenTable(4, packed, 0)
	testenv.OK(t, err)
	tables.Add(table)
	backTables = tables
	return tables
}

// oracle implements the searcher's oracle by the tables.
type oracle struct{ *wybtables.Tables }

func (o oracle) Final(own, opp uint64) (value, distance int, ok bool) {
	return o.Tables.Final.Probe(own, opp)
}

func (o oracle) Middle(own, opp uint64, turns int) (value int, ok bool) {
	v, ok, err := o.Tables.Middle(own, opp, turns)
	return v, ok && err == nil
}

// withFour is a plain solver with a table of the 6x6 board with four pieces.
var withFour = &WatchYourBack{Pieces: 4, Visits: 300_000}

// randomBack returns a random position of one of several kinds and the depth in turns of
// the minimax search to compare with.
func randomBack(rng *rand.Rand) (g rules.Game, turns int) {
	two := func(most int) int { return 2 + rng.IntN(most-1) }
	switch rng.IntN(8) {
	case 0: // 4x4
		turns := rules.SecondShrink + rng.IntN(200)
		g = randomBoard(rng, turns, two(5), two(5))
		switch rng.IntN(4) {
		case 0:
			g.Strict = true
		case 1:
			g.Quiet = rng.IntN(min(turns-rules.SecondShrink, rules.QuietLimit) + 1)
		case 2: // near the end of the quiet turns
			g.Turns += rules.QuietLimit
			g.Quiet = rules.QuietLimit - rng.IntN(30)
		}
		return g, 1
	case 1: // 6x6, any number of turns before the second shrink, little material
		return randomBoard(rng, rules.FirstShrink+rng.IntN(64), 2, 2), 1
	case 2: // 6x6 right before the second shrink
		return randomBoard(rng, rules.SecondShrink-1-rng.IntN(2), two(7), two(7)), 2
	case 3: // the same with few pieces, a little earlier
		return randomBoard(rng, rules.SecondShrink-1-rng.IntN(3), two(3), two(3)), 3
	case 4: // 8x8 right before the first shrink, little material
		return randomBoard(rng, rules.FirstShrink-1-rng.IntN(2), two(3), two(3)), 2
	case 5: // 8x8 right before the first shrink
		return randomBoard(rng, rules.FirstShrink-1-rng.IntN(2), two(12), two(12)), 1
	case 6: // the first turns after a shrink, of random games
		return randomGame(rng, []int{rules.FirstShrink, rules.SecondShrink}[rng.IntN(2)]-2+rng.IntN(4)), 1
	}
	return randomGame(rng, rng.IntN(rules.SecondShrink)-rules.PlacingTurns), 1
}

func TestDifferentialWatchYourBack(t *testing.T) {
	tables := realTables(t)
	small := search.New(1<<20, 1, oracle{tables})
	large := search.New(8<<20, 2, oracle{tables})
	exact := 0
	forPositions(t, 120, 1, func(rng *rand.Rand, i int) {
		g, turns := randomBack(rng)
		text := g.String()
		p, err := wyb.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		sameRulesBack(t, g, p)
		if p.Over() {
			return
		}
		value, moves, err := withFour.evaluate(g, turns)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		if value.Exact() {
			exact++
		}
		searcher := small
		if i%4 == 0 {
			searcher = large
		}
		compareTables(t, tables, g, p)
		if p.Phase() == wyb.Moving && p.Stage() == wyb.Final {
			return // the tables cover this stage
		}
		// An interrupted solve returns a correct value or none.
		ctx, cancel := interrupted(rng)
		compareSolve(t, ctx, searcher, p, search.Limits{Nodes: 1 + rng.Uint64N(2000)}, value, moves, false)
		cancel()
		within := p.Phase() == wyb.Moving && p.ToShrink() <= turns
		// If the tables cover all positions after the shrink, every move must be proved;
		// otherwise the searcher stops at the first reply without a value.
		complete := within && (p.Stage() == wyb.Middle || g.Count(rules.White)+g.Count(rules.Black) <= 4)
		if within {
			compareSolve(t, context.Background(), searcher, p, search.Limits{}, value, moves, complete)
		}
		r := searcher.Search(context.Background(), p, search.Limits{Depth: turns, AllMoves: true})
		if len(r.Moves) != len(moves) {
			t.Errorf("%s: %d moves searched of %d", text, len(r.Moves), len(moves))
		}
		for _, m := range r.Moves {
			want, ok := moves[p.MoveString(m.Move)]
			if !ok || m.Proved && (m.Score < want.Lower || m.Score > want.Upper) {
				t.Errorf("%s: %s proved %d, want %v (legal %v)", text, p.MoveString(m.Move), m.Score, want, ok)
			}
			if complete && want.Lower != 0 && !m.Proved {
				t.Errorf("%s: %s not proved at depth %d, want %v", text, p.MoveString(m.Move), turns, want)
			}
		}
	})
	t.Logf("%d of them exact", exact)
}

// compareSolve checks a value from Solve, which must exist if must is set.
func compareSolve(t *testing.T, ctx context.Context, s *search.Searcher, p wyb.Position, l search.Limits, want bounds, moves map[string]bounds, must bool) {
	t.Helper()
	v, m, _, ok := s.Solve(ctx, p, l)
	if !ok {
		if must {
			t.Errorf("%s: not solved, value %v", p, want)
		}
		return
	}
	move, legal := moves[p.MoveString(m)]
	if v < want.Lower || v > want.Upper || !legal || v < move.Lower || v > move.Upper {
		t.Errorf("%s: solved %d by %s, want %v by a move worth %v", p, v, p.MoveString(m), want, move)
	}
}

// compareTables checks that the tables cover exactly the positions they should, and their
// values.
func compareTables(t *testing.T, tables *wybtables.Tables, g rules.Game, p wyb.Position) {
	t.Helper()
	v, _, ok, err := tables.Probe(p)
	if err != nil {
		t.Errorf("%s: %v", p, err)
	}
	covered := g.Moving && (g.Turns >= rules.SecondShrink || g.Turns >= rules.FirstShrink && g.Count(rules.White)+g.Count(rules.Black) == 4)
	if ok != covered {
		t.Errorf("%s: in the tables %v, want %v", p, ok, covered)
	}
	if !ok {
		return
	}
	if want, _ := withFour.lookup(g); v != want {
		t.Errorf("%s: table %d, want %d", p, v, want)
	}
}

// sameRulesBack compares the moves and successors by package watchyourback with those by
// package rules.
func sameRulesBack(t *testing.T, g rules.Game, p wyb.Position) {
	t.Helper()
	over, v := g.Ended()
	if p.String() != g.String() || p.Over() != over {
		t.Errorf("%s: read as %s, over %v, want %v", g.String(), p, p.Over(), over)
		return
	}
	if over {
		winner := engine.None
		switch v {
		case 1:
			winner = p.Turn()
		case -1:
			winner = p.Turn().Other()
		}
		if p.Winner() != winner {
			t.Errorf("%s: won by %v, want %v", p, p.Winner(), winner)
		}
		return
	}
	moves := g.Moves()
	if len(moves) != len(p.Moves()) {
		t.Errorf("%s: %d moves, want %d", p, len(p.Moves()), len(moves))
	}
	for _, m := range moves {
		em, err := p.ParseMove(m.String())
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		q, err := p.PlayMove(em)
		after := g.Play(m)
		over, v := after.Ended()
		if over && v != 0 { // the number of quiet turns no longer matters
			after.Quiet = q.Quiet()
		}
		if err != nil || q.String() != after.String() || q.Over() != over {
			t.Errorf("%s: after %s %s, over %v %v, want %s, %v", p, m, q, q.Over(), err, after.String(), over)
			continue
		}
		if over && (q.Winner() == engine.None) != (v == 0) {
			t.Errorf("%s: after %s won by %v, value %d", p, m, q.Winner(), v)
		}
	}
}

// All positions of the 4x4 board: values and distances, without the limit of quiet turns
// and with 1 to mostLeft turns left to the limit. No win without the limit takes more
// turns than mostLeft.
func TestFinalTableEqualsPlain(t *testing.T) {
	const mostLeft = 30
	table, final := withFour.needFinal(), wybtables.NewFinal()
	distances := limitedDistances(table, mostLeft)
	compared, late, delayed := 0, 0, 0
	for code := range int32(len(table.over)) {
		g := table.game(code)
		if table.over[code] || surrounded(g) {
			continue
		}
		p, err := wyb.Parse(g.String() + ":strict")
		testenv.OK(t, err)
		own, opp := p.OwnOpp()
		v, d, ok := final.Probe(own, opp)
		if !ok || v != int(table.forced[code]) || d != int(table.distance[code]) || d > mostLeft || table.limited[0][code] != table.forced[code] {
			t.Fatalf("%s: table %d in %d (%v), want %d in %d", p, v, d, ok, table.forced[code], table.distance[code])
		}
		for left := 1; left <= mostLeft; left++ {
			vl, dl, ok := final.Within(own, opp, left)
			if want := table.limited[rules.QuietLimit-left][code]; !ok || vl != int(want) || dl != distances[left][code] {
				t.Fatalf("%s, %d turns left: table %d in %d (%v), want %d in %d", p, left, vl, dl, ok, want, distances[left][code])
			}
			if vl != v {
				late++
			} else if dl != d {
				delayed++
			}
		}
		compared++
	}
	if late == 0 || delayed == 0 {
		t.Errorf("the limit changes %d values and %d distances: the test wants both", late, delayed)
	}
	t.Logf("%d positions; the limit changes %d values and %d distances", compared, late, delayed)
}

// limitedDistances returns the number of turns to the end of wins and losses, 0 for ties,
// by turns left to the limit of quiet turns and position.
func limitedDistances(t *finalTable, mostLeft int) [][]int {
	at := make([][]int, mostLeft+1)
	at[0] = make([]int, len(t.over))
	for left := 1; left <= mostLeft; left++ {
		at[left] = make([]int, len(t.over))
		for code := range int32(len(t.over)) {
			value := t.limited[rules.QuietLimit-left][code]
			if t.over[code] || value == 0 {
				continue
			}
			best := 0
			for i := t.first[code]; i < t.first[code+1]; i++ {
				next := t.next[i]
				v, d := t.forced[next], 1+int(t.distance[next])
				if t.quiet[i] {
					v, d = t.limited[rules.QuietLimit-left+1][next], 1+at[left-1][next]
				}
				if v == -value && (best == 0 || value > 0 && d < best || value < 0 && d > best) {
					best = d
				}
			}
			at[left][code] = best
		}
	}
	return at
}

// All positions with two pieces each on the 6x6 board, for some turns left; for all
// turns with ENDWISE_DEEP=1.
func TestMiddleTableEqualsPlain(t *testing.T) {
	tables := realTables(t)
	middle := withFour.needMiddle()
	compared := 0
	lefts := []int{1, 64}
	if deep {
		lefts = lefts[:0]
		for left := range 64 {
			lefts = append(lefts, left+1)
		}
	}
	for _, left := range lefts {
		for _, name := range middle.names {
			g := middle.game(name, rules.SecondShrink-left)
			if surrounded(g) {
				continue
			}
			var own, opp uint64
			for sq, c := range g.Board {
				switch c { // game returns positions with White to move
				case rules.White:
					own |= 1 << sq
				case rules.Black:
					opp |= 1 << sq
				}
			}
			v, ok, err := tables.Middle(own, opp, left)
			if want := middle.at(name, left, false); err != nil || !ok || v != want {
				t.Fatalf("%s, %d turns left: table %d (%v, %v), want %d", name, left, v, ok, err, want)
			}
			compared++
		}
	}
	t.Logf("%d values", compared)
}
