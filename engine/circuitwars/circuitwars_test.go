package circuitwars

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/engine/wire/wiretest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// plain is a second implementation of the rules, on the server's cell bits. After a move,
// squares from which no path across undrawn borders leads off the board are captured.
type plain struct {
	rows, cols int
	cell       [][]int
	turn       int
}

func newPlain(rows, cols int) *plain {
	g := &plain{rows: rows, cols: cols, turn: 1}
	for range rows {
		g.cell = append(g.cell, make([]int, cols))
	}
	return g
}

var plainStep = [4][2]int{{0, -1}, {1, 0}, {0, 1}, {-1, 0}}

func (g *plain) free(x, y, side int) bool {
	if g.cell[y][x]&(1<<side|16|32) != 0 {
		return false
	}
	x2, y2 := x+plainStep[side][0], y+plainStep[side][1]
	return x2 < 0 || y2 < 0 || x2 >= g.cols || y2 >= g.rows || g.cell[y2][x2]&(16|32) == 0
}

func (g *plain) play(x, y, side int) *plain {
	n := newPlain(g.rows, g.cols)
	for i := range g.cell {
		copy(n.cell[i], g.cell[i])
	}
	n.cell[y][x] |= 1 << side
	x2, y2 := x+plainStep[side][0], y+plainStep[side][1]
	if x2 >= 0 && y2 >= 0 && x2 < g.cols && y2 < g.rows {
		n.cell[y2][x2] |= 1 << ((side + 2) % 4)
	}
	for yy := range n.rows {
		for xx := range n.cols {
			if n.cell[yy][xx]&(16|32) == 0 && !n.escapes(xx, yy, map[[2]int]bool{}) {
				n.cell[yy][xx] |= 16 * g.turn
			}
		}
	}
	n.turn = 3 - g.turn
	return n
}

func (g *plain) escapes(x, y int, seen map[[2]int]bool) bool {
	if x < 0 || y < 0 || x >= g.cols || y >= g.rows {
		return true
	}
	if seen[[2]int{x, y}] {
		return false
	}
	seen[[2]int{x, y}] = true
	for side, d := range plainStep {
		if g.cell[y][x]&(1<<side) == 0 && g.escapes(x+d[0], y+d[1], seen) {
			return true
		}
	}
	return false
}

func (g *plain) perft(depth int) uint64 {
	if depth == 0 {
		return 1
	}
	var n uint64
	for y := range g.rows {
		for x := range g.cols {
			for side := range 4 {
				// Each inner segment is played by only one of its names.
				if (side == 0 && y > 0) || (side == 3 && x > 0) || !g.free(x, y, side) {
					continue
				}
				n += g.play(x, y, side).perft(depth - 1)
			}
		}
	}
	return n
}

// perft returns the number of move sequences of exactly depth turns from p. Games that
// end earlier do not count.
func perft(p Position, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	var n uint64
	for _, s := range p.free.Segments() {
		q, err := p.Occupy(s)
		if err != nil {
			panic(err) // a free segment is always legal
		}
		n += perft(q, depth-1)
	}
	return n
}

func TestPerftAgreesWithPlainRules(t *testing.T) {
	for _, c := range []struct{ rows, cols, depth int }{
		{1, 1, 4}, {1, 2, 7}, {1, 3, 6}, {2, 2, 5}, {2, 3, 4}, {3, 2, 4}, {3, 3, 3}, {7, 7, 2}, {7, 8, 2},
	} {
		p, err := New(c.rows, c.cols)
		testenv.OK(t, err)
		for d := 1; d <= c.depth; d++ {
			if got, want := perft(p, d), newPlain(c.rows, c.cols).perft(d); got != want {
				t.Errorf("%dx%d depth %d: %d sequences, want %d by the plain rules", c.rows, c.cols, d, got, want)
			}
		}
	}
}

func TestRandomGamesAgreeWithPlainRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		rows, cols := 1+rng.IntN(7), 1+rng.IntN(7)
		p, err := New(rows, cols)
		testenv.OK(t, err)
		g := newPlain(rows, cols)
		for !p.Over() {
			moves := p.Moves()
			m := moves[rng.IntN(len(moves))]
			x, y, side := p.board.Name(int(m))
			p, err = p.Occupy(int(m))
			testenv.OK(t, err)
			g = g.play(x, y, int(side))
			if got := p.Cells(); fmt.Sprint(got) != fmt.Sprint(g.cell) {
				t.Fatalf("game %d: cells %v, want %v by the plain rules", i, got, g.cell)
			}
			if int(p.turn) != g.turn {
				t.Fatalf("game %d: turn %d, want %d by the plain rules", i, p.turn, g.turn)
			}
			back, err := Parse(p.String())
			if err != nil || back.String() != p.String() || back.free != p.free {
				t.Fatalf("%s reads back as %s (%v)", p, back, err)
			}
			st, err := ParseStatus(statusJSON(t, p))
			if err != nil || st.Position.String() != p.String() || st.Position.free != p.free {
				t.Fatalf("%s as a status reads back as %s (%v)", p, st.Position, err)
			}
		}
		if s := p.Score(); s[0]+s[1] != rows*cols {
			t.Fatalf("game %d: scores %v on %d squares", i, s, rows*cols)
		}
	}
}

func statusJSON(t *testing.T, p Position) []byte {
	t.Helper()
	code := TurnOf1.For(p.turn)
	if p.Over() {
		code = WonBy1
	}
	data, err := json.Marshal(map[string]any{
		"status_code": code, "status": code.Text(), "score_1": p.score[0], "score_2": p.score[1],
		"board_size": p.board.Rows, "board": p.Cells(),
	})
	testenv.OK(t, err)
	return data
}

func TestPositionsWithUnknownOwnersRoundTrip(t *testing.T) {
	p, err := Parse("1x2 0,0,top 0,0,left 0,0,bottom 0,0,right")
	testenv.OK(t, err)
	known := p.String()
	short := known[:strings.LastIndex(known, ":")]
	q, err := Parse(short)
	testenv.OK(t, err)
	if q.String() != short || q.free != p.free || q.score != p.score {
		t.Errorf("%s without owners reads back as %s", short, q)
	}
	if _, known := q.Owner(0); known {
		t.Error("the owner of square 0 is known, but was not given")
	}
}

func TestInvalidPositionsAreRefused(t *testing.T) {
	status := func(edit func(m map[string]any)) string {
		m := map[string]any{"status_code": 201, "score_1": 0, "score_2": 0, "board_size": 2,
			"board": [][]any{{0, 0}, {0, 0}}, "time_left": 3000, "last_move": ""}
		edit(m)
		b, err := json.Marshal(m)
		testenv.OK(t, err)
		return string(b)
	}
	board := func(b ...[]any) string { return status(func(m map[string]any) { m["board"] = b }) }
	for _, c := range []struct{ in, want string }{
		{"", "empty"},
		{"9x9x9", "board size"},
		{"10x10", "board 10x10 has 220 segments, at most 127"},
		{"10x10:0:0-0:1", "at most 127"},
		{"10x10 /move/a/0,0,top\n----\nstatus: 100\nplayer_1: a\nplayer_2: b\nscore_1: 0\nscore_2: 0\n", "at most 127"},
		{"9x9", "at most 127"},
		{"2x2:00:0-0:1", "2 characters, a 2x2 board needs 3"},
		{"2x2:0g0:0-0:1", `character 2 is 'g'`},
		{"2x2:000:0-1:1", "with the sum 0, the number of closed squares"},
		{"1x1:f:2-0:1", "scores 2-0: want two numbers from 0 on with the sum 1, the number of closed squares (the first of them is 0,0)"},
		{"2x2:000:0:1", `scores "0"`},
		{"2x2:000:0-0:3", `turn "3"`},
		{"1x1:2:0-0:1:.1", "2 squares"},
		{"1x1:2:1-0:1:1", "square 0,0: has an owner but is open"},
		{"1x1:f:0-0:1:.", "square 0,0: closed off"},
		{"1x1:f:0-1:1:1", "scores 0-1: impossible"},
		{"1x2:fa:1-1:1:12", "one area"},
		{"1x1:1f:0-0:1", "2 characters"},
		{"3,2,right 3,2", "move 2"},
		{"3,2,right 4,2,left", "drawn already"},
		{"3,2,middle", "write top, right, bottom or left"},
		{"03,2,top", "want a number from 0 to 999 without sign"},
		{"7,0,top", "outside the 7x7 board"},
		{"{", "not JSON"},
		{`{"status_code":"turn"}`, `status_code "turn"`},
		{`{"board":[[0]]}`, "status_code null"},
		{status(func(m map[string]any) { m["board"] = "7x7" }), "board: missing"},
		{status(func(m map[string]any) { m["last_move"] = 7 }), "last_move: a number is not expected"},
		{status(func(m map[string]any) { m["status_code"] = 203 }), "status_code 203"},
		{status(func(m map[string]any) { delete(m, "board") }), "board: missing"},
		{status(func(m map[string]any) { delete(m, "score_1") }), "scores null-0: impossible"},
		{status(func(m map[string]any) { m["board_size"] = 3 }), "board_size 3"},
		{status(func(m map[string]any) { m["score_2"] = 4 }), "scores 0-4: impossible"},
		{status(func(m map[string]any) { m["last_move"] = "2,2" }), "last_move"},
		{status(func(m map[string]any) { m["status_code"] = 301 }), "finished, but 12 segments"},
		{board(make([]any, 40), make([]any, 40), make([]any, 40)), "at most 127"},
		{board([]any{0, 0}, []any{0}), "row 1 has 1 cells"},
		{board([]any{0, 64}, []any{0, 0}), "cell 1,0 is 64"},
		{board([]any{0, -1}, []any{0, 0}), "cell 1,0 is -1"},
		{board([]any{0, nil}, []any{0, 0}), "cell 1,0 is null"},
		{board([]any{2, 0}, []any{0, 0}), "cells 0,0 and 1,0 contradict"},
		{board([]any{4, 0}, []any{0, 0}), "cells 0,0 and 0,1 contradict"},
		{board([]any{48, 0}, []any{0, 0}), "owned by both"},
		{board([]any{16, 0}, []any{0, 0}), "square 0,0: has an owner but is open"},
		{board([]any{15, 8}, []any{1, 0}), "square 0,0: closed off"},
	} {
		_, err := Parse(c.in)
		if err == nil {
			t.Errorf("%s: accepted", c.in)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %q, want one line with %q", c.in, err, c.want)
		}
	}
}

// Scores that no game reaches are refused, also if they add up to the closed squares.
func TestImpossibleScoresAreRefused(t *testing.T) {
	b, err := grid.New(2, 2)
	testenv.OK(t, err)
	var none grid.Set
	for _, c := range []struct {
		drawn grid.Set
		score [2]int
		want  bool
	}{
		{none, [2]int{0, 0}, true}, {none, [2]int{-1, 1}, false}, {none, [2]int{1, -1}, false}, {none, [2]int{0, 1}, false},
		{b.All(), [2]int{0, 4}, true}, {b.All(), [2]int{4, 0}, true}, {b.All(), [2]int{5, -1}, false}, {b.All(), [2]int{2, 1}, false},
	} {
		if _, err := FromDrawn(b, c.drawn, c.score, engine.First); (err == nil) != c.want {
			t.Errorf("scores %v after %d segments: %v", c.score, c.drawn.Len(), err)
		}
	}
}

// Every segment's name is read back as the segment; other moves are named by their number.
func TestSegmentsAreNamed(t *testing.T) {
	p, err := Parse("2x3")
	testenv.OK(t, err)
	for m := range engine.Move(p.board.Segments()) {
		if got, err := p.ParseMove(p.MoveString(m)); err != nil || got != m {
			t.Errorf("segment %d is %s, read back as %d: %v", m, p.MoveString(m), got, err)
		}
	}
	for _, m := range []engine.Move{-1, engine.Move(p.board.Segments())} {
		if got, want := p.MoveString(m), fmt.Sprintf("segment %d", m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMovesAreReadAsPeopleTypeThem(t *testing.T) {
	p, err := Parse("2x2")
	testenv.OK(t, err)
	for _, text := range []string{"1,0,top", "1 0 top", " 1, 0,Top\t", "1,0 TOP", "(1,0) top", "1.0.top", "1 0 t", "1,0,T"} {
		if m, err := p.ParseMove(text); err != nil || p.MoveString(m) != "1,0,top" {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "1,0", "10top", "1 0 top 0", "1,0,up", "1,0,to", "10t"} {
		if _, err := p.ParseMove(text); err == nil {
			t.Errorf("%q is read as a move", text)
		}
	}
}

func TestIllegalMovesWrapErrIllegalMove(t *testing.T) {
	p, err := Parse("2x2 0,0,right")
	testenv.OK(t, err)
	if _, err := p.ParseMove("1,0,left"); !errors.Is(err, engine.ErrIllegalMove) {
		t.Errorf("the other name of an occupied segment: %v", err)
	}
	if _, err := p.Play(99); !errors.Is(err, engine.ErrIllegalMove) {
		t.Errorf("segment 99: %v", err)
	}
	if _, err := p.ParseMove("0,0,up"); err == nil || errors.Is(err, engine.ErrIllegalMove) {
		t.Errorf("invalid border: %v", err)
	}
}

func TestDrawShowsOwnersAndLastMove(t *testing.T) {
	p, err := Parse("2x2 0,0,top 1,1,bottom 0,0,left 1,1,right 0,0,bottom 1,1,top 0,0,right")
	testenv.OK(t, err)
	last, err := p.board.Segment(0, 0, grid.Right)
	testenv.OK(t, err)
	m := engine.Move(last)
	var b bytes.Buffer
	testenv.OK(t, p.Draw(&b, engine.DrawStyle{Last: &m}))
	want := "     0   1 \n" +
		"   +---+ · +\n" +
		" 0 | 1 #   ·\n" +
		"   +---+---+\n" +
		" 1 ·   ·   |\n" +
		"   + · +---+\n"
	if b.String() != want {
		t.Errorf("drawn:\n%swant:\n%s", b.String(), want)
	}
}

func TestRecordedGamesReplayToTheirResults(t *testing.T) {
	dir := enginetest.Recorded(t, "circuitwars")
	f, err := os.Open(filepath.Join(dir, "results.csv"))
	testenv.OK(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	testenv.OK(t, err)
	ends := map[Code]string{WonBy1: "none", WonBy1 + 1: "none",
		IllegalBy1: "illegal:p1", IllegalBy1 + 1: "illegal:p2", TimeoutBy1: "timeout:p1", TimeoutBy1 + 1: "timeout:p2"}
	for _, r := range rows[1:] {
		data := testenv.ReadFile(t, filepath.Join(dir, r[0]))
		g, err := ReadLog(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", r[0], err)
		}
		v, err := Judge(g, 7, 7)
		if err != nil {
			t.Fatalf("%s: %v", r[0], err)
		}
		got := []string{r[0], g.Teams[0], g.Teams[1], fmt.Sprint(v.Score[0]), fmt.Sprint(v.Score[1]), ends[v.Code], fmt.Sprint(len(g.Moves)), fmt.Sprint(int(v.Code))}
		if strings.Join(got, ",") != strings.Join(r, ",") || !v.Agrees(g) {
			t.Errorf("replayed %v, recorded %v", got, r)
		}
		var out bytes.Buffer
		if err := WriteLog(&out, g); err != nil || strings.TrimSpace(out.String()) != strings.TrimSpace(string(data)) {
			t.Errorf("%s: written back differently (%v)", r[0], err)
		}
	}
	if len(rows) != 169 {
		t.Errorf("%d games, want 168", len(rows)-1)
	}
}

// Recorded statuses are read, also with fields spelled in another way.
func TestRecordedStatusesAreRead(t *testing.T) {
	data := testenv.ReadFile(t, enginetest.Recorded(t, "transcripts", "circuitwars-server.txt"))
	n, rng := 0, rand.New(rand.NewPCG(1, 1))
	for line := range strings.SplitSeq(string(data), "\n") {
		i := strings.Index(line, `{"status_code"`)
		if i < 0 {
			continue
		}
		st, err := ParseStatus([]byte(line[i:]))
		if err != nil {
			t.Fatalf("%s: %v", line[i:], err)
		}
		if st.LastMove >= 0 && !st.Position.drawn.Has(st.LastMove) {
			t.Errorf("%s: the last move is not drawn", line[i:])
		}
		again := wiretest.Respelled(t, rng, []byte(line[i:]), []string{"status_code", "board"}, nil)
		if same, err := ParseStatus(again); err != nil || same.Code != st.Code || same.Position.String() != st.Position.String() {
			t.Errorf("%s: %v, %v", again, same, err)
		}
		n++
	}
	if n == 0 {
		t.Error("no status in the transcript")
	}
}

func TestInvalidLogsAreRefused(t *testing.T) {
	whole := "/move/a/0,0,top\n/move/b/0,0,left\n/move/a/0,0,right\n/move/b/0,0,bottom\n----\nstatus: 302\nplayer_1: a\nplayer_2: b\nscore_1: 0\nscore_2: 1\n"
	g, err := ReadLog(strings.NewReader(whole))
	testenv.OK(t, err)
	if v, err := Judge(g, 1, 1); err != nil || !v.Agrees(g) {
		t.Fatalf("the whole log: %+v, %v", v, err)
	}
	for _, c := range []struct{ in, want string }{
		{whole[:30], "line 2"},
		{strings.Split(whole, "----")[0], "stops in the middle"},
		{whole[:19], "line 2: \"/mo\": an incomplete move"},
		{whole[:23], "line 2: \"/move/b\": an incomplete move"},
		{strings.Split(whole, "ht\n")[0], "line 3: the log ends in the middle of a move"},
		{strings.Replace(whole, "score_2: 1\n", "", 1), "line 9: the result has no score_2"},
		{strings.Replace(whole, "302", "999", 1), "line 6: status"},
		{strings.Replace(whole, "player_2: b", "player_2: a", 1), `both "a"`},
		{"hello", "line 1"},
		{strings.Repeat("x", 5000), "longer than"},
	} {
		if _, err := ReadLog(strings.NewReader(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.in, err, c.want)
		}
	}
	moves := g.Moves
	for _, c := range []struct {
		moves int
		code  Code
		legal bool
	}{
		{3, 302, false},
		{0, 301, false},
		{0, 402, false},
		{0, WaitingForBoth, true}, // neither player came
		{1, WaitingForBoth, false},
		{0, WaitingForSecond, false},
		{0, TimeoutBy1, true},
		{0, TimeoutBy1 + 1, true}, // it has not come to the game
		{1, TimeoutBy1, true},     // its move came late
		{1, TimeoutBy1 + 1, true},
	} {
		g.Moves, g.Code = moves[:c.moves], c.code
		if v, err := Judge(g, 1, 1); c.legal != (err == nil) || c.legal && v.Code != c.code || !c.legal && !strings.Contains(err.Error(), "the moves stop") {
			t.Errorf("%d moves and status %d: %+v, %v", c.moves, c.code, v.Code, err)
		}
	}
}

// The score of a forfeit shows the size of a board whose moves fit on a larger one too.
func TestForfeitOfAnotherBoardIsRefused(t *testing.T) {
	for _, c := range []struct {
		moves string
		score [2]int
		want  string // in the error; "" if the log is of a 7x7 board
	}{
		{"0,0,top 2,2,left", [2]int{0, 9}, "the log of a 3x3 board: want --board 3x3"},
		{"0,0,top 1,1,left", [2]int{0, 9}, "the log of a 3x3 board: want --board 3x3"},
		{"0,0,top 1,2,left", [2]int{0, 6}, "the log of a 3x2 board: want --board 3x2"},
		{"0,0,top 1,1,left", [2]int{0, 6}, "the score 0-6 is not that of the moves and does not add up to the 49 squares of 7x7: the log may be of another board"},
		{"0,0,top 0,0,top", [2]int{9, 0}, "the log of a 3x3 board: want --board 3x3"}, // an illegal move
		{"0,0,top 1,1,left", [2]int{0, 49}, ""},
		{"0,0,top 1,1,left", [2]int{0, 0}, ""},
	} {
		g := Log{Teams: [2]string{"a", "b"}, Code: TimeoutBy1, Score: c.score}
		if c.score[0] > 0 {
			g.Code = IllegalBy1 + 1
		}
		for i, m := range strings.Fields(c.moves) {
			g.Moves = append(g.Moves, LogMove{g.Teams[i], m, i + 1})
		}
		_, err := Judge(g, 7, 7)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %v: %v, want %q", c.moves, c.score, err, c.want)
		}
		// If the board is not given, the log is replayed on the board that the error names.
		v, err := Judge(g, 0, 0)
		_, board, named := strings.Cut(c.want, "want --board ")
		if known := named || c.want == ""; known != (err == nil) {
			t.Errorf("%s, %v, unknown board: %v", c.moves, c.score, err)
		} else if known && v.Final.BoardName() != cmp.Or(board, UsualBoard) {
			t.Errorf("%s, %v, unknown board: played on %s", c.moves, c.score, v.Final.BoardName())
		}
	}
}

// A list of moves is read with blanks or commas, comments and quotation marks; other text is
// refused with its place.
func TestMoveListsAsTyped(t *testing.T) {
	want := "3x3:800200:0-0:1"
	for _, text := range []string{
		"3x3 0 0 t 1 0 r", "3x3 (0,0) T; (1,0) Right", "3x3 1. 0 0 t 2. 1 0 r", "3×3 0,0,top! 1,0,right?!",
		"> 3x3 0,0,top\n> 1,0,right", "```\n3x3 0,0,top 1,0,right\n```", "3x3 0,0,top {a comment} 1,0,right\n# the end", "3 0,0,top 1,0,r",
		"3x3 { a comment } 0,0,top {another} 1,0,right", "3x3 {a comment}\n0,0,top 1,0,right",
		"Anna - Bert\n3x3 0,0,top (good) 1,0,right. Player 1 wins", "3x3 (0,0,top) (1,0,right) 1-0",
	} {
		if p, err := Parse(text); err != nil || p.String() != want {
			t.Errorf("%q: %v, %v, want %s", text, p, err, want)
		}
	}
	for text, want := range map[string]string{
		"3x3 0 0 t 1 0":       `move 2: unknown notation: move "1,0"`,
		"3x3 0 0 t zz":        `move 2: unknown notation: move "zz"`,
		"# only a comment":    "nothing but comments",
		"3x3 0,0,top {open":   "has no end",
		"{a comment} 0,0,tip": `no side "tip"`,
		"{'status_code': 1}":  "not JSON",
		"+--+\n|  I\n+  +--+": `line 2, column 4: "I": want | or a blank`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A size may precede a log that has no moves, because the first one was late.
func TestSizeBeforeALogWithoutMoves(t *testing.T) {
	p, err := Parse("2x2 ----\nstatus: 501\nplayer_1: a\nplayer_2: b\nscore_1: 0\nscore_2: 4\n")
	if err != nil || p.Board().String() != "2x2" {
		t.Errorf("%v, %v", p, err)
	}
}

// A drawing with the lines below it that query prints is read as the same position, with
// known owners and unknown ones.
func TestDrawingsAreReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for k := range 3000 {
		p, err := New(1+r.IntN(7), 1+r.IntN(7))
		testenv.OK(t, err)
		for range r.IntN(p.board.Segments()) {
			if moves := p.Moves(); len(moves) > 0 {
				p, err = p.Occupy(int(moves[r.IntN(len(moves))]))
				testenv.OK(t, err)
			}
		}
		if k%3 == 0 {
			p, err = FromDrawn(p.board, p.drawn, p.score, p.turn)
			testenv.OK(t, err)
		}
		var b strings.Builder
		testenv.OK(t, p.Draw(&b, engine.DrawStyle{}))
		fmt.Fprintf(&b, "\na move is x,y,side\nscore %d-%d, player %d to move\n", p.score[0], p.score[1], p.turn)
		if q, err := Parse(b.String()); err != nil || !reflect.DeepEqual(q, p) {
			t.Fatalf("%s was drawn as\n%s\nand read as %v, %v", p, b.String(), q, err)
		}
		q, err := Parse(b.String() + "position " + p.String())
		if err != nil || q.String() != p.String() {
			t.Fatalf("%s with its position below: %v, %v", p, q, err)
		}
	}
	for text, want := range map[string]string{
		"+--+  +\n|\n+  +  +":                              "1x2:88:0-0:1",
		"+--+\n|1 |\n+--+":                                 "add the score and the player",
		"+--+  +\n|\n+  +  +\n0,1,top":                     "the line \"0,1,top\" beside it",
		"+--+  +\n|\n+  +  +\nscore 0-0, player 1 to mvoe": "to mvoe\" beside it",
		"+--+  +\n|\n+  +  +\n0-0 1\n2":                    "the line \"2\" beside it",
		"  0  1\n+--+  +\n|\n+  +  +\n# mine\n0-0 1":       "1x2:88:0-0:1",
		"+--+\n|? |\n+--+\n1-0 2":                          "has \"?\" inside",
		"+--+\n|1 |\n+--+\nposition 1x1:7:0-0:2":           "give only one of them",
		"game: circuitwars\nstart: 1x1\n\n0,0,top\n":       "1x1:8",
		"/move/a/0,0,top\n":                                "7x7:8",
		"1x2\n/move/a/0,0,top\n/move/b/0,0,left":           "1x2:88:0-0:1",
		"2x2 /move/a/0,0,top /move/b/0,0,top":              "0,0,top",
		"/move/a/0,0,top\n/move/b/0,0,le":                  `no side "le": write top`,
		"2x2 2x2:800:0-0:2":                                "2x2:800:0-0:2",
		"3x3 2x2:800:0-0:2":                                "the position is on a 2x2 board, not 3x3",
		"1x2\n+--+  +\n|\n+  +  +":                         "1x2:88:0-0:1",
		"1. 0,0,top 2. 0,0,left":                           "7x7:8",
		"0,0,top 0.0.l":                                    "7x7:8",
		"( 0,0 ) top; 1.0 0 left 2...":                     "7x7:8",
		"0,0,top 0,0":                                      "want x,y,border",
	} {
		p, err := Parse(text)
		if !strings.Contains(fmt.Sprint(err), want) && (err != nil || !strings.HasPrefix(p.String(), want)) {
			t.Errorf("%q: %v, %v, want %s", text, p, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	long := strings.Repeat("9", 5000)
	for _, s := range []string{long, long + ":f:0-0:1", "2x2:" + long + ":0-0:1", "2x2:000:" + long + ":1", "2x2:000:0-0:" + long, "2x2:000:0-0:1:" + long,
		"7x7 " + long, "7x7 0,0," + long, "2x2:000:0-0:1", "1x1:f:0-1:1:2", "7x7", "3,2,right;0,0,top", "+--+  +\n|  \n+  +  +\nscore 0-0, player 1 to move", "position position 1x1", "game: circuitwars\nstart: 1x1\n\n0,0,top", `{"status_code":201,"score_1":0,"score_2":0,"board":[[0]]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
				t.Errorf("error is not one short line: %q", err)
			}
			return
		}
		q, err := Parse(p.String())
		if err != nil || q.String() != p.String() {
			t.Errorf("%q reads as %s, which reads as %s (%v)", s, p, q, err)
		}
	})
}

func FuzzReadLog(f *testing.F) {
	f.Add("/move/a/0,0,top\n----\nstatus: 502\nplayer_1: a\nplayer_2: b\nscore_1: 49\nscore_2: 0\n")
	f.Fuzz(func(t *testing.T, s string) {
		g, err := ReadLog(strings.NewReader(s))
		if err != nil {
			return
		}
		if v, err := Judge(g, 7, 7); err == nil && v.Score[0]+v.Score[1] != 49 {
			t.Errorf("%q: scores %v", s, v.Score)
		}
	})
}
