package opening

import (
	"context"
	"testing"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

// A book of Dots and Boxes knows the true value when it is grown, and proves
// nothing false on the way.
func TestDotsAndBoxesBookIsMinimax(t *testing.T) {
	for _, c := range []struct {
		board string
		value int16
	}{{"1x1", -1}, {"1x2", 0}, {"1x3", -1}, {"2x2", 2}} {
		o := minimax{}
		eval := func(_ context.Context, pos engine.Position) (engine.Decision, error) {
			p := pos.(dotsandboxes.Position)
			d := engine.Decision{Depth: 1}
			for _, m := range p.Moves() {
				v := engine.MoveValue{Move: p.MoveString(m), Score: noise(3, p.String(), p.MoveString(m))}
				switch noise(5, p.MoveString(m), p.String()) {
				case 5:
					v.Score, v.Proof = o.move(t, p, m)-1, engine.Lower
				case 4:
					v.Score, v.Proof = o.move(t, p, m)+1, engine.Upper
				}
				d.Moves = append(d.Moves, v)
			}
			return d, nil
		}
		b, err := New(dotsandboxes.Game{}, c.board)
		testenv.OK(t, err)
		var p Progress
		for _, nodes := range []int{6, 30, 90, 0} {
			p = grow(t, b, GrowOptions{Evaluators: []Evaluator{eval}, Nodes: nodes})
			for id := range b.nodes {
				pos, err := b.position(int32(id))
				testenv.OK(t, err)
				n := &b.nodes[id]
				if v := int16(o.value(t, pos)); v < n.value.Lo || v > n.value.Hi {
					t.Fatalf("%s: the book says %v, minimax %d", pos, n.value, v)
				}
			}
		}
		if p.Root != exactly(c.value) {
			t.Errorf("%s: root %v, known is %d", c.board, p.Root, c.value)
		}
	}
}
