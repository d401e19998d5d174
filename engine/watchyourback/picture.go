package watchyourback

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"endwise/engine"
)

// showShrinkAt is the number of turns before a shrink in which the picture shows what it removes.
const showShrinkAt = 20

// Sizes of the picture. The radius of a square is half of its side.
const (
	gap         = 0.03 // between a drawn square and its edge
	lastRadius  = 0.44 // of the mark on the square entered last
	whiteRadius = 0.34
	blackRadius = 0.3
	crossRadius = 0.2
	leftRadius  = 0.08 // of the mark on the square left by the last move
)

type drawing struct {
	engine.Picture
	p    Position
	edge int // removed rows above the board
}

// Picture implements [engine.Position]. It has an arrow for every step or jump. If a shrink followed the
// last move, the picture has the size of the board before the shrink.
func (p Position) Picture(before engine.Position, last engine.Move) engine.Picture {
	from, known := before.(Position)
	stage := p.stage
	if known {
		stage = from.stage
	}
	side := stage.Side()
	d := drawing{p: p, edge: int(stage), Picture: engine.Numbered(int(stage), side, int(stage), side)}
	ring, doomed := p.nextShrink()
	d.fields(onBoard[stage], ring)
	for s := range squares(p.sides[0] | p.sides[1]) {
		d.piece(s, doomed>>s&1 != 0)
	}
	if known && last != Forfeit {
		for s := range squares(eliminated(from, last)) {
			x, y := d.middle(s)
			d.Add(engine.Shape{Kind: engine.Circle, Look: engine.Died, X: x, Y: y, R: whiteRadius})
		}
		x, y := d.middle(Square(last))
		d.Add(cell(engine.Last, x, y, lastRadius))
		if from.phase == Moving {
			x, y := d.middle(Origin(last))
			d.Add(engine.Shape{Kind: engine.Circle, Look: engine.Last, X: x, Y: y, R: leftRadius})
		}
	}
	if p.phase == Moving {
		d.arrows()
	}
	d.Facts = p.facts(bits.OnesCount64(doomed))
	if known {
		d.News = losses(from, p)
	}
	return d.Picture
}

// squares iterates over the squares of a set in ascending order.
func squares(set uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for s := set; s != 0; s &= s - 1 {
			if !yield(bits.TrailingZeros64(s)) {
				return
			}
		}
	}
}

func (d *drawing) middle(s int) (x, y float64) {
	return engine.MarginLeft + float64(s%8-d.edge) + 0.5, engine.MarginTop + float64(s/8-d.edge) + 0.5
}

// cell returns a square with the middle (x, y) and sides of twice the radius.
func cell(look engine.Look, x, y, radius float64) engine.Shape {
	return engine.Shape{Kind: engine.Cell, Look: look, X: x - radius, Y: y - radius, X2: x + radius, Y2: y + radius}
}

// nextShrink returns the squares that the next shrink removes, and the pieces that would be lost if it
// happened now. Both are empty if it is more than showShrinkAt turns away.
func (p Position) nextShrink() (ring, doomed uint64) {
	if p.over || p.stage == Final || p.ToShrink() > showShrinkAt {
		return 0, 0
	}
	ring = onBoard[p.stage] &^ onBoard[p.stage+1]
	w, b := Shrink(p.sides[0], p.sides[1], p.stage+1)
	return ring, (p.sides[0] | p.sides[1]) &^ (w | b)
}

// fields draws the squares of board that are still on the board, those of ring dashed. In the placing
// phase, the squares for a placement have a Move.
func (d *drawing) fields(board, ring uint64) {
	p := d.p
	occupied := p.sides[0] | p.sides[1]
	var open uint64
	if p.phase == Placing {
		open = zone[p.turns&1] &^ occupied
	}
	for s := range squares(board & onBoard[p.stage]) {
		x, y := d.middle(s)
		bit := uint64(1) << s
		field := cell(engine.Field, x, y, 0.5-gap)
		field.Name = squareString(s)
		switch {
		case corners[p.stage]&bit != 0:
			field.Look = engine.Corner
		case ring&bit != 0:
			field.Look = engine.Ring
		case p.phase == Placing && (open|occupied)&bit == 0:
			field.Look = engine.Barred
		}
		if open&bit != 0 {
			field.Move = p.MoveString(Place(s))
			field.Name += deaths(p, Place(s))
		}
		for i, colour := range sideNames {
			if p.sides[i]&bit != 0 {
				field.Name = fmt.Sprintf("%s piece on %s", colour, squareString(s))
			}
		}
		d.Add(field)
	}
}

// piece draws the piece on square s, with a mark if doomed is true.
func (d *drawing) piece(s int, doomed bool) {
	x, y := d.middle(s)
	if d.p.sides[0]>>s&1 != 0 {
		d.Add(engine.Shape{Kind: engine.Circle, Look: engine.Piece1, X: x, Y: y, R: whiteRadius})
	} else {
		d.Add(cell(engine.Piece2, x, y, blackRadius))
	}
	if doomed {
		cross := cell(engine.Doomed, x, y, crossRadius)
		cross.Kind = engine.Cross
		d.Add(cross)
	}
}

// arrows draws the moves of the moving phase, or a text if the side to move must forfeit the turn.
func (d *drawing) arrows() {
	p := d.p
	for _, m := range p.Moves() {
		if m == Forfeit {
			d.Add(engine.Shape{
				Kind: engine.Label, X: d.Width / 2, Y: d.Height + 0.1, Text: "No move: forfeit the turn",
				Move: p.MoveString(m), Name: "no move, forfeit the turn",
			})
			d.Height += 0.4
			continue
		}
		from, to := Origin(m), Square(m)
		arrow := engine.Shape{Kind: engine.Arrow, Look: engine.Step, Move: p.MoveString(m), Name: "to " + squareString(to)}
		arrow.X, arrow.Y = d.middle(from)
		arrow.X2, arrow.Y2 = d.middle(to)
		if slices.Contains(beyond[from][:], 1<<to) {
			arrow.Look = engine.Jump
			arrow.Name += ", a jump"
		}
		arrow.Name += deaths(p, m)
		d.Add(arrow)
	}
}

// deaths describes the pieces that a move eliminates, as the end of the move's name.
func deaths(p Position, m engine.Move) string {
	died := eliminated(p, m)
	var on []string
	for s := range squares(died) {
		on = append(on, squareString(s))
	}
	switch len(on) {
	case 0:
		return ""
	case 1:
		return ", a piece dies on " + on[0]
	}
	return fmt.Sprintf(", %d pieces die on %s", len(on), strings.Join(on, " "))
}

// eliminated returns the squares of the pieces that a move, which must not be Forfeit, and a shrink
// after it remove.
func eliminated(p Position, m engine.Move) uint64 {
	had := p.sides[0] | p.sides[1] | 1<<Square(m)
	if p.phase == Moving {
		had &^= 1 << Origin(m)
	}
	after := p.Next(m)
	return had &^ (after.sides[0] | after.sides[1])
}

// facts describes the phase, the turn and the next shrink. doomed is the number of pieces that would be
// lost if this shrink happened now.
func (p Position) facts(doomed int) string {
	if p.over {
		return fmt.Sprintf("The %s phase ended after %d turns.", p.phase, p.turns)
	}
	if p.phase == Placing {
		return fmt.Sprintf("Placing, turn %d of %d. White places in the upper six rows, Black in the lower six.",
			p.turns+1, PlacingTurns)
	}
	s := fmt.Sprintf("Turn %d of the moving phase.", p.turns+1)
	if p.ToShrink() > 0 {
		turns := fmt.Sprintf("in %d turns", p.ToShrink())
		if p.ToShrink() == 1 {
			turns = "with this turn"
		}
		s += " The board shrinks " + turns
		if p.ToShrink() <= showShrinkAt {
			s += ": the dashed squares vanish"
		}
		switch {
		case doomed == 1:
			s += "; a shrink now would remove the piece with a cross"
		case doomed > 1:
			s += fmt.Sprintf("; a shrink now would remove the %d pieces with a cross", doomed)
		}
		return s + "."
	}
	if !p.strict {
		s += fmt.Sprintf(" A tie if no piece dies for %d turns, %d so far.", QuietLimit, p.Quiet())
	}
	return s
}

// losses describes how many pieces each side lost by the move from before to after, and a shrink.
func losses(before, after Position) string {
	had, has := before.Score(), after.Score()
	if before.phase == Placing {
		had[before.Turn()-engine.First]++ // the placed piece
	}
	var parts []string
	for i, name := range [2]string{"White", "Black"} {
		if n := had[i] - has[i]; n == 1 {
			parts = append(parts, name+" lost a piece")
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%s lost %d pieces", name, n))
		}
	}
	if before.stage != after.stage {
		parts = append(parts, "the board shrank")
	}
	return strings.Join(parts, ", ")
}
