package web

import (
	"fmt"
	"html/template"
	"strings"

	"endwise/engine"
)

// boardSVG draws a position with a move that was bad and one that is better,
// either of which may be "", for reports that need no script. The styles are
// those of board.js.
func (g Game) boardSVG(p engine.Position, bad, better string) (template.HTML, error) {
	v, err := g.view(p, nil, 0)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	title := "Board: player " + fmt.Sprint(v.Turn) + " to move"
	if bad != "" {
		title += fmt.Sprintf("; played %s, better %s", bad, better)
	}
	switch {
	case v.Segments != nil:
		segmentsSVG(&b, v.Segments, title, bad, better)
	case v.Squares != nil:
		squaresSVG(&b, v.Squares, title, bad, better)
	case v.Picture != nil:
		pictureSVG(&b, v.Picture, title, bad, better)
	default:
		fmt.Fprintf(&b, `<pre class="board small" role="img" aria-label="%s">%s</pre>`, template.HTMLEscapeString(title), template.HTMLEscapeString(v.Text))
	}
	return template.HTML(b.String()), nil
}

// pictureSVG draws a picture of shapes.
func pictureSVG(b *strings.Builder, p *engine.Picture, title, bad, better string) {
	fmt.Fprintf(b, `<svg class="board small picture" viewBox="0 0 %g %g" role="img" aria-label="%s">`, p.Width, p.Height, template.HTMLEscapeString(title))
	for _, s := range p.Shapes {
		class := "shape " + string(s.Look)
		switch {
		case s.Move == "":
		case s.Move == bad:
			class += " bad"
		case s.Move == better:
			class += " better"
		}
		class = template.HTMLEscapeString(class)
		switch s.Kind {
		case engine.Line:
			fmt.Fprintf(b, `<line class="%s" x1="%g" y1="%g" x2="%g" y2="%g"/>`, class, s.X, s.Y, s.X2, s.Y2)
		case engine.Circle:
			fmt.Fprintf(b, `<circle class="%s" cx="%g" cy="%g" r="%g"/>`, class, s.X, s.Y, s.R)
		case engine.Cell:
			fmt.Fprintf(b, `<rect class="%s" x="%g" y="%g" width="%g" height="%g"/>`, class, s.X, s.Y, s.X2-s.X, s.Y2-s.Y)
		case engine.Label:
			fmt.Fprintf(b, `<text class="%s name" x="%g" y="%g">%s</text>`, class, s.X, s.Y, template.HTMLEscapeString(s.Text))
		}
	}
	b.WriteString("</svg>")
}

// Geometry of the drawn boards, in the units of the drawing.
const (
	svgCell   = 20
	svgMargin = 12
)

// segmentsSVG draws a board of segments: one path for all that is alike.
func segmentsSVG(b *strings.Builder, s *segmentView, title, bad, better string) {
	at := func(n int) int { return svgMargin + n*svgCell }
	fmt.Fprintf(b, `<svg class="board small" viewBox="0 0 %d %d" role="img" aria-label="%s">`,
		at(s.Cols)+svgMargin, at(s.Rows)+svgMargin, template.HTMLEscapeString(title))
	for x := range s.Cols {
		fmt.Fprintf(b, `<text class="label" x="%d" y="7">%d</text>`, at(x)+svgCell/2, x)
	}
	for y := range s.Rows {
		fmt.Fprintf(b, `<text class="label" x="5" y="%d">%d</text>`, at(y)+svgCell/2, y)
	}
	var areas [4]strings.Builder
	var names strings.Builder
	for y, row := range s.Owner {
		for x, o := range row {
			if o == 0 {
				continue
			}
			fmt.Fprintf(&areas[o], "M%d %dh%dv%dh-%dz", at(x), at(y), svgCell, svgCell, svgCell)
			if o < 3 {
				fmt.Fprintf(&names, `<text class="own%d" x="%d" y="%d">%d</text>`, o, at(x)+svgCell/2, at(y)+svgCell/2, o)
			}
		}
	}
	for o := 1; o <= 3; o++ {
		if areas[o].Len() > 0 {
			fmt.Fprintf(b, `<path class="areas%d" d="%s"/>`, o, areas[o].String())
		}
	}
	b.WriteString(names.String())
	var drawn, free, badPath, betterPath strings.Builder
	line := func(state, name string, r, c int, horizontal bool) {
		step := "v"
		if horizontal {
			step = "h"
		}
		path := fmt.Sprintf("M%d %d%s%d", at(c), at(r), step, svgCell)
		switch {
		case name == bad && bad != "":
			badPath.WriteString(path)
		case name == better && better != "":
			betterPath.WriteString(path)
		case state == "drawn" || state == "last":
			drawn.WriteString(path)
		case state == "free":
			free.WriteString(path)
		}
	}
	for r, row := range s.Horizontal {
		for c, state := range row {
			line(state, s.HNames[r][c], r, c, true)
		}
	}
	for r, row := range s.Vertical {
		for c, state := range row {
			line(state, s.VNames[r][c], r, c, false)
		}
	}
	for _, l := range []struct {
		class string
		path  *strings.Builder
	}{{"free", &free}, {"drawn", &drawn}, {"bad", &badPath}, {"better", &betterPath}} {
		if l.path.Len() > 0 {
			fmt.Fprintf(b, `<path class="%s" d="%s"/>`, l.class, l.path.String())
		}
	}
	b.WriteString("</svg>")
}
