package opening

import (
	"context"
	"testing"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
	"endwise/solver/plain"
)

// A grown book of Dots and Boxes has the true value, and proves nothing false while it
// grows.
func TestDotsAndBoxesBookIsMinimax(t *testing.T) {
	for _, c := range []struct {
		board string
		value int
	}{{"1x1", -1}, {"1x2", 0}, {"1x3", -1}, {"2x2", 2}} {
		o := oracle{&plain.DotsAndBoxes{}}
		eval := func(_ context.Context, pos engine.Position) (engine.Decision, error) {
			p := pos.(dotsandboxes.Position)
			d := engine.Decision{Depth: 1}
			for _, m := range p.Moves() {
				v := engine.MoveValue{Move: p.MoveString(m), Score: noise(3, p.String(), p.MoveString(m))}
				switch noise(5, p.MoveString(m), p.String()) {
				case 5:
					v.Score, v.Proof = o.move(p, m)-1, engine.Lower
				case 4:
					v.Score, v.Proof = o.move(p, m)+1, engine.Upper
				}
				d.Moves = append(d.Moves, v)
			}
			return d, nil
		}
		b, err := New(dotsandboxes.Game{}, c.board)
		testenv.OK(t, err)
		if v := growsTrue(t, b, o, nil, eval); v != c.value {
			t.Errorf("%s: minimax %d, known is %d", c.board, v, c.value)
		}
	}
}
