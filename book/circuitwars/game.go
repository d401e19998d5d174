package circuitwars

import (
	"endwise/book"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// Names of the job kinds of Circuit Wars ([farm.Kind]).
const (
	BoardJobs   = "circuitwars board"
	EndingsJobs = "circuitwars endings"
)

// Numbers of free segments on 7x7 (data/results): above rarelyProved a proof within a minute is rare,
// and with likelyProved or fewer it is likely.
const rarelyProved, likelyProved = 65, 54

func TooEarly(p engine.Position) string {
	return book.TooEarly("segments", p.(circuitwars.Position).Free().Len(), rarelyProved, likelyProved)
}

// Game returns the sources, tables and checks of Circuit Wars.
func Game() book.Game {
	return book.Game{
		Game: circuitwars.Game{},
		Open: Open, SolvedValue: solvedValue,
		Tables: []book.TableKind{
			{
				Name: "boards", Solver: boardSolverVersion, Check: checkBoard,
				Is: func(h *store.Header) bool { return h.Params["board"] != "" },
			},
			{Name: "endings", Solver: endingsSolverVersion, Check: checkEndings},
		},
		Plain: func(extent book.Extent) plain.Solver { return &plain.CircuitWars{MaxFree: book.ProvedFree(extent)} },
		Jobs: []farm.Kind{
			{
				Name: BoardJobs, Version: book.JobVersion(circuitwars.RulesVersion, boardSolverVersion, 1),
				Open: func(env farm.Env) (farm.Handler, error) { return &boardHandler{env: env}, nil },
			},
			{
				Name: EndingsJobs, Version: book.JobVersion(circuitwars.RulesVersion, endingsSolverVersion, 1),
				Open: func(env farm.Env) (farm.Handler, error) { return &endingsHandler{env: env}, nil },
			},
		},
	}
}
