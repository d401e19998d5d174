package web

import (
	"fmt"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

// view is a position as the pages draw it.
type view struct {
	Game     string   `json:"game"`
	Position string   `json:"position"`
	Turn     int      `json:"turn"`
	Over     bool     `json:"over"`
	Winner   int      `json:"winner"`
	Score    [2]int   `json:"score"`
	Board    string   `json:"board,omitempty"` // as Start reads it, where the position tells
	Moves    []string `json:"moves"`
	Last     string   `json:"last,omitempty"`
	Drawing
}

// Drawing is what a game adds to a view: its board in one of the forms that
// the pages draw, and words about it.
type Drawing struct {
	// Segments is a board of squares and segments, Squares one of squares with
	// pieces, Picture one of shapes, Text the drawing for a terminal. One of them
	// is there.
	Segments *segmentView    `json:"segments,omitempty"`
	Squares  *squareView     `json:"squares,omitempty"`
	Picture  *engine.Picture `json:"picture,omitempty"`
	Text     string          `json:"text,omitempty"`
	// Twins maps each move that has an equal under the position's symmetries
	// to the first of its kind.
	Twins map[string]string `json:"twins,omitempty"`
	// News says in words what the last move did.
	News string `json:"news,omitempty"`
	// Facts is a sentence about where the game stands.
	Facts string `json:"facts,omitempty"`
}

// Drawer draws the positions of one game. before is the position before the
// last move, nil where there is none.
type Drawer func(p, before engine.Position, last engine.Move) (Drawing, error)

// segmentView is the picture that board.js draws, and the name of the move
// that each segment is.
type segmentView struct {
	Rows       int        `json:"rows"`
	Cols       int        `json:"cols"`
	Horizontal [][]string `json:"horizontal"` // free, drawn, last or gone
	Vertical   [][]string `json:"vertical"`
	Owner      [][]int    `json:"owner"` // 0 nobody, 1, 2, 3 captured by somebody
	HNames     [][]string `json:"h_names"`
	VNames     [][]string `json:"v_names"`
}

// view describes a position. before is the position before the last move, nil
// where there is none.
func (g Game) view(p, before engine.Position, last engine.Move) (view, error) {
	v := view{
		Game: p.Game(), Position: p.String(), Turn: int(p.Turn()), Over: p.Over(),
		Winner: int(engine.Winner(p)), Score: p.Score(), Moves: []string{},
	}
	for _, m := range p.Moves() {
		v.Moves = append(v.Moves, p.MoveString(m))
	}
	if before != nil {
		v.Last = before.MoveString(last)
	}
	if c, ok := p.(engine.Canonical); ok {
		v.Board = c.BoardName()
	}
	draw := g.Draw
	if draw == nil {
		draw = drawAny
	}
	var err error
	v.Drawing, err = draw(p, before, last)
	return v, err
}

// drawAny draws any game: its picture, or what a terminal shows.
func drawAny(p, before engine.Position, last engine.Move) (Drawing, error) {
	if p, ok := p.(engine.Pictured); ok {
		picture := p.Picture()
		return Drawing{Picture: &picture, Facts: picture.Facts}, nil
	}
	var style engine.DrawStyle
	if before != nil {
		style.Last = &last
	}
	var b strings.Builder
	err := p.Draw(&b, style)
	return Drawing{Text: b.String()}, err
}

// captured says in words what a move won, "" where it won nothing.
func captured(before, after engine.Position, one, more string) string {
	if before == nil {
		return ""
	}
	me := before.Turn()
	switch n := after.Score()[me-1] - before.Score()[me-1]; {
	case n == 1:
		return fmt.Sprintf("player %d captured a %s", me, one)
	case n > 1:
		return fmt.Sprintf("player %d captured %d %s", me, n, more)
	}
	return ""
}

// segmentsOf draws the board of a segment game. last is the segment played
// last, -1 for none.
func segmentsOf(p engine.Position, b *grid.Board, drawn, free grid.Set, owner func(square int) int, last int) *segmentView {
	state := func(s int) string {
		switch {
		case s == last && drawn.Has(s):
			return "last"
		case drawn.Has(s):
			return "drawn"
		case free.Has(s):
			return "free"
		}
		return "gone"
	}
	v := &segmentView{Rows: b.Rows, Cols: b.Cols}
	for r := range b.Rows + 1 {
		states, names := make([]string, b.Cols), make([]string, b.Cols)
		for c := range b.Cols {
			s := b.H(r, c)
			states[c], names[c] = state(s), p.MoveString(engine.Move(s))
		}
		v.Horizontal, v.HNames = append(v.Horizontal, states), append(v.HNames, names)
	}
	for r := range b.Rows {
		states, names := make([]string, b.Cols+1), make([]string, b.Cols+1)
		for c := range b.Cols + 1 {
			s := b.V(r, c)
			states[c], names[c] = state(s), p.MoveString(engine.Move(s))
		}
		v.Vertical, v.VNames = append(v.Vertical, states), append(v.VNames, names)
		owners := make([]int, b.Cols)
		for c := range b.Cols {
			owners[c] = owner(b.Square(c, r))
		}
		v.Owner = append(v.Owner, owners)
	}
	return v
}

// twinsOf finds the free segments that some symmetry of the board maps to
// each other while it maps the free segments to themselves: their values are
// equal. The one with the lowest number stands for its kind.
func twinsOf(p engine.Position, b *grid.Board, free grid.Set) map[string]string {
	list := free.Segments()
	first := map[int]int{}
	for _, s := range list {
		first[s] = s
	}
	for _, y := range b.Symmetries() {
		keeps := true
		for _, s := range list {
			if !free.Has(y.Segment[s]) {
				keeps = false
				break
			}
		}
		if !keeps {
			continue
		}
		for _, s := range list {
			first[s] = min(first[s], y.Segment[s])
		}
	}
	out := map[string]string{}
	for _, s := range list {
		if first[s] != s {
			out[p.MoveString(engine.Move(s))] = p.MoveString(engine.Move(first[s]))
		}
	}
	return out
}
