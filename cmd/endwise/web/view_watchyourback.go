package web

import (
	"fmt"
	"math/bits"
	"strings"

	"endwise/engine"
	"endwise/engine/watchyourback"
)

// showDoomedAt is how many turns before a shrink the pieces it would take are
// marked.
const showDoomedAt = 24

// DrawWatchYourBack draws a position of Watch Your Back.
func DrawWatchYourBack(p, before engine.Position, last engine.Move) (Drawing, error) {
	q, ok := p.(watchyourback.Position)
	if !ok {
		return Drawing{}, fmt.Errorf("a position of %s where one of Watch Your Back is expected", p.Game())
	}
	v := squaresOf(q, before, last)
	d := Drawing{Squares: v, Facts: facts(q, len(v.Doomed))}
	if b, ok := before.(watchyourback.Position); ok {
		d.News = losses(b, q)
	}
	return d, nil
}

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
		turns := fmt.Sprintf("in %d turns", p.ToShrink())
		if p.ToShrink() == 1 {
			turns = "with this turn"
		}
		s += fmt.Sprintf(" The board shrinks %s: the dashed squares vanish", turns)
		switch {
		case doomed == 1:
			s += ", and as things stand so does a piece"
		case doomed > 1:
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
