package web

import (
	"fmt"
	"html/template"
	"math/bits"
	"strings"

	"endwise/engine"
	"endwise/engine/watchyourback"
)

// squareView is the board of Watch Your Back.
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
	// Facts is a sentence about phase and shrink.
	Facts string `json:"facts"`
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

// showDoomedAt is how many turns before a shrink the pieces it would take are
// marked.
const showDoomedAt = 24

func squaresOf(p watchyourback.Position, before engine.Position, last engine.Move) *squareView {
	v := &squareView{Phase: p.Phase().String(), ToShrink: p.ToShrink(), Entered: -1, From: -1, Ring: []int{}, Doomed: []int{}, Barred: []int{}, Moves: []squareMove{}, Died: []int{}}
	rows, _, _ := strings.Cut(p.String(), ":")
	copy(v.Squares[:], strings.Split(rows, "/"))
	white, black := p.Sides()
	if p.Stage() != watchyourback.Final {
		next := p.Stage() + 1
		v.Ring = squareList(watchyourback.Squares(p.Stage()) &^ watchyourback.Squares(next))
		if p.Phase() == watchyourback.Moving && p.ToShrink() <= showDoomedAt {
			w, b := watchyourback.Shrink(white, black, next)
			v.Doomed = squareList((white | black) &^ (w | b))
		}
	}
	moves := p.Moves()
	var open uint64
	for _, m := range moves {
		sm := squareMove{Move: p.MoveString(m), From: -1, To: -1, Dies: squareList(diedIn(p, m))}
		if m != watchyourback.Forfeit {
			sm.To = watchyourback.Square(m)
			open |= 1 << sm.To
			if p.Phase() == watchyourback.Moving {
				step := watchyourback.StepOf(m)
				sm.From = step.From()
				sm.Jump = watchyourback.Neighbours(sm.From)&(1<<sm.To) == 0
			}
		}
		v.Moves = append(v.Moves, sm)
	}
	if p.Phase() == watchyourback.Placing {
		v.Barred = squareList(watchyourback.Playable(watchyourback.Full) &^ open &^ white &^ black)
	}
	if b, ok := before.(watchyourback.Position); ok && last != watchyourback.Forfeit {
		v.Entered = watchyourback.Square(last)
		if b.Phase() == watchyourback.Moving {
			v.From = watchyourback.StepOf(last).From()
		}
		v.Died = squareList(diedIn(b, last))
	}
	v.Facts = facts(p, len(v.Doomed))
	return v
}

// diedIn is the set of squares where a piece stood, or would have come to
// stand, before a move and stands no more after it.
func diedIn(p watchyourback.Position, m engine.Move) uint64 {
	if m == watchyourback.Forfeit {
		return 0
	}
	white, black := p.Sides()
	had := white | black | 1<<watchyourback.Square(m)
	if p.Phase() == watchyourback.Moving {
		had &^= 1 << watchyourback.StepOf(m).From()
	}
	w, b := p.Next(m).Sides()
	return had &^ (w | b)
}

func squareList(set uint64) []int {
	out := []int{}
	for ; set != 0; set &= set - 1 {
		out = append(out, bits.TrailingZeros64(set))
	}
	return out
}

// facts says where the game stands, in a sentence.
func facts(p watchyourback.Position, doomed int) string {
	if p.Over() {
		return fmt.Sprintf("The %s phase ended after %d turns.", p.Phase(), p.Turns())
	}
	if p.Phase() == watchyourback.Placing {
		return fmt.Sprintf("Placing, turn %d of %d. White places in the upper six rows, Black in the lower six.", p.Turns()+1, watchyourback.PlacingTurns)
	}
	s := fmt.Sprintf("Moving, turn %d.", p.Turns()+1)
	if p.ToShrink() > 0 {
		s += fmt.Sprintf(" The board shrinks in %d turns: the dashed squares vanish", p.ToShrink())
		if doomed > 0 {
			s += fmt.Sprintf(", and as things stand so do %d pieces", doomed)
		}
		return s + "."
	}
	if !p.Strict() {
		s += fmt.Sprintf(" A tie after %d more turns without an elimination.", watchyourback.QuietLimit-p.Quiet())
	}
	return s
}

// losses says which pieces a move cost.
func losses(before, after watchyourback.Position) string {
	s, t := before.Score(), after.Score()
	if before.Phase() == watchyourback.Placing {
		s[before.Turn()-1]++
	}
	var parts []string
	for i, name := range [2]string{"White", "Black"} {
		if n := s[i] - t[i]; n == 1 {
			parts = append(parts, name+" lost a piece")
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%s lost %d pieces", name, n))
		}
	}
	if before.Stage() != after.Stage() {
		parts = append(parts, "the board shrank")
	}
	return strings.Join(parts, ", ")
}

// squaresSVG draws the board of Watch Your Back for a report, with the move
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
