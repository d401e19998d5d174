package book

import (
	"context"

	"endwise/book/store"
	"endwise/engine"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// Game is everything that is known of one game: how to ask about it,
// what its solvers store, and how that is checked.
type Game struct {
	engine.Game
	// Open opens the sources that answer for the game, in their order.
	Open func(Options) (*Lookup, error)
	// Tables are the kinds of table that the game's solvers write.
	Tables []TableKind
	// Plain makes a solver that shares no code with those behind Open and
	// Tables. It proves positions of published books again: some hundred where
	// the extent is Share, all that it reaches where it is Whole.
	Plain func(Extent) plain.Solver
	// Jobs are the kinds of job that the game's solves hand out to other
	// processes; nil where they hand out none.
	Jobs []farm.Kind
}

// TableKind is one kind of table of a game.
type TableKind struct {
	// Name is the word for the kind in the list of versions.
	Name string
	// Solver is the version of the solver: it changes when a table would hold
	// other bytes.
	Solver int
	// Is says whether a table of the game is of this kind; nil takes all that
	// the kinds before it did not.
	Is func(h *store.Header) bool
	// Check works values of a table in the store dir out again by another method
	// and counts them. Versions have been checked before.
	Check func(ctx context.Context, dir string, h *store.Header, extent Extent, p *farm.Progress) (checked uint64, err error)
}

// kindOf is the kind of one of the game's tables that is no opening book.
func (g Game) kindOf(h *store.Header) (TableKind, bool) {
	for _, k := range g.Tables {
		if k.Is == nil || k.Is(h) {
			return k, true
		}
	}
	return TableKind{}, false
}

// Games are the games that a program knows.
type Games []Game

// named finds a game by its name in a header.
func (all Games) named(name string) (Game, bool) {
	for _, g := range all {
		if g.Name() == name {
			return g, true
		}
	}
	return Game{}, false
}

// JobKinds are the kinds of job that the solves of all games hand out.
func (all Games) JobKinds() []farm.Kind {
	var out []farm.Kind
	for _, g := range all {
		out = append(out, g.Jobs...)
	}
	return out
}
