package book_test

import (
	"slices"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/circuitwars"
	"endwise/book/dotsandboxes"
	"endwise/book/watchyourback"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver/farm"
)

// Proved values of an empty board are used, each with its source. A recorded value bounds
// no move and is not a proof in an opening book.
func TestValuesOfEmptyBoards(t *testing.T) {
	store := t.TempDir()
	size := book.ValueOptions{Threads: 1, TableBytes: 16 << 20, Plies: 2}
	_, err := dotsandboxes.SolveValue(t.Context(), store, enginetest.Board(t, "2x5"), size, farm.InProcess(1), nil)
	testenv.OK(t, err)
	_, err = circuitwars.SolveValue(t.Context(), store, enginetest.Board(t, "1x6"), size, nil)
	testenv.OK(t, err)
	for _, c := range []struct {
		game          book.Game
		store, board  string
		value         int
		proof         engine.Proof
		source        string
		ofMove, stays bool // bounds moves; is a proof in a book
	}{
		{dotsandboxes.Game(), "", "3x3", -3, engine.Exact, "certificate", true, true},
		{dotsandboxes.Game(), "", "4x3", 0, engine.Exact, "certificate", true, true},
		{circuitwars.Game(), "", "2x4", -2, engine.Exact, "certificate", true, true},
		{dotsandboxes.Game(), store, "2x5", -2, engine.Exact, "solved here", true, true},
		{dotsandboxes.Game(), store, "5x2", -2, engine.Exact, "solved here", true, true},
		{circuitwars.Game(), store, "1x6", 2, engine.Exact, "solved here", false, true},
		{dotsandboxes.Game(), "", "2x5", -2, engine.Exact, "recorded", false, false},
		{dotsandboxes.Game(), "", "5x3", -1, engine.Exact, "recorded", false, false},
		{circuitwars.Game(), "", "4x4", -4, engine.Exact, "recorded", false, false},
		{circuitwars.Game(), "", "1x30", 0, engine.Lower, "mirror", false, false},
	} {
		t.Run(c.game.Name()+" "+c.board+" "+c.source, func(t *testing.T) {
			l, err := c.game.Open(book.Options{Store: c.store, Threads: 1, HashBytes: 1 << 20})
			testenv.OK(t, err)
			defer l.Close()
			l.Sources = l.Sources[:1] // no solver
			p, err := c.game.Start(c.board)
			testenv.OK(t, err)
			q := book.Question{Position: p, AllMoves: true}
			d, err := l.Decide(t.Context(), q)
			testenv.OK(t, err)
			if d.Score != c.value || d.Proof != c.proof || d.Source != c.source {
				t.Fatalf("%+d, %s, %s; want %+d, %s, %s", d.Score, d.Proof, d.Source, c.value, c.proof, c.source)
			}
			ofMove := slices.ContainsFunc(d.Moves, func(m engine.MoveValue) bool { return m.Source == c.source })
			if c.proof == engine.Exact && (d.MoveProved() || ofMove != c.ofMove) {
				t.Errorf("moves %+v", d.Moves)
			}
			k := book.NewKnown(p, c.game.Game, nil)
			k.Learn(d)
			again, _, ok := k.Decide(true)
			if !ok || again.Score != d.Score || again.Proof != d.Proof || again.Source != d.Source || again.Note != d.Note {
				t.Errorf("through another lookup %+v, want %+v", again, d)
			}
			if _, unmatched := k.UnmatchedBound(); unmatched && c.source == "recorded" {
				t.Error("a recorded value requests a search for its move")
			}
			d, err = book.Evaluator(l, time.Second)(t.Context(), p)
			if err != nil || (d.Proof == engine.Exact) != c.stays {
				t.Errorf("as an evaluation: %+v, %v", d, err)
			}
		})
	}
}

// The certificates and the listed values agree.
func TestPublishedValues(t *testing.T) {
	listed := map[string]data.Value{}
	for _, v := range data.Values() {
		b := enginetest.Board(t, v.Board)
		if b.Rows > b.Cols || (v.Value-b.Squares())%2 != 0 {
			t.Errorf("%+v", v)
		}
		if v.Empty() {
			listed[v.Game+" "+v.Board] = v
		}
	}
	compared := 0
	for _, c := range data.Certificates() {
		if v, ok := listed[c.Game+" "+c.Board]; ok {
			compared++
			if v.Value != c.Value || !v.Certificate {
				t.Errorf("the certificate of %s %s proves %d; values.csv: %+v", c.Game, c.Board, c.Value, v)
			}
			delete(listed, c.Game+" "+c.Board)
		}
	}
	for k, v := range listed {
		if v.Certificate {
			t.Errorf("%v has no certificate; values.csv: %+v", k, v)
		}
	}
	if compared < 12 {
		t.Errorf("only %d values are compared", compared)
	}
}

// An estimate is shown as a value that the position can have: with an odd number of squares or
// boxes left no value is even, with an even number none is odd.
func TestEstimatesArePossible(t *testing.T) {
	for _, c := range []struct {
		game        book.Game
		position    string
		given, want int
	}{
		{dotsandboxes.Game(), "5x5", 0, -1},
		{dotsandboxes.Game(), "5x5", 1, 1},
		{dotsandboxes.Game(), "5x5", -2, -1},
		{dotsandboxes.Game(), "5x5", 4, 3},
		{dotsandboxes.Game(), "4x4", 0, 0},
		{dotsandboxes.Game(), "4x4", -1, 0},
		{dotsandboxes.Game(), "4x4", 3, 2},
		{dotsandboxes.Game(), "1x3 v0,0 v0,1 h0,0 h1,0", -1, -2}, // one box ahead
		{dotsandboxes.Game(), "1x3 v0,0 v0,1 h0,0 h1,0", 1, 0},
		{circuitwars.Game(), "3x3", 0, -1},
		{circuitwars.Game(), "2x3", 0, 0},
		{circuitwars.Game(), "2x3", 5, 4},
		{watchyourback.Game(), "8x8", 35, 35}, // hundredths of a piece
	} {
		p, err := c.game.Start(c.position)
		if err != nil {
			p, err = c.game.Parse(c.position)
		}
		testenv.OK(t, err)
		k := book.NewKnown(p, c.game.Game, nil)
		k.Estimate("a source", 1, book.Estimate{Move: p.Moves()[0], Score: c.given})
		d, _, _ := k.Decide(false)
		if d.Score != c.want || d.Moves[0].Score != c.want {
			t.Errorf("%s %s: an estimate of %+d is shown as %+d, of the move as %+d, want %+d",
				p.Game(), c.position, c.given, d.Score, d.Moves[0].Score, c.want)
		}
		if c.game.Name() == "watchyourback" {
			continue
		}
		k.Prove("a proof", book.Claim{Move: p.Moves()[0], Lower: k.Ties(), Upper: book.Unbounded})
		if d, _, _ := k.Decide(false); *d.Moves[0].Estimate != c.want {
			t.Errorf("%s %s: next to a bound an estimate of %+d is shown as %+d, want %+d",
				p.Game(), c.position, c.given, *d.Moves[0].Estimate, c.want)
		}
	}
}

// Estimates next to a proved value keep the name of their source through another lookup.
func TestLearnedEstimatesKeepTheirSource(t *testing.T) {
	p, err := dotsandboxes.Game().Start("3x3")
	testenv.OK(t, err)
	k := book.NewKnown(p, dotsandboxes.Game().Game, nil)
	k.Estimate("search", 5, book.Estimate{Move: p.Moves()[1], Score: -1})
	k.Prove("solved", book.Claim{Move: p.Moves()[0], Lower: 3, Upper: 3})
	k.Bound("solved", 3, 3)
	d, _, _ := k.Decide(true)
	again := book.NewKnown(p, dotsandboxes.Game().Game, nil)
	again.Learn(d)
	learned, _, _ := again.Decide(true)
	if learned.Moves[1].Source != "search" {
		t.Errorf("%+v, want an estimate of the source search", learned.Moves[1])
	}
}
