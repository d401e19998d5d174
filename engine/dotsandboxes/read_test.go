package dotsandboxes

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// Every vector of a notation is read with its lines, score and turn. Two optional notations
// are not read.
func TestVectors(t *testing.T) {
	optional := map[string]bool{"kata": true, "edge": true}
	read := 0
	for i, row := range enginetest.RecordedRows(t, "notation", "vectors.tsv") {
		id, _, _ := strings.Cut(row[0], "-")
		text := strings.ReplaceAll(row[2], `\n`, "\n")
		if optional[id] {
			continue
		}
		if id == "drawing" {
			score, turn, _ := strings.Cut(row[4], " turn ")
			text += "\nscore " + score + ", player " + turn + " to move"
		}
		got, err := Parse(row[1] + "\n" + text)
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		want, err := Parse(row[3])
		testenv.OK(t, err)
		if got != want {
			t.Errorf("%s: got %s, want %s", row[0], got, want)
		}
		score := fmt.Sprintf("%d-%d", got.score[0], got.score[1])
		if end := fmt.Sprintf("%s turn %d", score, got.turn); !strings.HasPrefix(row[4], end) && !(got.Over() && row[4] == score+" over") {
			t.Errorf("%s: %s, want %s", row[0], end, row[4])
		}
		// The lines are in order if the notation has one.
		if lines := strings.Fields(row[3]); strings.Contains(row[3], ",") {
			_, moves, err := Game{}.ReadGame(row[1] + " " + text)
			testenv.OK(t, err)
			for k, m := range moves {
				if name := got.MoveString(m); name != lines[k+1] {
					t.Errorf("%s: move %d is %s, want %s", row[0], k+1, name, lines[k+1])
				}
			}
		}
		read = i + 1
	}
	if read < 18 {
		t.Errorf("%d vectors", read)
	}
}

func TestReadings(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		// Little Golem: sizes, numbers of turns, tildes, commas.
		{"f3h9k8", "5x5 h4,2 h1,3 v1,5"},
		{",f3h9k8", "5x5 h4,2 h1,3 v1,5"},
		{"23.F3, 24. ~h9 k8", "5x5 h4,2 h1,3 v1,5"},
		{"#5,f3h9k8", "5x5 h4,2 h1,3 v1,5"},
		{"f3! h9?! k8?", "5x5 h4,2 h1,3 v1,5"},
		{"5x5 h11 f3", "5x5 h0,3 h4,2"},
		// Results, remarks, marks and a title in every list of moves.
		{"1. f3 2. h9 3. k8 Red resigns", "5x5 h4,2 h1,3 v1,5"},
		{"5x5\n1. f3\n2. h9\n3. k8\n4. resign", "5x5 h4,2 h1,3 v1,5"},
		{"f3 h9 k8.", "5x5 h4,2 h1,3 v1,5"},
		{"1. f3 {good} 2. h9 (?) 3. k8!", "5x5 h4,2 h1,3 v1,5"},
		{"f3 ?! h9 (better: h7) k8. Player 2 wins on time.", "5x5 h4,2 h1,3 v1,5"},
		{"Little Golem game 1234\n\n1. f3 h9 k8", "5x5 h4,2 h1,3 v1,5"},
		{"Anna - Bert\n3x3 h0,0 (good) v1,1 1/2", "3x3 h0,0 v1,1"},
		{"1. b5-c5 2. c4-c5 1-0", "5x5 h1,1 v1,2"},
		{"2x2 0 6 2 0-1", "2x2 h0,0 v0,0 h1,0"},
		{"2x2 P1(h,0,0) draw", "2x2 h0,0"},
		{"2x2 A1 B A2 T, Blue lost", "2x2 h2,0 h0,0"},
		{"1x1 1111 1-0", "1x1 h1/1 v11 1-0 1"},
		// Lines without commas.
		{"5x5 h01", "5x5 h0,1"},
		{"4x4 h11 v 2 2", "4x4 h1,1 v2,2"},
		{"3x3 1. h0 1 2. 2 2 v", "3x3 h0,1 v2,2"},
		// Quotations, code, marks.
		{"3×3 h0,1! v2,2??", "3x3 h0,1 v2,2"},
		{"> 3x3 h0,1\n> v2,2", "3x3 h0,1 v2,2"},
		{"> +--+  +\n>    |\n> +  +--+", "1x2 h10/01 v010 0-0 2"},
		{"```text\n+--+  +\n   |\n+  +--+\n```", "1x2 h10/01 v010 0-0 2"},
		{"3x3 b1 a2", "3x3 h3,0 v2,0"},
		{"trmph.com/dnb/board#7,b1b15", "7x7 h7,0 h0,0"},
		{"https://www.trmph.com/dnb/board#5", "5x5"},
		// Knox: either order, run together, dashes.
		{"1. b1-a1 2. a1 – a2", "5x5 h5,0 v4,0"},
		{"b5-c5 c4-c5, b4-c4, b4-b5, f1-f2", "5x5 h1,1 v1,2 h2,1 v1,1 v4,5"},
		{"1. e3-f32. e4-f43. a4-b4", "5x5 h3,4 h2,4 h2,0"},
		{"1. e3-f32. 3. e4-f4", "5x5 h3,4 h2,4"},
		// A complete game without a size is on its own board.
		{"a6b5g2a2f7f1c6b7e4e6g4b3d1d3c2d5b1d7e2f3c4f5a4g6", "3x3 a6b5g2a2f7f1c6b7e4e6g4b3d1d3c2d5b1d7e2f3c4f5a4g6"},
		{"1. a1-b1 2. b1-c1 3. a2-b2 4. b2-c2 5. a1-a2 6. c1-c2 7. b1-b2", "1x2 h11/11 v111 2-0 1 o11"},
		{"1. a1-a2 2. a2-a3 3. b1-b2 4. b2-b3 5. a1-b1 6. a3-b3 7. a2-b2", "2x1 h1/1/1 v11/11 2-0 1 o1/1"},
		{"10x2 a10-a11", "10x2 v0,0"},
		{"1x25 y1-z1", "1x25 h1,24"},
		// OpenSpiel.
		{"2x2 [0, 6, 2]", "2x2 h0,0 v0,0 h1,0"},
		{"2x2 100000001000", "2x2 h0,0 v0,2"},
		{"100000001000", "2x2 h0,0 v0,2"},
		{"1x2 1111110 1-0 2", "1x2 h11/11 v110 1-0 2"},
		// CodinGame.
		{"2x2 A1 B MSG hello A2 T\nb2 r", "2x2 h2,0 v0,2"},
		// The driver's log among other lines.
		{"12:00 INFO User action: player=1 - r=1 - c=2 - o=v\nfoo\n", "2x2 v1,2"},
		// Records.
		{"3x3 1. h0,0 2. v1,1 {safe} 3. h2,2\n# the end\n", "3x3 h0,0 v1,1 h2,2"},
		{"game: dotsandboxes\nstart: 2x2 h0,0\n\nv0,0\nh2,1\n", "2x2 h0,0 v0,0 h2,1"},
		// Named starts.
		{"2x2 swedish", "2x2 h11/00/11 v101/101 0-0 1"},
		{"2x2 Icelandic h0,1", "2x2 h01/00/11 v100/100 0-0 2"},
		{"2x2 american", "2x2"},
		{"2 swedish", "2x2 swedish"},
		{"Swedish 2x2 h1,0", "2x2 swedish h1,0"},
		// Drawings: labels, no indentation in the first line, three lines per box.
		{"6 + + +-+\n  |   |b|\n5 +-+-+-+\n 0-1 1", "1x3 h001/111 v1011 0-1 1 o..2"},
		{"+--+  +\n  |\n  +  +  +", "1x2 h10/00 v100 0-0 1"},
		{"\t+--+--+\n\t|\n\t+--+  +", "1x2 h11/10 v100 0-0 1"},
		{"+-------+\n|\t|\n+       +", "1x1 h1/0 v11 0-0 2"},
		{"+--+--+\n|J |M |\n+--+--+\n1-1, player 1 to move", "1x2 h11/11 v111 1-1 1"},
		{"+--+--+\n|A |C |\n+--+--+\n0-2, player 2 to move", "1x2 h11/11 v111 0-2 2"},
		{"+--+--+  \t\n|\n+--+--+\nScore: 0:0. B to move", "1x2 h11/11 v100 0-0 2"},
		{"Anna - Bert, 1x2\n+--+--+\n|A |b |\n+--+--+", "1x2 h11/11 v111 1-1 1 o12"},
		{"+-----+  3  +\n|           |\n|           |\n|           |\n+     +     +", "1x2 h10/00 v101 0-0 2"},
		{"o---o\n| * |\no===o\n1-0 2", "1x1 h1/1 v11 1-0 2"},
		{"+--+--+\n|  ┃\n+  +  +\n|\u00a0 ¦  ║\n+  +--+", "2x2 h11/00/01 v110/111 0-0 1"},
		// Drawings with box-drawing characters: light, double, bold; dots x; free places with dots.
		{"┌──┬──┐\n│  │\n├  ┼──┤\n│\n└──┴  ┘", "2x2 h11/01/10 v110/100 0-0 2"},
		{"╔══╦══╗\n║  ║\n╠  ╬══╣\n║\n╚══╩  ╝", "2x2 h11/01/10 v110/100 0-0 2"},
		{"┏━━┳━━┓\n┃  ┃\n┣  ╋━━┫\n┃\n┗━━┻  ┛", "2x2 h11/01/10 v110/100 0-0 2"},
		{"X--X--X\n|  |\nX··X--X\n|\nX--X  X", "2x2 h11/01/10 v110/100 0-0 2"},
	} {
		got, err := Parse(c.in)
		want, bad := Parse(c.want)
		testenv.OK(t, bad)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %s", c.in, got, err, want)
		}
	}
}

// A refusal names the word and its place, or both readings.
func TestReadingsRefused(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"0000000", "can be 1x2 or 2x1: put the size in front"},
		{strings.Repeat("0", 50) + strings.Repeat("1", 62), "can be 1x37 or 2x22 or 4x12 or 7x7 or 12x4 or 22x2 or 37x1: put the size in front"},
		{"5x5 h0,0 { v0,0", "the comment { v0,0 has no end"},
		{"2x2 swedish 100000001000", "swedish names the start"},
		{"2x2 icelandic h00/11/00 v010/000 0-0 1", "icelandic names the start"},
		{"1x1 swedish\n+-+\n| |\n+-+", "swedish names the start"},
		{"0 6 2", `the size of the board is missing: put it in front, as in "3x3 0 6 2"`},
		{"A1 L", "size of the board is missing"},
		{"2x2 1100", "4 digits: the 2x2 board has 12 lines"},
		{"1x1 1111", "complete boxes: 1 (row 0 column 0); add the score"},
		{"5,a1", `move 1, "a1": that is a dot`},
		{"5,f3h9zz", `move 3, "zz": want a letter and a number`},
		{"5,zz", `move 1, "zz": want a letter and a number`},
		{"f3h9zz", `move 3, "zz": want a letter and a number`},
		{"f3 h9 Anna k8", `move 3, "anna": want a letter and a number`},
		{"5x5 f3 h9 foo k8", `move 3, "foo": want a letter and a number`},
		{"1. e3-f3 2. e4-f4 foo bar", `move 3, "foo": want two dots`},
		{"Moves f3 h9", `word 1, "Moves": want a size`},
		{"Red resigns", `word 1, "Red": want a size`},
		{"5x5 Foo f3", `line "Foo": want h or v`},
		{"f3 zz", `move 2, "zz": want a letter and a number`},
		{"f3 h9 b2x", `move 3, "b2": that is a box`},
		{"f13", `outside the 5x5 board: want a letter from a to k and a number from 1 to 11, the bottom row first; if the board has another size, put it in front`},
		{"2x2 0 6 zz", `action 3, "zz": want a number`},
		{"2x2 P1(h,0,0) zz", `action 2, "zz": want a number`},
		{"2x2 A1 L zz T", `move 2, "zz T": "zz": want a box`},
		{"2x2 A1 L B2", `move 2, "B2": want a box and a side`},
		{"2x2 0,1,h zz", `line "zz": want h or v`},
		{"5,b1 b2", `move 2, "b2": that is a box`},
		{"5,b1 http://www.trmph.com/dnb/board#5,b1", `"5,b1" before the link: want the link alone`},
		{"5x5 h0,0\nhttp://www.trmph.com/dnb/board#5,b1", "before the link: want the link alone"},
		{"5,b1l1", `"l1": outside the 5x5 board: want a letter from a to k and a number from 1 to 11, the bottom row first`},
		{"3x3 z99", `move 1, "z99": outside the 3x3 board: want a letter from a to g`},
		{"5,b1b1", "drawn already"},
		{"5,a0", "outside the 5x5 board"},
		{"2x2 A1 L A0 T", `"A0": want a box from A1`},
		{"1. a1-a0", "outside the 5x5 board: want dots from a1, bottom left, to f6"},
		{"2x2 e3-f3", `"e3-f3": outside the 2x2 board: want dots from a1, bottom left, to c3`},
		{"2x2 A1 Q", `"A1 Q": want a box and a side of LTRB`},
		{"swedish 1x1", "completes the box"},
		{"+---+---+\n|       |\n+---+   *", "drawing: line 3, column 9: want a dot, +,"},
		{"+---+---+\n|       |\n+--+---+", "drawing: line 3, column 5: want a dot, +,"},
		{"+-  +---+\n|       |\n+---+---+", "drawing: line 1, column 3: a blank in a line that is drawn in part"},
		{"+---+---+\n|       |\n        |\n+---+---+", "drawing: line 3, column 1: a blank in a line that is drawn in part"},
		{"3x3 5,b1", "two sizes"},
		{"1. a3-a4/a4-b4", "names two lines"},
		{"1. a3-a5", "not neighbours"},
		{"1. a3-a4 oops", `move 2, "oops"`},
		{"1. b5-c5 2. c4-c5 3. b4-c4 4. b4-b5 5. f1-f2", `move 5, "5. f1-f2": a new turn, but player 2 took a box`},
		{"1. a10 3. k10", "number 3 follows number 1: add the moves between them, or correct the number"},
		{"1. a10, d99", `move 2, "d99": outside the 5x5 board`},
		{"1. b5-c5, c4-c5 2. b4-c4", `move 2, "c4-c5": the turn goes on after a line that took no box`},
		// Little Golem's h11 is the line h0,3.
		{"7x7 h13 h11", `"h11" has two meanings: h1,1, or h2,3 as Little Golem writes it`},
		{"3x13 a99", "want a letter from a to z and"},
		{"5x5 h11", `"h11" has two meanings: h1,1, or h0,3 as Little Golem writes it`},
		{"3x3 sweedish", `start "sweedish": known starts: american, icelandic, swedish`},
		{"3x3 russian h0,0", `start "russian": known starts`},
		{"2x2 P1(h,0,0) P1(v,0,0)", "it is player 2's turn"},
		{"2x2 A1 L A3 T", "want a box from A1, bottom left, to B2"},
		{"1 A 12345 0 0", `score "12345": want at most four digits`},
		{"1 A 0 12345 0", `score "12345": want at most four digits`},
		{"2 A 0 1 3 B1 RBL A2 LT B2 TR", "the neighbour's list"},
		{"3x3 h0,0 v1,1\nUser action: player=1 - r=0 - c=0 - o=h", `"h0,0 v1,1" beside the driver's log: want the log alone`},
		{"User action: player=1 - r=0 - c=0 - o=h\n5x5 h0,0 v1,1", "beside the driver's log"},
		{"User action: player=2 - r=0 - c=0 - o=h", "it is player 1's turn"},
		{"1x1 User action: player=1 - r=0 - c=0 - o=h\nUser action: player=2 - r=1 - c=0 - o=h\nUser action: player=1 - r=0 - c=0 - o=v\nUser action: player=2 - r=0 - c=1 - o=v\nGame ended: points1=1 - points2=0 - winner=1", "ends 1-0, but its lines give 0-1"},
		{"(1,2,3) (2,3,1)", "do not give the direction"},
		{"game(1,8,8)\nm(1,2,3)", "do not give the direction"},
		{"1x1 swedish", "completes the box"},
		{"+ + + + +\n| |b|b|\n+ +-+-+ +\n0-2 1", "line 2"},
		{"+---+---+\n| |   |\n+---+---+", "line 2"},
		{"+--+  +\n  |\n  +  +  +\nv0,0", "the line \"v0,0\" beside it"},
		{"+--+  +\n  |\n  +  +  +\nscore 0-0, player 2 to mvoe", "to mvoe\" beside it"},
		{"+---+\n| ? |\n+---+\n1-0 1", `has "?" inside: want its owner, 1 or 2`},
		{"+--+--+\n|J |M |\n+--+--+", "complete boxes: 2"},
		{"+--+--+\n|A |  |\n+--+--+", "complete boxes without an owner: 1 (row 0 column 1); add the score"},
		{"+--+--+\n|A |  |\n+--+--+\n1-1, X to move", "1 or 2, or A or B"},
		{"+---+\n  A |\n+---+", "but it is open"},
		{"+---+\n| A |\n+---+---+", "line 3"},
		{"+--+\n|A |\n+--+\nposition 1x1 h1/0 v11 0-0 2", "give only one of them"},
		{"+--+--+--+\n|  I     |\n+  +--+--+\n|  |     |\n+  +  +--+", `drawing: line 2, column 4: "I": want | or a blank`},
		{"+--+--+\n|  1  |\n+  +--+", `drawing: line 2, column 4: "1": want | or a blank`},
		{"+--+--+\n:  |  |\n+  +--+", `drawing: line 2, column 1: ":": want | or a blank`},
		{"+--+--+\n|\t|  |\n+  +--+", "drawing: line 2, column 2: a tab, whose width is unknown"},
		{"+---+---+---+\n\t|\n+---+---+---+", "drawing: line 2, column 1: a tab, whose width is unknown"},
		{"+--+--+\n|  |\n+  +--+\n|     |", "drawing: line 4: squares below the last row of dots: add the row of dots"},
		{"+--+12+\n|  |  |\n+  +--+", `drawing: line 1, column 5: "1": want - or a blank`},
		{"+--+--+\n|  |  |\n+~~+--+", `drawing: line 3, column 2: "~": want - or a blank`},
		{"+--+--+\n  |  I  |\n  +  +--+", `drawing: line 2, column 6: "I": want | or a blank`},
		{"+--+12+\n  |  |  |\n  +  +--+", `drawing: line 1, column 5: "1": want - or a blank`},
		{"+--+--+\n|  |  | 3\n+  +--+", `drawing: line 2, column 9: "3": want nothing to the right`},
		{"  +--+\nx |  |\n  +  +", `drawing: line 2, column 1: "x": want a row number or a blank`},
		{" _ _\n|_|_|\n|_|_|", "drawing: no two rows of dots"},
		{"·──·\n│  │\n·──·", "drawing: no two rows of dots"},
		{"hello", "unknown notation"},
		{"3 x 3 h0,1", "want a size like 3x3, then moves"},
		{"# a comment", "nothing but comments"},
		{"3. 4.", "nothing but comments"},
	} {
		_, err := Parse(c.in)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want an error with %q", c.in, err, c.want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error has several lines: %v", c.in, err)
		}
	}
}

// A drawing with the line below it that query prints is read as the same position.
func TestDrawingsAreReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		p := randomPosition(t, r)
		if r.IntN(3) == 0 { // with unknown owners
			p.owned = [2]grid.Set{}
		}
		var b strings.Builder
		testenv.OK(t, p.Draw(&b, engine.DrawStyle{}))
		fmt.Fprintf(&b, "\nscore %d-%d, player %d to move\n", p.score[0], p.score[1], p.turn)
		q, err := Parse(b.String())
		if err != nil || q != p {
			t.Fatalf("%s was drawn as\n%s\nand read as %s, %v", p, b.String(), q, err)
		}
	}
}

// In a narrow drawing, a line of full width is read, also if it ends in blanks. A shorter one
// with single blanks may have lost some.
func TestNarrowDrawings(t *testing.T) {
	full := "+-+ +\n| |  \n+ + +\n     \n+ + +\n"
	if p, err := Parse(full); err != nil || p.String() != "2x2 h10/00/00 v110/000 0-0 2" {
		t.Errorf("read as %s, %v", p, err)
	}
	short := strings.ReplaceAll(full, "| |  ", "| |")
	if p, err := Parse(short); err == nil || !strings.Contains(err.Error(), "blanks seem to be missing") {
		t.Errorf("read as %s, %v", p, err)
	}
}

// A hundred random games are written and read back in every notation of games, move by
// move and with nothing added, and a position in every notation of positions. Moves that cannot be written give an
// error.
func TestGamesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for k := range 100 {
		n := 1 + r.IntN(9)
		b, err := grid.New(n, n)
		testenv.OK(t, err)
		p := New(b)
		var moves []engine.Move
		for len(moves) == 0 || !p.Over() && (k%2 == 0 || r.IntN(20) > 0) {
			legal := p.Moves()
			m := legal[r.IntN(len(legal))]
			p, err = p.DrawLine(m)
			testenv.OK(t, err)
			moves = append(moves, m)
		}
		for _, name := range (Game{}).Notations() {
			text, err := Game{}.Write(name, New(b), moves)
			testenv.OK(t, err)
			start, got, err := Game{}.ReadGame(text)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, text, err)
			}
			if name == "position" || name == "drawing" || name == "dbn" {
				q := start.(Position)
				if q.owned == [2]grid.Set{} {
					q.owned = p.owned
				}
				if q != p {
					t.Fatalf("%s: %s came back as %s", name, p, q)
				}
				continue
			}
			if fmt.Sprint(got) != fmt.Sprint(moves) || start != New(b) {
				t.Fatalf("%s: %s\ncame back as %v, want %v", name, text, got, moves)
			}
			if _, err := (Game{}).Write(name, p, nil); name != "record" && (err == nil || !strings.Contains(err.Error(), "from the empty board")) {
				t.Fatalf("%s of a position without moves: %v", name, err)
			}
		}
	}
	// Vectors in the usual form are written as they were read.
	for _, text := range []string{"http://www.trmph.com/dnb/board#5,f3h9k8", "1. b5-c5 2. c4-c5 3. b4-c4 4. b4-b5, d3-e3 5. f1-f2"} {
		name := map[bool]string{true: "knox", false: "trmph"}[strings.HasPrefix(text, "1.")]
		start, moves, err := Game{}.ReadGame(text)
		testenv.OK(t, err)
		if again, err := (Game{}).Write(name, start, moves); err != nil || again != text {
			t.Errorf("%s: written as %s, %v", text, again, err)
		}
	}
}

// A start may be named before or after the size, or alone.
func TestNamedStarts(t *testing.T) {
	for text, want := range map[string]string{"swedish 2x3": "2x3 h111/000/111 v1001/1001 0-0 1", "2x3 Swedish": "2x3 h111/000/111 v1001/1001 0-0 1", "icelandic 1x2": "1x2 h00/11 v100 0-0 1"} {
		if p, err := (Game{}).Start(text); err != nil || p.String() != want {
			t.Errorf("%s: %v (%v), want %s", text, p, err, want)
		}
	}
	for _, text := range []string{"swedish swedish", "swedish 2x3 x", "2x3 finnish"} {
		if p, err := (Game{}).Start(text); err == nil {
			t.Errorf("%s: %v", text, p)
		}
	}
}
