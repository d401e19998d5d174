package dotsandboxes

import (
	"context"
	"path/filepath"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine/dotsandboxes"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// ValueJobs is the name of the kind of job of Dots and Boxes.
const ValueJobs = "dotsandboxes answers"

// Game is Dots and Boxes as package book knows it.
func Game() book.Game {
	return book.Game{
		Game: dotsandboxes.Game{},
		Open: Open,
		Tables: []book.TableKind{{Name: "classes", Solver: classSolver,
			Check: func(ctx context.Context, path string, h *store.Header, extent book.Extent, p *farm.Progress) (uint64, error) {
				return checkTable(ctx, filepath.Dir(path), h, extent, p)
			}}},
		Plain: func(extent book.Extent) plain.Solver { return &plain.DotsAndBoxes{MaxFree: book.ProvedFree(extent)} },
		Jobs:  []farm.Kind{answersKind},
	}
}
