package kayles

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// nimbers are the Sprague-Grundy values of rows of 0 to n pins, worked out from
// the definition: the least number that no move leads to.
func nimbers(n int) []int {
	g := make([]int, n+1)
	for size := 1; size <= n; size++ {
		reached := map[int]bool{}
		for taken := 1; taken <= 2; taken++ {
			for left := 0; left+taken <= size; left++ {
				reached[g[left]^g[size-taken-left]] = true
			}
		}
		for reached[g[size]] {
			g[size]++
		}
	}
	return g
}

// The values in the literature (Berlekamp, Conway, Guy, Winning Ways, chapter
// 4): the first ones, and the period of 12 from 71 on.
func TestNimbers(t *testing.T) {
	g := nimbers(400)
	if first := []int{0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4}; !slices.Equal(g[:13], first) {
		t.Errorf("the first nimbers are %v", g[:13])
	}
	period := []int{4, 1, 2, 8, 1, 4, 7, 2, 1, 8, 2, 7} // of n = 0, 1, … modulo 12
	for n := 71; n <= 400; n++ {
		if g[n] != period[n%12] {
			t.Errorf("the nimber of %d is %d, want %d", n, g[n], period[n%12])
		}
	}
	if g[70] == period[70%12] {
		t.Error("the period begins before 71")
	}
}

// wins is what the theorem of Sprague and Grundy says of a position.
func wins(g []int, p Position) bool {
	sum := 0
	for _, r := range p.runs() {
		sum ^= g[r.size]
	}
	return sum != 0
}

func start(t *testing.T, board string) Position {
	t.Helper()
	p, err := New(board)
	testenv.OK(t, err)
	return p
}

func play(t *testing.T, p Position, m engine.Move) Position {
	t.Helper()
	q, err := p.Play(m)
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	return q.(Position)
}

// Every position of small boards is won or lost as the theorem says, by
// minimax over the rules alone.
func TestRulesAgainstTheTheorem(t *testing.T) {
	g := nimbers(MaxPins)
	for _, board := range []string{"1", "2", "7", "10", "3-3", "2-4-3", "1-1-1-5"} {
		memory := map[Position]bool{}
		var wonBy func(p Position) bool
		wonBy = func(p Position) bool {
			if p.Over() {
				return false
			}
			if w, ok := memory[p]; ok {
				return w
			}
			won := false
			for _, m := range p.Moves() {
				q := play(t, p, m)
				won = won || engine.Winner(q) == p.Turn() || !q.Over() && !wonBy(q)
			}
			memory[p] = won
			if won != wins(g, p) {
				t.Errorf("%s: won %v, the theorem says %v", p, won, !won)
			}
			return won
		}
		wonBy(start(t, board))
		if len(memory) == 0 {
			t.Errorf("%s: no positions", board)
		}
	}
}

// The number of games of so many moves, counted from the definition of the game
// on rows, not on pins.
func TestPerft(t *testing.T) {
	var perft func(p Position, depth int) int
	perft = func(p Position, depth int) int {
		if depth == 0 {
			return 1
		}
		n := 0
		for _, m := range p.Moves() {
			n += perft(play(t, p, m), depth-1)
		}
		return n
	}
	var count func(rows []int, depth int) int
	count = func(rows []int, depth int) int {
		if depth == 0 {
			return 1
		}
		n := 0
		for i, size := range rows {
			for taken := 1; taken <= min(2, size); taken++ {
				for left := 0; left+taken <= size; left++ {
					rest := append(slices.Clone(rows[:i]), rows[i+1:]...)
					n += count(append(rest, left, size-taken-left), depth-1)
				}
			}
		}
		return n
	}
	for _, board := range []string{"5", "12", "5-7-3"} {
		p := start(t, board)
		for depth := 1; depth <= 4; depth++ {
			if got, want := perft(p, depth), count(p.board.rows(), depth); got != want {
				t.Errorf("%s: %d games of %d moves, want %d", board, got, depth, want)
			}
		}
	}
}

// randomPosition plays at random.
func randomPosition(r *rand.Rand, board string, moves int) (Position, error) {
	p, err := New(board)
	for range moves {
		if err != nil || p.Over() {
			break
		}
		list := p.Moves()
		var q engine.Position
		q, err = p.Play(list[r.IntN(len(list))])
		p = q.(Position)
	}
	return p, err
}

// Positions are read as they are written; keys give back a position with the
// same key and value; moves translate both ways; equal keys mean equal runs.
func TestNotationAndKeys(t *testing.T) {
	g := nimbers(MaxPins)
	rapid.Check(t, func(t *rapid.T) {
		board := rapid.SampledFrom([]string{"1", "4", "12", "5-7-3", "3-3-3", "60", "1-2-3-4-5-6-7"}).Draw(t, "board")
		p, err := randomPosition(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), board, rapid.IntRange(0, 20).Draw(t, "moves"))
		testenv.OK(t, err)
		again, err := Game{}.Parse(p.String())
		if err != nil || again != engine.Position(p) {
			t.Fatalf("%s is read as %v, %v", p, again, err)
		}
		c := enginetest.Corresponds(t, Game{}, p)
		if wins(g, p) != wins(g, c.(Position)) || len(p.Moves()) != len(c.Moves()) || c.BoardName() != board {
			t.Fatalf("%s and %s on %s differ", p, c, c.BoardName())
		}
		_, o := p.CanonicalKey(nil)
		for _, m := range p.Moves() {
			if back, ok := o.FromCanonical(o.ToCanonical(m)); !ok || back != m {
				t.Fatalf("%s: move %s comes back as %s", p, p.MoveString(m), p.MoveString(back))
			}
			if read, err := p.ParseMove(p.MoveString(m)); err != nil || read != m {
				t.Fatalf("%s: move %s is read as %v, %v", p, p.MoveString(m), read, err)
			}
		}
		if _, ok := o.FromCanonical(-1); ok {
			t.Fatal("a move -1")
		}
	})
}

// What can't be read is refused in one line that says what is wanted.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                "empty",
		"0":               "board",
		"61":              "board",
		"30-31":           "board",
		"03":              "board",
		"5-":              "board",
		"12:II:1":         "",
		"12:II:3":         "turn",
		"12:II":           "BOARD:PINS:TURN",
		"2:III:1":         "3 stand",
		"3-2:IIII.I:1":    "side by side",
		"5:IIxII:1":       "character 3",
		"5::1":            "pins",
		"5 6":             "no such pins",
		"5 1-3":           "want the number",
		"5 1 1":           "move 2",
		"5 -1":            "want the number",
		"5-3 5-6":         "no such pins", // of two rows
		"5-3 1 7-8":       "",
		"5:IIIII:1:1":     "BOARD:PINS:TURN",
		"\x00":            "board",
		"5-3:II..I-III:2": "",
	} {
		p, err := Game{}.Parse(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q: %v, %v; want an error with %q", text, p, err, want)
		}
	}
	if _, err := start(t, "5").Play(11); !errors.Is(err, engine.ErrIllegalMove) {
		t.Errorf("a move beyond the board: %v", err)
	}
	if _, err := start(t, "5").Play(-7); !errors.Is(err, engine.ErrIllegalMove) {
		t.Errorf("a negative move: %v", err)
	}
}

func TestDraw(t *testing.T) {
	p, err := Game{}.Parse("5-7 1 3-4 9")
	testenv.OK(t, err)
	var text strings.Builder
	if err := p.Draw(&text, engine.DrawStyle{}); err != nil || strings.Count(text.String(), "I") != 8 {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// Nothing that is read makes a position that breaks later.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"12", "5-3 1 7-8", "5-3:II..I-III:2", "1:I:1", "2:.:2", "60:" + strings.Repeat("I", 60) + ":1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Game{}.Parse(text)
		if err != nil {
			return
		}
		if again, err := (Game{}).Parse(p.String()); err != nil || again != p {
			t.Fatalf("%s is read as %v, %v", p, again, err)
		}
		key, _ := p.(Position).CanonicalKey(nil)
		if _, err := (Game{}).FromKey(key); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		for _, m := range p.Moves() {
			if _, err := p.Play(m); err != nil {
				t.Fatal(err)
			}
		}
		p.(Position).Picture(nil, 0)
	})
}

// A key that is taken gives a position whose key is as good.
func FuzzFromKey(f *testing.F) {
	key, _ := Position{"5-3", "II..I-III", engine.First}.CanonicalKey(nil)
	f.Add(key)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, key []byte) {
		p, err := Game{}.FromKey(key)
		if err != nil {
			return
		}
		if back, _ := p.CanonicalKey(nil); string(back) != string(key) {
			t.Fatalf("key %x comes back as %x", key, back)
		}
	})
}
