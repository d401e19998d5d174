// Package opening is the opening book: grown offline, checked, browsed, and read
// by players.
//
// # What a book is
//
// A book is a set of canonical positions (engine.Canonical), its nodes. Each
// node holds what a player said about it when it was evaluated, once: for every
// equivalence class of legal moves (moves that lead to the same canonical position are one
// class) a Value, plus what was proved about the position itself, and the depth
// and time of the evaluation. These evaluations, a record each (record.go), are all that
// the working store keeps (journal.go).
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
// Grow (grow.go) adds nodes; Merge, Deepen and Fix change them; Publish writes
// the immutable form that any number of players open (publish.go,
// published.go); export.go is the sorted text form.
package opening

import (
	"context"
	"errors"
	"fmt"
	"math"

	"endwise/engine"
)

// Format is the newest version of the working store and of the text form that is
// read. It is the version of books with evaluations that recur; all others are
// of version 1.
const Format = 2

// The errors of this package, to be tested with errors.Is.
var (
	// ErrMissing is returned when there is no book where one is opened.
	ErrMissing = errors.New("no such book")
	// ErrForeign is returned for a book of another game, board, version of
	// the rules or format.
	ErrForeign = errors.New("book is of another kind")
	// ErrLocked is returned when another process writes to the book.
	ErrLocked = errors.New("book is held by another process")
	// ErrDamaged is returned when bytes are not what was written.
	ErrDamaged = errors.New("book is damaged")
	// ErrContradiction is returned when two proofs exclude each other.
	ErrContradiction = errors.New("proofs contradict each other")
	// errIncomplete is returned when an evaluation says nothing about a move.
	errIncomplete = errors.New("evaluation leaves a move out")
	// ErrNotInBook is returned when a position that must be a node is none.
	ErrNotInBook = errors.New("position is not in the book")
)

// Unbounded is the size of a bound that says nothing: Lo = -Unbounded,
// Hi = Unbounded. Every score is smaller.
const Unbounded = math.MaxInt16

// maxScore is the largest score, proved or estimated, that a book takes.
const maxScore = 30000

// Value is what is known about a position or a move, for the side to move.
// Scores are those of engine.Decision; in games with a ProofScale proved
// scores are multiplied by it, so that all three numbers lie on one scale.
type Value struct {
	// Lo and Hi are proved: Lo <= true value <= Hi.
	Lo, Hi int16
	// Est is the estimate. Where Lo == Hi it means nothing and equals them.
	Est int16
}

// unknown is the value about which nothing is proved.
func unknown(est int16) Value { return Value{-Unbounded, Unbounded, est} }

// exactly is the proved value v.
func exactly(v int16) Value { return Value{v, v, v} }

// Exact says whether the value is proved.
func (v Value) Exact() bool { return v.Lo == v.Hi }

// clamp cuts the estimate to the proved interval.
func (v Value) clamp() Value {
	v.Est = max(v.Lo, min(v.Hi, v.Est))
	return v
}

// Within adds the proofs of w to those of v and keeps v's estimate. ok is
// false when they exclude each other.
func (v Value) Within(w Value) (out Value, ok bool) {
	out = Value{max(v.Lo, w.Lo), min(v.Hi, w.Hi), v.Est}
	if out.Lo > out.Hi {
		return v, false
	}
	return out.clamp(), true
}

// Through is the value of a move that gains gain (on the scale of v) and leads
// to a position of value v; passes says that the turn passes there. A bound that
// says nothing goes on saying nothing.
func (v Value) Through(gain int, passes bool) Value {
	if passes {
		v = Value{-v.Hi, -v.Lo, -v.Est}
	}
	for _, x := range []*int16{&v.Lo, &v.Hi, &v.Est} {
		if *x != Unbounded && *x != -Unbounded {
			*x += int16(gain)
		}
	}
	return v
}

// Proof is the strongest single statement that the value allows, and its
// score: exact; else a bound where only one side is bounded or there is no
// better; estimates are left to the caller who wants one.
func (v Value) Proof() (engine.Proof, int16) {
	switch {
	case v.Exact():
		return engine.Exact, v.Lo
	case v.Lo > -Unbounded:
		return engine.Lower, v.Lo
	case v.Hi < Unbounded:
		return engine.Upper, v.Hi
	}
	return engine.Estimate, v.Est
}

// Words says what a value is in few words, for a game with the given
// ProofScale: "+3 proved", "about +1, at least +1 proved", "a win proved".
func (v Value) Words(scale int) string {
	about, bounds := "about "+estimated(v.Est, scale), v.bounded(scale, "at least ", "at most ")
	switch {
	case v.Exact():
		return bounds + " proved"
	case bounds == "":
		return about
	}
	return about + ", " + bounds + " proved"
}

// About is the estimate in few words, "" where the value is proved.
func (v Value) About(scale int) string {
	if v.Exact() {
		return ""
	}
	return estimated(v.Est, scale)
}

// Proved is what is proved in few words: "-2", "≥+1", "≤ a tie", "-3 to +1"; "" for
// nothing.
func (v Value) Proved(scale int) string {
	if scale > 1 {
		return v.bounded(scale, "≥ ", "≤ ")
	}
	return v.bounded(scale, "≥", "≤")
}

// bounded writes what is proved, "" for nothing.
func (v Value) bounded(scale int, least, most string) string {
	lo, hi := proved(v.Lo, scale), proved(v.Hi, scale)
	switch {
	case v.Exact():
		return lo
	case v.Lo > -Unbounded && v.Hi < Unbounded:
		return lo + " to " + hi
	case v.Lo > -Unbounded:
		return least + lo
	case v.Hi < Unbounded:
		return most + hi
	}
	return ""
}

// proved writes a proved score: points, or where a score is the game's result
// that.
func proved(n int16, scale int) string {
	if scale > 1 {
		switch int(n) / scale {
		case 1:
			return "a win"
		case 0:
			return "a tie"
		case -1:
			return "a loss"
		}
	}
	return fmt.Sprintf("%+d", int(n)/scale)
}

// estimated writes an estimate in points.
func estimated(n int16, scale int) string {
	if scale > 1 {
		return fmt.Sprintf("%+.2f", float64(n)/100)
	}
	return fmt.Sprintf("%+d", n)
}

// Behind is what stands behind an estimate: the depth and the time of the
// evaluation from which it comes, and how many book moves away that was.
type Behind struct {
	Depth  uint16 // plies
	Millis uint32
	Plies  uint16 // book moves between the node and the evaluated position
}

// Work is what an evaluation took that gives the same in every run: zero where it
// had a time.
type Work struct {
	Engine uint32 // version of the searches
	Limit  uint64 // of nodes
	Nodes  uint64 // that were counted
}

// Evaluator says what a player thinks of a position: an engine.Decision with a
// value for every legal move (or one of each class), as Lookup gives when it
// is asked for all moves. A move may occur several times in Decision.Moves,
// with a proof and with an estimate; both count. A score without a proof needs
// Depth and Elapsed to be worth something later.
//
// It must honour ctx, and must not be called from several goroutines at once.
type Evaluator func(ctx context.Context, p engine.Position) (engine.Decision, error)

// canonicalOf asserts that a game's positions can be kept in a book.
func canonicalOf(p engine.Position) (engine.Canonical, error) {
	c, ok := p.(engine.Canonical)
	if !ok {
		return nil, fmt.Errorf("positions of %s have no canonical form: no book of them is possible", p.Game())
	}
	return c, nil
}
