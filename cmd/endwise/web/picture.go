package web

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
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
.shape{fill:var(--paper);stroke:var(--ink);stroke-width:2}.shape.ground{fill:none;stroke:var(--edge)}.shape.open{fill:var(--faint)}.shape.gone{fill:none;stroke:var(--faint)}.shape.owned1{fill:var(--one-area);stroke:var(--one)}.shape.owned2{fill:var(--two-area);stroke:var(--two)}
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
	pic := picture{boardSVG: boardSVG{cell: picCell, margin: picMargin, label: picLabel}, game: g, d: d}
	width, height, places, drawn := pic.draw(v.Drawing)
	if drawn {
		pic.marks(v.Drawing, places)
	} else {
		width, height = pic.text(v.Text)
	}
	words := pic.words(p)
	width = max(width, 2*picMargin+picLetter*len([]rune(words)))
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n", width, height+picWords, width, height+picWords)
	fmt.Fprintf(&out, "<title>%s</title>\n<desc>%s</desc>\n%s\n", template.HTMLEscapeString(words), template.HTMLEscapeString(p.String()), picStyle)
	fmt.Fprintf(&out, `<rect class="paper" width="%d" height="%d" rx="8"/>`+"\n", width, height+picWords)
	out.WriteString(pic.String())
	fmt.Fprintf(&out, `<text class="words" x="%d" y="%d">%s</text>`+"\n</svg>\n", picMargin, height+picWords/2-6, template.HTMLEscapeString(words))
	return out.Bytes(), nil
}

// picture is a picture being drawn.
type picture struct {
	boardSVG
	game Game
	d    engine.Decision
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
	if m != "" && proved && pic.game.Unit == "" {
		m += " " // as in words
	}
	return m + pic.game.Value(score, proof)
}

// tag is the value of a move, to be put on the board.
type tag struct {
	move  engine.MoveValue
	text  string
	x, y  int
	width int
}

const tagHeight = 22

// tags puts values on the board, as large as there is room for them.
func (pic *picture) tags(list []tag) {
	scale := 1.0
	for i, a := range list {
		for _, b := range list[:i] {
			dx, dy := math.Abs(float64(a.x-b.x)), math.Abs(float64(a.y-b.y))
			room := max(2*dx/float64(a.width+b.width), dy/tagHeight)
			scale = max(min(scale, room), 0.4) // smaller ones could not be read
		}
	}
	for _, t := range list {
		class, round := "tag", 3
		if t.move.Proof == engine.Exact {
			round = tagHeight / 2
		}
		if t.move.Score == pic.d.Score && t.move.Proof == pic.d.Proof {
			class = "tag top"
		}
		x, y := t.x, t.y
		if scale < 1 {
			fmt.Fprintf(pic, `<g transform="translate(%d %d) scale(%.2f)">`, x, y, scale)
			x, y = 0, 0
		}
		fmt.Fprintf(pic, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="%d"/><text class="tagtext" x="%d" y="%d">%s</text>`,
			class, x-t.width/2, y-tagHeight/2, t.width, tagHeight, round, x, y, template.HTMLEscapeString(t.text))
		if scale < 1 {
			pic.WriteString("</g>")
		}
		pic.WriteByte('\n')
	}
}

// marks puts on the board what pictures have and reports do not: dots at the
// corners of squares, the way of the best move, and the value of every move.
// Where several moves enter a place it has the value of the best of them.
func (pic *picture) marks(d Drawing, places map[string]place) {
	if s := d.Segments; s != nil {
		for y := range s.Rows + 1 {
			for x := range s.Cols + 1 {
				fmt.Fprintf(pic, `<circle class="dot" cx="%d" cy="%d" r="3"/>`, pic.at(x), pic.at(y))
			}
		}
		pic.WriteByte('\n')
	}
	type point struct{ x, y int }
	tagged := map[point]bool{}
	var tags []tag
	for _, m := range pic.d.Moves { // best first
		p, ok := places[m.Move]
		if !ok || tagged[point{p.x, p.y}] {
			continue
		}
		if m.Move == pic.d.Move {
			pic.arrow("best", p)
		}
		tagged[point{p.x, p.y}] = true
		text := pic.value(m.Score, m.Proof)
		tags = append(tags, tag{m, text, p.x, p.y, 14 + 8*len([]rune(text))})
	}
	pic.tags(tags)
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
		fmt.Fprintf(pic, `<text class="mono" x="%d" y="%d">%s</text>`+"\n", picMargin, picMargin+i*picLine, template.HTMLEscapeString(line))
		width = max(width, 2*picMargin+picLetter*len([]rune(line)))
	}
	return width, picMargin + len(lines)*picLine
}
