package web

import (
	"fmt"
	"html/template"
	"strings"
)

// squareView is a board of 8x8 squares with pieces, phases and parts that vanish.
type squareView struct {
	// Squares has a letter a square, row by row, as in the position string:
	// O white, @ black, X corner, - empty, . removed.
	Squares [8]string `json:"squares"`
	Phase   string    `json:"phase"`
	// ToShrink is the number of turns to the next shrink, 0 when there is none.
	ToShrink int `json:"to_shrink"`
	// Ring lists the squares that the next shrink takes away, Doomed the
	// pieces that would be gone if it came now.
	Ring   []int `json:"ring"`
	Doomed []int `json:"doomed"`
	// Barred lists the squares where the mover may not place; empty in the
	// moving phase.
	Barred []int `json:"barred"`
	// Moves tells for each legal move what it does.
	Moves []squareMove `json:"moves"`
	// Entered is the square that the last move entered, -1 for none; From
	// where it came from. Died lists where pieces were that it cost.
	Entered int   `json:"entered"`
	From    int   `json:"from"`
	Died    []int `json:"died"`
}

// squareMove is a legal move: its squares (8*y+x, From -1 for a placement,
// both -1 for a forfeit), whether it jumps and which pieces die.
type squareMove struct {
	Move string `json:"move"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Jump bool   `json:"jump"`
	Dies []int  `json:"dies"`
}

// squaresSVG draws a board of squares for a report, with the move
// that was bad and a better one as arrows.
func squaresSVG(b *strings.Builder, v *squareView, title, bad, better string) {
	fmt.Fprintf(b, `<svg class="board small" viewBox="0 0 172 172" role="img" aria-label="%s">`, template.HTMLEscapeString(title))
	at := func(n int) int { return svgMargin + n*svgCell }
	for i := range 8 {
		fmt.Fprintf(b, `<text class="label" x="%d" y="7">%d</text><text class="label" x="5" y="%d">%d</text>`, at(i)+svgCell/2, i, at(i)+svgCell/2, i)
	}
	for y, row := range v.Squares {
		for x, c := range row {
			class := "field"
			switch c {
			case '.':
				continue
			case 'X':
				class = "field corner"
			}
			fmt.Fprintf(b, `<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`, class, at(x), at(y), svgCell, svgCell)
			switch c {
			case 'O':
				fmt.Fprintf(b, `<circle class="piece1" cx="%d" cy="%d" r="7"/>`, at(x)+svgCell/2, at(y)+svgCell/2)
			case '@':
				fmt.Fprintf(b, `<rect class="piece2" x="%d" y="%d" width="13" height="13"/>`, at(x)+3, at(y)+3)
			}
		}
	}
	for _, m := range v.Moves {
		class := ""
		switch m.Move {
		case bad:
			class = "bad"
		case better:
			class = "better"
		}
		if class == "" || m.To < 0 {
			continue
		}
		cx, cy := at(m.To%8)+svgCell/2, at(m.To/8)+svgCell/2
		if m.From >= 0 {
			fmt.Fprintf(b, `<path class="%s" d="M%d %dL%d %d"/>`, class, at(m.From%8)+svgCell/2, at(m.From/8)+svgCell/2, cx, cy)
		}
		fmt.Fprintf(b, `<circle class="%s ends" cx="%d" cy="%d" r="4"/>`, class, cx, cy)
	}
	b.WriteString("</svg>")
}
