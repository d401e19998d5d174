package svg

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var games = []struct {
	game      engine.Game
	positions []string
}{
	{circuitwars.Game{}, []string{"2x3", "2x2 0,0,top 0,0,left 0,0,right 0,0,bottom"}},
	{dotsandboxes.Game{}, []string{"2x3", "2x2 h0,0 h1,0 v0,0 v0,1"}},
	{watchyourback.Game{}, []string{
		"X------X/--------/--------/--------/--------/--------/--------/X------X:placing:0",
		"X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/-@------/X------X:moving:126",
		"......../......../..XOOX../..@@@@../..@@@-../..XOOX../......../........:moving:192:strict", // White must forfeit
	}},
}

// Every legal move has exactly one shape, inside the picture. If marked, it is drawn once,
// inside its markup, and the output is well-formed XML.
func TestEveryMoveIsDrawnOnce(t *testing.T) {
	for _, g := range games {
		for _, text := range g.positions {
			p, err := g.game.Parse(text)
			testenv.OK(t, err)
			pic := p.Picture(nil, 0)
			shapes := map[string]int{}
			for _, s := range pic.Shapes {
				shapes[s.Move]++
				for _, at := range [][2]float64{{s.X, s.Y}, {max(s.X, s.X2), max(s.Y, s.Y2)}} {
					if at[0] < 0 || at[1] < 0 || at[0] > pic.Width || at[1] > pic.Height {
						t.Errorf("%s: %+v lies outside %g x %g", text, s, pic.Width, pic.Height)
					}
				}
			}
			marks := map[string]Mark{}
			if len(p.Moves()) == 0 {
				t.Fatalf("%s: no moves", text)
			}
			for _, m := range p.Moves() {
				name := p.MoveString(m)
				if shapes[name] != 1 {
					t.Errorf("%s: move %s has %d shapes", text, name, shapes[name])
				}
				marks[name] = Mark{Class: "best", Before: `<g id="` + name + `">`, After: "</g>"}
			}
			var b strings.Builder
			b.WriteString("<svg>")
			Write(&b, pic, marks)
			b.WriteString("</svg>")
			for name := range marks {
				if n := strings.Count(b.String(), `<g id="`+name+`">`); n != 1 {
					t.Errorf("%s: move %s is drawn %d times", text, name, n)
				}
			}
			for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
		}
	}
}

// The last move is highlighted if the position before it is given.
func TestLastMoveIsMarked(t *testing.T) {
	for _, c := range []struct {
		game       engine.Game
		text, move string
		last, died int
		news       string
	}{
		{circuitwars.Game{}, "2x2", "0,0,top", 1, 0, ""},
		{dotsandboxes.Game{}, "2x2", "h0,0", 1, 0, ""},
		// A placement, and a step followed by a shrink that removes two pieces.
		{watchyourback.Game{}, "X------X/--------/--------/--------/--------/--------/--------/X------X:placing:0", "(3,3)", 1, 0, ""},
		{watchyourback.Game{}, "X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/--@-----/X-@----X:moving:127", "(3,5)->(4,5)", 2, 2, "White lost a piece, Black lost a piece, the board shrank"},
	} {
		p, err := c.game.Parse(c.text)
		testenv.OK(t, err)
		m, err := p.ParseMove(c.move)
		testenv.OK(t, err)
		q, err := p.Play(m)
		testenv.OK(t, err)
		count := func(pic engine.Picture, look engine.Look) (n int) {
			for _, s := range pic.Shapes {
				if s.Look == look {
					n++
				}
			}
			return n
		}
		after, alone := q.Picture(p, m), q.Picture(nil, 0)
		if count(after, engine.Last) != c.last || count(after, engine.Died) != c.died || after.News != c.news {
			t.Errorf("%s %s: %d shapes of the last move, %d of eliminated pieces, %q; want %d, %d and %q",
				c.text, c.move, count(after, engine.Last), count(after, engine.Died), after.News, c.last, c.died, c.news)
		}
		if count(alone, engine.Last)+count(alone, engine.Died) != 0 || alone.News != "" {
			t.Errorf("%s %s: a last move is marked without the position before it", c.text, c.move)
		}
	}
}

// The owners of squares are shown by look and sign in a picture, by colour and number on a
// terminal.
func TestSquaresShowTheirOwners(t *testing.T) {
	for _, c := range []struct {
		game              engine.Game
		text, looks, said string
	}{
		{circuitwars.Game{}, "1x2", "ground ground", ""},
		{circuitwars.Game{}, "1x2 0,0,top 1,0,top 0,0,bottom 0,0,left 0,0,right", "owned1 ground sign1 sign", "[1;37;44m 1 "},
		{circuitwars.Game{}, "1x2 0,0,top 0,0,bottom 0,0,left 0,0,right", "owned2 ground sign2 sign", "[1;30;43m 2 "},
		{circuitwars.Game{}, "1x1:f:1-0:2", "owned", "[7m # "}, // only the score is known
		{dotsandboxes.Game{}, "1x2", "ground ground", ""},
		{dotsandboxes.Game{}, "1x2 h0,0 h0,1 h1,0 v0,0 v0,1", "owned1 ground sign1 sign", "[34m 1 "},
		{dotsandboxes.Game{}, "1x2 h0,0 h1,0 v0,0 v0,1", "owned2 ground sign2 sign", "[31m 2 "},
	} {
		p, err := c.game.Parse(c.text)
		testenv.OK(t, err)
		var looks []string
		for _, s := range p.Picture(nil, 0).Shapes {
			if s.Kind == engine.Cell || strings.HasPrefix(string(s.Look), "sign") {
				looks = append(looks, string(s.Look))
				if s.Look != engine.Ground && !strings.Contains(Style, ".board ."+string(s.Look)+" {") {
					t.Errorf("%s %s: no style of %s", c.game.Name(), c.text, s.Look)
				}
			}
		}
		var b strings.Builder
		testenv.OK(t, p.Draw(&b, engine.DrawStyle{Color: true}))
		if got := strings.Join(looks, " "); got != c.looks || !strings.Contains(b.String(), c.said) {
			t.Errorf("%s %s: looks %s, want %s; want %q in\n%q", c.game.Name(), c.text, got, c.looks, c.said, b.String())
		}
	}
}

// The squares of a board are equal and lie in a lattice without gaps between its rows and
// columns.
func TestSquaresAreALattice(t *testing.T) {
	for _, g := range games {
		for _, text := range g.positions {
			p, err := g.game.Parse(text)
			testenv.OK(t, err)
			var first engine.Shape
			at := map[[2]int]bool{}
			var most [2]int // the last column and row
			for _, s := range p.Picture(nil, 0).Shapes {
				if s.Kind != engine.Cell || s.X2-s.X < 0.8 {
					continue // smaller ones lie on the squares
				}
				if len(at) == 0 {
					first = s
				}
				var place [2]int
				for i, d := range [2]float64{s.X - first.X, s.Y - first.Y} {
					place[i] = int(math.Round(d))
					most[i] = max(most[i], place[i])
					if math.Abs(d-math.Round(d)) > 1e-9 {
						t.Errorf("%s: %+v and %+v are not in a lattice", text, first, s)
					}
				}
				for _, d := range []float64{s.X2 - s.X - (first.X2 - first.X), s.Y2 - s.Y - (first.X2 - first.X)} {
					if math.Abs(d) > 1e-9 {
						t.Errorf("%s: %+v differs in size from %+v", text, s, first)
					}
				}
				if at[place] {
					t.Errorf("%s: two squares at %+v", text, s)
				}
				at[place] = true
			}
			if len(at) == 0 || len(at) != (most[0]+1)*(most[1]+1) {
				t.Errorf("%s: %d squares in %d columns and %d rows", text, len(at), most[0]+1, most[1]+1)
			}
		}
	}
}
