package watchyourback

import (
	"context"
	"path/filepath"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// Jobs is the name of the kind of job of Watch Your Back.
const Jobs = "watchyourback planes"

// How many positions the plain solver may visit to prove one of a published
// book again.
const (
	openingVisits      = 1000
	openingWholeVisits = 100_000
)

// Game is Watch Your Back as package book knows it.
func Game() book.Game {
	return book.Game{
		Game: watchyourback.Game{},
		Open: Open,
		Tables: []book.TableKind{{Name: "6x6", Solver: solverVersion,
			Check: func(ctx context.Context, path string, h *store.Header, extent book.Extent, p *farm.Progress) (uint64, error) {
				return checkTable(ctx, filepath.Dir(path), h, extent, p)
			}}},
		Plain: func(extent book.Extent) plain.Solver {
			if extent == book.Whole {
				return &plain.WatchYourBack{Visits: openingWholeVisits}
			}
			return &plain.WatchYourBack{Visits: openingVisits}
		},
		Jobs: []farm.Kind{planesKind},
	}
}
