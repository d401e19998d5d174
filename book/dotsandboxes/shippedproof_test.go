package dotsandboxes

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/book/solving"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/farm"
)

// safe says whether a line gives no box away.
func safe(p engine.Position, m engine.Move) bool { return p.(dotsandboxes.Position).Safe(m) }

// A value's proof is taken from what is kept of it, or worked out, and stands alone: what
// it rested on is not needed with it.
func TestProveValue(t *testing.T) {
	dir, o := t.TempDir(), solving.ValueOptions{Threads: 1, TableBytes: 1 << 20, Plies: 2}
	prove := func(board string, value int, old []byte) []byte {
		t.Helper()
		b := enginetest.Board(t, board)
		var out bytes.Buffer
		n, v, err := ProveValue(t.Context(), dir, b, exact.ProofOptions{Size: 1}, o, farm.NewInProcess(nil, 1), old, &out, nil)
		if err != nil || v.Lower != value || v.Upper != value || n == 0 {
			t.Fatalf("%s: %d answers, %+v, %v", board, n, v, err)
		}
		answers, err := readAnswers(out.String())
		testenv.OK(t, err)
		s := exact.New(exact.Options{Threads: 1, TableBytes: 1 << 20})
		s.Learn(answers)
		if r, err := s.Value(t.Context(), b, b.All()); err != nil || r.Lower != value || !r.Exact() || r.Nodes != 0 {
			t.Errorf("%s with %d answers: %s, %v", board, len(answers), r, err)
		}
		return out.Bytes()
	}
	first := prove("2x3", -2, nil)
	_, err := SolveValue(t.Context(), dir, enginetest.Board(t, "2x4"), o, farm.NewInProcess(nil, 1), nil)
	testenv.OK(t, err)
	second := prove("2x4", 2, first)
	prove("2x4", 2, second)
	// One that is interrupted keeps what it was given.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := new(farm.Progress)
	go func() {
		for ctx.Err() == nil {
			if all := p.Stages(0); len(all) == 2 && all[1].Done >= 10 {
				cancel()
			}
		}
	}()
	var out bytes.Buffer
	if _, _, err := ProveValue(ctx, dir, enginetest.Board(t, "3x4"), exact.ProofOptions{Size: 1}, o, farm.NewInProcess(nil, 1), first, &out, p); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	given, err := readAnswers(string(first))
	testenv.OK(t, err)
	kept, err := readAnswers(out.String())
	testenv.OK(t, err)
	for _, a := range given {
		if !slices.ContainsFunc(kept, func(b exact.Proved) bool {
			return a.Key == b.Key && b.Lower >= a.Lower && b.Upper <= a.Upper
		}) {
			t.Errorf("%+v was lost by a run that was interrupted", a)
		}
	}
	if n, _, err := ProveValue(t.Context(), dir, enginetest.Board(t, "2x3"), exact.ProofOptions{Size: 1}, o, farm.NewInProcess(nil, 1), []byte("something else"), io.Discard, nil); err == nil {
		t.Errorf("another file was taken for answers: %d", n)
	}
}

// provedBoards are those of which answers ship, by the name that the player asks for.
func provedBoards(t *testing.T) []string {
	boards := data.ProvedBoards(dotsandboxes.Name)
	if !slices.Contains(boards, "4x4") {
		t.Errorf("nothing ships of 4x4: %v", boards)
	}
	for _, board := range boards {
		if name := shippedName(enginetest.Board(t, board)); name != board {
			t.Errorf("%s ships, and the player asks for %s", board, name)
		}
	}
	return boards
}

// moments are the expansions that a move may take on one thread, by board.
var moments = map[string]uint64{
	"4x4": 150_000, // a fifth of a second
	"4x5": 700_000, // in these games; of 88,302 moves of six times as many two took more, at most 825,558
}

// With the shipped proofs a player gets at least a tie from either side, and never
// needs more than a moment for it: expansions are counted, on one thread, as they are
// the same everywhere.
func TestNeverBelowAShippedValue(t *testing.T) {
	games := 1
	if os.Getenv("ENDWISE_DEEP") != "" {
		games = 50
	}
	for _, board := range provedBoards(t) {
		most := uint64(0)
		empty := dotsandboxes.New(enginetest.Board(t, board))
		booktest.NeverBelow(t, games, empty, 0, safe, func(engine.Side) func(engine.Position) string {
			s := exact.New(exact.Options{Threads: 1, TableBytes: 64 << 20}) // knows nothing yet
			s.Learn(shippedAnswers(enginetest.Board(t, board)))
			return func(now engine.Position) string {
				p := now.(dotsandboxes.Position)
				known, _, err := s.Known(p.Board(), p.Free())
				testenv.OK(t, err)
				m := known[0]
				if need := notLosing(p); m.Lower < need {
					var r solver.Result
					if m, r, err = s.Secure(t.Context(), p.Board(), p.Free(), need); err != nil || m.Segment < 0 {
						t.Fatalf("%s: no line holds the game: %s, %v", p, r, err)
					}
					if most = max(most, r.Nodes); r.Nodes > moments[board] {
						t.Errorf("%s: %d expansions", p, r.Nodes)
					}
				}
				return p.MoveString(engine.Move(m.Segment))
			}
		})
		t.Logf("%s: at most %d expansions", board, most)
	}
}

// The lookup knows the proofs without a store, and needs no search for the
// first line; with ENDWISE_DEEP=1 it plays games of half a second a move.
func TestPlayerHoldsAShippedValue(t *testing.T) {
	for _, board := range provedBoards(t) {
		l := booktest.Open(t, Open, book.Options{Threads: 2, HashBytes: 64 << 20})
		q := book.Question{Position: dotsandboxes.New(enginetest.Board(t, board)), Clock: engine.ClockFor(10 * time.Minute)}
		if d, err := l.Decide(t.Context(), q); err != nil || !d.Exact || d.Score != 0 || d.Nodes != 0 {
			t.Errorf("%s, the empty board: %+v, %v", board, d, err)
		}
		if os.Getenv("ENDWISE_DEEP") != "" {
			booktest.NeverBelow(t, 3, q.Position, 0, safe, func(engine.Side) func(engine.Position) string { return booktest.HalfASecond(t, l) })
		}
	}
}
