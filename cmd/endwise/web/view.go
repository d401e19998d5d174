package web

import (
	"fmt"

	"endwise/book/analysis"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/engine/watchyourback"
)

// view is a position as the pages draw it.
type view struct {
	Game     string   `json:"game"`
	Position string   `json:"position"`
	Turn     int      `json:"turn"`
	Over     bool     `json:"over"`
	Winner   int      `json:"winner"`
	Score    [2]int   `json:"score"`
	Moves    []string `json:"moves"`
	// Twins maps each move that has an equal under the position's symmetries
	// to the first of its kind.
	Twins map[string]string `json:"twins,omitempty"`
	Last  string            `json:"last,omitempty"`
	// News says in words what the last move did.
	News string `json:"news,omitempty"`
	// Segments is the board of a segment game, Squares that of Watch Your Back.
	Segments *segmentView `json:"segments,omitempty"`
	Squares  *squareView  `json:"squares,omitempty"`
}

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

// viewOf describes a position. before is the position before the last move,
// nil where there is none.
func viewOf(p, before engine.Position, last engine.Move) (view, error) {
	s := p.Score()
	v := view{
		Game: p.Game(), Position: p.String(), Turn: int(p.Turn()), Over: p.Over(),
		Winner: int(analysis.Winner(p)), Score: s, Moves: []string{},
	}
	for _, m := range p.Moves() {
		v.Moves = append(v.Moves, p.MoveString(m))
	}
	segment := -1
	if before != nil {
		v.Last = before.MoveString(last)
		segment = int(last)
	}
	switch q := p.(type) {
	case circuitwars.Position:
		owner := func(sq int) int {
			switch o, known := q.Owner(sq); {
			case !q.Captured(sq):
				return 0
			case !known:
				return 3
			default:
				return int(o)
			}
		}
		v.Segments = segmentsOf(q, q.Board(), q.Drawn(), q.Free(), owner, segment)
		v.Twins = twinsOf(q, q.Board(), q.Free())
	case dotsandboxes.Position:
		owner := func(box int) int {
			if o := q.Owner(box); o != engine.None {
				return int(o)
			}
			if q.Completed(box) {
				return 3
			}
			return 0
		}
		v.Segments = segmentsOf(q, q.Board(), q.Drawn(), q.Free(), owner, segment)
		v.Twins = twinsOf(q, q.Board(), q.Free())
	case watchyourback.Position:
		v.Squares = squaresOf(q, before, last)
	default:
		return view{}, fmt.Errorf("no picture for %s", p.Game())
	}
	if before != nil {
		v.News = news(before, p)
	}
	return v, nil
}

// news says what a move did to squares or pieces, in words.
func news(before, after engine.Position) string {
	s, t, me := before.Score(), after.Score(), before.Turn()
	if _, pieces := after.(watchyourback.Position); pieces {
		return losses(before.(watchyourback.Position), after.(watchyourback.Position))
	}
	if n := t[me-1] - s[me-1]; n > 0 {
		one, more := "square", "squares"
		if _, boxes := after.(dotsandboxes.Position); boxes {
			one, more = "box", "boxes"
		}
		if n == 1 {
			return fmt.Sprintf("player %d captured a %s", me, one)
		}
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
