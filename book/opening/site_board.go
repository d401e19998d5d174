package opening

import (
	"fmt"
	"html/template"
	"strings"

	"endwise/engine"
	"endwise/engine/svg"
)

// mark is how a move is drawn.
type mark struct {
	class, shade int
	proved       bool
	href         string // page of the position after it, "" for none
	title        string
}

// svg is the mark as markup: a group that is a link where the move has a page.
func (m mark) svg() svg.Mark {
	out := svg.Mark{
		Class:  fmt.Sprintf("m d%d", m.shade),
		Before: fmt.Sprintf(`<g data-class="%d"><title>%s</title>`, m.class, template.HTMLEscapeString(m.title)),
		After:  "</g>",
	}
	if !m.proved {
		out.Class += " est"
	}
	if m.href != "" {
		out.Before = fmt.Sprintf(`<a href="%s">`, template.HTMLEscapeString(m.href)) + out.Before
		out.After += "</a>"
	}
	return out
}

// drawBoard draws a position with its moves as SVG, or as text where the game
// has no pictures.
func drawBoard(p engine.Canonical, marks map[engine.Move]mark) (template.HTML, error) {
	var w strings.Builder
	drawn, ok := p.(engine.Pictured)
	if !ok {
		if err := p.Draw(&w, engine.DrawStyle{}); err != nil {
			return "", err
		}
		return template.HTML("<pre>" + template.HTMLEscapeString(w.String()) + "</pre>"), nil
	}
	named := map[string]svg.Mark{}
	for m, k := range marks {
		named[p.MoveString(m)] = k.svg()
	}
	pic := drawn.Picture(nil, 0)
	fmt.Fprintf(&w, `<svg class="board" viewBox="%s" role="img" aria-label="board">`, svg.ViewBox(pic))
	svg.Write(&w, pic, named)
	w.WriteString("</svg>")
	return template.HTML(w.String()), nil
}
