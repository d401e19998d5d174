// Package opening provides opening books.
//
// # What a book is
//
// The nodes of a book are canonical positions (CanonicalKey of [engine.Position]). Two moves of a
// node are equivalent if they have the same gain and either lead to the same canonical position or
// both end the game. Of equivalent moves the book stores the one with the lowest number. A move that
// leads to a node is linked to this node, its child. The graph has no cycles, because no game returns
// to an earlier key.
//
// Each node has one record of its evaluation (record.go). The working form, [Book], stores only the
// records (journal.go). Opening a book computes the links (graph.go) and the value of every node
// (propagate.go); growing it, the costs that determine which move is evaluated next (frontier.go).
//
// # Invariants
//
//   - A move is linked if and only if it leads to a node.
//   - Bounds are computed from bounds only. An estimate never changes them.
//   - The value of a node takes every legal move into account: a linked move by the value of its
//     child and by its evaluation, any other move by its evaluation.
//
// # Operations
//
// [Open] and [Read] open a working book; [OpenFrom] starts a new one from a published book.
// [Book.Grow] adds nodes, [Book.Merge] combines two books, [Check] finds damage and [Fix] repairs it.
// [Book.Publish] writes the immutable form, [Published]. [Book.Export] writes the sorted text form.
// [OpenBooks] opens all books of a game.
package opening

import (
	"context"
	"errors"

	"endwise/engine"
)

// Format is the version of the working form and of the text form.
const Format = 1

// Errors of this package, for use with [errors.Is].
var (
	// ErrMissing is returned if a directory contains no book.
	ErrMissing = errors.New("no such book")
	// ErrForeign is returned for a book of another game, board, version of the rules or format.
	ErrForeign   = errors.New("incompatible book")
	ErrLocked    = errors.New("book is in use by another process")
	ErrNotInBook = errors.New("position is not in the book")
	// ErrDamaged is returned if bytes differ from what was written.
	ErrDamaged = errors.New("book is damaged")
	// ErrContradiction is returned if two proofs exclude each other.
	ErrContradiction = errors.New("proofs contradict each other")
)

// Evaluator evaluates a position. The Moves of the [engine.Decision] contain at least one of each set
// of equivalent moves. A move may occur twice, with a proof and with an estimate. Depth and Elapsed
// describe the estimates. An Evaluator must return soon after ctx ends. It is not called concurrently.
type Evaluator func(ctx context.Context, p engine.Position) (engine.Decision, error)
