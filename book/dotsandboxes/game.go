package dotsandboxes

import (
	"endwise/book"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// ValueJobs names the farm jobs that compute a board's value.
const ValueJobs = "dotsandboxes answers"

// Numbers of free lines on 5x5 (data/results): above rarelyProved a proof within a minute is rare,
// and with likelyProved or fewer it is likely within seconds.
const rarelyProved, likelyProved = 48, 40

func TooEarly(p engine.Position) string {
	return book.TooEarly("lines", p.(dotsandboxes.Position).Free().Len(), rarelyProved, likelyProved)
}

// Game returns the sources, tables and checks of Dots and Boxes.
func Game() book.Game {
	return book.Game{
		Game: dotsandboxes.Game{},
		Open: Open, SolvedValue: solvedValue,
		Tables: []book.TableKind{{Name: "classes", Solver: tableSolverVersion, Check: checkTable}},
		Plain:  func(extent book.Extent) plain.Solver { return &plain.DotsAndBoxes{MaxFree: book.ProvedFree(extent)} },
		Jobs:   []farm.Kind{windowsKind},
	}
}
