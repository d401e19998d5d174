package book

import (
	"endwise/book/opening"
	"endwise/book/store"
)

type Version struct {
	Name   string
	Number int
}

func (g Game) SolverVersions() []Version {
	var out []Version
	for _, k := range g.Tables {
		out = append(out, Version{k.Name, k.Solver})
	}
	return out
}

func FormatVersions() []Version {
	return []Version{
		{"tables", store.Format},
		{"growing books", opening.Format},
		{"published books", opening.PublishedFormat},
	}
}
