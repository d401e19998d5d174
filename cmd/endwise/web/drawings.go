package web

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"endwise/book/analysis"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/svg"
)

// drawings are the boards of a report. They refer to shapes that the page defines once.
type drawings struct {
	defs    strings.Builder
	numbers map[marked]int
}

// marked is a shape with the class of its mark.
type marked struct {
	engine.Shape
	class string
}

// frame returns the numbers of the shapes of a picture, and defines those that are new. marks has the
// names of moves as keys. Arrows without a mark are omitted.
func (d *drawings) frame(pic engine.Picture, marks map[string]svg.Mark) (shown []int) {
	for _, s := range pic.Shapes {
		mark, found := marks[s.Move]
		if s.Kind == engine.Arrow && !found {
			continue
		}
		key := marked{s, mark.Class}
		n, ok := d.numbers[key]
		if !ok {
			n = len(d.numbers)
			d.numbers[key] = n
			// In the copies that <use> makes, selectors match only ancestors inside the copy.
			fmt.Fprintf(&d.defs, `<g id="s%d" class="board small">`, n)
			svg.Write(&d.defs, engine.Picture{Shapes: []engine.Shape{s}}, marks)
			d.defs.WriteString("</g>")
		}
		shown = append(shown, n)
	}
	return shown
}

// board draws a position. The keys of marks are moves; words is appended to the board's label.
func (d *drawings) board(g Game, position, words string, marks map[string]svg.Mark) (template.HTML, error) {
	p, err := g.Parse(position)
	if err != nil {
		return "", err
	}
	title := template.HTMLEscapeString(fmt.Sprintf("Board: player %d to move%s", p.Turn(), words))
	var b strings.Builder
	pic := p.Picture(nil, 0)
	fmt.Fprintf(&b, `<svg class="board small" viewBox="%s" role="img" aria-label="%s">`, svg.ViewBox(pic), title)
	for _, n := range d.frame(pic, marks) {
		fmt.Fprintf(&b, `<use href="#s%d"/>`, n)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()), nil
}

// Shapes defines the shapes of the boards drawn so far.
func (d *drawings) Shapes() template.HTML {
	return template.HTML(`<svg hidden><defs>` + d.defs.String() + "</defs></svg>")
}

// film is a game for report.js.
type film struct {
	ViewBox string `json:"viewBox"`
	// Frames[n] contains the numbers of the shapes of the position after n moves.
	Frames [][]int `json:"frames"`
}

// film returns a game as a packed film ([pack]): one frame per position. Before a move with a proved loss,
// the frame marks that move and the better one. Errors are those of the start and of illegal moves.
func (d *drawings) film(g Game, a analysis.Analysis) (string, error) {
	p, err := g.Parse(a.Start)
	if err != nil {
		return "", err
	}
	var f film
	var before engine.Position
	var last engine.Move
	for i := 0; ; i++ {
		pic := p.Picture(before, last)
		var marks map[string]svg.Mark
		if i < len(a.Moves) && a.Moves[i].ProvedLoss() > 0 {
			marks = mistakeMarks(a.Moves[i].Move, a.Moves[i].Best)
		}
		f.ViewBox = cmp.Or(f.ViewBox, svg.ViewBox(pic))
		f.Frames = append(f.Frames, d.frame(pic, marks))
		if i == len(a.Moves) {
			break
		}
		before = p
		if last, err = p.ParseMove(a.Moves[i].Move); err == nil {
			p, err = p.Play(last)
		}
		if err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(f)
	return pack(data), err
}

// mistakeMarks marks a mistake and the better move.
func mistakeMarks(played, better string) map[string]svg.Mark {
	return map[string]svg.Mark{played: {Class: "bad"}, better: {Class: "better"}}
}

// pack compresses data for an attribute or an address; unpack in report.js and analyse.js reads it.
func pack(data []byte) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression) // the level is valid, and a Buffer returns no errors
	w.Write(data)
	w.Close()
	return base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// Record returns the game in the plain format, packed for the address of the page Analyse.
func (g reportGame) Record() (string, error) {
	start, err := g.Words.Parse(g.Start)
	if err != nil {
		return "", err
	}
	r := arena.Result{Winner: engine.Side(g.Winner), Score: g.Score, Fault: g.Fault, End: arena.Played}
	switch {
	case g.Fault == "":
	case g.Winner == 0:
		r.End = ""
	default:
		r.End = arena.Stopped
	}
	for i, p := range g.Players {
		r.Players[i] = p.Name
	}
	for _, m := range g.Analysis.Moves {
		r.Moves = append(r.Moves, m.Move)
	}
	var b bytes.Buffer
	err = arena.WriteLog(&b, start, r)
	return pack(b.Bytes()), err
}
