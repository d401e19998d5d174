package book

import (
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// The names of the kinds of job of Circuit Wars.
const (
	CircuitWarsBoardJobs   = "circuitwars board"
	CircuitWarsEndingsJobs = "circuitwars endings"
)

// How many free segments a position of a published book may have to be proved
// again.
const (
	openingFree      = 12
	openingWholeFree = 18
)

// provedFree is the same for an extent.
func provedFree(extent Extent) int {
	if extent == Whole {
		return openingWholeFree
	}
	return openingFree
}

// CircuitWarsGame is Circuit Wars as this room knows it.
func CircuitWarsGame() Game {
	return Game{
		Game: circuitwars.Game{},
		Open: CircuitWars,
		Tables: []TableKind{
			{Name: "boards", Solver: boardSolverVersion, Is: func(h *store.Header) bool { return h.Params["board"] != "" }, Check: checkCircuitWarsBoard},
			{Name: "endings", Solver: endingsSolverVersion, Check: checkCircuitWarsEndings},
		},
		Plain: func(extent Extent) plain.Solver { return &plain.CircuitWars{MaxFree: provedFree(extent)} },
		Jobs:  []farm.Kind{boardKind, endingsKind},
	}
}

// circuitWarsTheorems are what the mirror theorem proves without a search: a
// move that makes the position symmetric is worth at least what the theorem
// guarantees, and in a position that is symmetric itself no move is worth more
// than what it leaves.
func circuitWarsTheorems(p engine.Position) []engine.MoveValue {
	c, ok := p.(circuitwars.Position)
	if !ok {
		return nil
	}
	var out []engine.MoveValue
	for _, m := range mirrorMoves(c) {
		out = append(out, engine.MoveValue{Move: c.MoveString(engine.Move(m.segment)), Score: m.guarantee, Proof: engine.Lower, Source: "mirror"})
	}
	if fixed, _, ok := mirrorCeiling(c); ok {
		for _, m := range c.Moves() {
			out = append(out, engine.MoveValue{Move: c.MoveString(m), Score: -fixed, Proof: engine.Upper, Source: "mirror"})
		}
	}
	return out
}
