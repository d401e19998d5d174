package dotsandboxes

import (
	"endwise/engine"
	"endwise/engine/grid"
)

func (p Position) Picture(before engine.Position, last engine.Move) engine.Picture {
	if before == nil {
		last = -1
	}
	return p.board.Picture(grid.Looks{
		Segment: func(s int) engine.Look { return grid.SegmentLook(s, p.drawn, p.Free(), int(last)) },
		Name:    func(s int) string { return p.MoveString(engine.Move(s)) },
		Dots:    true,
		Square: func(box int) engine.Look {
			switch owner := p.Owner(box); {
			case owner == engine.First:
				return engine.Owned1
			case owner == engine.Second:
				return engine.Owned2
			case p.Completed(box):
				return engine.Owned
			}
			return engine.Ground
		},
	})
}
