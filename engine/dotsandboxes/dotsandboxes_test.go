package dotsandboxes

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// plain is an independent implementation on nested slices, written from the text of the
// rules. It shares nothing with Position.
type plain struct {
	rows, cols int
	h, v       [][]bool
	turn       int
	score      [2]int
}

func newPlain(rows, cols int) *plain {
	g := &plain{rows: rows, cols: cols}
	for range rows + 1 {
		g.h = append(g.h, make([]bool, cols))
	}
	for range rows {
		g.v = append(g.v, make([]bool, cols+1))
	}
	return g
}

func (g *plain) full(r, c int) bool {
	return g.h[r][c] && g.h[r+1][c] && g.v[r][c] && g.v[r][c+1]
}

func (g *plain) count() int {
	n := 0
	for r := range g.rows {
		for c := range g.cols {
			if g.full(r, c) {
				n++
			}
		}
	}
	return n
}

func (g *plain) perft(depth, captured int, c *count) {
	if depth == 0 {
		c.add(captured, g.turn == 0, g.score[0]-g.score[1])
		return
	}
	for _, lines := range [][][]bool{g.h, g.v} {
		for r := range lines {
			for i := range lines[r] {
				if lines[r][i] {
					continue
				}
				turn, score, before := g.turn, g.score, g.count()
				lines[r][i] = true
				got := g.count() - before
				g.score[turn] += got
				if got == 0 {
					g.turn = 1 - turn
				}
				g.perft(depth-1, got, c)
				lines[r][i] = false
				g.turn, g.score = turn, score
			}
		}
	}
}

func TestPerftAgreesWithPlainRules(t *testing.T) {
	for _, c := range []struct {
		board string
		depth int
	}{
		{"1x1", 4}, {"1x2", 7}, {"2x1", 7}, {"1x3", 7}, {"2x2", 6}, {"2x3", 4}, {"3x3", 4}, {"9x9", 2},
	} {
		b := enginetest.Board(t, c.board)
		for d := 0; d <= c.depth; d++ {
			var want count
			newPlain(b.Rows, b.Cols).perft(d, 0, &want)
			if got := countMoves(New(b), d); got != want {
				t.Errorf("%s depth %d: got %+v, plain rules say %+v", c.board, d, got, want)
			}
		}
	}
}

// Fixed figures show a change of both implementations.
func TestPerftFigures(t *testing.T) {
	for _, c := range []struct {
		board string
		depth int
		want  count
	}{
		{"1x1", 4, count{24, 24, 0, 0, -24}},
		{"1x2", 7, count{5040, 5040, 720, 720, -4896}},
	} {
		b, _ := grid.Parse(c.board)
		if got := countMoves(New(b), c.depth); got != c.want {
			t.Errorf("%s depth %d: got %+v, want %+v", c.board, c.depth, got, c.want)
		}
	}
}

// randomPosition plays random moves on a random board.
func randomPosition(t *testing.T, r *rand.Rand) Position {
	b, err := grid.New(1+r.IntN(9), 1+r.IntN(9))
	testenv.OK(t, err)
	p := New(b)
	for range r.IntN(b.Segments() + 1) {
		moves := p.Moves()
		p, err = p.DrawLine(moves[r.IntN(len(moves))])
		testenv.OK(t, err)
	}
	return p
}

func TestNotationRoundTrips(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := randomPosition(t, r)
		q, err := Parse(p.String())
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if q != p {
			t.Fatalf("%s came back as %s", p, q)
		}
		for _, m := range p.Moves() {
			got, err := p.ParseMove(p.MoveString(m))
			if err != nil || got != m {
				t.Fatalf("move %s: got %d, %v", p.MoveString(m), got, err)
			}
		}
	}
}

func TestLinesAreReadAsPeopleTypeThem(t *testing.T) {
	p, err := Parse("3x3")
	testenv.OK(t, err)
	for _, text := range []string{"h2,1", "H2,1", "h 2 1", "2,1,h", "h21", "h(2,1)", "h2.1", "H 2, 1 "} {
		if m, err := p.ParseMove(text); err != nil || p.MoveString(m) != "h2,1" {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"b1": "h3,0", "A2": "v2,0", "b1-c1": "h3,1", "C1 - c2": "v2,2", "A1 B": "h3,0", "c3 r": "v0,3", "P1(h,0,1)": "h0,1", "3. h1 2": "h1,2",
		"User action: player=1 - r=0 - c=1 - o=h": "h0,1", "h33": "", "h3 3": "", "2": "", "P2(h,0,1)": "", "b1 b3": "", "a1": "", "2x2 h0,1": "",
		"h00/00/00/00": "", "h0,1 v0,1": "",
	} {
		if m, err := p.ParseMove(text); (err == nil) != (want != "") || err == nil && p.MoveString(m) != want {
			t.Errorf("%q: %s, %v, want %s", text, p.MoveString(m), err, want)
		}
	}
	for text, want := range map[string]string{
		"h9": "want h or v", "h44": "line h4,4 is outside the 3x3 board", "b9": "outside", "a1": "that is a dot",
	} {
		if _, err := p.ParseMove(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"", "h", "h2", "h210", "21", "h2,1,v", "x21"} {
		if _, err := p.ParseMove(text); err == nil {
			t.Errorf("%q is read as a line", text)
		}
	}
}

func TestRulesHoldInRandomGames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := randomPosition(t, r)
		done := 0
		for box := range p.Board().Squares() {
			if p.Completed(box) {
				done++
				if p.Owner(box) == engine.None {
					t.Fatalf("%s: box %d is completed and has no owner", p, box)
				}
			}
		}
		s := p.Score()
		if s[0]+s[1] != done {
			t.Fatalf("%s: %d boxes are completed", p, done)
		}
		if p.Over() != (len(p.Moves()) == 0) {
			t.Fatalf("%s: over %v with %d moves", p, p.Over(), len(p.Moves()))
		}
		for _, m := range p.Moves() {
			q, err := p.DrawLine(m)
			testenv.OK(t, err)
			k := p.Captures(m)
			if (k > 0) != (q.Turn() == p.Turn()) {
				t.Fatalf("%s %s: %d boxes, turn %s to %s", p, p.MoveString(m), k, p.Turn(), q.Turn())
			}
			if _, err := q.Play(m); !errors.Is(err, engine.ErrIllegalMove) {
				t.Fatalf("%s drawn twice: %v", p.MoveString(m), err)
			}
		}
	}
}

func TestParseForms(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"1x1", "1x1 h0/0 v00 0-0 1"},
		{"2x2: h0,0 v1,2", "2x2 h10/00/00 v000/001 0-0 1"},
		{"1x1 h0,0 h1,0 v0,0 v0,1", "1x1 h1/1 v11 0-1 2 o2"},
		{"1x1 h1/1 v11 0-1 2", "1x1 h1/1 v11 0-1 2"},
		{"1x1 v00 h0/0", "1x1 h0/0 v00 0-0 1"},
		{"2x2 h00/11/00 v010/000", "2x2 h00/11/00 v010/000 0-0 2"},
		{"2x2 h00/11/00 v010/000 0-0", "2x2 h00/11/00 v010/000 0-0 2"},
		{"2x2 h00/11/00 v010/000 1", "2x2 h00/11/00 v010/000 0-0 1"},
		{"1x2 h11/11 v110 o1. 2", "1x2 h11/11 v110 1-0 2 o1."},
		{`{"type":"start","player":1,"timelimit":0.5,"grid":[1,1],"game":"x"}
		  {"type":"action","location":[0,0],"orientation":"h"}
		  {"type":"action","game":"x","player":1,"nextplayer":2,"score":[0,0],"location":[0,0],"orientation":"h"}
		  {"type":"action","game":"x","player":1,"nextplayer":2,"score":[0,0],"location":[0,0],"orientation":"h"}`, "1x1 h1/0 v00 0-0 2"},
	} {
		p, err := Parse(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
		} else if p.String() != c.want {
			t.Errorf("%s: got %s, want %s", c.in, p, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "empty"},
		{"0x3", "sides must be"},
		{"20x20", "segments"},
		{"h0,1 v1,2", `the size of the board is missing: put it in front, as in "3x3 h0,1 v1,2"`},
		{"h0 1", "put it in front"},
		{"h0/0 v00 0-0 1", "put it in front"},
		{"1x1 h9,9", "outside the 1x1 board"},
		{"1x1 h0,0 h0,0", "move 2: illegal move: line h0,0 is drawn already"},
		{"1x1 d0,0", "want h or v"},
		{"1x1 h0/0", "both needed"},
		{"1x1 h0 v0/0", "1 rows, the board has 2"},
		{"1x1 h0/00 v00", "row 1: 2 lines, the board has 1"},
		{"1x1 h0/x v00", "row 1, column 0"},
		{"1x1 h1/1 v11 0-0 1", "must add up to 1, the boxes that are completed (row 0 column 0)"},
		{"1x6 h111111/111111 v1111111 0-0 1", "(row 0 column 0, row 0 column 1, row 0 column 2, row 0 column 3, …)"},
		{"1x2 h11/11 v110 1-0", "complete boxes: 1 (row 0 column 0); add the player to move"},
		{"1x1 h0/0 v00 1-0 1", "must add up"},
		{"1x1 h1/1 v11 1-0 1 o2", "the owners have 0-1 boxes"},
		{"1x1 h0/0 v00 0-0 1 o1", "the box is open"},
		{"1x1 h0/0 v00 h0/0", "given twice"},
		{"1x1 h0/0 v00 0-0 3", "field"},
		{"{", "message 1"},
		{`{"type":"action","player":1,"nextplayer":2}`, "before start"},
		{`{"type":"start","grid":[1]}`, "want [rows, cols]"},
		{`{"type":"start","grid":[1,1]} {"type":"end","location":[0,0],"orientation":"x"}`, "orientation"},
		{`{"type":"start","grid":[1,1]} {"type":"end","player":2,"location":[0,0],"orientation":"h"}`, "player 2 moves"},
		{`{"type":"start","grid":[1,1]} {"type":"action","player":1,"nextplayer":1,"location":[0,0],"orientation":"h"}`, "nextplayer 1, want 2"},
	} {
		_, err := Parse(c.in)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want an error with %q", c.in, err, c.want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error has several lines: %v", c.in, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("2x2 h00/11/00 v010/000 0-0 1")
	f.Add("3x3 h0,1 v2,2")
	long := strings.Repeat("9", 5000)
	for _, s := range []string{long, "3x3 " + long, "3x3 h" + long, "3x3 h0/0/0/0 v0 " + long + "-0", `{"type":"` + long + `"}`, `{"type":"start","grid":"` + long + `"}`} {
		f.Add(s)
	}
	f.Add(`{"type":"start","grid":[1,1]} {"type":"end","location":[0,0],"orientation":"h"}`)
	for _, s := range []string{
		"http://www.trmph.com/dnb/board#5,f3h9k8", "1. b5-c5 2. c4-c5 3. b4-c4 4. b4-b5, d3-e3", "2x2 0 6 2 7 4", "2x2 P1(h,0,1)", "010101010101",
		"2x2 A1 B\nA2 T", "2\nA\n0 1\n3\nB1 RB\nA2 LT\nB2 TR", "User action: player=1 - r=1 - c=2 - o=v\n", "+--+  +\n|  \n+  +  +\nscore 0-0, player 1 to move",
		"position position 1x1", "game: dotsandboxes\nstart: 1x1\n\nh0,0", "(1,2,3)", "3x3 swedish {x} h1,1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
				t.Errorf("error of more than a short line: %q", err)
			}
			return
		}
		q, err := Parse(p.String())
		if err != nil || q != p {
			t.Fatalf("%q: %s came back as %s, %v", s, p, q, err)
		}
	})
}

func TestDraw(t *testing.T) {
	p, err := Parse("2x2 h0,0 h1,0 v0,0 v0,1 v1,2")
	testenv.OK(t, err)
	last, err := LineAt(p.Board(), "v", 1, 2)
	testenv.OK(t, err)
	var w strings.Builder
	testenv.OK(t, p.Draw(&w, engine.DrawStyle{Last: &last}))
	want := `   0   1   2   
 0 +---+   +
   | 2 |    
 1 +---+   +
           #
 2 +   +   +
`
	if w.String() != want {
		t.Errorf("got\n%s\nwant\n%s", w.String(), want)
	}
}

// The recorded game of two real agents follows the rules from the first line to the winner.
func TestRecordedGame(t *testing.T) {
	text := testenv.ReadFile(t, enginetest.Recorded(t, "transcripts", "dotsandboxes-compete.txt"))
	var msgs strings.Builder
	n := 0
	for line := range strings.Lines(string(text)) {
		if _, m, ok := strings.Cut(line, "{"); ok && strings.Contains(line, "A1  game->agent FRAME TEXT") {
			msgs.WriteString("{" + m)
			n++
		}
	}
	p, err := Parse(msgs.String())
	testenv.OK(t, err)
	if n != 32 || !p.Over() || p.Score() != [2]int{8, 4} || engine.Winner(p) != engine.First {
		t.Errorf("%d messages end in %s", n, p)
	}
}

// QuickMove takes boxes if it can, else gives none away, else as few as possible; equal
// lines are chosen at random.
func TestQuickMove(t *testing.T) {
	start, err := Parse("5x5")
	testenv.OK(t, err)
	drawn := map[engine.Move]int{}
	for range 300 {
		drawn[start.QuickMove()]++
	}
	if n := drawn[start.Moves()[0]]; n > 40 || len(drawn) < 30 {
		t.Errorf("%d different lines, the first of the list %d times", len(drawn), n)
	}
	for text, want := range map[string]string{
		"1x4 v0,1 h1,0 h0,1 h0,2 h0,3 h1,2 h1,3":      "h0,0 v0,0",           // one box or three
		"1x4 v0,1 h1,0 h0,1 h0,2 h0,3 h1,2 h1,3 h0,0": "v0,0",                // takes a box
		"1x4 v0,1 h1,0 h0,1 h0,2 h1,3":                "h0,3 h1,2 v0,3 v0,4", // gives nothing away
	} {
		p, err := Parse(text)
		testenv.OK(t, err)
		for range 20 {
			if m := p.MoveString(p.QuickMove()); !slices.Contains(strings.Fields(want), m) {
				t.Errorf("%s: %s, want one of %s", p, m, want)
			}
		}
	}
}
