package book

import (
	"context"
	"path/filepath"

	"endwise/book/store"
	"endwise/engine/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// WatchYourBackJobs is the name of the kind of job of Watch Your Back.
const WatchYourBackJobs = "watchyourback planes"

// How many positions the plain solver may visit to prove one of a published
// book again.
const (
	openingVisits      = 1000
	openingWholeVisits = 100_000
)

// WatchYourBackGame is Watch Your Back as this room knows it.
func WatchYourBackGame() Game {
	return Game{
		Game: watchyourback.Game{},
		Open: WatchYourBack,
		Tables: []TableKind{{Name: "6x6", Solver: watchYourBackSolver,
			Check: func(ctx context.Context, path string, h *store.Header, extent Extent, p *farm.Progress) (uint64, error) {
				return checkWatchYourBack(ctx, filepath.Dir(path), h, extent, p)
			}}},
		Plain: func(extent Extent) plain.Solver {
			if extent == Whole {
				return &plain.WatchYourBack{Visits: openingWholeVisits}
			}
			return &plain.WatchYourBack{Visits: openingVisits}
		},
		Jobs: []farm.Kind{planesKind},
	}
}
