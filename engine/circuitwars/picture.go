package circuitwars

import (
	"endwise/engine"
	"endwise/engine/grid"
)

var ownerLook = [...]engine.Look{
	engine.None: engine.Ground, engine.First: engine.Owned1, engine.Second: engine.Owned2, unknownOwner: engine.Owned,
}

func (p Position) Picture(before engine.Position, last engine.Move) engine.Picture {
	if before == nil {
		last = -1
	}
	return p.board.Picture(grid.Looks{
		Segment: func(s int) engine.Look { return grid.SegmentLook(s, p.drawn, p.free, int(last)) },
		Name:    func(s int) string { return p.MoveString(engine.Move(s)) },
		Square:  func(sq int) engine.Look { return ownerLook[p.owner[sq]] },
	})
}
