package circuitwars

import (
	"os"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/exact"
)

// valueOf3x4 is the value of 3x4 for the first player (data/results).
const valueOf3x4 = 2

func anyMove(engine.Position, engine.Move) bool { return true }

// With the embedded proof a player of 3x4 gets at least the value on either side, with few
// nodes per move; they are counted on one thread, so the counts are reproducible.
// ENDWISE_DEEP=1 plays more games.
func TestNeverBelowTheValueOf3x4(t *testing.T) {
	const moment = 60_000 // nodes
	games := 2
	if os.Getenv("ENDWISE_DEEP") != "" {
		games = 100
	}
	most := uint64(0)
	s := exact.New(exact.Options{Threads: 1, TableBytes: 16 << 20, TypeBytes: 12 << 20})
	booktest.NeverBelow(t, games, empty3x4(t), valueOf3x4, anyMove, func(side engine.Side) func(engine.Position) string {
		s.Clear() // results of the previous game
		testenv.OK(t, s.Learn(embeddedAnswers()...))
		value := valueOf3x4
		if side == engine.Second {
			value = -value
		}
		return func(now engine.Position) string {
			p := now.(circuitwars.Position)
			need := value - engine.Lead(p, side)
			m, r, err := s.Secure(t.Context(), p.Board(), p.Free(), need)
			if err != nil || m.Segment < 0 {
				t.Fatalf("%s: no move is worth %+d: %s, %v", p, need, r, err)
			}
			if most = max(most, r.Nodes); r.Nodes > moment {
				t.Errorf("%s: %d nodes", p, r.Nodes)
			}
			return p.MoveString(engine.Move(m.Segment))
		}
	})
	t.Logf("at most %d nodes", most)
}

// Without a store the lookup uses the embedded proof and needs hardly any nodes for the
// value of the empty board. With ENDWISE_DEEP=1 it plays games with half a second per move.
func TestPlayerHolds3x4(t *testing.T) {
	l := booktest.Open(t, Open, book.Options{Threads: 1, HashBytes: 32 << 20})
	q := book.Question{Position: empty3x4(t), Clock: engine.ClockFor(10 * time.Minute)}
	if d, err := l.Decide(t.Context(), q); err != nil || !d.Exact || d.Score != valueOf3x4 || d.Nodes > 1_000 || !strings.Contains(d.Own().Source, book.EmbeddedProof) {
		t.Errorf("the empty board: %+v, %v", d, err)
	}
	if os.Getenv("ENDWISE_DEEP") != "" {
		booktest.NeverBelow(t, 5, q.Position, valueOf3x4, anyMove, func(engine.Side) func(engine.Position) string { return booktest.HalfASecond(t, l) })
	}
}

// The embedded book does not lead the player out of the embedded proof: after its move and
// any reply the value is kept, in few nodes each time.
func TestBookStaysInTheEmbeddedProof(t *testing.T) {
	const moment = 60_000
	open := func() *book.Lookup {
		return booktest.Open(t, Open, book.Options{Threads: 1, HashBytes: 16 << 20, Store: t.TempDir(), Starter: data.Books()})
	}
	decide := func(p engine.Position) engine.Decision {
		d, err := open().Decide(t.Context(), book.Question{Position: p, Play: true, Clock: engine.ClockFor(10 * time.Minute)})
		testenv.OK(t, err)
		return d
	}
	p := engine.Position(empty3x4(t))
	d := decide(p)
	after := enginetest.PlayMoves(t, p, d.Move)
	s := exact.New(exact.Options{Threads: 1, TableBytes: 16 << 20, TypeBytes: 12 << 20})
	for _, reply := range after.Moves() {
		now, err := after.Play(reply)
		testenv.OK(t, err)
		s.Clear()
		testenv.OK(t, s.Learn(embeddedAnswers()...))
		q := now.(circuitwars.Position)
		m, r, err := s.Secure(t.Context(), q.Board(), q.Free(), valueOf3x4-engine.Lead(now, engine.First))
		if err != nil || m.Segment < 0 || r.Nodes > moment {
			t.Errorf("%s (%s), then %s: %d nodes, %s, %v", d.Move, d.Source, after.MoveString(reply), r.Nodes, r, err)
		}
	}
	// A guarantee of the mirror theorem does not end the search for a better value.
	for _, moves := range [][]string{{"0,0,top", "2,1,left"}, {"2,1,left", "2,2,top"}} {
		q := enginetest.PlayMoves(t, p, moves...)
		if d := decide(q); d.Score != valueOf3x4 || d.Proof == engine.Estimate {
			t.Errorf("%v: %s %+d, %v, %s, %d nodes", moves, d.Move, d.Score, d.Proof, d.Source, d.Nodes)
		}
	}
}

func empty3x4(t *testing.T) circuitwars.Position {
	t.Helper()
	p, err := circuitwars.New(3, 4)
	testenv.OK(t, err)
	return p
}
