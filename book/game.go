package book

import (
	"context"
	"fmt"

	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/grid"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// Game combines a game's rules with its sources and tables.
type Game struct {
	engine.Game
	// Open opens the game's sources in lookup order.
	Open func(Options) (*Lookup, error)
	// SolvedValue returns the bounds of an empty board's value that the command solve --value has
	// left in a store; nil for a game without such values.
	SolvedValue func(storeDir string, b *grid.Board) (BoardValue, error)
	// Tables are the kinds of table that the game's solvers write.
	Tables []TableKind
	// Plain returns a solver that shares no code with the solvers of Open and Tables.
	Plain func(Extent) plain.Solver
	// Jobs are the kinds of jobs that the game's solves pass to other processes.
	Jobs []farm.Kind
}

type TableKind struct {
	// Name is the name of the kind in the list of versions.
	Name string
	// Solver is the version of the solver. It changes whenever the bytes of a table would change.
	Solver int
	// Is reports whether a table is of this kind and not of a preceding one; nil accepts every table.
	Is func(h *store.Header) bool
	// Check recomputes values of a table in a store and returns the number of compared values. The
	// caller has checked the versions.
	Check func(
		ctx context.Context, storeDir string, h *store.Header, extent Extent, p *farm.Progress,
	) (checked uint64, err error)
}

func (g Game) kindOf(h *store.Header) (kind TableKind, ok bool) {
	for _, k := range g.Tables {
		if k.Is == nil || k.Is(h) {
			return k, true
		}
	}
	return TableKind{}, false
}

// TooEarly returns a sentence for users if free, the number of free units of a position, exceeds limit,
// else "". With up to proofLimit units a proof is likely. unit is a plural, for example "segments".
func TooEarly(unit string, free, limit, proofLimit int) string {
	if free <= limit {
		return ""
	}
	return fmt.Sprintf("Too early for a proof with %d %s free; with about %d or fewer, a proof is likely.",
		free, unit, proofLimit)
}

type Games []Game

func (all Games) named(name string) (g Game, ok bool) {
	for _, g := range all {
		if g.Name() == name {
			return g, true
		}
	}
	return Game{}, false
}

func (all Games) JobKinds() []farm.Kind {
	var out []farm.Kind
	for _, g := range all {
		out = append(out, g.Jobs...)
	}
	return out
}
