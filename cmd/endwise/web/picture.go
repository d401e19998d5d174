package web

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/svg"
)

// Geometry of a picture in the units of its drawing; a square has svg.Unit.
const (
	picScale  = 0.52 // pixels per unit
	picWords  = 65   // height of the line below the board
	picLetter = 16   // width of a letter in that line
	picIndent = 77   // of that line
)

// picStyle is the style of what a picture adds to a board; svg.Style is that of the board. Colour is never the only distinction.
const picStyle = `.paper { fill: var(--paper); }
.board .words { font-size: 29px; text-anchor: start; }
.board .best { stroke: var(--good); stroke-width: 8; }
.tag { fill: var(--paper); stroke: var(--soft); stroke-width: 4; }
.tag.top { stroke: var(--good); stroke-width: 6; }
.board .tagtext { font-size: 25px; font-weight: 600; }
`

// Picture draws a position as a self-contained SVG file with the values in d: the value of
// each move on the board, and a line of text below. The frame of a proved value has round ends,
// that of a bound or an estimate nearly square corners and a mark before the value; the frames
// of the best moves are thicker. The same position and decision produce the same bytes.
func (g Game) Picture(p engine.Position, d engine.Decision) []byte {
	pic := picture{game: g, d: d}
	width, height := pic.board(p.Picture(nil, 0))
	words := pic.words(p)
	width = max(width, 2*picIndent+picLetter*len([]rune(words)))
	height += picWords
	pixels := func(n int) string { return strconv.Itoa(int(float64(n) * picScale)) }
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="0 0 %d %d" width="%s" height="%s" role="img">`+"\n", width, height, pixels(width), pixels(height))
	fmt.Fprintf(&out, "<title>%s</title>\n<desc>%s</desc>\n<style>\n%s%s</style>\n", template.HTMLEscapeString(words), template.HTMLEscapeString(p.String()), svg.Style, picStyle)
	fmt.Fprintf(&out, `<rect class="paper" width="%d" height="%d" rx="15"/>`+"\n", width, height)
	out.WriteString(pic.String())
	fmt.Fprintf(&out, `<text class="words" x="%d" y="%d">%s</text>`+"\n</svg>\n", picIndent, height-picWords/2, template.HTMLEscapeString(words))
	return out.Bytes()
}

// picture is a picture in progress.
type picture struct {
	strings.Builder
	game Game
	d    engine.Decision
}

// board draws the shapes of a position, the path of the best move, and the value of each move. If several
// moves end in one place, it shows the best value. It returns the size of the board in units.
func (pic *picture) board(p engine.Picture) (width, height int) {
	marks := map[string]svg.Mark{}
	places := map[string]engine.Shape{}
	for _, s := range p.Shapes {
		if s.Move != "" {
			places[s.Move] = s
		}
	}
	if places[pic.d.Move].Kind == engine.Arrow {
		marks[pic.d.Move] = svg.Mark{Class: "best"}
	}
	svg.Write(&pic.Builder, p, marks)
	type point struct{ x, y int }
	tagged := map[point]bool{}
	var tags []tag
	for _, m := range pic.d.Moves { // sorted, best first
		s, ok := places[m.Move]
		x, y := s.Middle()
		at := point{int(math.Round(svg.Unit * x)), int(math.Round(svg.Unit * y))}
		if !ok || tagged[at] {
			continue
		}
		tagged[at] = true
		text := pic.game.Marked(m.Score, m.Proof)
		tags = append(tags, tag{m, text, at.x, at.y, 27 + 15*len([]rune(text))})
	}
	pic.tags(tags)
	return int(math.Ceil(svg.Unit * p.Width)), int(math.Ceil(svg.Unit * p.Height))
}

// words returns the text below the board: the score, the side to move and the position's value.
func (pic *picture) words(p engine.Position) string {
	score := answer.Score(p.Score(), "-")
	if p.Over() {
		return score + ", the game is over"
	}
	side := pic.game.Sides[p.Turn()-engine.First]
	text := fmt.Sprintf("%s, %s to move: %s", score, side, pic.game.Marked(pic.d.Score, pic.d.Proof))
	if pic.d.Proof == engine.Exact {
		text += ", proved"
	}
	return text
}

// tag is the value of a move, with its place and width on the board in units.
type tag struct {
	move  engine.MoveValue
	text  string
	x, y  int
	width int
}

const tagHeight = 42

// tags draws values on the board, all in one size, as large as their distances allow.
func (pic *picture) tags(list []tag) {
	scale := 1.0
	for i, a := range list {
		for _, b := range list[:i] {
			dx, dy := math.Abs(float64(a.x-b.x)), math.Abs(float64(a.y-b.y))
			room := max(2*dx/float64(a.width+b.width), dy/tagHeight)
			scale = max(min(scale, room), 0.4) // minimum legible size
		}
	}
	for _, t := range list {
		class, round := "tag", 6
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
