// Package opening provides opening books: grown offline, checked, browsed, and read by
// players.
//
// # What a book is
//
// A book is a set of canonical positions (CanonicalKey of [engine.Position]), its nodes.
// Each node holds the evaluation of its position: for every class of legal moves (moves
// that lead to the same canonical position form one class) a [Value], the bounds proved for
// the position itself, and the depth and time of the evaluation. The working store contains
// only these evaluations, one record each (record.go, journal.go).
//
// Everything else follows from the records and is computed when a book is opened: the links
// between nodes (graph.go), the value of every node by negamax over that graph
// (propagate.go), and the next leaf to expand (frontier.go, after the first position and
// those of given games, grow.go). So derived data cannot be out of date.
//
// # Invariants
//
//   - A class has a child if and only if its position is a node: the graph is a
//     function of the set of nodes and does not depend on their order.
//   - A Value keeps proofs (bounds) and estimate apart. Bounds are computed
//     from bounds alone; an estimate is only ever clamped to the proved interval.
//   - A node's value covers every legal move: those with a child by its value,
//     all others by their evaluation.
//   - The graph has no cycles, because no game returns to an earlier key.
//
// # Operations
//
// A new book can start from a published one ([OpenFrom]). [Book.Grow] adds nodes;
// [Book.Merge] and [Fix] change them. [Book.Publish] writes the immutable form,
// [Published], which any number of players open (publish.go). [Book.Export] writes the
// sorted text form (export.go). [OpenBooks] opens all books of a game in lookup order.
package opening

import (
	"context"
	"errors"

	"endwise/engine"
)

// Format is the version of the working store and of the text form.
const Format = 1

// Errors of this package, for use with [errors.Is].
var (
	// ErrMissing is returned if there is no book.
	ErrMissing = errors.New("no such book")
	// ErrForeign is returned for a book of another game, board, version of the rules or
	// format.
	ErrForeign = errors.New("incompatible book")
	// ErrLocked is returned if another process writes to the book.
	ErrLocked = errors.New("book is in use by another process")
	// ErrNotInBook is returned if a position that must be a node is not one.
	ErrNotInBook = errors.New("position is not in the book")
	// ErrDamaged is returned if bytes differ from what was written.
	ErrDamaged = errors.New("book is damaged")
	// ErrContradiction is returned if two proofs exclude each other.
	ErrContradiction = errors.New("proofs contradict each other")
)

// Evaluator evaluates a position. It returns an [engine.Decision] with a value for every
// legal move, or for one move of each class, like a lookup of all moves. A move may occur
// twice in Decision.Moves, with a proof and with an estimate; both count. Unproved scores
// need Depth and Elapsed, by which they are compared with other estimates.
//
// An Evaluator must honour ctx. It is not called concurrently.
type Evaluator func(ctx context.Context, p engine.Position) (engine.Decision, error)
