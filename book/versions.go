package book

import (
	"endwise/book/opening"
	"endwise/book/store"
)

// Version is the number of something that files in a store depend on: when it
// changes, files of another number are told apart from damaged ones.
type Version struct {
	Name   string
	Number int
}

// SolverVersions are the versions of the game's solvers that write tables.
func (g Game) SolverVersions() []Version {
	var out []Version
	for _, k := range g.Tables {
		out = append(out, Version{k.Name, k.Solver})
	}
	return out
}

// FormatVersions are the versions of the files in a store.
func FormatVersions() []Version {
	return []Version{{"tables", store.Format}, {"growing books", opening.Format}, {"published books", opening.PublishedFormat}}
}
