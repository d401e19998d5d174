package book

import (
	"context"
	"fmt"

	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// Game combines a game's rules with its sources, the tables that its solvers write, and the
// code that checks them.
type Game struct {
	engine.Game
	// Open opens the game's sources in lookup order.
	Open func(Options) (*Lookup, error)
	// SolvedValue returns the proved bounds of an empty board's value that solve --value has
	// left in the store dir; nil for a game without such values.
	SolvedValue func(dir string, b *grid.Board) (solver.Bounds, error)
	// Tables are the kinds of table that the game's solvers write.
	Tables []TableKind
	// Plain returns a solver that shares no code with the solvers behind Open and Tables.
	// It verifies positions of published books: some hundreds for [Share], all within its
	// reach for [Whole].
	Plain func(Extent) plain.Solver
	// Jobs are the kinds of job that the game's solves hand out to other processes; nil if
	// there are none.
	Jobs []farm.Kind
}

// TableKind is one kind of table of a game.
type TableKind struct {
	// Name is the name of the kind in the list of versions.
	Name string
	// Solver is the version of the solver. It changes whenever the bytes of a table would
	// change.
	Solver int
	// Is reports whether a table of the game is of this kind; nil accepts every table that
	// the kinds before it did not.
	Is func(h *store.Header) bool
	// Check recomputes values of a table in the store dir by another method and returns the
	// number of compared values. The caller has checked the versions.
	Check func(ctx context.Context, dir string, h *store.Header, extent Extent, p *farm.Progress) (checked uint64, err error)
}

// kindOf returns the kind of a table of the game that is not an opening book.
func (g Game) kindOf(h *store.Header) (TableKind, bool) {
	for _, k := range g.Tables {
		if k.Is == nil || k.Is(h) {
			return k, true
		}
	}
	return TableKind{}, false
}

// TooEarly returns a sentence if free, the number of free units of a position, is above
// limit, so that a minute hardly ever proves the value; below likely it usually does.
func TooEarly(unit string, free, limit, likely int) string {
	if free <= limit {
		return ""
	}
	return fmt.Sprintf("Too early for a proof with %d %s free; from about %d on it is likely.", free, unit, likely)
}

// Games are the games of a program.
type Games []Game

// named returns the game with the given name in table headers.
func (all Games) named(name string) (Game, bool) {
	for _, g := range all {
		if g.Name() == name {
			return g, true
		}
	}
	return Game{}, false
}

// JobKinds returns the kinds of job of all games.
func (all Games) JobKinds() []farm.Kind {
	var out []farm.Kind
	for _, g := range all {
		out = append(out, g.Jobs...)
	}
	return out
}
