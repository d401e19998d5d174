//go:build !js

package dotsandboxes

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/farm"
)

// A value's proof is read from the journal or computed. It is complete: the proofs it was
// derived from are not needed with it.
func TestProveValue(t *testing.T) {
	dir, o := t.TempDir(), book.ValueOptions{Threads: 1, TableBytes: 1 << 20, Plies: 2}
	alone := func(b *grid.Board, value int, answers []exact.Proved) {
		t.Helper()
		s := exact.New(exact.Options{Threads: 1, TableBytes: 1 << 20})
		s.Learn(answers)
		if r, err := s.Value(t.Context(), b, b.All()); err != nil || r.Lower != value || !r.Exact() || r.Nodes != 0 {
			t.Errorf("%s with %d answers: %s, %v", b, len(answers), r, err)
		}
	}
	for board, value := range map[string]int{"2x3": -2, "2x4": 2} {
		b := enginetest.Board(t, board)
		if board == "2x4" { // with a journal
			_, err := SolveValue(t.Context(), dir, b, o, farm.InProcess(1), nil)
			testenv.OK(t, err)
		}
		var out bytes.Buffer
		n, v, err := ProveValue(t.Context(), dir, b, o, farm.InProcess(1), &out, nil)
		if err != nil || v.Lower != value || v.Upper != value {
			t.Fatalf("%s: %+v, %v", board, v, err)
		}
		answers, err := readAnswers(out.String())
		if err != nil || len(answers) != n {
			t.Fatalf("%s: %d answers, %d read: %v", board, n, len(answers), err)
		}
		alone(b, value, answers)
		// For boards as small as these only the root is embedded; this is the complete
		// proof.
		r, err := openValue(dir, b, o, nil)
		testenv.OK(t, err)
		_, err = r.solve(t.Context(), farm.InProcess(1))
		testenv.OK(t, err)
		answers, err = r.prove(t.Context(), exact.ProofOptions{Size: 1})
		testenv.OK(t, r.close(err))
		if len(answers) < 10 {
			t.Errorf("%s: %d answers", board, len(answers))
		}
		alone(b, value, answers)
	}
}

// An interrupted proof writes nothing to w; its results are in the journal and the table.
func TestInterruptedProof(t *testing.T) {
	defer func(n uint64) { recordNodes = n }(recordNodes)
	recordNodes = 20
	dir, b, o := t.TempDir(), enginetest.Board(t, "3x4"), book.ValueOptions{Threads: 1, TableBytes: 1 << 16, Plies: 2}
	v, err := SolveValue(t.Context(), dir, b, o, farm.InProcess(1), nil)
	testenv.OK(t, err)
	r, err := openValue(dir, b, o, nil)
	testenv.OK(t, err)
	_, err = r.solve(t.Context(), farm.InProcess(1))
	testenv.OK(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := new(farm.Progress)
	r.progress = p
	go func() {
		for ctx.Err() == nil {
			if all := p.Stages(0); len(all) == 1 && all[0].Done >= 10 {
				cancel()
			}
		}
	}()
	answers, err := r.prove(ctx, exact.ProofOptions{Size: 1})
	if !errors.Is(err, context.Canceled) || answers != nil {
		t.Errorf("interrupted: %d answers, %v", len(answers), err)
	}
	if len(r.recorded) <= v.Subpositions {
		t.Errorf("bounds of %d positions are recorded, %d before", len(r.recorded), v.Subpositions)
	}
	if err := r.close(err); !errors.Is(err, context.Canceled) {
		t.Errorf("closed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "dotsandboxes-value-3x4.table")); err != nil {
		t.Errorf("the table is not kept: %v", err)
	}
}

// provedBoards returns the boards with embedded proofs, by name.
func provedBoards(t *testing.T) []string {
	boards := data.ProvedBoards(dotsandboxes.Name)
	if !slices.Contains(boards, "4x4") {
		t.Errorf("nothing ships of 4x4: %v", boards)
	}
	for _, board := range boards {
		if name := embeddedName(enginetest.Board(t, board)); name != board {
			t.Errorf("%s ships, and the player asks for %s", board, name)
		}
	}
	return boards
}

// moments are the maximum expansions of a move on one thread, by board.
var moments = map[string]uint64{
	"4x4": 150_000, // a fifth of a second
	"4x5": 700_000, // in these games; few others exceed it
}

// With the embedded proofs a player gets at least a tie on either side, with few expansions
// per move. They are counted on one thread, so the counts are reproducible.
func TestNeverBelowEmbeddedValue(t *testing.T) {
	games := 1
	if os.Getenv("ENDWISE_DEEP") != "" {
		games = 50
	}
	for _, board := range provedBoards(t) {
		most := uint64(0)
		empty := dotsandboxes.New(enginetest.Board(t, board))
		booktest.NeverBelow(t, games, empty, 0, safe, func(engine.Side) func(engine.Position) string {
			s := exact.New(exact.Options{Threads: 1, TableBytes: 64 << 20}) // an empty table
			s.Learn(EmbeddedAnswers(enginetest.Board(t, board)))
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

// The lookup uses the embedded proofs without a store, and needs no search for the first
// line. With ENDWISE_DEEP=1 it plays games with half a second per move.
func TestPlayerKeepsEmbeddedValue(t *testing.T) {
	for _, board := range provedBoards(t) {
		l := booktest.Open(t, Open, book.Options{Threads: 2, HashBytes: 64 << 20})
		q := book.Question{Position: dotsandboxes.New(enginetest.Board(t, board)), Clock: engine.ClockFor(10 * time.Minute)}
		if d, err := l.Decide(t.Context(), q); err != nil || !d.Exact || d.Score != 0 || d.Nodes != 0 || d.Own().Source != book.EmbeddedProof {
			t.Errorf("%s, the empty board: %+v, %v", board, d, err)
		}
		if os.Getenv("ENDWISE_DEEP") != "" {
			booktest.NeverBelow(t, 3, q.Position, 0, safe, func(engine.Side) func(engine.Position) string { return booktest.HalfASecond(t, l) })
		}
	}
}
