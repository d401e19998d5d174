package web

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"endwise/engine"
)

// Geometry of a picture, in pixels.
const (
	picCell   = 52
	picMargin = 40
	picLabel  = 12 // middle of the row and column numbers
	picWords  = 34 // for the line below the board
	picLetter = 8  // width of a letter of a board that is drawn as text
	picLine   = 17
)

// picStyle is the look of pictures, that of style.css: the reader's choice of
// light or dark, and nothing is told by colour alone.
const picStyle = `<style>
svg{--paper:#fbfaf7;--ink:#1c1b19;--faint:#b9b4a8;--edge:#d9d4c7;--one:#1d62c4;--one-area:#cfe0f8;--two:#b35300;--two-area:#fbdfc3;--good:#00734a;--bad:#a3172f}
@media (prefers-color-scheme:dark){svg{--paper:#171614;--ink:#f0eee9;--faint:#6a655a;--edge:#3a3731;--one:#77b0ff;--one-area:#1b3252;--two:#ffab5c;--two-area:#4d2f12;--good:#4fd69c;--bad:#ff8fa0}}
text{font:14px system-ui,sans-serif;fill:var(--ink);text-anchor:middle;dominant-baseline:central}
.paper{fill:var(--paper)}.label{opacity:.65}.words{font-size:15px;text-anchor:start}.mono{font:13px monospace;text-anchor:start;white-space:pre}
.area1{fill:var(--one-area)}.area2{fill:var(--two-area)}.area3{fill:var(--edge)}.own1,.own2{font-size:17px;font-weight:700}.own1{fill:var(--one)}.own2{fill:var(--two)}
path{fill:none;stroke-width:3;stroke-linecap:round}.free{stroke:var(--faint);stroke-dasharray:1 7}.drawn{stroke:var(--ink);stroke-width:4.5}.dot{fill:var(--ink)}
.field{fill:none;stroke:var(--edge);stroke-width:2}.corner{fill:var(--edge)}.piece1{fill:var(--paper);stroke:var(--ink);stroke-width:3}.piece2{fill:var(--ink)}.best{stroke:var(--good);stroke-width:4}
.tag{fill:var(--paper);stroke-width:2;stroke:var(--bad)}.tag.top{stroke:var(--good);stroke-width:3}.tagtext{font-size:13px;font-weight:600}
</style>`

// Picture draws a position as an SVG file that stands by itself, with what d
// says about it: the value of every move on the board and a line of words
// below. A proved value is in a round frame, a bound or an estimate in one
// with corners and a mark before it; the best moves' frames are thicker. The
// same position and decision give the same bytes.
func (g Game) Picture(p engine.Position, d engine.Decision) ([]byte, error) {
	v, err := g.view(p, nil, 0)
	if err != nil {
		return nil, err
	}
	var board bytes.Buffer
	pic := picture{game: g, d: d, out: &board}
	var width, height int
	switch {
	case v.Segments != nil:
		width, height = pic.segments(v.Segments)
	case v.Squares != nil:
		width, height = pic.squares(v.Squares)
	case v.Picture != nil:
		width, height = pic.shapes(v.Picture)
	default:
		width, height = pic.text(v.Text)
	}
	words := pic.words(p)
	width = max(width, 2*picMargin+picLetter*len([]rune(words)))
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n", width, height+picWords, width, height+picWords)
	fmt.Fprintf(&out, "<title>%s</title>\n<desc>%s</desc>\n%s\n", template.HTMLEscapeString(words), template.HTMLEscapeString(p.String()), picStyle)
	fmt.Fprintf(&out, `<rect class="paper" width="%d" height="%d" rx="8"/>`+"\n", width, height+picWords)
	out.Write(board.Bytes())
	fmt.Fprintf(&out, `<text class="words" x="%d" y="%d">%s</text>`+"\n</svg>\n", picMargin, height+picWords/2-6, template.HTMLEscapeString(words))
	return out.Bytes(), nil
}

// picture is a picture being drawn.
type picture struct {
	game Game
	d    engine.Decision
	out  *bytes.Buffer
}

// words says whose turn it is and what is best.
func (pic *picture) words(p engine.Position) string {
	score := pic.game.Score(p.Score(), "-")
	if score != "" {
		score += ", "
	}
	if p.Over() {
		return score + "the game is over"
	}
	side := pic.game.Sides[p.Turn()-engine.First]
	text := fmt.Sprintf("%s%s to move: %s", score, side, pic.value(pic.d.Score, pic.d.Proof))
	if pic.d.Proof == engine.Exact {
		text += ", proved"
	}
	return text
}

// value writes a score with the mark of its proof.
func (pic *picture) value(score int, proof engine.Proof) string {
	mark := map[engine.Proof]string{engine.Exact: "", engine.Lower: "≥", engine.Upper: "≤"}
	m, proved := mark[proof]
	if !proved {
		m = "≈"
	}
	if !pic.game.Rules.Scored && proved {
		return m + [3]string{"loss", "tie", "win"}[max(-1, min(1, score))+1]
	}
	return m + pic.game.Value(score, proof)
}

// tag puts the value of a move on the board.
func (pic *picture) tag(m engine.MoveValue, x, y int) {
	text := pic.value(m.Score, m.Proof)
	class, round := "tag", 3
	if m.Proof == engine.Exact {
		round = 11
	}
	if m.Score == pic.d.Score && m.Proof == pic.d.Proof {
		class = "tag top"
	}
	width := 14 + 8*len([]rune(text))
	fmt.Fprintf(pic.out, `<rect class="%s" x="%d" y="%d" width="%d" height="22" rx="%d"/><text class="tagtext" x="%d" y="%d">%s</text>`+"\n",
		class, x-width/2, y-11, width, round, x, y, template.HTMLEscapeString(text))
}

func picAt(n int) int { return picMargin + n*picCell }

func (pic *picture) labels(cols, rows int) {
	for x := range cols {
		fmt.Fprintf(pic.out, `<text class="label" x="%d" y="%d">%d</text>`, picAt(x)+picCell/2, picLabel, x)
	}
	for y := range rows {
		fmt.Fprintf(pic.out, `<text class="label" x="%d" y="%d">%d</text>`, picLabel, picAt(y)+picCell/2, y)
	}
	pic.out.WriteString("\n")
}

// segments draws a board of squares and segments.
func (pic *picture) segments(s *segmentView) (width, height int) {
	pic.labels(s.Cols, s.Rows)
	for y, row := range s.Owner {
		for x, o := range row {
			if o != 0 {
				fmt.Fprintf(pic.out, `<rect class="area%d" x="%d" y="%d" width="%d" height="%d"/>`, o, picAt(x), picAt(y), picCell, picCell)
			}
			if o == 1 || o == 2 {
				fmt.Fprintf(pic.out, `<text class="own%d" x="%d" y="%d">%d</text>`, o, picAt(x)+picCell/2, picAt(y)+picCell/2, o)
			}
		}
	}
	type place struct{ x, y int }
	places := map[string]place{}
	lines := map[string]*strings.Builder{"free": {}, "drawn": {}}
	visit := func(states, names [][]string, dx, dy int, step string) {
		for r, row := range states {
			for c, state := range row {
				if state == "last" {
					state = "drawn"
				}
				if b := lines[state]; b != nil {
					fmt.Fprintf(b, "M%d %d%s%d", picAt(c), picAt(r), step, picCell)
				}
				places[names[r][c]] = place{picAt(c) + dx, picAt(r) + dy}
			}
		}
	}
	visit(s.Horizontal, s.HNames, picCell/2, 0, "h")
	visit(s.Vertical, s.VNames, 0, picCell/2, "v")
	for _, class := range []string{"free", "drawn"} {
		if path := lines[class].String(); path != "" {
			fmt.Fprintf(pic.out, "\n"+`<path class="%s" d="%s"/>`, class, path)
		}
	}
	pic.out.WriteString("\n")
	for y := range s.Rows + 1 {
		for x := range s.Cols + 1 {
			fmt.Fprintf(pic.out, `<circle class="dot" cx="%d" cy="%d" r="3"/>`, picAt(x), picAt(y))
		}
	}
	pic.out.WriteString("\n")
	for _, m := range pic.d.Moves {
		if at, ok := places[m.Move]; ok {
			pic.tag(m, at.x, at.y)
		}
	}
	return picAt(s.Cols) + picMargin, picAt(s.Rows) + picMargin/2
}

// squares draws a board of pieces. Where several moves enter a square it has
// the value of the best of them; an arrow shows the best move of all.
func (pic *picture) squares(v *squareView) (width, height int) {
	left, right, top, bottom := 8, -1, 8, -1
	for y, row := range v.Squares {
		for x, c := range row {
			if c != '.' {
				left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
			}
		}
	}
	at := func(x, y int) (int, int) { return picAt(x - left), picAt(y - top) }
	for x := left; x <= right; x++ {
		fmt.Fprintf(pic.out, `<text class="label" x="%d" y="%d">%d</text>`, picAt(x-left)+picCell/2, picLabel, x)
	}
	for y := top; y <= bottom; y++ {
		fmt.Fprintf(pic.out, `<text class="label" x="%d" y="%d">%d</text>`, picLabel, picAt(y-top)+picCell/2, y)
	}
	pic.out.WriteString("\n")
	for y, row := range v.Squares {
		for x, c := range row {
			if c == '.' {
				continue
			}
			px, py := at(x, y)
			class := "field"
			if c == 'X' {
				class = "field corner"
			}
			fmt.Fprintf(pic.out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`, class, px, py, picCell, picCell)
			switch c {
			case 'O':
				fmt.Fprintf(pic.out, `<circle class="piece1" cx="%d" cy="%d" r="17"/>`, px+picCell/2, py+picCell/2)
			case '@':
				fmt.Fprintf(pic.out, `<rect class="piece2" x="%d" y="%d" width="32" height="32" rx="3"/>`, px+10, py+10)
			}
		}
	}
	pic.out.WriteString("\n")
	goes := map[string]squareMove{}
	for _, m := range v.Moves {
		goes[m.Move] = m
	}
	tagged := map[int]bool{}
	for _, m := range pic.d.Moves { // best first
		to := goes[m.Move].To
		step, ok := goes[m.Move]
		if !ok || to < 0 || tagged[to] {
			continue
		}
		x, y := at(to%8, to/8)
		x, y = x+picCell/2, y+picCell/2
		if m.Move == pic.d.Move && step.From >= 0 {
			fx, fy := at(step.From%8, step.From/8)
			fmt.Fprintf(pic.out, `<path class="best" d="M%d %dL%d %d"/>`+"\n", fx+picCell/2, fy+picCell/2, x, y)
		}
		tagged[to] = true
		pic.tag(m, x, y)
	}
	return picAt(right-left+1) + picMargin, picAt(bottom-top+1) + picMargin/2
}

// picSide is the longer side of a picture of shapes, and shapeStyle their look.
const (
	picSide    = 640
	shapeStyle = `<style>
.shape{fill:var(--paper);stroke:var(--ink);stroke-width:2}.shape.ground{fill:none;stroke:var(--edge)}.shape.open{fill:var(--faint)}.shape.gone{fill:none;stroke:var(--faint)}.shape.owned1{fill:var(--one-area);stroke:var(--one)}.shape.owned2{fill:var(--two-area);stroke:var(--two)}
</style>
`
)

// shapes draws a picture of shapes, and the values of the moves among them.
func (pic *picture) shapes(p *engine.Picture) (width, height int) {
	pic.out.WriteString(shapeStyle)
	scale := picSide / max(p.Width, p.Height)
	at := func(v float64) float64 { return picMargin + v*scale }
	places := map[string][2]float64{}
	for _, s := range p.Shapes {
		class, x, y := template.HTMLEscapeString("shape "+string(s.Look)), s.X, s.Y
		switch s.Kind {
		case engine.Line:
			fmt.Fprintf(pic.out, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, class, at(s.X), at(s.Y), at(s.X2), at(s.Y2))
			x, y = (s.X+s.X2)/2, (s.Y+s.Y2)/2
		case engine.Circle:
			fmt.Fprintf(pic.out, `<circle class="%s" cx="%.1f" cy="%.1f" r="%.1f"/>`, class, at(s.X), at(s.Y), s.R*scale)
		case engine.Cell:
			fmt.Fprintf(pic.out, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, class, at(s.X), at(s.Y), (s.X2-s.X)*scale, (s.Y2-s.Y)*scale)
			x, y = (s.X+s.X2)/2, (s.Y+s.Y2)/2
		case engine.Label:
			fmt.Fprintf(pic.out, `<text class="label" x="%.1f" y="%.1f">%s</text>`, at(s.X), at(s.Y), template.HTMLEscapeString(s.Text))
		}
		pic.out.WriteString("\n")
		if s.Move != "" {
			places[s.Move] = [2]float64{at(x), at(y)}
		}
	}
	for _, m := range pic.d.Moves {
		if place, ok := places[m.Move]; ok {
			pic.tag(m, int(place[0]), int(place[1]))
		}
	}
	return 2*picMargin + int(p.Width*scale), 2*picMargin + int(p.Height*scale)
}

// text draws a board that has no picture, and the best moves' values below.
func (pic *picture) text(board string) (width, height int) {
	lines := strings.Split(strings.TrimRight(board, "\n"), "\n")
	for i, m := range pic.d.Moves {
		if i < 8 {
			lines = append(lines, m.Move+"  "+pic.value(m.Score, m.Proof))
		}
	}
	for i, line := range lines {
		fmt.Fprintf(pic.out, `<text class="mono" x="%d" y="%d">%s</text>`+"\n", picMargin, picMargin+i*picLine, template.HTMLEscapeString(line))
		width = max(width, 2*picMargin+picLetter*len([]rune(line)))
	}
	return width, picMargin + len(lines)*picLine
}
