package why

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"endwise/book"
	"endwise/book/booktest"
	wybbook "endwise/book/watchyourback"
	"endwise/engine"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/engine/watchyourback/plain"
)

// Every fact about random positions of all phases, 200 of them on 4x4 with their values,
// follows from the second implementation of the rules.
func TestWatchYourBack(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 5))
	l := booktest.Open(t, wybbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	seen := map[Kind]int{}
	for range 200 {
		for _, r := range pieceChecker.check(t, randomGame(r), engine.Decision{}, nil) {
			seen[r.Kind]++
		}
		p := smallBoard(r)
		d, err := l.Decide(t.Context(), book.Question{Position: p, AllMoves: true})
		testenv.OK(t, err)
		reasons := pieceChecker.check(t, p, d, nil)
		for _, r := range reasons {
			seen[r.Kind]++
		}
		if won := slices.ContainsFunc(reasons, func(r Reason) bool { return r.Kind == Win }); won != (d.Score != 0) {
			t.Errorf("%s: worth %d, a win is stated: %v", p, d.Score, won)
		}
	}
	for kind := range pieceChecker {
		if seen[kind] < 10 {
			t.Errorf("only %d positions with %q", seen[kind], kind)
		}
	}
	t.Log(seen)
}

// On all boards the shortest win is that of the second implementation of the rules, and no
// number of turns is stated if the search for it is too long.
func TestShortestWins(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 7))
	found := 0
	for n := range 400 {
		rows := []byte("X------X/--------/--------/--------/--------/--------/--------/X------X")
		turns := watchyourback.FirstShrink - 1 - r.IntN(3)
		if n%2 == 0 {
			rows = []byte("......../.X----X./.------./.------./.------./.------./.X----X./........")
			turns = watchyourback.SecondShrink - 1 - r.IntN(3)
		}
		for _, letter := range []byte("OO@@" + strings.Repeat("O", r.IntN(3)) + strings.Repeat("@", r.IntN(3))) {
			rows[booktest.EmptySquare(r, rows)] = letter
		}
		p, err := watchyourback.Parse(fmt.Sprintf("%s:moving:%d", rows, turns))
		if err != nil || p.Over() {
			continue
		}
		v := forced(readPlain(t, p), 3)
		if v == 0 {
			continue
		}
		found++
		reasons := pieceChecker.check(t, p, engine.Decision{Score: v, Proof: engine.Exact}, nil)
		if !slices.ContainsFunc(reasons, func(r Reason) bool { return r.Kind == Win && r.Numbers["turns"] <= 3 }) {
			t.Errorf("%s: no win in 3 turns in %v", p, reasons)
		}
	}
	if found < 50 {
		t.Errorf("only %d wins", found)
	}
	p, err := watchyourback.Parse("X------X/--O-----/--------/-O------/------@-/--------/-----@--/X------X:moving:0")
	testenv.OK(t, err)
	if turns := shortestWin(p, engine.First); turns != 0 {
		t.Errorf("%s: a win in %d turns", p, turns)
	}
}

// randomGame returns a position of a random game, often the last of the placing phase.
func randomGame(r *rand.Rand) watchyourback.Position {
	for {
		p := watchyourback.New(false)
		turns := r.IntN(220)
		if r.IntN(4) == 0 {
			turns = watchyourback.PlacingTurns - 1
		}
		for ; turns > 0 && !p.Over(); turns-- {
			p = p.Next(p.Moves()[r.IntN(len(p.Moves()))])
		}
		if !p.Over() {
			return p
		}
	}
}

// smallBoard returns a random position on 4x4.
func smallBoard(r *rand.Rand) watchyourback.Position {
	for {
		rows := []byte("......../......../..X--X../..----../..----../..X--X../......../........")
		for _, letter := range []byte("O@") {
			for range 2 + r.IntN(3) {
				rows[booktest.EmptySquare(r, rows)] = letter
			}
		}
		p, err := watchyourback.Parse(fmt.Sprintf("%s:moving:%d", rows, 200+r.IntN(2)))
		if err == nil && !p.Over() {
			return p
		}
	}
}

func readPlain(t *testing.T, p engine.Position) plain.Game {
	g, err := plain.Read(p.String())
	testenv.OK(t, err)
	return g
}

// gone returns the squares on which a side has a piece in before and not in after.
func gone(before, after plain.Game, side byte) (out []string) {
	for s, c := range before.Board {
		if c == side && after.Board[s] != side {
			out = append(out, fmt.Sprintf("(%d,%d)", s%8, s/8))
		}
	}
	return out
}

// checkPieces checks the parts and numbers of both sides.
func checkPieces(t *testing.T, p engine.Position, r Reason, white, black []string) {
	t.Helper()
	got := map[string][]string{}
	for _, part := range r.Parts {
		got[part.Kind] = part.Squares
	}
	for name, want := range map[string][]string{"White": white, "Black": black} {
		same(t, p, r, strings.ToLower(name), len(want))
		if !slices.Equal(got[name], want) {
			t.Errorf("%s: %s: %s pieces %q, want %q", p, r.Kind, name, got[name], want)
		}
	}
}

// forced returns whether the side to move can force a win (1) or must lose (-1) within the
// given turns, 0 for neither.
func forced(g plain.Game, turns int) int {
	if over, v := g.Ended(); over || turns == 0 {
		return v
	}
	best := -1
	for _, m := range g.Moves() {
		if best = max(best, -forced(g.Play(m), turns-1)); best == 1 {
			break
		}
	}
	return best
}

var pieceChecker = checker{
	Pieces: func(t *testing.T, p engine.Position, r Reason) {
		g := readPlain(t, p)
		same(t, p, r, "white", g.Count(plain.White))
		same(t, p, r, "black", g.Count(plain.Black))
	},
	Win: func(t *testing.T, p engine.Position, r Reason) {
		n, score := r.Numbers["turns"], r.Numbers["score"]
		if want := p.Turn(); (r.Side == want) != (score == 1) {
			t.Errorf("%s: %v wins", p, r.Side)
		}
		if g := readPlain(t, p); n <= 5 && (forced(g, n) != score || forced(g, n-1) == score) {
			t.Errorf("%s: not %d in %d turns", p, score, n)
		}
	},
	Threat: func(t *testing.T, p engine.Position, r Reason) {
		g := readPlain(t, p)
		if r.Numbers["later"] == 1 {
			g.Turns++
			if !g.Moving && g.Turns == plain.PlacingTurns {
				g.Turns, g.Moving = 0, true
			}
		}
		if g.Moving {
			g.Turns &= 1 // far from a shrink
		}
		if (g.Mover() == plain.White) != (r.Side == engine.First) {
			t.Errorf("%s: %v threatens", p, r.Side)
		}
		victims, most := map[string]bool{}, 0
		for _, m := range g.Moves() {
			lost := gone(g, g.Play(m), plain.Enemy(g.Mover()))
			most = max(most, len(lost))
			for _, s := range lost {
				victims[s] = true
			}
		}
		same(t, p, r, "most", most)
		same(t, p, r, "pieces", len(victims))
		for _, s := range r.Parts[0].Squares {
			if !victims[s] {
				t.Errorf("%s: the piece on %s cannot be captured", p, s)
			}
		}
	},
	Blocked: func(t *testing.T, p engine.Position, r Reason) {
		g := readPlain(t, p)
		var lists [2][]string
		for i, side := range []byte{plain.White, plain.Black} {
			movable := map[int]bool{}
			for _, m := range g.Steps(side) {
				movable[m.From] = true
			}
			for s, c := range g.Board {
				if c == side && !movable[s] {
					lists[i] = append(lists[i], fmt.Sprintf("(%d,%d)", s%8, s/8))
				}
			}
		}
		checkPieces(t, p, r, lists[0], lists[1])
		forfeit := 0
		if len(g.Steps(g.Mover())) == 0 {
			forfeit = 1
		}
		same(t, p, r, "forfeit", forfeit)
	},
	Shrinks: func(t *testing.T, p engine.Position, r Reason) {
		g := readPlain(t, p)
		limit := plain.FirstShrink
		if g.Turns >= limit {
			limit = plain.SecondShrink
		}
		same(t, p, r, "turns", limit-g.Turns)
		after := g
		after.Turns = limit
		after.Shrink()
		checkPieces(t, p, r, gone(g, after, plain.White), gone(g, after, plain.Black))
	},
}
