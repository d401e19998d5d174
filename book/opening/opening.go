// Package opening is the opening book: grown offline, checked, browsed, and read
// by players.
//
// # What a book is
//
// A book is a set of canonical positions (engine.Position.CanonicalKey), its nodes. Each
// node holds what a player said about it when it was evaluated, once: for every
// equivalence class of legal moves (moves that lead to the same canonical position are one
// class) a [Value], plus what was proved about the position itself, and the depth
// and time of the evaluation. These evaluations, a record each (record.go), are all
// that the working store keeps (journal.go).
//
// Everything else follows from them and is worked out when a book is opened:
// which moves lead to other nodes (graph.go), what every node is worth by negamax
// over that graph (propagate.go), and which leaf to expand next (frontier.go; the
// first position and those of given games come before, grow.go). What is not
// stored can't be stale.
//
// # Invariants
//
//   - A class has a child if and only if its position is a node: the graph is a
//     function of the set of nodes, whatever the order in which they came.
//   - A Value keeps proofs (bounds) and estimate apart. Bounds are computed
//     from bounds alone; an estimate is only ever clamped to the proved interval.
//   - A node's value covers every legal move: those with a child by its value,
//     all others by what the evaluation said about them.
//   - The graph has no cycles, because no game returns to an earlier key.
//
// A new book can begin with a published one ([OpenFrom]). [Book.Grow] adds nodes; [Book.Merge] and [Fix] change them; [Book.Publish] writes
// the immutable form, [Published], that any number of players open; [Book.Export]
// writes the sorted text form. [OpenEditions] opens all books of a game in the order
// in which they are consulted.
package opening

import (
	"context"
	"errors"

	"endwise/engine"
)

// Format is the version of the working store and of the text form.
const Format = 1

// The errors of this package, to be tested with errors.Is.
var (
	// ErrMissing is returned when there is no book where one is opened.
	ErrMissing = errors.New("no such book")
	// ErrForeign is returned for a book of another game, board, version of
	// the rules or format.
	ErrForeign = errors.New("book is of another kind")
	// ErrLocked is returned when another process writes to the book.
	ErrLocked = errors.New("book is held by another process")
	// ErrNotInBook is returned when a position that must be a node is none.
	ErrNotInBook = errors.New("position is not in the book")
	// ErrDamaged is returned when bytes are not what was written.
	ErrDamaged = errors.New("book is damaged")
	// ErrContradiction is returned when two proofs exclude each other.
	ErrContradiction = errors.New("proofs contradict each other")
)

// Evaluator says what a player thinks of a position: an engine.Decision with a
// value for every legal move (or one of each class), as Lookup gives when it
// is asked for all moves. A move may occur several times in Decision.Moves,
// with a proof and with an estimate; both count. A score without a proof needs
// Depth and Elapsed to be worth something later.
//
// It must honour ctx, and must not be called from several goroutines at once.
type Evaluator func(ctx context.Context, p engine.Position) (engine.Decision, error)
