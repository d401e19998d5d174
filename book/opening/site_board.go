package opening

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

// mark is how a move is drawn.
type mark struct {
	class, shade int
	proved       bool
	href         string // page of the position after it, "" for none
	title        string
}

// look are the style classes of a move's shape; base is "m" for strokes and
// "f" for areas.
func (m mark) look(base string) string {
	out := fmt.Sprintf("%s d%d", base, m.shade)
	if !m.proved {
		out += " est"
	}
	return out
}

// wrap puts a move's shape into a group that is a link where it has a page.
func (m mark) wrap(shape string) string {
	g := fmt.Sprintf(`<g data-class="%d"><title>%s</title>%s</g>`, m.class, template.HTMLEscapeString(m.title), shape)
	if m.href == "" {
		return g
	}
	return fmt.Sprintf(`<a href="%s">%s</a>`, template.HTMLEscapeString(m.href), g)
}

// segmentGame is a position of a game on the segments of a board.
type segmentGame interface {
	Board() *grid.Board
	Free() grid.Set
}

// pieceGame is a position of a game with pieces on the squares of a board.
type pieceGame interface {
	Sides() (first, second uint64)
}

// drawBoard draws a position with its moves as SVG, or as text where it does
// not know the game's board.
func drawBoard(p engine.Canonical, marks map[engine.Move]mark) (template.HTML, error) {
	switch g := p.(type) {
	case segmentGame:
		return drawSegments(g, marks), nil
	case pieceGame:
		return drawPieces(p, g, marks), nil
	case engine.Pictured:
		return drawPicture(p, g.Picture(), marks), nil
	}
	var w strings.Builder
	if err := p.Draw(&w, engine.DrawStyle{}); err != nil {
		return "", err
	}
	return template.HTML("<pre>" + template.HTMLEscapeString(w.String()) + "</pre>"), nil
}

const (
	unit   = 60 // side of a square
	margin = 30
)

// inOrder lists the moves to be drawn, so that equal pages are equal bytes.
func inOrder(marks map[engine.Move]mark) []engine.Move {
	var out []engine.Move
	for m := range marks {
		out = append(out, m)
	}
	slices.Sort(out)
	return out
}

func drawSegments(g segmentGame, marks map[engine.Move]mark) template.HTML {
	b, free := g.Board(), g.Free()
	var w strings.Builder
	fmt.Fprintf(&w, `<svg viewBox="0 0 %d %d" role="img" aria-label="board">`, b.Cols*unit+2*margin, b.Rows*unit+2*margin)
	for sq := range b.Squares() {
		taken := true
		for _, s := range b.Around(sq) {
			taken = taken && !free.Has(s)
		}
		if taken {
			x, y := b.XY(sq)
			fmt.Fprintf(&w, `<rect class="taken" x="%d" y="%d" width="%d" height="%d"/>`, margin+x*unit, margin+y*unit, unit, unit)
		}
	}
	for x := range b.Cols {
		fmt.Fprintf(&w, `<text x="%d" y="%d">%d</text>`, margin+x*unit+unit/2, margin-12, x)
	}
	for y := range b.Rows {
		fmt.Fprintf(&w, `<text x="%d" y="%d">%d</text>`, margin-17, margin+y*unit+unit/2+5, y)
	}
	ends := func(s int) (x1, y1, x2, y2 int) {
		r, c, horizontal := b.Line(s)
		x1, y1 = margin+c*unit, margin+r*unit
		if horizontal {
			return x1, y1, x1 + unit, y1
		}
		return x1, y1, x1, y1 + unit
	}
	for s := range b.Segments() {
		if x1, y1, x2, y2 := ends(s); !free.Has(s) {
			fmt.Fprintf(&w, `<line class="drawn" x1="%d" y1="%d" x2="%d" y2="%d"/>`, x1, y1, x2, y2)
		}
	}
	for _, m := range inOrder(marks) {
		x1, y1, x2, y2 := ends(int(m))
		// Moves stay clear of the dots, so that neighbours can be told apart.
		gap := func(a, b int) (int, int) {
			if a == b {
				return a, b
			}
			return a + 9, b - 9
		}
		x1, x2 = gap(x1, x2)
		y1, y2 = gap(y1, y2)
		at := fmt.Sprintf(`x1="%d" y1="%d" x2="%d" y2="%d"`, x1, y1, x2, y2)
		w.WriteString(marks[m].wrap(fmt.Sprintf(`<line class="touch" %s/><line class="%s" %s/>`, at, marks[m].look("m"), at)))
	}
	for r := 0; r <= b.Rows; r++ {
		for c := 0; c <= b.Cols; c++ {
			fmt.Fprintf(&w, `<circle class="dot" cx="%d" cy="%d" r="4"/>`, margin+c*unit, margin+r*unit)
		}
	}
	w.WriteString("</svg>")
	return template.HTML(w.String())
}

// pictureWidth is the width of a picture of shapes.
const pictureWidth = 600

// drawPicture draws a picture of shapes; those that are moves are marked.
func drawPicture(p engine.Canonical, pic engine.Picture, marks map[engine.Move]mark) template.HTML {
	byName := map[string]mark{}
	for m, k := range marks {
		byName[p.MoveString(m)] = k
	}
	k := pictureWidth / max(pic.Width, 1)
	var w strings.Builder
	fmt.Fprintf(&w, `<svg viewBox="0 0 %g %g" role="img" aria-label="board">`, k*pic.Width, k*pic.Height)
	for _, s := range pic.Shapes {
		class := "cell"
		switch s.Look {
		case engine.Gone:
			class = "square"
		case engine.Owned1:
			class = "white"
		case engine.Owned2:
			class = "black"
		}
		mark, isMove := byName[s.Move]
		isMove = isMove && s.Move != ""
		base := "f"
		if s.Kind == engine.Line {
			base = "m"
		}
		if isMove {
			class = mark.look(base)
		}
		shape := ""
		switch s.Kind {
		case engine.Line:
			if !isMove {
				class = "drawn"
			}
			shape = fmt.Sprintf(`<line class="%s" x1="%g" y1="%g" x2="%g" y2="%g"/>`, class, k*s.X, k*s.Y, k*s.X2, k*s.Y2)
		case engine.Circle:
			shape = fmt.Sprintf(`<circle class="%s" cx="%g" cy="%g" r="%g"/>`, class, k*s.X, k*s.Y, k*s.R)
		case engine.Cell:
			shape = fmt.Sprintf(`<rect class="%s" x="%g" y="%g" width="%g" height="%g"/>`, class, k*s.X, k*s.Y, k*(s.X2-s.X), k*(s.Y2-s.Y))
		case engine.Label:
			shape = fmt.Sprintf(`<text x="%g" y="%g">%s</text>`, k*s.X, k*s.Y, template.HTMLEscapeString(s.Text))
		}
		if isMove {
			shape = mark.wrap(shape)
		}
		w.WriteString(shape)
	}
	w.WriteString("</svg>")
	return template.HTML(w.String())
}

var squareName = regexp.MustCompile(`\((\d+),(\d+)\)`)

// drawPieces draws an 8x8 board; a move is named by the squares it touches,
// (x,y) or (x,y)->(x,y).
func drawPieces(p engine.Canonical, g pieceGame, marks map[engine.Move]mark) template.HTML {
	const side = 8
	var w strings.Builder
	fmt.Fprintf(&w, `<svg viewBox="0 0 %d %d" role="img" aria-label="board">`, side*unit+2*margin, side*unit+2*margin)
	rows, _, _ := strings.Cut(p.String(), ":")
	first, second := g.Sides()
	center := func(x, y int) (int, int) { return margin + x*unit + unit/2, margin + y*unit + unit/2 }
	for y, row := range strings.Split(rows, "/") {
		for x, letter := range row {
			switch letter {
			case '.':
				continue // removed
			case 'X':
				fmt.Fprintf(&w, `<rect class="corner" x="%d" y="%d" width="%d" height="%d"/>`, margin+x*unit, margin+y*unit, unit, unit)
			}
			fmt.Fprintf(&w, `<rect class="cell" x="%d" y="%d" width="%d" height="%d"/>`, margin+x*unit, margin+y*unit, unit, unit)
		}
	}
	for i := range side {
		x, y := center(i, i)
		fmt.Fprintf(&w, `<text x="%d" y="%d">%d</text><text x="%d" y="%d">%d</text>`, x, margin-12, i, margin-17, y+5, i)
	}
	for s := range side * side {
		x, y := center(s%side, s/side)
		switch bit := uint64(1) << s; {
		case first&bit != 0:
			fmt.Fprintf(&w, `<circle class="white" cx="%d" cy="%d" r="%d"/>`, x, y, unit/3)
		case second&bit != 0:
			fmt.Fprintf(&w, `<circle class="black" cx="%d" cy="%d" r="%d"/>`, x, y, unit/3)
		}
	}
	for _, m := range inOrder(marks) {
		var at [][2]int
		for _, name := range squareName.FindAllStringSubmatch(p.MoveString(m), 2) {
			x, _ := strconv.Atoi(name[1])
			y, _ := strconv.Atoi(name[2])
			cx, cy := center(x, y)
			at = append(at, [2]int{cx, cy})
		}
		switch len(at) {
		case 1:
			w.WriteString(marks[m].wrap(fmt.Sprintf(`<circle class="%s" cx="%d" cy="%d" r="%d"/>`, marks[m].look("f"), at[0][0], at[0][1], unit/4)))
		case 2:
			line := fmt.Sprintf(`x1="%d" y1="%d" x2="%d" y2="%d"`, at[0][0], at[0][1], at[1][0], at[1][1])
			w.WriteString(marks[m].wrap(fmt.Sprintf(`<line class="touch" %s/><line class="%s" %s/><circle class="%s" cx="%d" cy="%d" r="9"/>`,
				line, marks[m].look("m"), line, marks[m].look("f"), at[1][0], at[1][1])))
		}
	}
	w.WriteString("</svg>")
	return template.HTML(w.String())
}
