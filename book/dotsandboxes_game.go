package book

import (
	"context"
	"path/filepath"

	"endwise/book/store"
	"endwise/engine/dotsandboxes"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// DotsAndBoxesValueJobs is the name of the kind of job of Dots and Boxes.
const DotsAndBoxesValueJobs = "dotsandboxes answers"

// DotsAndBoxesGame is Dots and Boxes as this room knows it.
func DotsAndBoxesGame() Game {
	return Game{
		Game: dotsandboxes.Game{},
		Open: DotsAndBoxes,
		Tables: []TableKind{{Name: "classes", Solver: classSolver,
			Check: func(ctx context.Context, path string, h *store.Header, extent Extent, p *farm.Progress) (uint64, error) {
				return checkDotsAndBoxesTable(ctx, filepath.Dir(path), h, extent, p)
			}}},
		Plain: func(extent Extent) plain.Solver { return &plain.DotsAndBoxes{MaxFree: provedFree(extent)} },
		Jobs:  []farm.Kind{answersKind},
	}
}
