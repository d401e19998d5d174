// Package svg writes an [engine.Picture] as SVG. board.js draws the same shapes in a browser.
package svg

import (
	_ "embed"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"endwise/engine"
)

// Unit is the size of a picture's unit in SVG coordinates.
const Unit = 100

// Style is the style sheet of elements of class "board".
//
//go:embed board.css
var Style string

// Mark highlights a move.
type Mark struct {
	Class string // added to the classes of the move's shape
	// Before and After are markup around the shape. If Before is set, a line also gets a
	// wider, invisible line to click.
	Before, After string
}

// clearance is the fraction by which a marked line is shortened at both ends.
const clearance = 0.15

// arrowRing is the radius of the ring at the end of an arrow.
const arrowRing = 0.2

// Write writes the shapes of a picture, one per line, without the surrounding svg element. The keys of
// marks are the moves to highlight, written like Shape.Move; arrows are drawn only for these.
func Write(b *strings.Builder, p engine.Picture, marks map[string]Mark) {
	for _, s := range p.Shapes {
		mark, marked := marks[s.Move]
		if s.Kind == engine.Arrow && !marked {
			continue
		}
		look := string(s.Look)
		if look == "" {
			look = string(s.Kind)
		}
		class := strings.TrimSpace(html.EscapeString(look + " " + mark.Class))
		b.WriteString(mark.Before)
		switch s.Kind {
		case engine.Line:
			if marked {
				s = shortened(s)
			}
			ends := fmt.Sprintf(`x1="%s" y1="%s" x2="%s" y2="%s"`, at(s.X), at(s.Y), at(s.X2), at(s.Y2))
			if mark.Before != "" {
				fmt.Fprintf(b, `<line class="touch" %s/>`, ends)
			}
			fmt.Fprintf(b, `<line class="%s" %s/>`, class, ends)
		case engine.Circle:
			fmt.Fprintf(b, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`, class, at(s.X), at(s.Y), at(s.R))
		case engine.Cell:
			fmt.Fprintf(b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`,
				class, at(s.X), at(s.Y), at(s.X2-s.X), at(s.Y2-s.Y))
		case engine.Cross:
			fmt.Fprintf(b, `<path class="%s" d="M%s %sL%s %sM%s %sL%s %s"/>`,
				class, at(s.X), at(s.Y), at(s.X2), at(s.Y2), at(s.X), at(s.Y2), at(s.X2), at(s.Y))
		case engine.Label:
			fmt.Fprintf(b, `<text class="%s" x="%s" y="%s">%s</text>`, class, at(s.X), at(s.Y), html.EscapeString(s.Text))
		case engine.Arrow:
			long := math.Hypot(s.X2-s.X, s.Y2-s.Y)
			dx, dy := arrowRing*(s.X2-s.X)/long, arrowRing*(s.Y2-s.Y)/long
			fmt.Fprintf(b, `<path class="%s" d="M%s %sL%s %sa%[6]s %[6]s 0 1 0 %[7]s %[8]sa%[6]s %[6]s 0 1 0 %[9]s %[10]s"/>`,
				class, at(s.X), at(s.Y), at(s.X2-dx), at(s.Y2-dy), at(arrowRing), at(2*dx), at(2*dy), at(-2*dx), at(-2*dy))
		}
		b.WriteString(mark.After)
		b.WriteByte('\n')
	}
}

// shortened returns a line without the fraction clearance of its length at each end.
func shortened(s engine.Shape) engine.Shape {
	dx, dy := clearance*(s.X2-s.X), clearance*(s.Y2-s.Y)
	s.X, s.Y, s.X2, s.Y2 = s.X+dx, s.Y+dy, s.X2-dx, s.Y2-dy
	return s
}

// at formats a length or coordinate of a picture.
func at(v float64) string {
	return strconv.FormatFloat(math.Round(v*Unit*10)/10, 'f', -1, 64)
}

func ViewBox(p engine.Picture) string { return "0 0 " + at(p.Width) + " " + at(p.Height) }
