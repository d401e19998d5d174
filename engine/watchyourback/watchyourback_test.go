package watchyourback

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// toPlain converts a position for the plain rules.
func toPlain(t *testing.T, p Position) plain.Game {
	t.Helper()
	g, err := plain.Read(p.String())
	testenv.OK(t, err)
	return g
}

func TestRandomGamesAgreeWithPlainRules(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	games := 40
	if os.Getenv("ENDWISE_DEEP") != "" {
		games = 400
	}
	for range games {
		p := New(true)
		g := toPlain(t, p)
		for !p.Over() && p.Turns() < 260 {
			moves, plainMoves := p.Moves(), g.Moves()
			if len(moves) != len(plainMoves) {
				t.Fatalf("%s: %d moves, want %d by the plain rules", p, len(moves), len(plainMoves))
			}
			legal := map[string]plain.Move{}
			for _, m := range plainMoves {
				legal[m.String()] = m
			}
			for _, m := range moves {
				if _, ok := legal[p.MoveString(m)]; !ok {
					t.Fatalf("%s: %s is not legal by the plain rules", p, p.MoveString(m))
				}
				if m < 0 || m > math.MaxUint16 {
					t.Fatalf("%s: move %d has more than the 16 bits that books store", p, m)
				}
			}
			m := moves[r.IntN(len(moves))]
			next, err := p.PlayMove(m)
			testenv.OK(t, err)
			p, g = next, g.Play(legal[p.MoveString(m)])
			if want := toPlain(t, p); g != want {
				t.Fatalf("%s: want %+v by the plain rules", p, g)
			}
			over, v := g.Ended()
			winner := map[int]engine.Side{1: p.Turn(), -1: p.Turn().Other()}[v]
			if p.over != over || p.winner != winner {
				t.Fatalf("%s: over=%v winner=%v, want %v %v by the plain rules", p, p.over, p.winner, over, winner)
			}
			if dead := Surrounded(p.sides[0], p.sides[1], p.stage); dead != 0 {
				t.Fatalf("%s: surrounded pieces %x", p, dead)
			}
			back, err := Parse(p.String())
			if err != nil || back != p {
				t.Fatalf("%s reads back as %s, %v", p, back, err)
			}
		}
	}
}

// perft returns the number of leaves of the game tree at the given depth. A finished game
// has no successors.
func perft(p Position, depth int) uint64 {
	moves := p.Moves()
	if depth <= 1 {
		if depth == 1 {
			return uint64(len(moves))
		}
		return 1
	}
	var n uint64
	for _, m := range moves {
		n += perft(p.Next(m), depth-1)
	}
	return n
}

func plainPerft(g plain.Game, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	if over, _ := g.Ended(); over {
		return 0
	}
	var n uint64
	for _, m := range g.Moves() {
		n += plainPerft(g.Play(m), depth-1)
	}
	return n
}

// perftTable contains counts confirmed by the plain rules up to 30,000 leaves: placing,
// moving, forfeits, a full board, both shrinks, the end of the game at a shrink.
var perftTable = []struct {
	name, position string
	counts         []uint64
}{
	{"placing", "X------X/--------/--------/--------/--------/--------/--------/X------X:placing:0", []uint64{46, 2084, 92342, 4028048}},
	{"placing, late", "X------X/-OO-----/--O@--@-/--@O----/----O---/--@-O---/-----@--/X------X:placing:13", []uint64{37, 1311, 46591, 1584342}},
	{"last placement", "X-O--O-X/O----O--/O-O-O--@/O-@-@---/---@-@-@/O@------/----@@--/X---@--X:placing:23", []uint64{31, 770, 28762, 721236}},
	{"moving", "X--O--OX/O----O--/O-O-O--@/O-@-@---/---@@-@-/O@------/----@@--/X---@--X:moving:0", []uint64{24, 844, 20792, 726391}},
	{"first shrink", "X--O---X/O----O--/--O-O--@/O-@--@--/---@@---/O@---O--/----@@--/X---@--X:moving:126", []uint64{27, 863, 10686, 229064}},
	{"first shrink decides", "X------X/O-----O-/O------@/--------/-@------/-------O/---@----/X-----@X:moving:126", []uint64{11, 143, 0, 0}},
	{"6x6", "......../.X-O--X./.--O-@-./.-@-O--./.---@--./.-@--O-./.X@---X./........:moving:150", []uint64{14, 230, 3106, 49720}},
	{"second shrink", "......../.X-O--X./.--O-@-./.-@-O--./.---@--./.-@--O-./.X@---X./........:moving:190", []uint64{14, 230, 842, 4474}},
	{"4x4", "......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192", []uint64{6, 32, 207, 821}},
	{"blocked", "......../......../..XO-X../..OO--../..O--@../..X@-X../......../........:moving:193", []uint64{4, 23, 100, 681}},
}

func TestPerftCountsAreConfirmed(t *testing.T) {
	for _, c := range perftTable {
		t.Run(c.name, func(t *testing.T) {
			p, err := Parse(c.position)
			testenv.OK(t, err)
			for i, want := range c.counts {
				depth := i + 1
				if got := perft(p, depth); got != want {
					t.Errorf("depth %d: %d leaves, want %d", depth, got, want)
				}
				if want <= 30_000 {
					if got := plainPerft(toPlain(t, p), depth); got != want {
						t.Errorf("depth %d: %d leaves by the plain rules, want %d", depth, got, want)
					}
				}
			}
		})
	}
}

// The rules reproduce a recorded session of the original referee board by board.
func TestRecordedRefereeSessionIsReproduced(t *testing.T) {
	text := testenv.ReadFile(t, enginetest.Recorded(t, "transcripts", "watchyourback-referee.txt"))
	lines := strings.Split(string(text), "\n")
	p := New(true)
	boards := 0
	for i, l := range lines {
		if !strings.HasSuffix(l, " phase") && l != "game over!" {
			continue
		}
		want := strings.Join(lines[i-8:i], "\n") + "\n"
		if boards > 0 {
			var found []Position
			for _, m := range p.Moves() {
				if q := p.Next(m); q.Board() == want {
					found = append(found, q)
				}
			}
			if len(found) == 0 {
				t.Fatalf("line %d: no move of %s leads to\n%s", i+1, p, want)
			}
			p = found[0]
		}
		boards++
		if p.Over() != (l == "game over!") {
			t.Fatalf("line %d: %q, over: %v", i+1, l, p.Over())
		}
		if p.Over() {
			break
		}
		read, err := Parse(want + l)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		read.strict = true
		if read != p {
			t.Fatalf("line %d: read %s, played %s", i+1, read, p)
		}
	}
	if boards != 24+134+1 {
		t.Errorf("%d boards, want 159", boards)
	}
	if p.Winner() != engine.Second {
		t.Errorf("winner %v, want Black", p.Winner())
	}
}

func TestEndlessGamesAreTiesUnlessStrict(t *testing.T) {
	// The last turn before the limit, and sides that block each other.
	p, err := Parse("......../......../..X--X../..O--@../..O--@../..X--X../......../........:moving:300:quiet=99")
	testenv.OK(t, err)
	q := p.Next(p.Moves()[0])
	if !q.Over() || q.Winner() != engine.None {
		t.Errorf("%s: want a tie after %d quiet turns", q, QuietLimit)
	}
	p.strict, p.quiet = true, 0
	for range 3 * QuietLimit {
		for _, m := range p.Moves() {
			if q = p.Next(m); q.Score() == p.Score() {
				break
			}
		}
		p = q
	}
	if p.Over() {
		t.Errorf("%s: a strict game has no tie by shuffling", p)
	}
	const blocked = "......../......../..XOOX../..O@@O../..O@@O../..XOOX../......../........:moving:200"
	p, err = Parse(blocked)
	testenv.OK(t, err)
	if !p.Over() || p.Winner() != engine.None {
		t.Errorf("%s: both sides are blocked, want a tie", p)
	}
	if p, err = Parse(blocked + ":strict"); err != nil || p.Over() {
		t.Errorf("%s: want an unfinished strict game, %v", p, err)
	}
	if m := p.Moves(); len(m) != 1 || m[0] != Forfeit {
		t.Errorf("moves %v, want only a forfeit", m)
	}
}

// The order of the corners matters: the same pieces have different fates on the top and on
// the right edge.
func TestShrinkSetsCornersInOrder(t *testing.T) {
	at := func(x, y int) uint64 { return 1 << sq(x, y) }
	// Top-left first: White on (3,2) is between it and Black on (4,2), who then has no
	// neighbour when top-right follows.
	w, b := Shrink(at(3, 2), at(4, 2), Final)
	if w != 0 || b != at(4, 2) {
		t.Errorf("top edge: white %x black %x", w, b)
	}
	// On the right edge bottom-right comes before top-right.
	w, b = Shrink(at(5, 3), at(5, 4), Final)
	if w != at(5, 3) || b != 0 {
		t.Errorf("right edge: white %x black %x", w, b)
	}
	// Exchanging the colours exchanges the result.
	r := rand.New(rand.NewPCG(3, 4))
	for range 10000 {
		a := r.Uint64() & r.Uint64() & playable[Middle]
		c := r.Uint64() & r.Uint64() & playable[Middle] &^ a
		a1, c1 := Shrink(a, c, Final)
		c2, a2 := Shrink(c, a, Final)
		if a1 != a2 || c1 != c2 {
			t.Fatalf("shrink of %x, %x depends on the order of the sides", a, c)
		}
	}
}

func TestMoveNotationIsParsedAndChecked(t *testing.T) {
	start := New(false)
	for _, c := range []struct{ move, want string }{
		{"(3,4)", ""},
		{" ( 3 , 4 ) ", ""},
		{"(0,0)", "corner"},
		{"(3,6)", "outside white's zone, rows 0 to 5"},
		{"(3,8)", "a coordinate is 0 to 7, not 8"},
		{"(3,4)->(3,5)", "want one square"},
		{"None", "must place"},
		{"3,4", ""},
		{"3 4", ""},
		{"3.4", ""},
		{"34", "want (x,y)"},
		{"3,4,", "want (x,y)"},
		{"3,43,5", "want (x,y)"},
		{"NONE", "must place"},
		{"", "want (x,y)"},
	} {
		m, err := start.ParseMove(c.move)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v", c.move, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q: error %v, want %q", c.move, err, c.want)
		case err == nil && start.MoveString(m) != "(3,4)":
			t.Errorf("%q is written %s", c.move, start.MoveString(m))
		}
	}
	p, err := Parse("X------X/O-------/-O@-----/--------/--------/-----@--/-O----@-/X------X:moving:10")
	testenv.OK(t, err)
	for _, c := range []struct{ move, want string }{
		{"(1,2)->(3,2)", ""},
		{"(1,2)->(1,3)", ""},
		{"1,2->1,3", ""},
		{"1 2  1 3", ""},
		{"1,2 - (1,3)", ""},
		{"(0,1)->(0,0)", "(0,0) is a corner"},
		{"(1,2)->(2,2)", "occupied"},
		{"(2,2)->(3,2)", "white has no piece on (2,2)"},
		{"(1,2)->(1,4)", "no piece to jump over between (1,2) and (1,4)"},
		{"(1,2)->(5,5)", "occupied"},
		{"(1,2)->(4,4)", "neither a step nor a jump"},
		{"(1,2)", "want (xa,ya)->(xb,yb)"},
		{"None", "must not forfeit"},
	} {
		m, err := p.ParseMove(c.move)
		if c.want == "" {
			if err != nil || p.MoveString(m) != "(1,2)->(3,2)" && p.MoveString(m) != "(1,2)->(1,3)" {
				t.Errorf("%q: %v", c.move, err)
			}
		} else if !errors.Is(err, engine.ErrIllegalMove) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.move, err, c.want)
		}
	}
	for _, m := range []engine.Move{-1, 1 << 14, Place(9), 1 << 20} {
		if _, err := p.Play(m); !errors.Is(err, engine.ErrIllegalMove) {
			t.Errorf("move %d: %v, want an illegal move", m, err)
		}
	}
}

func TestInvalidPositionsAreRefused(t *testing.T) {
	const empty = "X------X/--------/--------/--------/--------/--------/--------/X------X"
	for _, c := range []struct{ text, want string }{
		{"", "the phase and the turn"},
		{empty, "the phase and the turn"},
		{empty + ":waiting:0", "phase"},
		{empty + ":placing:24", "turns 24"},
		{empty + ":placing:-1", "turns"},
		{empty + ":moving:99999999999999", "turns"},
		{strings.Replace(empty, "--------", "-O-O-@@-", 1) + ":moving:128", "square (3,0)"},
		{empty + ":moving:5:quiet=3", "quiet=3"},
		{empty + ":moving:5:slow", "field \"slow\""},
		{"X------X/--------:placing:0", "2 rows"},
		{strings.Replace(empty, "--------", "---", 1) + ":placing:0", "row 1 has 3 squares"},
		{strings.Replace(empty, "X------X", "O------X", 1) + ":placing:1", "square (0,0)"},
		{strings.Replace(empty, "X------X", "X--w---X", 1) + ":placing:1", "square (3,0)"},
		{strings.Replace(empty, "X------X", "X--@---X", 1) + ":placing:2", "square (3,0): outside the zone where black places"},
		{strings.Replace(empty, "X------X", "X--OO--X", 1) + ":placing:2", "square (4,0): white has 2 pieces, at most 1"},
		{strings.Replace(empty, "X------X", "X-@O@--X", 1) + ":moving:2", "square (3,0): the piece is surrounded"},
		{strings.Replace(empty, "X------X", "X@-----X", 1) + ":moving:2", ""},
		{strings.Replace(empty, "X------X", "XO@----X", 1) + ":moving:2", "square (1,0): the piece is surrounded"},
		{strings.ReplaceAll(empty, "--------", "OOOOOOOO") + ":moving:9", "white has 48 pieces, at most 12"},
		{"......../.X----X./.------./.------./.------./.------./.X----X./........:moving:192", ""},
		{"......../.X----X./.------./.------./.------./.------./.X----X./........:moving:193", "square (1,1)"},
		{"......../.X----X./.------./.------./.------./.------./.X-O--X./O.......:moving:130", "square (0,7) is 'O': write ."},
		{"a\nb", "unknown notation"},
		{strings.Repeat("X - - - - - - X\n", 8) + "soon", "below the board"},
	} {
		_, err := Parse(c.text)
		if c.want == "" {
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", c.text, err, c.want)
		}
	}
}

func TestDrawMarksTheLastMove(t *testing.T) {
	p, err := Parse("......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192")
	testenv.OK(t, err)
	blank := strings.Repeat(" ", 15) + "\n"
	want := "   0 1 2 3 4 5 6 7\n0  " + blank + "1  " + blank +
		"2      X - O X    \n3      O - @ -    \n4      - - - @    \n5      X O - X    \n6  " + blank + "7  " + blank
	var b bytes.Buffer
	if err := p.Draw(&b, engine.DrawStyle{}); err != nil || b.String() != want {
		t.Errorf("drawn as\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	last := Step(sq(4, 1), sq(4, 2))
	if err := p.Draw(&b, engine.DrawStyle{Color: true, Last: &last}); err != nil || !strings.Contains(b.String(), "\x1b[1;33;7mO") {
		t.Errorf("the last move is not marked: %q", b.String())
	}
	for to, row := range map[int]string{sq(4, 2): "2      X -(O)X", sq(5, 4): "4      - - -(@)", sq(2, 3): "3     (O)- @ -"} {
		b.Reset()
		last := Step(sq(4, 1), to)
		testenv.OK(t, p.Draw(&b, engine.DrawStyle{Last: &last}))
		if q, err := Parse(b.String() + "192 turns into the moving phase"); err != nil || q != p || !strings.Contains(b.String(), "\n"+row) {
			t.Errorf("want %q in\n%s, which reads as %s, %v", row, b.String(), q, err)
		}
	}
}

// A board as the referee or query prints it is read as the same position, with blanks
// missing or extra.
func TestDrawingsAreReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for game := range 40 {
		for p := New(false); !p.over && p.turns < 300; {
			moves := p.Moves()
			p = p.Next(moves[r.IntN(len(moves))])
			var b strings.Builder
			testenv.OK(t, p.Draw(&b, engine.DrawStyle{}))
			text := b.String()
			if q, err := Parse(text + "\nposition " + p.String() + "\n"); err != nil || q != p {
				t.Fatalf("%s with its position: %s, %v", p, q, err)
			}
			switch game % 4 {
			case 1:
				text = strings.ReplaceAll(text, " ", "")
			case 2:
				text = strings.ReplaceAll(p.Board(), " ", "   ")
			case 3:
				text = strings.ReplaceAll(p.Board(), "\n", "\r\n\n")
			}
			want := p
			want.quiet = 0 // the referee does not print it
			q, err := Parse(fmt.Sprintf("%s\n%d turns into the %s phase\n", text, p.turns, p.phase))
			if q.quiet = 0; err != nil || q != want && !p.over {
				t.Fatalf("%s was drawn as\n%s\nand read as %s, %v", p, text, q, err)
			}
		}
	}
	squares := New(false).Board()
	board := squares + "0 turns into the placing phase\n"
	for text, want := range map[string]string{
		strings.Replace(board, "- ", "", 1):       "line 1: 7 squares",
		strings.Replace(board, "- ", "", 9):       "line 1: 2 squares",
		board[:7*16]:                              "ends after 7 rows",
		strings.Replace(board, "\n- ", "\nQ ", 1): "line 2: \"Q\" in the board",
		strings.Replace(board, "-", "O", 2) + "position " + New(false).String():              "give only one of them",
		"game: watchyourback\nstart: " + New(false).String() + "\n\n(0,1)\n":                 "",
		board + strings.Replace(strings.Replace(board, "-", "O", 1), "0 turn", "1 turn", 1):  "",
		"Game 7, O and @:\n-----\n" + board + "-----\n\nGood game, X!\n--\n":                 "",
		"Oxo\n\n----\n\n" + squares + "---\nWhite thinks.\n0 turns into the placing phase\n": "",
		board + strings.Replace(board, "- ", "", 1):                                          "line 10: 7 squares",
	} {
		if _, err := Parse(text); want == "" && err != nil || want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"game: watchyourback\nstart: 1\n\n(0,1)", "position position X", "(2,3) 4,4 1. ((2, 3), (3, 3)) none", New(false).Board() + "0 turns into the placing phase"} {
		f.Add(s)
	}
	for _, c := range perftTable {
		f.Add(c.position)
	}
	long, board := strings.Repeat("9", 5000), New(false).String()
	for _, s := range []string{long, board + ":" + long, board + ":quiet=" + long, strings.Replace(board, "placing", long, 1), board + long, strings.Repeat("X\n", 8) + long} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
				t.Errorf("error is not one short line: %q", err)
			}
			return
		}
		back, err := Parse(p.String())
		if err != nil || back != p {
			t.Fatalf("%q: %s reads back as %s, %v", text, p, back, err)
		}
		for _, m := range p.Moves() {
			q := p.Next(m)
			if w, b := q.Sides(); w&b != 0 || (w|b)&^playable[q.stage] != 0 || bits.OnesCount64(w) > MaxPieces {
				t.Fatalf("%s %s leads to %s", p, p.MoveString(m), q)
			}
		}
	})
}

// A board after a shrink may be typed without its removed squares.
func TestShrunkBoardsAsTyped(t *testing.T) {
	const small = "......../......../..X-OX../..-O--../..-@@-../..X--X../......../........:moving:"
	for text, want := range map[string]string{
		"X-OX/-O--/-@@-/X--X:moving:192":                                                     small + "192",
		"X-OX/-O--/-@@-/X--X":                                                                small + "192",
		"4x4\nX-OX/-O--/-@@-/X--X":                                                           small + "192",
		"X-OX/-O--/-@@-/X--X 5 turns after the second shrink":                                small + "197",
		"X-OX/-O--/-@@-/X--X 200 turns into the moving phase":                                small + "200",
		"X - O X\n- O - -\n- @ @ -\nX - - X":                                                 small + "192",
		"X-OX/-O--/-@@-/X--X, Black to move":                                                 small + "193",
		"Black to play\nX - O X\n- O - -\n- @ @ -\nX - - X":                                  small + "193",
		"X - O X\n- O - -\n- @ @ -\nX - - X\nWhite to move":                                  small + "192",
		"X - O X\n- O - -\n- @ @ -\nX - - X\nmoving:201\nblack to move":                      small + "201",
		"X - O X\n- O - -\n- @ @ -\nX - - X\n200 turns into the moving phase, White to move": small + "200",
		"Problem 3\nBlack to move\n\nX - O X\n- O - -\n- @ @ -\nX - - X":                     small + "193",
		"O is White, @ is Black\nX - O X\n- O - -\n- @ @ -\nX - - X\nO is White, @ is Black; (3,2) is a square\npieces 2-2, 200 turns into the moving phase, White to move": small + "200",
		"X----X/-OO---/------/---@@-/------/X----X": "......../.X----X./.-OO---./.------./.---@@-./.------./.X----X./........:moving:128",
	} {
		p, err := Parse(text)
		if err != nil || p.String() != want {
			t.Errorf("%q: %v, %v, want %s", text, p, err, want)
		}
	}
	for text, want := range map[string]string{
		"X-OX/-O--/-@@-/X--X:moving:100":  "turns 100 of the moving phase: the board has shrunk",
		"X-OX/-O---/-@@-/X--X:moving:192": "row 1 has 5 squares, the board has 4 in a row",
		"X - O X\n- O - -\n- @ @ -\nX - - X\n200 turns into the moving phase, Black to move": "after 200 turns of the moving phase white is to move, not black: correct one of them",
		"X - O X\n- O - -\n- @ @ -\nX - - X\nturn 10":                                        "\"turn 10\" is not understood: want",
		"Black to move, 20 turns left\nX - O X\n- O - -\n- @ @ -\nX - - X":                   "\"Black to move, 20 turns left\" is not understood",
		"193 turns into the moving phase\nX - O X\n- O - -\n- @ @ -\nX - - X":                "\"193 turns into the moving phase\" is not understood: want below",
		"X - O X\n- O - -\n- @ @ -\nX - - X\nTurn 193, Black to move":                        "\"Turn 193, Black to move\" is not understood",
		"X-OX/-O--/-@@-/X--X Turn 193, Black to move":                                        "\"Turn 193, Black to move\" is not understood",
		"1. (2,3) 3. (4,4)":         "number 3 follows number 1: add the moves between them",
		"6x6\nX-OX/-O--/-@@-/X--X":  "two sizes: 6x6 in front and a board of 4x4",
		"X-OX/-O--/X--X:moving:192": "3 rows: want 8, or after a shrink 6 or 4",
	} {
		if p, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want an error with %s", text, p, err, want)
		}
	}
}
