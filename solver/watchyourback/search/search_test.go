package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"endwise/engine/testenv"
	wyb "endwise/engine/watchyourback"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// dice is an oracle with arbitrary but fixed values.
type dice struct{ everywhere bool }

func (dice) roll(own, opp uint64) int {
	h := own*0x9E3779B97F4A7C15 ^ opp*0xC2B2AE3D27D4EB4F
	h ^= h >> 31
	return int(h*0x94D049BB133111EB>>33%3) - 1
}

func (d dice) Final(own, opp uint64) (int, int, bool) {
	return d.roll(own, opp), int(own^opp) & 7, true
}

func (d dice) Middle(own, opp uint64, turns int) (int, bool) {
	return d.roll(own, opp), d.everywhere && turns&3 == 0
}

// plain generates the moves for minimax.
var plain worker

// minimax is the search without pruning, ordering or table. At the leaves, the side to move
// can stop or capture.
func minimax(o Oracle, n node, depth, ply int) (v int, proved bool) {
	probe := Searcher{oracle: o}
	if v, ok := probe.probe(n, ply); ok {
		return v, true
	}
	if depth <= 0 && n.extends() {
		depth = 1
	}
	best, all, won := -infinity, true, false
	if depth <= 0 {
		best, all = DefaultEvaluation.evaluate(n), false
	}
	for _, c := range plain.candidates(n, ply) {
		if depth <= 0 && c.opp == n.opp {
			continue
		}
		m, value, over := n.after(c.own, c.opp)
		v, p := value*(winScore-ply-1), true
		if !over {
			v, p = minimax(o, m, depth-1, ply+1)
			v = -v
		}
		best = max(best, v)
		all = all && p
		won = won || v > decided
	}
	return best, all || won
}

// randomPosition returns the position after random moves.
func randomPosition(r *rand.Rand, turns int) wyb.Position {
	for {
		p := wyb.New(false)
		for i := 0; i < turns && !p.Over(); i++ {
			m := p.Moves()
			p = p.Next(m[r.IntN(len(m))])
		}
		if !p.Over() {
			return p
		}
	}
}

func TestSearchEqualsMinimax(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		turns, depth, positions int
		oracle                  Oracle
	}{
		{5, 2, 12, nil}, {22, 2, 12, nil}, {30, 3, 3, nil}, {149, 1, 3, nil}, {149, 3, 4, dice{}}, {150, 3, 12, dice{true}}, {212, 2, 12, dice{}}, {213, 3, 12, dice{}}, {214, 4, 8, dice{}}, {215, 2, 12, dice{}},
	} {
		for range c.positions {
			p := randomPosition(r, c.turns)
			s := New(1<<16, 1, c.oracle)
			got := s.Search(t.Context(), p, Limits{Depth: c.depth, Full: true})
			// The search stops early if a result is proved.
			score, proved := minimax(c.oracle, nodeOf(p), got.Depth, 0)
			want, isResult := exported(score, proved && (score == 0 || score > decided || score < -decided))
			if got.Moves[0].Score != want || got.Proved != isResult {
				t.Fatalf("%s depth %d: %+v, want %d %v", p, got.Depth, got.Moves[0], want, isResult)
			}
			if got.Depth < c.depth && !isResult && len(p.Moves()) > 1 {
				t.Fatalf("%s: stopped at depth %d of %d with %+v", p, got.Depth, c.depth, got.Moves[0])
			}
			// With AllMoves, each move has its own exact score.
			all := New(1<<16, 1, c.oracle).Search(t.Context(), p, Limits{Depth: 2, AllMoves: true, Full: true})
			if len(all.Moves) != len(p.Moves()) {
				t.Fatalf("%s: %d moves, want %d", p, len(all.Moves), len(p.Moves()))
			}
			for _, m := range all.Moves {
				n := nodeOf(p)
				want := 0
				for _, cand := range s.workers[0].candidates(n, 0) {
					if cand.move != m.Move {
						continue
					}
					next, value, over := n.after(cand.own, cand.opp)
					if want = value * winScore; !over {
						want, _ = minimax(c.oracle, next, all.Depth-1, 1)
						want = -want
					}
				}
				if want, _ = exported(want, false); m.Score != want && !(m.Proved && m.Score == 0) {
					t.Fatalf("%s %s: %d, want %d", p, p.MoveString(m.Move), m.Score, want)
				}
			}
			checkLines(t, p, all)
		}
	}
}

// checkLines checks that every line is legal.
func checkLines(t *testing.T, p wyb.Position, r Result) {
	t.Helper()
	for _, m := range r.Moves {
		q, err := p.PlayMove(m.Move)
		for _, l := range m.Line {
			if err == nil {
				q, err = q.PlayMove(l)
			}
		}
		if err != nil {
			t.Fatalf("%s %s: line %v: %v", p, p.MoveString(m.Move), m.Line, err)
		}
	}
}

func TestSolveEqualsMinimax(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for i := range 120 {
		p := randomPosition(r, wyb.PlacingTurns+wyb.SecondShrink-1-i%4)
		s := New(1<<18, 1+i&1, dice{})
		got, move, _, ok := s.Solve(t.Context(), p, Limits{})
		if !ok {
			t.Fatalf("%s: not solved", p)
		}
		score, _ := minimax(dice{}, nodeOf(p), 99, 0)
		want, _ := exported(score, true)
		if got != want {
			t.Fatalf("%s: %d, want %d", p, got, want)
		}
		if _, err := p.PlayMove(move); err != nil {
			t.Fatal(err)
		}
		if v, _, _, ok := New(1<<16, 1, nil).Solve(t.Context(), p, Limits{}); ok && v != got {
			// Solved without values of the 4x4 board: correct for every oracle.
			t.Fatalf("%s: %d without the 4x4 board, %d with it", p, v, got)
		}
	}
}

// A win that comes after the limit of quiet turns is not proved. By minimax over the rules,
// it does not exist.
func TestWinsAfterTheQuietLimitAreNotProved(t *testing.T) {
	const board = "......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:400"
	// wins reports whether the side to move wins within the given turns.
	var wins func(p wyb.Position, turns int) bool
	wins = func(p wyb.Position, turns int) bool {
		if turns == 0 || p.Over() {
			return false
		}
		for _, m := range p.Moves() {
			q := p.Next(m)
			won := q.Over() && q.Winner() == p.Turn()
			if !q.Over() && turns > 2 {
				won = true
				for _, reply := range q.Moves() {
					r := q.Next(reply)
					won = won && (r.Over() && r.Winner() == p.Turn() || !r.Over() && wins(r, turns-2))
				}
			}
			if won {
				return true
			}
		}
		return false
	}
	const depth = 7
	search := func(p wyb.Position) Result { return New(1<<16, 1, nil).Search(t.Context(), p, Limits{Depth: depth}) }
	seen := map[bool]int{}
	for quiet := wyb.QuietLimit - 1; quiet >= wyb.QuietLimit-2*depth; quiet-- {
		p, err := wyb.Parse(fmt.Sprintf("%s:quiet=%d", board, quiet))
		if err != nil {
			t.Fatal(err)
		}
		r := search(p)
		if r.Proved && !wins(p, depth) {
			t.Errorf("%s: %+v is proved, but the game ends as a tie first", p, r.Moves[0])
		}
		if !r.Proved && (r.Moves[0].Proved || r.Moves[0].Score > mostPieces) {
			t.Errorf("%s: %+v is neither proved nor an estimate", p, r.Moves[0])
		}
		seen[r.Proved]++
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("%d proved, %d not proved: want both", seen[true], seen[false])
	}
	p, err := wyb.Parse(board + ":strict")
	if err != nil {
		t.Fatal(err)
	}
	if r := search(p); !r.Proved || r.Moves[0].Score != 1 {
		t.Errorf("%s: %+v", p, r)
	}
}

func TestLimitedSearchesReturnALegalMove(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	s := New(1<<20, 1, nil)
	atLimit := 0
	for _, turns := range []int{0, 10, 24, 60, 151, 160} {
		p := randomPosition(r, turns)
		if n := New(1<<20, 1, nil).Search(t.Context(), p, Limits{Nodes: 500}).Nodes; n == 500 {
			atLimit++
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		for name, res := range map[string]Result{
			"nodes":     s.Search(t.Context(), p, Limits{Nodes: 1}),
			"deadline":  s.Search(t.Context(), p, Limits{Deadline: time.Now().Add(-time.Second)}),
			"cancelled": s.Search(cancelled, p, Limits{}),
		} {
			if len(res.Moves) != 1 || res.Depth < 1 {
				t.Errorf("%s, %s: %+v", p, name, res)
			} else if _, err := p.PlayMove(res.Moves[0].Move); err != nil {
				t.Errorf("%s, %s: %v", p, name, err)
			}
		}
		// Searches with the same limits from the same state have the same result.
		a := New(1<<20, 1, nil).Search(t.Context(), p, Limits{Nodes: 20000})
		b := New(1<<20, 1, nil).Search(t.Context(), p, Limits{Nodes: 20000})
		if a.Nodes != b.Nodes || a.Moves[0].Move != b.Moves[0].Move || a.Moves[0].Score != b.Moves[0].Score {
			t.Errorf("%s: %+v and %+v", p, a, b)
		}
		checkLines(t, p, a)
	}
	if atLimit == 0 { // some searches are in quiescence then, which they end first
		t.Error("no search stops exactly at its number of nodes")
	}
}

// A search that stops in the first iteration, where lines are extended to a shrink, proves no
// move that the complete iteration does not prove.
func TestStoppedFirstIterationProvesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	stopped, proved := 0, 0
	for range 60 {
		p := randomPosition(r, wyb.PlacingTurns+wyb.FirstShrink-2-r.IntN(2))
		want := New(1<<20, 1, nil).Search(t.Context(), p, Limits{Depth: 1, AllMoves: true})
		for nodes := uint64(1); nodes < want.Nodes; nodes = nodes*2 + 1 {
			got := New(1<<20, 1, nil).Search(t.Context(), p, Limits{Nodes: nodes, AllMoves: true})
			if got.Depth != 1 {
				t.Fatalf("%s: depth %d with %d nodes of %d", p, got.Depth, nodes, want.Nodes)
			}
			stopped++
			for _, m := range got.Moves {
				if m.Proved && !slices.ContainsFunc(want.Moves, func(w MoveScore) bool {
					return w.Move == m.Move && w.Score == m.Score && w.Proved
				}) {
					t.Errorf("%s: %v is proved to be %d after %d nodes", p, m.Move, m.Score, nodes)
				} else if m.Proved {
					proved++
				}
			}
		}
	}
	if stopped < 100 || proved == 0 {
		t.Errorf("%d searches, %d proved moves", stopped, proved)
	}
}

// A panic in another worker is raised once, by the next search.
func TestWorkerPanicsReachTheNextSearch(t *testing.T) {
	s := New(1<<16, 2, nil)
	s.runOthers(func(*worker, int) { panic("lost") })
	search := func() (v any) {
		defer func() { v = recover() }()
		s.Search(t.Context(), wyb.New(true), Limits{Depth: 1})
		return nil
	}
	if first, second := search(), search(); first != "lost" || second != nil {
		t.Errorf("panics %v, then %v", first, second)
	}
}

// node.after agrees with the rules in random games.
func TestNodesAgreeWithTheRules(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	s := New(1<<16, 1, nil)
	for range 60 {
		p := wyb.New(true)
		for !p.Over() && p.Turns() < 230 {
			n := nodeOf(p)
			list := s.workers[0].candidates(n, 0)
			if len(list) != len(p.Moves()) {
				t.Fatalf("%s: %d moves, want %d", p, len(list), len(p.Moves()))
			}
			c := list[r.IntN(len(list))]
			m, _, over := n.after(c.own, c.opp)
			q, err := p.PlayMove(c.move)
			if err != nil {
				t.Fatal(err)
			}
			if q.Over() != over {
				t.Fatalf("%s %s: over %v", p, p.MoveString(c.move), over)
			}
			if !q.Over() && m != nodeOf(q) {
				t.Fatalf("%s %s: %+v, want %+v", p, p.MoveString(c.move), m, nodeOf(q))
			}
			p = q
		}
	}
}

// Before each shrink, the squares that vanish lose value, the others do not.
func TestVanishingSquaresLoseValue(t *testing.T) {
	for stage, shrink := range []int{wyb.FirstShrink, wyb.SecondShrink} {
		stage, turn := wyb.Stage(stage), wyb.PlacingTurns+shrink
		for i, c := range orbit {
			if c &= wyb.Playable(stage); c == 0 {
				continue
			}
			early, late := DefaultEvaluation[turn-30][i], DefaultEvaluation[turn-1][i]
			if vanishes := c&wyb.Playable(stage+1) == 0; vanishes != (late < early) {
				t.Errorf("stage %d, orbit %d: weight %d, later %d, vanishes: %v", stage, i, early, late, vanishes)
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	p := randomPosition(rand.New(rand.NewPCG(9, 9)), 40)
	s := New(64<<20, 1, nil)
	var nodes uint64
	for b.Loop() {
		nodes += s.Search(b.Context(), p, Limits{Depth: 5}).Nodes
	}
	b.ReportMetric(float64(nodes)/float64(b.Elapsed().Seconds()), "nodes/s")
}
