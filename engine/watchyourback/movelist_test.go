package watchyourback

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// A list of moves is read in the game's own notation, in the referee's and without brackets.
func TestMoveListsAreRead(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		p := New(false)
		var own, referee, bare, blank []string
		for n := 0; !p.Over() && n < 300; n++ {
			moves := p.Moves()
			m := moves[r.IntN(len(moves))]
			text := p.MoveString(m)
			own = append(own, text)
			bare = append(bare, fmt.Sprintf("%d. %s", n+1, strings.NewReplacer("(", "", ")", "").Replace(text)))
			blank = append(blank, strings.NewReplacer("(", "", ")", "", ",", " ", "->", " ").Replace(text))
			if from, to, ok := strings.Cut(text, "->"); ok {
				text = fmt.Sprintf("(%s, %s)", from, to)
			}
			referee = append(referee, strings.ReplaceAll(text, ",", ", "))
			for _, typed := range []string{blank[n], referee[n]} {
				if got, err := p.ParseMove(typed); err != nil || got != m {
					t.Fatalf("%s: %s is read as %s, %v", p, typed, p.MoveString(got), err)
				}
			}
			p = p.Next(m)
		}
		for _, list := range []string{
			strings.Join(own, " "), strings.Join(own, "\n"), strings.Join(own, ""), strings.Join(own, " ; "),
			strings.Join(referee, " "), strings.Join(referee, ",\n"), strings.Join(bare, " "), strings.Join(blank, " "), strings.Join(own, "! ") + "?",
			"> " + strings.Join(own, "\n> "), "```\n" + strings.Join(own, " ") + "\n```", "{a game} " + strings.Join(own, " "), "Anna - Bert\n" + strings.Join(own, " (?) ") + " White wins.", "8x8 " + strings.Join(own, " "),
		} {
			start, moves, err := Game{}.ReadGame(list)
			testenv.OK(t, err)
			if q, err := Parse(list); err != nil || q != p || len(moves) != len(own) || start != New(false) {
				t.Fatalf("%s\nis read as %d moves to %s, %v; want %d to %s", list, len(moves), q, err, len(own), p)
			}
		}
	}
	for text, want := range map[string]string{
		"(2,3) (2,3)":        `move 2, "(2,3)": illegal move: (2,3) is occupied`,
		"2,3 0,0":            `move 2, "0,0": illegal move: (0,0) is a corner`,
		"(2,3) (4,9)":        "a coordinate is 0 to 7, not 9",
		"(2,3)->(3,3)":       "want one square (x,y)",
		"((2,3),(3,3))":      "want one square (x,y)",
		"(2,3) ((2,3)":       `move 2, "((2,3)": want (x,y)`,
		"((2,3),(3,3)":       `move 1, "((2,3),(3,3)": want (x,y)`,
		"(2,3":               `move 1, "(2,3": want (x,y)`,
		"2 3 4":              `move 2, "4": want (x,y)`,
		"(2,3) zz":           `move 2, "zz": want (x,y)`,
		"(0,0) zz":           `move 1, "(0,0)": illegal move: (0,0) is a corner`,
		"None":               "must place",
		"(2,3)->":            `move 1, "(2,3)->": want (x,y)`,
		"1. (2,3) 2. -> 3,3": `move 2, "->3,3": want (x,y)`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
