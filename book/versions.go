package book

import (
	"endwise/book/opening"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/watchyourback"
)

// Version is the number of something that files in a store depend on: when it
// changes, files of another number are told apart from damaged ones.
type Version struct {
	Name   string `json:"name"`
	Number int    `json:"version"`
}

// SolverVersions are the versions of a game's solvers that write tables.
func SolverVersions(g engine.Game) []Version {
	switch g.Name() {
	case circuitwars.Name:
		return []Version{{"boards", boardSolverVersion}, {"endings", endingsSolverVersion}}
	case dotsandboxes.Name:
		return []Version{{"classes", classSolver}}
	case watchyourback.Name:
		return []Version{{"6x6", watchYourBackSolver}}
	}
	return nil
}

// FormatVersions are the versions of the files in a store.
func FormatVersions() []Version {
	return []Version{{"tables", store.Format}, {"growing books", opening.Format}, {"published books", opening.PublishedFormat}}
}
