package circuitwars

import (
	"endwise/book"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// The names of the kinds of job of Circuit Wars.
const (
	BoardJobs   = "circuitwars board"
	EndingsJobs = "circuitwars endings"
)

// Game is Circuit Wars as package book knows it.
func Game() book.Game {
	return book.Game{
		Game: circuitwars.Game{},
		Open: Open,
		Tables: []book.TableKind{
			{Name: "boards", Solver: boardSolverVersion, Is: func(h *store.Header) bool { return h.Params["board"] != "" }, Check: checkBoard},
			{Name: "endings", Solver: endingsSolverVersion, Check: checkEndings},
		},
		Plain: func(extent book.Extent) plain.Solver { return &plain.CircuitWars{MaxFree: book.ProvedFree(extent)} },
		Jobs:  []farm.Kind{boardKind, endingsKind},
	}
}

// Theorems are what the mirror theorem proves without a search: a
// move that makes the position symmetric is worth at least what the theorem
// guarantees, and in a position that is symmetric itself no move is worth more
// than what it leaves.
func Theorems(p engine.Position) []engine.MoveValue {
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
