package web

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"endwise/engine"
)

// boardSVG draws boards of all kinds for what has no script: pictures
// (picture.go) and the mistakes in a report (report.go). It writes shapes with
// classes, and whose drawing it is gives them their look.
type boardSVG struct {
	strings.Builder
	cell   int // side of a square
	margin int // left of the board and above it; the same to the right, half below
	label  int // middle of the row and column numbers
	// class is an extra class for what is the given move; nil: none.
	class func(move string) string
}

// place is where a move is on a drawing: its middle, and where the piece that it
// moves comes from.
type place struct {
	x, y         int
	fromX, fromY int
	moves        bool // it comes from somewhere
}

// draw draws a board and tells how large the drawing is and where the moves
// are. It reports false where a board is only known as text.
func (b *boardSVG) draw(d Drawing) (width, height int, places map[string]place, ok bool) {
	places = map[string]place{}
	switch {
	case d.Segments != nil:
		width, height = b.segments(d.Segments, places)
	case d.Squares != nil:
		width, height = b.squares(d.Squares, places)
	case d.Picture != nil:
		width, height = b.shapes(d.Picture, places)
	default:
		return 0, 0, nil, false
	}
	return width, height, places, true
}

// at is where the n-th line of a board lies.
func (b *boardSVG) at(n int) int { return b.margin + n*b.cell }

// middle is the middle between the n-th line and the next.
func (b *boardSVG) middle(n int) int { return b.at(n) + b.cell/2 }

// extra is what b.class says of a move, as the words of a class after others.
func (b *boardSVG) extra(move string) string {
	if b.class == nil || move == "" {
		return ""
	}
	return b.class(move)
}

// labels numbers columns and rows from the given ones on, and tells the size of
// the drawing.
func (b *boardSVG) labels(left, cols, top, rows int) (width, height int) {
	for x := range cols {
		fmt.Fprintf(b, `<text class="label" x="%d" y="%d">%d</text>`, b.middle(x), b.label, left+x)
	}
	for y := range rows {
		fmt.Fprintf(b, `<text class="label" x="%d" y="%d">%d</text>`, b.label, b.middle(y), top+y)
	}
	b.WriteByte('\n')
	return b.at(cols) + b.margin, b.at(rows) + b.margin/2
}

// path draws lines or areas that look alike, if there are any.
func (b *boardSVG) path(class, path string) {
	if path != "" {
		fmt.Fprintf(b, `<path class="%s" d="%s"/>`+"\n", class, path)
	}
}

// segments draws a board of squares and segments: one path for all that looks
// alike.
func (b *boardSVG) segments(s *segmentView, places map[string]place) (width, height int) {
	width, height = b.labels(0, s.Cols, 0, s.Rows)
	var areas [4]strings.Builder
	var names strings.Builder
	for y, row := range s.Owner {
		for x, o := range row {
			if o != 0 {
				fmt.Fprintf(&areas[o], "M%d %dh%dv%dh-%dz", b.at(x), b.at(y), b.cell, b.cell, b.cell)
			}
			if o == 1 || o == 2 {
				fmt.Fprintf(&names, `<text class="own%d" x="%d" y="%d">%d</text>`, o, b.middle(x), b.middle(y), o)
			}
		}
	}
	for o := range areas {
		b.path(fmt.Sprintf("area%d", o), areas[o].String())
	}
	b.WriteString(names.String())
	classes := []string{"free", "drawn"} // in the order in which they are drawn
	lines := map[string]string{}
	visit := func(states, names [][]string, dx, dy int, step string) {
		for r, row := range states {
			for c, state := range row {
				name := names[r][c]
				places[name] = place{x: b.at(c) + dx, y: b.at(r) + dy}
				class := state
				if state == "last" {
					class = "drawn"
				}
				if extra := b.extra(name); extra != "" {
					class = extra
					classes = append(classes, extra)
				}
				lines[class] += fmt.Sprintf("M%d %d%s%d", b.at(c), b.at(r), step, b.cell)
			}
		}
	}
	visit(s.Horizontal, s.HNames, b.cell/2, 0, "h")
	visit(s.Vertical, s.VNames, 0, b.cell/2, "v")
	for _, class := range classes {
		b.path(class, lines[class])
		delete(lines, class)
	}
	return width, height
}

// squares draws the squares that are left of a board with pieces.
func (b *boardSVG) squares(v *squareView, places map[string]place) (width, height int) {
	left, right, top, bottom := 8, -1, 8, -1
	for y, row := range v.Squares {
		for x, c := range row {
			if c != '.' {
				left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
			}
		}
	}
	width, height = b.labels(left, right-left+1, top, bottom-top+1)
	piece := b.cell * 8 / 13
	for y, row := range v.Squares {
		for x, c := range row {
			if c == '.' {
				continue
			}
			class := "field"
			if c == 'X' {
				class = "field corner"
			}
			fmt.Fprintf(b, `<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`, class, b.at(x-left), b.at(y-top), b.cell, b.cell)
			switch c {
			case 'O':
				fmt.Fprintf(b, `<circle class="piece1" cx="%d" cy="%d" r="%d"/>`, b.middle(x-left), b.middle(y-top), b.cell/3)
			case '@':
				fmt.Fprintf(b, `<rect class="piece2" x="%d" y="%d" width="%d" height="%d" rx="%d"/>`,
					b.middle(x-left)-piece/2, b.middle(y-top)-piece/2, piece, piece, b.cell/16)
			}
		}
	}
	b.WriteByte('\n')
	for _, m := range v.Moves {
		if m.To < 0 {
			continue
		}
		p := place{x: b.middle(m.To%8 - left), y: b.middle(m.To/8 - top)}
		if m.From >= 0 {
			p.moves, p.fromX, p.fromY = true, b.middle(m.From%8-left), b.middle(m.From/8-top)
		}
		places[m.Move] = p
	}
	return width, height
}

// arrow draws the way of a move on a board of pieces.
func (b *boardSVG) arrow(class string, p place) {
	if p.moves {
		b.path(class, fmt.Sprintf("M%d %dL%d %d", p.fromX, p.fromY, p.x, p.y))
	}
}

// boardCells is the longer side of a board of shapes, in squares of the other
// boards.
const boardCells = 12

// shapes draws a board of shapes.
func (b *boardSVG) shapes(p *engine.Picture, places map[string]place) (width, height int) {
	scale := float64(boardCells*b.cell) / max(p.Width, p.Height)
	length := func(v float64) string { return strconv.FormatFloat(math.Round(v*scale*10)/10, 'f', -1, 64) }
	at := func(v float64) string { return length(v + float64(b.margin)/scale) }
	for _, s := range p.Shapes {
		class := template.HTMLEscapeString(strings.TrimSpace("shape " + string(s.Look) + " " + b.extra(s.Move)))
		switch s.Kind {
		case engine.Line:
			fmt.Fprintf(b, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, at(s.X), at(s.Y), at(s.X2), at(s.Y2))
		case engine.Circle:
			fmt.Fprintf(b, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`, class, at(s.X), at(s.Y), length(s.R))
		case engine.Cell:
			fmt.Fprintf(b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, at(s.X), at(s.Y), length(s.X2-s.X), length(s.Y2-s.Y))
		case engine.Label:
			fmt.Fprintf(b, `<text class="label" x="%s" y="%s">%s</text>`, at(s.X), at(s.Y), template.HTMLEscapeString(s.Text))
		}
		b.WriteByte('\n')
		if s.Move != "" {
			x, y := s.Middle()
			places[s.Move] = place{x: b.margin + int(x*scale), y: b.margin + int(y*scale)}
		}
	}
	return 2*b.margin + int(p.Width*scale), 2*b.margin + int(p.Height*scale)
}
