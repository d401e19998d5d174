package watchyourback

import (
	"endwise/book"
	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// Jobs is the name of the kind of job of Watch Your Back.
const Jobs = "watchyourback planes"

// Maximum numbers of positions that the plain solver visits to verify one position of a published book.
const (
	openingVisits      = 1000    // for book.Share
	openingWholeVisits = 100_000 // for book.Whole
)

// TooEarly returns a sentence for users if pieces are still being placed in p, else "".
func TooEarly(p engine.Position) string {
	if p.(watchyourback.Position).Phase() == watchyourback.Placing {
		return "Too early for a proof: pieces are still being placed."
	}
	return ""
}

// Game returns the sources, tables and checks of Watch Your Back.
func Game() book.Game {
	return book.Game{
		Game:   watchyourback.Game{},
		Open:   Open,
		Tables: []book.TableKind{{Name: "6x6", Solver: solverVersion, Check: checkTable}},
		Plain: func(extent book.Extent) plain.Solver {
			if extent == book.Whole {
				return &plain.WatchYourBack{Visits: openingWholeVisits}
			}
			return &plain.WatchYourBack{Visits: openingVisits}
		},
		Jobs: []farm.Kind{layersKind},
	}
}
