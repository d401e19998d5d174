package plain

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"endwise/engine/testenv"
	rules "endwise/engine/watchyourback/plain"
)

const backStart = "X------X/--------/--------/--------/--------/--------/--------/X------X:placing:0"

// framed returns the notation of a smaller board in the middle of the 8x8 board.
func framed(rows ...string) string {
	ring := (8 - len(rows)) / 2
	side := strings.Repeat(".", ring)
	var out []string
	for range ring {
		out = append(out, "........")
	}
	for _, r := range rows {
		out = append(out, side+r+side)
	}
	for range ring {
		out = append(out, "........")
	}
	return strings.Join(out, "/")
}

// surrounded reports whether a piece stands between two hostile neighbours.
func surrounded(g rules.Game) bool {
	for sq, c := range g.Board {
		if c != rules.White && c != rules.Black {
			continue
		}
		hostile := func(dx, dy int) bool {
			n := g.At(sq%8+dx, sq/8+dy)
			return n == rules.Enemy(c) || n == rules.Corner
		}
		if hostile(-1, 0) && hostile(1, 0) || hostile(0, -1) && hostile(0, 1) {
			return true
		}
	}
	return false
}

// The numbers of wins, ties and losses on 4x4 and the longest win are those of two
// independent programs.
func TestFinalTableHasKnownCounts(t *testing.T) {
	f := withFour.needFinal()
	var counts [3]int
	longest, unstableAfterMove := 0, 0
	limitMatters := 0
	for code := range int32(len(f.over)) {
		g := f.game(code)
		if f.code(g) != code {
			t.Fatalf("position %d has the number %d", code, f.code(g))
		}
		if f.over[code] || surrounded(g) {
			continue
		}
		counts[1-f.forced[code]]++
		longest = max(longest, int(f.distance[code]))
		if f.forced[code] != f.limited[0][code] {
			limitMatters++
		}
		for _, c := range f.next[f.first[code]:f.first[code+1]] {
			if surrounded(f.game(c)) {
				unstableAfterMove++
			}
		}
	}
	if want := [3]int{51614, 3744, 37732}; counts != want {
		t.Errorf("wins, ties, losses %v, want %v", counts, want)
	}
	if longest != 26 {
		t.Errorf("longest win %d turns, want 26", longest)
	}
	if limitMatters != 0 || unstableAfterMove != 0 {
		t.Errorf("%d values changed by the tie after 100 turns, %d moves leave a surrounded piece; want none", limitMatters, unstableAfterMove)
	}
}

// Minimax without tables agrees with the table of the 4x4 board if the quiet turns end
// the game within the search depth.
func TestFinalTableEqualsMinimax(t *testing.T) {
	final := withFour.needFinal()
	rng := rand.New(rand.NewPCG(8, 2))
	bare := &WatchYourBack{noTables: true, noMemory: true}
	exact := 0
	for n := 0; n < 300; {
		g := final.game(rng.Int32N(int32(len(final.over))))
		if rng.IntN(2) == 0 { // Black to move, with the same colours
			g.Turns++
		}
		g.Turns += 2 * rules.QuietLimit
		g.Quiet = rules.QuietLimit - 1 - rng.IntN(3)
		if over, _ := g.Ended(); over {
			continue
		}
		n++
		want := final.value(g)
		if got := bare.search(g, rules.QuietLimit-g.Quiet+1); got.Lower > want || got.Upper < want {
			t.Fatalf("%s quiet %d: minimax %v, table %d", g.Board[:], g.Quiet, got, want)
		} else if got.Exact() {
			exact++
		}
		bare.visits = 0
	}
	if exact < 100 {
		t.Errorf("%d of 300 decided by minimax, want at least 100", exact)
	}
}

// Minimax with the table of the 4x4 board agrees with the layers of the 6x6 board.
func TestMiddleTableEqualsMinimax(t *testing.T) {
	m := withFour.needMiddle()
	if len(m.names) != 215_760 {
		t.Fatalf("%d positions of 2 against 2, want 215760", len(m.names))
	}
	rng := rand.New(rand.NewPCG(8, 3))
	bare := &WatchYourBack{noMemory: true, final: withFour.final}
	for range 200 {
		left := 1 + rng.IntN(3)
		g := m.game(m.names[rng.IntN(len(m.names))], rules.SecondShrink-left)
		bare.visits = 0
		if got := bare.search(g, left); got != (bounds{m.value(g), m.value(g)}) {
			t.Fatalf("%s %d turns left: minimax %v, table %d", g.Board[:], left, got, m.value(g))
		}
	}
}

func TestWatchYourBackAgreesWithValuesByHand(t *testing.T) {
	for _, c := range []struct {
		position string
		bounds   bounds
		moves    string
	}{
		// White captures the piece at the corner by stepping next to it.
		{framed("X@-X", "--O-", "O---", "X@-X") + ":moving:200", bounds{1, 1}, ""},
		// Black has fewer than two pieces: White has won, with either side to move.
		{framed("X--X", "-O@-", "-O--", "X--X") + ":moving:200", bounds{1, 1}, "map[]"},
		{framed("X--X", "-O@-", "-O--", "X--X") + ":moving:201", bounds{-1, -1}, "map[]"},
		{framed("X--X", "-O--", "--@-", "X--X") + ":moving:201", bounds{0, 0}, "map[]"},
		// 100 quiet turns.
		{framed("X--X", "-O@-", "-O@-", "X--X") + ":moving:300:quiet=100", bounds{0, 0}, "map[]"},
	} {
		g, err := rules.Read(c.position)
		testenv.OK(t, err)
		value, moves, err := withFour.evaluate(g, 1)
		testenv.OK(t, err)
		if value != c.bounds || c.moves != "" && fmt.Sprint(moves) != c.moves {
			t.Errorf("%s: %v %v, want %v %s", c.position, value, moves, c.bounds, c.moves)
		}
	}
}
