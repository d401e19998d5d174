package book_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"endwise/book"
	wybbook "endwise/book/watchyourback"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
)

// Outside a game the first listed move is the chosen one, and no listed move is proved to
// be worth more than the value or estimate of the first, whatever sources claim.
func TestNoListedMoveIsProvedBetter(t *testing.T) {
	start, err := circuitwars.New(3, 3)
	testenv.OK(t, err)
	p := enginetest.PlayMoves(t, engine.Position(start), "0,0,top", "1,1,left")
	moves := p.Moves()
	r := rand.New(rand.NewPCG(1, 2))
	lost := 0
	for range 5_000 {
		k := book.NewKnown(p, circuitwars.Game{}, nil)
		for _, m := range moves {
			low := r.IntN(12) - 9
			switch r.IntN(6) {
			case 0:
				k.Prove("solved", book.Claim{Move: m, Lower: low, Upper: low})
			case 1:
				k.Prove("solved", book.Claim{Move: m, Lower: low, Upper: low + r.IntN(4)})
			case 2:
				k.Prove("solved", book.Claim{Move: m, Lower: -book.Unbounded, Upper: low})
			}
		}
		var estimates []book.Estimate
		for range r.IntN(len(moves)) {
			estimates = append(estimates, book.Estimate{Move: moves[r.IntN(len(moves))], Score: r.IntN(30) - 18})
		}
		k.Estimate("search", 1, estimates...)
		d, _, ok := k.Decide(true)
		if !ok {
			continue
		}
		first := d.Moves[0]
		if first.Move != d.Move {
			t.Fatalf("%s heads a list that begins with %s", d.Move, first.Move)
		}
		if first.Proof == engine.Upper {
			continue // its worth is not listed
		}
		for _, v := range d.Moves[1:] {
			if v.Proof == engine.Exact && first.Score < v.Score && first.Proof != engine.Lower {
				t.Fatalf("%+v is first, %+v is in its list", first, v)
			}
		}
		if first.Score < 0 {
			lost++
		}
	}
	if lost < 100 {
		t.Errorf("only %d lost positions", lost)
	}
}

// In a won game of points the best lower bound is not the only criterion: of the moves that
// keep the win, and what was proved at earlier turns, the one with the best estimate is
// chosen. A move without such a proof is not chosen, and the best move is if its value is
// known.
func TestWonGameIsPlayedForPoints(t *testing.T) {
	const top = book.Unbounded
	for _, g := range []engine.Game{circuitwars.Game{}, dotsandboxes.Game{}, watchyourback.Game{}} {
		_, points := g.(engine.Counted)
		for _, c := range []struct {
			name         string
			first, other book.Claim // of the first two moves
			earlier      int        // proved at an earlier turn
			another      bool       // the second move is chosen
		}{
			{"both win", book.Claim{Lower: 7, Upper: top}, book.Claim{Lower: 1, Upper: top}, -top, true},
			{"more was proved before", book.Claim{Lower: 7, Upper: top}, book.Claim{Lower: 1, Upper: top}, 3, false},
			{"as much was proved before", book.Claim{Lower: 7, Upper: top}, book.Claim{Lower: 3, Upper: top}, 3, true},
			{"a tie", book.Claim{Lower: 7, Upper: top}, book.Claim{Lower: 0, Upper: top}, -top, false},
			{"unproved", book.Claim{Lower: 7, Upper: top}, book.Claim{Lower: -top, Upper: top}, -top, false},
			{"both tie", book.Claim{Lower: 0, Upper: top}, book.Claim{Lower: -1, Upper: top}, -top, false},
			{"the value is known", book.Claim{Lower: 7, Upper: 7}, book.Claim{Lower: 1, Upper: 7}, -top, false},
		} {
			if !points {
				c.first.Lower, c.other.Lower = min(c.first.Lower, 1), max(min(c.other.Lower, 0), -1)
				c.another = false
			}
			p, err := g.Start("")
			testenv.OK(t, err)
			moves := p.Moves()
			c.first.Move, c.other.Move = moves[0], moves[1]
			for play, want := range map[bool]bool{true: c.another, false: false} {
				l := &book.Lookup{Game: g, Sources: []book.Source{saying(func(k *book.Known) {
					k.Prove("solved", c.first, c.other)
					k.Bound("earlier", c.earlier, min(c.first.Upper, 100))
					if c.first.Lower == c.first.Upper {
						k.Bound("solved", -top, c.first.Upper)
					}
					k.Estimate("search", 3, book.Estimate{Move: moves[1], Score: 6}, book.Estimate{Move: moves[0], Score: 2})
				})}}
				d, err := l.Decide(t.Context(), book.Question{Position: p, Play: play})
				testenv.OK(t, err)
				if (d.Move == p.MoveString(moves[1])) != want || d.Proof == engine.Estimate {
					t.Errorf("%s, %s, played %v: %+v", g.Name(), c.name, play, d)
				}
			}
		}
	}
}

// A listed bound has the move's estimate next to it, a proved value and an estimate have not.
func TestListedBoundsHaveEstimates(t *testing.T) {
	p, err := circuitwars.New(2, 2)
	testenv.OK(t, err)
	moves := p.Moves()
	k := book.NewKnown(p, circuitwars.Game{}, nil)
	k.Prove("solved", book.Claim{Move: moves[0], Lower: 0, Upper: book.Unbounded}, book.Claim{Move: moves[1], Lower: -2, Upper: -2})
	k.Estimate("search", 1, book.Estimate{Move: moves[0], Score: 4}, book.Estimate{Move: moves[1], Score: 1}, book.Estimate{Move: moves[2], Score: -1})
	d, _, _ := k.Decide(true)
	for _, m := range d.Moves {
		if bound := m.Proof == engine.Lower; bound != (m.Estimate != nil) || bound && *m.Estimate != 4 {
			t.Errorf("%+v", m)
		}
	}
	if len(d.Moves) != 3 {
		t.Errorf("%d moves are listed", len(d.Moves))
	}
}

// A lost move that follows the line of an earlier turn has a source, as other moves have.
func TestLostLineHasASource(t *testing.T) {
	p, err := watchyourback.Parse("......../......../..X-OX../..-O@-../..---@../..XO-X../......../........:moving:193")
	testenv.OK(t, err)
	l, err := wybbook.Open(book.Options{Threads: 1, HashBytes: 1 << 20})
	testenv.OK(t, err)
	defer l.Close()
	player := book.Player{Lookup: l}
	for range 2 {
		d, err := player.Choose(t.Context(), p, engine.ClockFor(time.Minute))
		testenv.OK(t, err)
		if d.Proof != engine.Exact || d.Score != -1 || d.Source != "table" {
			t.Errorf("%s: %+v", p, d)
		}
		p = enginetest.PlayMoves(t, p, d.Line[:2]...)
	}
}

// If the position is lost, its moves are lost by the proof of the position.
func TestLostMovesHaveTheSourceOfThePosition(t *testing.T) {
	p, err := watchyourback.Parse("......../......../..X-OX../..--@-../..-O@-../..XO-X../......../........:moving:195")
	testenv.OK(t, err)
	k := book.NewKnown(p, watchyourback.Game{}, nil)
	k.Bound("table", -1, -1)
	if d, _, ok := k.Decide(true); !ok || d.Proof != engine.Exact || d.Source != "table" || d.Own().Source != "table" {
		t.Errorf("%+v", d)
	}
}
