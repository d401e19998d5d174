package dotsandboxes

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/mcts"
)

// Pondering a position that can be solved ends by itself and leaves nothing to search after
// any reply; the answers are those of plain minimax. All games share one lookup: what was
// pondered for one does not change another.
func TestPonder(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	warm := booktest.Open(t, Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	cold := booktest.Open(t, Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	var before, after uint64
	for i := range 12 {
		p := booktest.RandomDotsAndBoxes(t, r, enginetest.Board(t, []string{"2x3", "3x3"}[i%2]), 13)
		warm.Ponder(t.Context(), p)
		for _, m := range p.Moves() {
			q, err := p.DrawLine(m)
			testenv.OK(t, err)
			if q.Turn() == p.Turn() || q.Over() {
				continue
			}
			want := plainValue(t, q)
			d := decide(t, warm, q, false)
			if d.Score != want || !d.Exact {
				t.Errorf("%s: %+d, exact %v, plain minimax says %+d", q, d.Score, d.Exact, want)
			}
			after += d.Nodes
			before += decide(t, cold, q, false).Nodes
		}
	}
	if 10*after > before {
		t.Errorf("%d expansions for the replies to pondered positions, %d without pondering", after, before)
	}
}

// Pondering a position that is far from its end grows the tree with which the search after
// any move of the opponent begins. It ends with its context. Positions of another game do
// not use the tree.
func TestPonderGrowsTheTree(t *testing.T) {
	solver := exact.New(exact.Options{Threads: 2, TableBytes: 1 << 20})
	search := searchSource{searcher: mcts.New(solver, 2)}
	p := dotsandboxes.New(enginetest.Board(t, "5x5"))
	var r mcts.Result
	for len(r.Moves) == 0 || r.Moves[0].Visits < 50 { // on a busy machine too
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		search.Ponder(ctx, p)
		cancel()
		c, o := searchRoot(p)
		o.Playouts, o.Keep = 1, true
		r = search.searcher.Search(t.Context(), p.Board(), c.Rest, o)
	}
	want := r.Moves[0].Visits
	q, err := p.DrawLine(engine.Move(r.Moves[0].Segment))
	testenv.OK(t, err)
	other := dotsandboxes.New(enginetest.Board(t, "4x5"))
	for _, c := range []struct {
		p    dotsandboxes.Position
		want int
	}{{other, 0}, {q, want}} {
		rest, o := searchRoot(c.p)
		o.Playouts, o.Keep = 1, true
		if got := search.searcher.Search(t.Context(), c.p.Board(), rest.Rest, o).Kept; got != c.want {
			t.Errorf("%s: the search begins with %d playouts, want %d", c.p, got, c.want)
		}
	}
	l := &book.Lookup{Sources: []book.Source{&solveSource{solver: solver, learned: map[string]bool{}}, search}}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	l.Ponder(cancelled, q)
	d, err := l.Decide(t.Context(), book.Question{Position: q, Clock: engine.ClockFor(50 * time.Millisecond), Play: true})
	testenv.OK(t, err)
	if _, err := q.ParseMove(d.Move); err != nil {
		t.Error(err)
	}
}
